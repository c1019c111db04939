"""Statistics of measurements in turns. In a turn, every program measures once, in random order, so that values of one turn
belong together: a clock that drifts moves both of a pair. What is reported is the median of the pairs' ratios, with the
interval that a bootstrap over the pairs gives it. Needs nothing but Python."""

import random
import statistics

RESAMPLES, SHARE = 2000, 0.95


def bootstrap_interval(values, share=SHARE, resamples=RESAMPLES, seed=0):
    """Where `share` of the medians of samples, drawn with replacement, lie (percentile bootstrap)."""
    generator = random.Random(seed)
    medians = sorted(statistics.median(generator.choices(values, k=len(values))) for _ in range(resamples))
    outside = (1 - share) / 2
    return medians[int(outside * (resamples - 1))], medians[round((1 - outside) * (resamples - 1))]


def ratio_of_pairs(ours, theirs, seed=0):
    """How many times as fast as `theirs` `ours` is, from times of the same turns."""
    if len(ours) != len(theirs) or not ours:
        raise ValueError(f"pairs want as many times of both, not {len(ours)} and {len(theirs)}")
    ratios = [their / our for our, their in zip(ours, theirs)]
    low, high = bootstrap_interval(ratios, seed=seed)
    return {"median": statistics.median(ratios), "low": low, "high": high, "pairs": len(ratios)}


def ratios_of_turns(turns, ours="tilerun"):
    """Of each other program in `turns`, {program: times}."""
    if ours not in turns:
        return {}
    return {who: ratio_of_pairs(turns[ours], times) for who, times in turns.items() if who != ours}


def geometric_mean(values):
    return statistics.geometric_mean(values) if values else None
