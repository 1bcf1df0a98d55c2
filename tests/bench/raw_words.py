"""Writes the kernel's random words to standard output, as raw bytes, for a battery of statistical tests.

The batteries that there are look at one long stream.  The kernel has none: it takes a few words from each
of very many counters.  So the words are put one after the other as they are used.

    python tests/bench/raw_words.py pack | dieharder -g 200 -a

    pack        all eight words that shuffle the pack, deal after deal
    first       the first of them alone: one word from each counter
    purposes    one block of each purpose, deal after deal
    streams     the pack's words of deal 0, stream after stream
    seeds       the pack's words of deal 0, seed after seed
"""

from __future__ import annotations

import argparse
import itertools
import os
import sys
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from courtpiece._kernel import engine
from courtpiece.table import seed_key

DEALS = 1 << 14                 # written at once
PACK_BLOCKS = 2
PURPOSES = 5                    # of dice.pxd, those below the worlds

Words = NDArray[np.uint64]


def of_deals(
    key: Words, start: int, blocks: int, purpose: int = 0, stream: int = 0, deals: int = DEALS
) -> Words:
    out = np.empty((deals, blocks, 4), np.uint64)
    engine.philox_words(key, purpose, start, out, stream=stream)
    return out


def starts() -> Iterator[int]:
    return itertools.count(0, DEALS)


def pack(seed: int) -> Iterator[Words]:
    return (of_deals(seed_key(seed), start, PACK_BLOCKS) for start in starts())


def first(seed: int) -> Iterator[Words]:
    return (of_deals(seed_key(seed), start, 1)[:, 0, 0] for start in starts())


def purposes(seed: int) -> Iterator[Words]:
    key = seed_key(seed)
    return (
        np.stack([of_deals(key, start, 1, purpose) for purpose in range(PURPOSES)], axis=1) for start in
        starts()
    )


def streams(seed: int) -> Iterator[Words]:
    key = seed_key(seed)
    return (
        np.stack([of_deals(key, 0, PACK_BLOCKS, stream=start + i, deals=1) for i in range(DEALS)])
        for start in starts()
    )


def seeds(seed: int) -> Iterator[Words]:
    return (
        np.stack([of_deals(seed_key(seed + start + i), 0, PACK_BLOCKS, deals=1) for i in range(DEALS)])
        for start in starts()
    )


STREAMS: dict[str, Callable[[int], Iterator[Words]]] = {
    each.__name__: each for each in (pack, first, purposes, streams, seeds)
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__,
    formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stream", choices=STREAMS)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    try:
        for words in STREAMS[asked.stream](asked.seed):
            sys.stdout.buffer.write(np.ascontiguousarray(words, "<u8").tobytes())
    except BrokenPipeError:     # the battery has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    main()
