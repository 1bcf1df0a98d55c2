from courtpiece._kernel.worlds import *
