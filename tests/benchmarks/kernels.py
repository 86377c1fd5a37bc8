"""Seconds of the engine's own kernels beside the same written in xtensor and xtensor-blas."""

from __future__ import annotations

from report import Section, at_most
from support import Context, run_json


def run(context: Context) -> Section:
    section = Section("kernels", "Own kernels against xtensor")
    for name, one in run_json([context.program("bench_kernels")]).items():
        section.figures.append(
            at_most(
                f"{name} ({one['size']})",
                f"{one['kernel'] * 1e3:.2f} ms",
                f"{one['xtensor'] * 1e3:.2f} ms",
                one["kernel"] / one["xtensor"],
                1,
            )
        )
    section.notes.append(
        "One thread, least of 15 turns. The peer is the quickest form that was found in xtensor, with the reference BLAS "
        "where there is a product; its result is compared with the kernel's. xtensor has no sparse matrices, and BLAS "
        "no products of float rows summed in double."
    )
    return section
