"""Streams whose clusters or groups change, along which `live_quality` measures, and others unlike those of
`live_streams.py`. Each is drawn anew for each seed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from live_streams import BLOBS, MADE, MINORITY, Source, Stream

WINDOW = "2,000"
DIMENSIONS = 8
SPREADS = (1, 2, 4)  # standard deviation of the centres' coordinates, one drawn; that of the points of a blob is 1
STATES = 4  # of a stream that changes at once, each for MADE / STATES points


@dataclass(frozen=True)
class State:
    """A mixture of Gaussians of standard deviation 1."""

    centres: np.ndarray  # blobs x d
    weights: np.ndarray  # blobs, sums to 1
    minority: np.ndarray  # blobs, the share of the second of two groups

    @staticmethod
    def draw(random: np.random.Generator, dimensions: int = DIMENSIONS) -> State:
        spread = random.choice(SPREADS) * np.sqrt(DIMENSIONS / dimensions)  # blobs are as far apart in all dimensions
        centres = random.normal(0, spread, (BLOBS, dimensions))
        return State(centres, random.dirichlet(np.full(BLOBS, 5.0)), random.beta(2, 3, BLOBS))

    def sample(self, random: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
        blob = random.choice(len(self.weights), count, p=self.weights)
        noise = random.standard_normal((count, self.centres.shape[1]))
        return self.centres[blob] + noise, (random.random(count) < self.minority[blob]).astype(int)


def in_turn(name: str, states: Callable[[np.random.Generator], list[State]]) -> Source:
    """The states one after another, for equally many points."""

    def make(seed: int) -> Stream:
        random = np.random.default_rng((len(name), seed))
        drawn = states(random)
        length = MADE // len(drawn)
        points, groups = zip(*(state.sample(random, length) for state in drawn))
        changes = tuple(length * i for i in range(1, len(drawn)))
        return new_stream(name, seed, np.concatenate(points), np.concatenate(groups), changes)

    return Source(name, make)


def at_once(name: str, make: Callable[[np.random.Generator], tuple[np.ndarray, np.ndarray]]) -> Source:
    return Source(name, lambda seed: new_stream(name, seed, *make(np.random.default_rng((len(name), seed)))))


def new_stream(name: str, seed: int, points: np.ndarray, groups: np.ndarray, changes: tuple[int, ...] = ()) -> Stream:
    return Stream.of(name, seed, points, groups, stationary=False, usual=False, windows=(WINDOW,), changes=changes)


def all_centres_move(random: np.random.Generator) -> list[State]:
    return [State.draw(random) for _ in range(STATES)]


def clusters_are_born_and_die(random: np.random.Generator) -> list[State]:
    """In each state after the first, three blobs have moved elsewhere, among the places of the others."""
    states = [State.draw(random)]
    for _ in range(1, STATES):
        last = states[-1]
        moved = np.isin(np.arange(BLOBS), random.choice(BLOBS, 3, replace=False))
        elsewhere = last.centres.std() * random.standard_normal(last.centres.shape)
        centres = np.where(moved[:, None], elsewhere, last.centres)
        states.append(State(centres, last.weights, np.where(moved, random.beta(2, 3, BLOBS), last.minority)))
    return states


def states_return(random: np.random.Generator) -> list[State]:
    return [State.draw(random), State.draw(random)] * (STATES // 2)


def shares_change(random: np.random.Generator) -> list[State]:
    first = State.draw(random)
    return [State(first.centres, random.dirichlet(np.full(BLOBS, 0.7)), first.minority) for _ in range(STATES)]


def group_vanishes_and_returns(random: np.random.Generator) -> list[State]:
    first = State.draw(random)
    without = State(first.centres, first.weights, np.zeros(BLOBS))
    return [first, without, first, without]


def rotating_ring(random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Eight blobs on a ring that turns once; the minority's share falls and rises, and differs along the ring."""
    time = np.linspace(0, 1, MADE)
    edge, middle = MINORITY
    group = (random.random(MADE) < middle + (edge - middle) * np.abs(1 - 2 * time)).astype(int)
    weights = random.dirichlet(np.full(8, 2.0), 2)  # groups x blobs
    blob = (random.random((MADE, 1)) > weights[group].cumsum(axis=1)[:, :-1]).sum(axis=1)
    angle = 2 * np.pi * (blob / 8 + time)
    ring = 4 * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return ring + random.standard_normal((MADE, 2)), group


def heavy_tails(random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Noise of Student's t with three degrees of freedom."""
    points, groups = State.draw(random).sample(random, MADE)
    return points + random.standard_t(3, points.shape), groups


def sorted_by_a_feature(random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    points, groups = State.draw(random).sample(random, MADE)
    order = np.argsort(points[:, 0], kind="stable")
    return points[order], groups[order]


def many_dimensions(random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    return State.draw(random, 128).sample(random, MADE)


def mostly_binary(random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """18 features of 0 or 1 and three numbers, from twelve kinds whose shares drift; one group has 2 %."""
    time = np.linspace(0, 1, MADE)[:, None]
    begin, end = random.dirichlet(np.full(BLOBS, 1.0), 2)
    shares = (begin + (end - begin) * time).cumsum(axis=1)
    kind = (random.random((MADE, 1)) > shares[:, :-1]).sum(axis=1)
    chance = random.beta(0.4, 0.6, (BLOBS, 18))
    binary = random.random((MADE, 18)) < chance[kind]
    numbers = random.normal(0, 1, (BLOBS, 3))[kind] + 0.5 * random.standard_normal((MADE, 3))
    group = (random.random(MADE) < (0.04 * random.random(BLOBS))[kind]).astype(int)
    points = np.concatenate([binary, numbers], axis=1)
    return points / points.std(axis=0), group


def changing_sources() -> list[Source]:
    return [
        in_turn("all centres move", all_centres_move),
        in_turn("clusters are born and die", clusters_are_born_and_die),
        in_turn("two states return", states_return),
        in_turn("shares of clusters change", shares_change),
        in_turn("a group vanishes and returns", group_vanishes_and_returns),
        at_once("rotating ring, minority .5 to .15", rotating_ring),
        at_once("heavy tails", heavy_tails),
        at_once("sorted by a feature", sorted_by_a_feature),
        at_once("128 features", many_dimensions),
        at_once("mostly 0 and 1, a group of 2 %", mostly_binary),
    ]
