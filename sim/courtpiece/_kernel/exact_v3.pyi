from courtpiece._kernel.exact import *
