"""What the comparison aims for, and which rows reach it. Needs nothing but Python."""

import re

import ratios


class Goal:
    """`least`: of the ratio to `peer` ("triton", "vendor", "copy") in every row whose name matches `pattern`. Rows that differ
    after a comma are kernels for one purpose, of which the best counts where `best` says so."""

    def __init__(self, what, pattern, peer, least, best=False):
        self.what, self.pattern, self.peer, self.least, self.best = what, pattern, peer, least, best

    def text(self):
        if self.peer == "copy":
            return f"≥ {self.least:.0%} of a copy of the same bytes"
        return f"≥ {self.least:.2f}× {'Triton' if self.peer == 'triton' else 'the vendor’s library'}"


GOALS = [
    Goal("every kernel", r".*", "triton", 0.98),
    Goal("products of f16 and bf16, 4096³ and 8192³, all orders of operands", r"matmul b?f16 (4096|8192)\^3", "vendor", 1.03),
    Goal("products of f16, 1024³ and 4096×4096×512", r"matmul f16 (1024\^3|4096x4096x512)", "vendor", 1.0),
    Goal("products of tf32, 4096³, all orders", r"matmul tf32 4096\^3", "vendor", 0.95),
    Goal("products of e4m3, 8192³, all orders", r"matmul e4m3 8192\^3 [^,]*$", "vendor", 1.05),
    Goal("… with promoted accumulation", r"matmul e4m3 8192\^3 .*, promoted", "vendor", 0.95),
    Goal("attention forward, heads of 64, 128 and 256", r"attention f16 \d+x(64|128|256)\b", "vendor", 1.0),
    Goal("attention backward, heads of 64 and 128", r"attention backward", "vendor", 1.0),
    Goal("softmax, norms and cross entropy, 1k to 256k columns", r".* rows b?f16", "copy", 0.9),
    Goal("products of decoding (M ≤ 16), the best kernel", r"decode f16", "copy", 0.9, best=True),
    Goal("attention of decoding, split along the cache", r"decode attention", "copy", 0.9),
]
MEAN_OF_ALL = 1.25
FIRST_CALL = "FLA: chunk_gla, forward and backward", 15.0  # Seconds, with empty caches and all that it tunes.


class Outcome:
    """`reached`: [(row's name, ratio)] in order."""

    def __init__(self, goal, rows):
        self.goal = goal
        found = {}
        for row in rows:
            ratio = row.ratio(goal.peer)
            if ratio and re.match(goal.pattern, row.name):
                name = row.name.partition(",")[0] if goal.best else row.name
                if name not in found or ratio["median"] > found[name]["median"]:
                    found[name] = ratio
        self.reached = list(found.items())
        self.missed = [(name, ratio) for name, ratio in self.reached if ratio["median"] < goal.least]

    def verdict(self):
        if not self.reached:
            return "not measured"
        if all(ratio["high"] >= self.goal.least for _, ratio in self.missed):
            return "missed, within the intervals" if self.missed else "met"
        return "missed"

    def worst(self):
        return min(self.reached, key=lambda item: item[1]["median"])


def outcomes(rows):
    return [Outcome(goal, rows) for goal in GOALS]


def mean_ratio(rows, peer):
    """(geometric mean of the ratios, number of rows)"""
    values = [row.ratio(peer)["median"] for row in rows if row.ratio(peer)]
    return ratios.geometric_mean(values), len(values)


def first_call(libraries):
    """(seconds or None, verdict)"""
    name, most = FIRST_CALL
    for row in libraries:
        if row.name == name and "tilerun" in row.first_call:
            seconds = row.first_call["tilerun"]
            return seconds, "met" if seconds <= most else "missed"
    return None, "not measured"
