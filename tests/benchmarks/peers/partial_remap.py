"""Post-processing that knows each point's group: scores of any model are remapped within each group so that the groups'
distributions agree among the ranks of I. Fitted on what the model learnt from. A map never turns the order of two
points of a group."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from partial_data import Part

KNOTS = 401  # ranks at which a map is given; it is linear between them
TILT = 1e-6  # slope of the scores outside I that make room for it, so that they do not tie


def upper_quantiles(scores: np.ndarray, ranks: np.ndarray) -> np.ndarray:
    """The scores above which those shares lie."""
    return np.quantile(scores, 1 - ranks)


@dataclass(frozen=True)
class QuantileRemap:
    """Quantiles within I moved to (1 - t) of the group's own and t of a common function. Scores outside I stay where
    they are unless they would then lie within."""

    sources: np.ndarray  # 2 x KNOTS, rising: the groups' quantiles over I
    images: np.ndarray  # 2 x KNOTS, rising

    def __call__(self, scores: np.ndarray, part: Part) -> np.ndarray:
        found = np.empty_like(scores)
        for rows, source, image in zip(part.rows, self.sources, self.images):
            own = scores[rows]
            mapped = np.interp(own, source, image)
            above = np.maximum(own, image[-1] + TILT * (own - source[-1]))
            below = np.minimum(own, image[0] + TILT * (own - source[0]))
            found[rows] = np.where(own > source[-1], above, np.where(own < source[0], below, mapped))
        return found


def correct_by_cut(scores: np.ndarray, targets: np.ndarray, ranks: np.ndarray) -> np.ndarray:
    """How many of a group are right when just the share `ranks` from the top is called positive."""
    gain = np.concatenate([[0], np.cumsum(targets[np.argsort(-scores)])])
    return (targets < 0).sum() + np.interp(ranks * len(scores), np.arange(len(gain)), gain)


def common_quantiles(variant: str, scores: np.ndarray, part: Part, ranks: np.ndarray) -> np.ndarray:
    """`mean` of the groups' quantiles, by their `sizes`, quantiles of all points `pooled`, or those by sizes moved so
    that 0 falls on the rank of `best` accuracy."""
    own = np.stack([upper_quantiles(scores[rows], ranks) for rows in part.rows])
    if variant == "mean":
        return own.mean(axis=0)
    if variant == "pooled":
        return upper_quantiles(scores, ranks)
    sizes = np.array([rows.stop - rows.start for rows in part.rows])
    by_sizes = sizes @ own / sizes.sum()
    if variant == "sizes":
        return by_sizes
    correct = sum(correct_by_cut(scores[rows], part.targets[rows], ranks) for rows in part.rows)
    return by_sizes - by_sizes[np.argmax(correct)]


VARIANTS = ("mean", "sizes", "pooled", "best")


def quantile_remap(
    variant: str, blend: float, scores: np.ndarray, part: Part, interval: tuple[float, float]
) -> QuantileRemap:
    ranks = np.linspace(*interval[::-1], KNOTS)  # falling, so that quantiles rise
    own = np.stack([upper_quantiles(scores[rows], ranks) for rows in part.rows])
    return QuantileRemap(own, (1 - blend) * own + blend * common_quantiles(variant, scores, part, ranks))


@dataclass(frozen=True)
class RankRemap:
    """Scores become cut_k - rank, so that the tails of the groups differ by cut_0 - cut_1 at every threshold."""

    references: tuple[np.ndarray, np.ndarray]  # sorted scores by group
    cuts: tuple[float, float]

    def __call__(self, scores: np.ndarray, part: Part) -> np.ndarray:
        found = np.empty_like(scores)
        for rows, reference, cut in zip(part.rows, self.references, self.cuts):
            # Interpolation keeps points between two of the reference from ties.
            ranks = np.interp(scores[rows], reference, np.linspace(1, 0, len(reference)))
            beyond = scores[rows] - np.clip(scores[rows], reference[0], reference[-1])
            found[rows] = cut - ranks + TILT * beyond
        return found


def rank_remap(kappa: float, scores: np.ndarray, part: Part, interval: tuple[float, float]) -> RankRemap:
    """Of the pairs of cuts in I no further apart than kappa (beta - alpha), the most accurate: what a post-processor
    that knows the group can do for accuracy while SP^I <= kappa."""
    ranks = np.linspace(*interval, KNOTS)
    first, second = (correct_by_cut(scores[rows], part.targets[rows], ranks) for rows in part.rows)
    allowed = np.abs(ranks[:, None] - ranks) <= kappa * (interval[1] - interval[0]) + 1e-12
    i, j = np.unravel_index(np.argmax(np.where(allowed, first[:, None] + second, -1)), allowed.shape)
    references = tuple(np.sort(scores[rows]) for rows in part.rows)
    return RankRemap(references, (float(ranks[i]), float(ranks[j])))
