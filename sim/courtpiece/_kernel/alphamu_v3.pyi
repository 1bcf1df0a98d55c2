from courtpiece._kernel.alphamu import *
