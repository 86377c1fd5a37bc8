"""The peers of partial fairness of scores and what each is tried with; none of them uses fairstream."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from partial_constraints import PROBLEMS
from partial_data import Part, PartialSet, Split
from partial_idca import Found, direct, idca, penalised
from partial_measures import measures
from partial_pairwise import CONSTRAINTS, Quadratic, Solution, minimise
from partial_remap import VARIANTS, quantile_remap, rank_remap

TOLERANCE, INNER, OUTER = 5e-3, 150, 60  # epsilon, T and K of IDCA
LONG, LONG_AT = 100, 0.05  # K of one longer run, and its kappa
TIMED = 3  # K of what is timed
BUDGET = 4000  # iterations of the other first-order methods

KAPPAS = {  # of (15) and (21): some of the paper's (G.2.1), and a larger one, whose gap it would call .1
    ("a9a", "psp"): (0.01, 0.05, 0.2, 0.4),
    ("a9a", "pdp"): (0.05,),
    ("bank", "psp"): (0.01, 0.08, 0.3),
    ("bank", "pdp"): (0.05,),
}
DIRECT_KAPPAS = {
    ("a9a", "psp"): (0.05,),
    ("a9a", "pdp"): (0.05,),
    ("bank", "psp"): (0.08,),
    ("bank", "pdp"): (0.05,),
}
PENALTIES = {  # lambda of (114) and (119): those of G.4.2, or less where they leave little of the accuracy
    ("a9a", "psp"): (0.05, 0.1),
    ("a9a", "pdp"): (0.05, 0.13),
    ("bank", "psp"): (0.1,),
    ("bank", "pdp"): (0.015,),
}
PAIR_KAPPAS = {  # of (102), (105) and (107), from G.3.2
    ("a9a", "group AUC"): (0.7, 1.0, 2.0, 3.5),
    ("a9a", "inter-group pairs"): (1.5, 3.0, 6.0),
    ("a9a", "intra-group pairs"): (1.0, 3.0, 8.0),
    ("bank", "group AUC"): (0.7, 1.0, 2.35, 4.0),
    ("bank", "inter-group pairs"): (0.3, 1.5, 3.0),
    ("bank", "intra-group pairs"): (0.5, 2.0, 4.0),
}
BLENDS = (0.25, 0.5, 0.75, 0.9, 1.0)
RANK_KAPPAS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75)
DIRECT_TOLERANCE = 5e-3  # epsilon of Algorithm 3, static
STEP = 2e-2  # of subgradient descent; those of the paper, 5e-3 and less, are too short for this budget


@dataclass(frozen=True)
class Row:
    method: str
    problem: str  # psp or pdp; both if the method has neither
    parameter: float  # kappa, lambda or a blend; 0 where there is none
    rounds: int  # of IDCA, otherwise 0
    loss: float | None  # on the training part, if it is the method's own loss
    violation: float | None  # max_i f_i
    iterations: int
    seconds: float  # processor time to learn
    validation: dict
    test: dict


@dataclass
class Trial:
    """One split of one data set."""

    data: PartialSet
    split: Split

    @cached_property
    def unconstrained(self) -> Solution:
        return minimise(self.split.train)

    @cached_property
    def quadratics(self) -> dict[str, Quadratic]:
        return {name: constraint(self.split.train) for name, constraint in CONSTRAINTS.items()}

    def judged(self, scorer: Callable[[Part], np.ndarray]) -> dict[str, dict]:
        parts = {"validation": self.split.validation, "test": self.split.test}
        return {name: vars(measures(scorer(part), part, self.data.interval)) for name, part in parts.items()}

    def linear(self, w: np.ndarray) -> dict[str, dict]:
        return self.judged(lambda part: part.design @ w)

    def found(self, method: str, problem: str, parameter: float, found: Found, rounds: int = 0) -> Row:
        judged = self.linear(found.v[: self.split.train.design.shape[1]])
        return Row(method, problem, parameter, rounds, found.loss, found.violation, found.iterations, found.seconds,
                   **judged)

    def solved(self, method: str, parameter: float, solution: Solution) -> Row:
        return Row(method, "both", parameter, 0, solution.loss, None, solution.iterations, solution.seconds,
                   **self.linear(solution.w))


def unconstrained(trial: Trial) -> Iterator[Row]:
    yield trial.solved("unconstrained", 0.0, trial.unconstrained)


def remap(trial: Trial) -> Iterator[Row]:
    base, w = trial.unconstrained, trial.unconstrained.w
    learnt = (trial.split.train.design @ w, trial.split.train, trial.data.interval)
    tried = [(f"remap, {variant}", blend, partial(quantile_remap, variant, blend, *learnt))
             for variant in VARIANTS for blend in BLENDS]
    tried += [("remap, ranks", kappa, partial(rank_remap, kappa, *learnt)) for kappa in RANK_KAPPAS]
    for name, parameter, make in tried:
        began = time.process_time()
        found = make()
        seconds = base.seconds + time.process_time() - began
        judged = trial.judged(lambda part, found=found: found(part.design @ w, part))
        yield Row(name, "both", parameter, 0, None, None, base.iterations, seconds, **judged)


def pairwise(trial: Trial) -> Iterator[Row]:
    for name, quadratic in trial.quadratics.items():
        for kappa in PAIR_KAPPAS[trial.data.name, name]:
            yield trial.solved(name, kappa, minimise(trial.split.train, quadratic, kappa))


def by_idca(trial: Trial) -> Iterator[Row]:
    for problem, constraints in PROBLEMS.items():
        for kappa in KAPPAS[trial.data.name, problem]:
            built = constraints(trial.split.train, trial.data.interval, kappa)
            yield trial.found("IDCA", problem, kappa, idca(built, TOLERANCE, INNER, OUTER), OUTER)


def by_long_idca(trial: Trial) -> Iterator[Row]:
    for problem, constraints in PROBLEMS.items():
        built = constraints(trial.split.train, trial.data.interval, LONG_AT)
        found = idca(built, TOLERANCE, INNER, LONG, seen=(OUTER,))
        for rounds, state in found.rounds.items():
            yield trial.found("IDCA, long", problem, LONG_AT, state, rounds)


def by_direct(trial: Trial) -> Iterator[Row]:
    for problem, constraints in PROBLEMS.items():
        for kappa in DIRECT_KAPPAS[trial.data.name, problem]:
            built = constraints(trial.split.train, trial.data.interval, kappa)
            yield trial.found("SSG", problem, kappa, direct(built, np.full(BUDGET, DIRECT_TOLERANCE)))


def by_penalty(trial: Trial) -> Iterator[Row]:
    alpha, beta = trial.data.interval
    for problem, factor in (("psp", 2), ("pdp", 1)):
        for weight in PENALTIES[trial.data.name, problem]:
            built = PROBLEMS[problem](trial.split.train, trial.data.interval, 0.0)
            found = penalised(built, factor * weight / (beta - alpha), STEP, BUDGET)
            yield trial.found("penalised", problem, weight, found)


def timed(trial: Trial) -> Iterator[Row]:
    """What an iteration of IDCA takes at the start, on dense and on sparse designs: `seconds` over `iterations`."""
    designs = {"dense": trial.split.train.dense(), "sparse": trial.split.train}
    for problem, constraints in PROBLEMS.items():
        for kind, train in designs.items():
            found = idca(constraints(train, trial.data.interval, LONG_AT), TOLERANCE, INNER, TIMED)
            yield trial.found(f"IDCA, {kind}", problem, LONG_AT, found, TIMED)


METHODS: dict[str, Callable[[Trial], Iterator[Row]]] = {
    "unconstrained": unconstrained,
    "remap": remap,
    "pairwise": pairwise,
    "idca": by_idca,
    "long_idca": by_long_idca,
    "ssg": by_direct,
    "penalised": by_penalty,
    "timed": timed,
}
