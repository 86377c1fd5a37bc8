"""The streams along which `live_quality` measures, and the targets that each of them allows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from support import ADULT, BANK, Context, DataSet

CENSUS = DataSet(
    "census",
    (
        "age",
        "workclass",
        "fnlwgt",
        "education_num",
        "occupation",
        "relationship",
        "race",
        "sex",
        "capital_gain",
        "capital_loss",
        "hours_per_week",
        "native_country",
    ),
)
CLUSTERS = 10
BATCH = 256
# Groups with fewer points per cluster in a window are left out of its figures. Models on a stream with such groups get
# this option too; otherwise they would work for a target that no clustering meets.
RARE_BELOW = 5
RARE = RARE_BELOW * CLUSTERS
MADE = 32_768  # points of a generated stream
BLOBS = 12


@dataclass(frozen=True)
class Stream:
    """Points in the order in which they arrive."""

    name: str
    seed: int
    points: np.ndarray  # n x d float32
    groups: np.ndarray  # n uint16
    stationary: bool = True
    usual: bool = True  # whether it is one of `sources`; `changing_streams` has the others
    windows: tuple[str, ...] = ("5,000", "all")  # of `live_quality.WINDOWS`
    changes: tuple[int, ...] = ()  # points after which it changes at once, ascending

    @staticmethod
    def of(name: str, seed: int, points: np.ndarray, groups: np.ndarray, **more: object) -> Stream:
        return Stream(name, seed, points.astype(np.float32), groups.astype(np.uint16), **more)

    @property
    def has_rare_groups(self) -> bool:
        """Whether even the whole stream has too few points of some group."""
        return bool(np.bincount(self.groups).min() < RARE)

    @property
    def batches(self) -> int:
        return -(-len(self.points) // BATCH)

    def window(self, capacity: int, batches: int) -> slice:
        """The rows that a window of this capacity retains after so many batches."""
        end = min(batches * BATCH, len(self.points))
        return slice(max(0, end - capacity), end)

    def since_change(self, batches: int) -> int:
        """Points since the last change, after so many batches; since the beginning if there was none."""
        arrived = min(batches * BATCH, len(self.points))
        return arrived - max((change for change in self.changes if change < arrived), default=0)


@dataclass(frozen=True)
class Source:
    """A kind of stream, made anew for each seed."""

    name: str
    make: Callable[[int], Stream]
    seeded: bool = True  # whether the seed changes the stream, not only the models' draws
    missing: str = ""  # the reason, when the stream is not available


def shuffled(context: Context, data: DataSet, name: str) -> Source:
    def make(seed: int) -> Stream:
        points, groups = data.load(context)
        order = np.random.default_rng(seed).permutation(len(points))
        return Stream.of(name, seed, points[order], groups[order])

    return Source(name, make, missing=missing(context, data))


def in_file_order(context: Context, data: DataSet, name: str) -> Source:
    return Source(name, lambda seed: Stream.of(name, seed, *data.load(context)), False, missing(context, data))


def missing(context: Context, data: DataSet) -> str:
    file = data.file(context)
    return "" if file.exists() else f"{file} does not exist (choose the folder by --data or FAIRSTREAM_DATA)"


def blobs(groups: int) -> Source:
    """Overlapping Gaussians of standard deviation 1 in ten dimensions, each with its own mixture of groups."""
    name = f"blobs, {groups} groups"

    def make(seed: int) -> Stream:
        random = np.random.default_rng((groups, seed))
        centres = random.normal(0, 0.6, (BLOBS, 10))  # two of them are 2.7 apart in the mean
        share = random.dirichlet(np.full(groups, 1.5), BLOBS)  # BLOBS x groups
        blob = random.choice(BLOBS, MADE, p=random.dirichlet(np.full(BLOBS, 5.0)))
        group = (random.random((MADE, 1)) > share[blob].cumsum(axis=1)[:, :-1]).sum(axis=1)
        return Stream.of(name, seed, centres[blob] + random.standard_normal((MADE, 10)), group)

    return Source(name, make)


MINORITY = (0.50, 0.15)  # share of the second group: at both ends of a drifting stream, in its middle
TURNS = (np.pi, -np.pi / 2)  # angles by which a drifting stream's centres turn in its two planes


def drifting() -> Source:
    """Gaussians of standard deviation 1 in four dimensions, whose centres turn; each group prefers other blobs."""
    name = "drifting blobs"

    def make(seed: int) -> Stream:
        random = np.random.default_rng((BLOBS, seed))
        time = np.linspace(0, 1, MADE)
        edge, middle = MINORITY
        group = (random.random(MADE) < middle + (edge - middle) * np.abs(1 - 2 * time)).astype(int)
        weight = random.dirichlet(np.full(BLOBS, 1.5), 2)  # groups x BLOBS
        blob = (random.random((MADE, 1)) > weight[group].cumsum(axis=1)[:, :-1]).sum(axis=1)
        centres = random.normal(0, 2, (BLOBS, len(TURNS))) + 1j * random.normal(0, 2, (BLOBS, len(TURNS)))
        turned = centres[blob] * np.exp(1j * np.outer(time, TURNS))
        at = np.stack([turned.real, turned.imag], axis=2).reshape(MADE, -1)
        return Stream.of(name, seed, at + random.standard_normal(at.shape), group, stationary=False)

    return Source(name, make)


ADULT_SHUFFLED = "Adult, shuffled"


def sources(context: Context) -> list[Source]:
    return [
        shuffled(context, ADULT, ADULT_SHUFFLED),
        in_file_order(context, ADULT, "Adult, in file order"),
        shuffled(context, BANK, "Bank, shuffled"),
        shuffled(context, CENSUS, "census, 7 groups, shuffled"),
        blobs(2),
        blobs(3),
        drifting(),
    ]


@dataclass(frozen=True)
class Target:
    name: str
    option: str  # of the model
    figure: str  # that it bounds
    value: float


PARITY = Target("parity .8", "parity_at_least", "parity", 0.8)
PLAIN = Target("no target", "parity_at_least", "parity", 0)
# A balance, and its substitute where the stream does not allow it: this share of the best balance.
BALANCES = ((0.3, 0.6), (0.45, 0.9))
# Share of the best balance that the points allow: whole points do not reach it exactly.
REACH = 0.98


def best_balance(groups: np.ndarray) -> float:
    """Smallest over largest group, of those that count."""
    counts = np.bincount(groups)
    counts = counts[counts >= RARE]
    return float(counts.min() / counts.max())


def targets(stream: Stream, capacity: int, first: int) -> list[Target]:
    """Those that every window after the first so many batches allows; two for streams that are not usual."""
    if not stream.usual:
        return [PLAIN, PARITY]
    ends = range(first + 1, stream.batches + 1)
    best = min(best_balance(stream.groups[stream.window(capacity, batches)]) for batches in ends)
    found = []
    for balance, part in BALANCES:
        allowed = balance <= REACH * best
        name = f"balance {balance:g}" if allowed else f"balance {part:g} of the best"
        found.append(Target(name, "balance_at_least", "balance", balance if allowed else round(part * best, 4)))
    return [*found, PARITY]
