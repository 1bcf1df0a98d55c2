"""What the processor can do."""

cdef extern from *:
    """
    #ifdef COURTPIECE_V3
    static int courtpiece_has_v3(void) {
        __builtin_cpu_init();
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2")
            && __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("fma");
    }
    #else
    static int courtpiece_has_v3(void) { return 0; }
    #endif
    """
    bint courtpiece_has_v3()


def has_x86_64_v3():
    """Return whether this is an x86-64 processor with BMI2 and AVX2, and the second build of the engine, made for these, is there."""
    return courtpiece_has_v3()
