"""The peers of partial fairness against brute force on a few hundred random points. Run before they are."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize

from partial_constraints import PROBLEMS, Constraints, DemographicParity, Linearised, StatisticalParity
from partial_data import Part
from partial_idca import loss_and_slope
from partial_measures import measures
from partial_pairwise import Quadratic, group_auc, inter_group, intra_group, minimise
from partial_remap import VARIANTS, quantile_remap, rank_remap
from support import Failed

INTERVAL = (0.05, 0.30)
KAPPA = 0.1


def expect(holds: bool, what: str) -> None:
    if not holds:
        raise Failed(f"a peer is wrong: {what}")


def random_part(random: np.random.Generator, n: int = 300, features: int = 6) -> Part:
    groups = np.sort(random.integers(0, 2, n))
    return Part(random.normal(size=(n, features)), groups, np.where(random.random(n) < 0.4, 1.0, -1.0))


def check_measures(part: Part, random: np.random.Generator) -> None:
    scores = np.round(random.normal(size=len(part.groups)) + 0.5 * part.groups, 1)  # with ties
    alpha, beta = INTERVAL
    thresholds = np.concatenate([[-99.0], np.unique(scores), np.unique(scores) - 1e-9, [0.0]])
    tail = np.array([[(scores[part.groups == k] > t).mean() for t in thresholds] for k in (0, 1)])
    inside = (np.minimum(tail, beta) - np.minimum(tail, alpha)) / (beta - alpha)
    found = measures(scores, part, INTERVAL)
    for got, by_count in ((found.sp, inside), (found.dp, inside[:, -1:]), (found.overall_gap, tail)):
        expect(np.isclose(got, np.abs(by_count[0] - by_count[1]).max()), "measures")


def by_definition(constraints: Constraints, v: np.ndarray, scores: np.ndarray) -> float:
    """max_i f_i as (15) and (21) are printed."""
    def means(levels: np.ndarray) -> list[np.ndarray]:
        return [np.clip(scores[rows][:, None] - levels + 0.5, 0, 1).mean(axis=0) for rows in constraints.part.rows]

    alpha, beta = INTERVAL
    if isinstance(constraints, StatisticalParity):
        p, width = constraints.ranks, KAPPA * (beta - alpha)
        return max(max((p - mean).max(), (mean - p - width).max()) for mean in means(v[constraints.features :]))
    first, second = (min(mean[0], beta) - min(mean[0], alpha) for mean in means(np.zeros(1)))
    return abs(first - second) - KAPPA * (beta - alpha)


def check_constraints(part: Part, random: np.random.Generator) -> None:
    def scored(v: np.ndarray) -> np.ndarray:
        return part.design @ v[: part.design.shape[1]]

    for problem in (StatisticalParity, DemographicParity):
        constraints = problem(part, INTERVAL, KAPPA)
        constant = constraints.start()
        alike = np.full(len(part.groups), constant[0] if problem is DemographicParity else 0.0)
        expect(constraints.worst(constant, alike)[0] <= 1e-12, "a constant score is feasible")
        v = constant + 0.5 * random.normal(size=len(constant))
        worst, weights = constraints.worst(v, scored(v))
        expect(np.isclose(worst, by_definition(constraints, v, scored(v))), "value of the constraints")
        direction = 1e-7 * random.normal(size=len(v))
        rise = constraints.worst(v + direction, scored(v + direction))[0] - worst
        slope = constraints.slope(v, scored(v), weights) @ direction
        expect(abs(rise - slope) <= 1e-9, "slope of the constraints")
        tangent = Linearised(constraints, v)
        expect(np.isclose(tangent.worst(v, scored(v))[0], worst), "the linearised constraints meet the true ones")
        u = v + 0.3 * random.normal(size=len(v))
        above = tangent.worst(u, scored(u))[0] - constraints.worst(u, scored(u))[0]
        expect(above >= -1e-12, "the linearised constraints lie above the true ones")


def check_pairs(part: Part, random: np.random.Generator) -> None:
    w = random.normal(size=part.design.shape[1])
    scores = part.design @ w

    def over_pairs(above: np.ndarray, below: np.ndarray) -> float:
        return float((0.5 * (1 + scores[above][:, None] - scores[below]) ** 2).mean() - 0.5)

    def agrees(quadratic: Quadratic, sign: int, value: float) -> None:
        expect(np.isclose(sign * quadratic.linear @ w + w @ quadratic.hessian @ w / 2, value), "moments of pairs")

    own = {(k, c): np.flatnonzero((part.groups == k) & (part.targets == c)) for k in (0, 1) for c in (-1, 1)}
    for k, sign in ((0, 1), (1, -1)):
        other = 1 - k
        agrees(group_auc(part), sign, over_pairs(*(np.flatnonzero(part.groups == j) for j in (k, other))))
        inter = over_pairs(own[k, 1], own[other, -1]) + over_pairs(own[k, -1], own[other, 1])
        agrees(inter_group(part), sign, inter)
        agrees(intra_group(part), sign, over_pairs(own[k, 1], own[k, -1]) + over_pairs(own[other, -1], own[other, 1]))


def check_minimum(part: Part) -> None:
    quadratic, kappa = group_auc(part), 0.01

    def slack(w: np.ndarray, sign: int) -> float:
        return kappa - sign * quadratic.linear @ w - w @ quadratic.hessian @ w / 2

    general = minimize(lambda w: loss_and_slope(part, part.design @ w)[0], np.zeros(part.design.shape[1]),
                       constraints=[{"type": "ineq", "fun": slack, "args": (sign,)} for sign in (1, -1)],
                       method="SLSQP", options={"ftol": 1e-12, "maxiter": 500})
    found = minimise(part, quadratic, kappa)
    expect(abs(found.loss - general.fun) <= 5e-6, "the least loss under constraints on pairs")
    expect(min(slack(found.w, 1), slack(found.w, -1)) >= 0, "the constraints on pairs hold")


def check_remaps(part: Part, random: np.random.Generator) -> None:
    scores = random.normal(size=len(part.groups)) + 0.5 * part.groups
    maps = [quantile_remap(variant, 0.7, scores, part, INTERVAL) for variant in VARIANTS]
    for remap in [*maps, rank_remap(KAPPA, scores, part, INTERVAL)]:
        mapped = remap(scores, part)
        for rows in part.rows:
            rising = mapped[rows][np.argsort(scores[rows])]
            expect(bool((np.diff(rising) >= -1e-12).all()), "a remap keeps the order within a group")
    sampling = 2 / ((INTERVAL[1] - INTERVAL[0]) * min(np.bincount(part.groups)))
    mapped = rank_remap(KAPPA, scores, part, INTERVAL)(scores, part)
    expect(measures(mapped, part, INTERVAL).sp <= KAPPA + sampling, "a remap of ranks is as fair as it was told to be")


def check_peers() -> None:
    """Throws `Failed` for the first that is wrong."""
    random = np.random.default_rng(0)
    expect(set(PROBLEMS.values()) == {StatisticalParity, DemographicParity}, "every problem is checked")
    for _ in range(20):
        part = random_part(random)
        check_measures(part, random)
        check_constraints(part, random)
        check_pairs(part, random)
        check_remaps(part, random)
    check_minimum(random_part(random))
