"""Gives the random words on standard input to a battery of TestU01 (L'Ecuyer and Simard, 2007).

    python tests/bench/raw_words.py first | python tests/bench/testu01.py SmallCrush

TestU01 looks at 32 bits at a time; it gets each word's low half, then its high half.  It prints how many
p-values it looked at, and which of them lie outside [0.001, 0.999].  Needed is its shared library (Debian's
libtestu01-0, until Debian 12 in non-free).
"""

from __future__ import annotations

import argparse
import ctypes
import sys

BATTERIES = ("SmallCrush", "Crush", "BigCrush")         # minutes, an hour, half a day of processor time
NUMBERS_READ_AT_ONCE = 1 << 20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("battery", choices=BATTERIES)
    asked = parser.parse_args()
    try:
        library = ctypes.CDLL("libtestu01.so.0")
    except OSError as error:
        sys.exit(f"TestU01 is not here ({error}); Debian has it as libtestu01-0")
    ctypes.c_int.in_dll(library, "swrite_Basic").value = 0      # the report at the end alone
    library.ufile_CreateReadBin.restype = ctypes.c_void_p
    words = library.ufile_CreateReadBin(b"/dev/stdin", NUMBERS_READ_AT_ONCE)
    getattr(library, f"bbattery_{asked.battery}")(ctypes.c_void_p(words))


if __name__ == "__main__":
    main()
