"""The sets on which fronts are compared, as arrays and as input of `fairstream`, with what the paper published."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import authors_front
from support import ADULT, BANK, Context, DataSet, array_arguments, read_rows


@dataclass(frozen=True)
class Problem:
    """Points in groups to put into clusters."""

    name: str
    points: np.ndarray  # n x d
    groups: np.ndarray  # n
    clusters: int
    arguments: tuple[str, ...]  # the input of `fairstream`
    authors: authors_front.Settings
    published: tuple[float, float]  # seconds per nondominated point of SAfairKM and of VfairKM: Table 1


def of_data(context: Context, data: DataSet, clusters: int, published: tuple[float, float]) -> Problem:
    """The 5,000 rows of a real set."""
    rows = read_rows(data.rows_file(context))
    points, groups = (column[rows] for column in data.load(context))
    name = f"{data.title}, K = {clusters}"
    settings = authors_front.REAL[data.name]
    return Problem(name, points, groups, clusters, data.arguments(context), settings, published)


def of_arrays(
    context: Context, name: str, points: np.ndarray, groups: np.ndarray, clusters: int, published: tuple[float, float]
) -> Problem:
    """Any points (n x d) in groups (n)."""
    arguments = array_arguments(context, name, points, groups)
    return Problem(name, points, groups, clusters, arguments, authors_front.SYNTHETIC, published)


# For each group: (number of points, centre) ...; then the standard deviation and the seconds in Table 1. From Appendix
# D.1 of the paper, with the centres and deviations of its authors' program.
SYNTHETIC = {
    "Syn equal ds1": (((200, (1, 1)),), ((200, (2.1, 3.5)),), 0.3, (0.80, 1.06)),
    "Syn unequal ds1": (((300, (1, 1)),), ((100, (2.1, 3.5)),), 0.3, (0.81, 0.98)),
    "Syn equal ds2": (((100, (1, 1)), (100, (2.1, 1))), ((100, (1, 5)), (100, (2.1, 5))), 0.1, (0.70, 1.29)),
    "Syn unequal ds2": (((150, (1, 1)), (150, (2.1, 1))), ((50, (1, 3.5)), (50, (2.1, 3.5))), 0.13, (0.80, 0.10)),
}


def synthetic(context: Context, name: str) -> Problem:
    """400 points in the plane, drawn anew, group 0 first."""
    *by_group, deviation, published = SYNTHETIC[name]
    random = np.random.default_rng(1)
    points = [random.normal(at, deviation, (count, 2)) for blobs in by_group for count, at in blobs]
    groups = np.repeat([0, 1], [sum(count for count, _ in blobs) for blobs in by_group])
    return of_arrays(context, name, np.concatenate(points), groups, 2, published)


REAL = (
    (ADULT, 10, (18.52, 40.43)),
    (BANK, 10, (59.12, 76.29)),
    (ADULT, 5, (14.88, 15.08)),
    (BANK, 5, (11.97, 50.31)),
)


def problems(context: Context) -> tuple[list[Problem], list[str]]:
    """All that can be set, and why others cannot."""
    missing = {data.name: data.missing(context) for data in (ADULT, BANK)}
    found = [of_data(context, *real) for real in REAL if not missing[real[0].name]]
    found += [synthetic(context, name) for name in SYNTHETIC]
    return found, [f"{name} left out: {reason}" for name, reason in missing.items() if reason]
