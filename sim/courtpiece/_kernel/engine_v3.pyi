from courtpiece._kernel.engine import *
