#!/usr/bin/python3
"""Times one call of OpenBLAS on one thread, in a process of its own: the engine is linked with the reference BLAS, and
the two do not go together. Prints seconds, the least of 20.

  openblas_peer.py LIBRARY ssyrk ROWS WIDTH
  openblas_peer.py LIBRARY dgesvd WIDTH"""

from __future__ import annotations

import ctypes
import sys
import time

import numpy as np

TRIALS = 20
ROW_MAJOR, UPPER, TRANSPOSED = 101, 121, 112


def pointer(x: np.ndarray) -> ctypes.c_void_p:
    return x.ctypes.data_as(ctypes.c_void_p)


def ssyrk(library: ctypes.CDLL, rows: int, width: int) -> float:
    x = np.random.default_rng(1).standard_normal((rows, width)).astype(np.float32)
    out = np.zeros((width, width), np.float32)
    least = np.inf
    for _ in range(TRIALS):
        begun = time.perf_counter()
        library.cblas_ssyrk(ROW_MAJOR, UPPER, TRANSPOSED, width, rows, ctypes.c_float(1), pointer(x), width,
                            ctypes.c_float(0), pointer(out), width)
        least = min(least, time.perf_counter() - begun)
    assert np.allclose(np.triu(out), np.triu(x.T @ x), rtol=1e-3, atol=1e-2 * rows**0.5)
    return least


def dgesvd(library: ctypes.CDLL, width: int) -> float:
    matrix = np.asfortranarray(np.random.default_rng(1).standard_normal((width, width)))
    n = ctypes.byref(ctypes.c_int(width))
    values = np.zeros(width)
    left, right = np.zeros((width, width), order="F"), np.zeros((width, width), order="F")
    room = 64 * width
    work, info = np.zeros(room), ctypes.c_int(0)
    least = np.inf
    for _ in range(TRIALS):
        a = matrix.copy(order="F")
        begun = time.perf_counter()
        library.dgesvd_(b"S", b"S", n, n, pointer(a), n, pointer(values), pointer(left), n, pointer(right), n,
                        pointer(work), ctypes.byref(ctypes.c_int(room)), ctypes.byref(info), 1, 1)
        least = min(least, time.perf_counter() - begun)
    assert info.value == 0 and np.allclose((left * values) @ right, matrix)
    return least


def main() -> None:
    library = ctypes.CDLL(sys.argv[1])
    library.openblas_set_num_threads(1)
    sizes = [int(size) for size in sys.argv[3:]]
    print({"ssyrk": ssyrk, "dgesvd": dgesvd}[sys.argv[2]](library, *sizes))


if __name__ == "__main__":
    main()
