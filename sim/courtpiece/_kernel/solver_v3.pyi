from courtpiece._kernel.solver import *
