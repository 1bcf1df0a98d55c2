from courtpiece._kernel.ismcts import *
