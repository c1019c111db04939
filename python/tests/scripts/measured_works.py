"""Works of bench/gpu on small shapes, under `python -m tilerun --cpu`: how configurations are checked and chosen, and what goes
into a row. Both programs launch by this process's `triton`, and a clock of the test's own takes the place of the GPU's.
Usage: measured_works.py FOLDER CASE"""

import argparse
import contextlib
import io
import json
import os
import sys
import tempfile

sys.path.insert(0, sys.argv[1])

import torch

import compare
import measuring
import works_attention
import works_products
import works_rows

LAUNCHED = []


class Program(measuring.Triton):
    """`speeds`: milliseconds of a launch, of its configuration; wrong(configuration) spoils the result, and what refuses() names
    is refused."""

    def __init__(self, speed=lambda config: 1.0, wrong=lambda config: False, refuses=lambda config: None):
        self.speed, self.wrong, self.refuses = speed, wrong, refuses

    def prepared(self, step, config):
        if self.refuses(config):
            raise RuntimeError(self.refuses(config) + "\nsecond line")
        launch = super().prepared(step, config)

        def run():
            launch()
            if self.wrong(config):
                step.arguments[-1 if not torch.is_tensor(step.arguments[1]) else 1].mul_(2)
            LAUNCHED.append(self.speed(config))

        return run


class Clock:
    """Gives what Program says that launches take; other launches take 2 ms."""

    def __call__(self, launch, repeat):
        times = []
        for _ in range(repeat):
            LAUNCHED.clear()
            launch()
            times.append(sum(LAUNCHED) or 2.0)
        return times

    median = measuring.Timer.median


def measure(work, repeat=15, **programs):
    return measuring.measure("a row", work, programs, Clock(), repeat)


def small_rows():
    works_rows.ELEMENTS = 4 * 512
    works_rows.configs = lambda columns: [({"BLOCK": 512, "WHOLE": True}, 4, 2), ({"BLOCK": 128, "WHOLE": False}, 4, 2),
                                          ({"BLOCK": 64, "WHOLE": False}, 4, 2)]


def rows():
    """Softmax, norms and both kinds of cross entropy give a row with ratios to all others."""
    small_rows()
    for make, kind in works_rows.KINDS.values():
        row = measure(make(512, kind), tilerun=Program(lambda c: 0.5), triton=Program())
        assert not row["notes"], row["notes"]
        assert row["vendor"] == "PyTorch" and set(row["turns"]) == {"tilerun", "triton", "PyTorch", "copy"}
        assert all(len(times) == measuring.TURNS for times in row["turns"].values())
        assert row["ratios"]["triton"] == {"median": 2.0, "low": 2.0, "high": 2.0, "pairs": measuring.TURNS}
        assert row["ratios"]["copy"]["median"] == 4.0
        assert abs(row["figures"]["tilerun"] / row["figures"]["triton"] - 2) < 0.1


def choice():
    """The fastest of the right ones counts; wrong and refused ones are notes, the latter once for all of a reason."""
    small_rows()
    speed = lambda config: {512: 0.5, 128: 0.25, 64: 1.0}[config[0]["BLOCK"]]
    row = measure(works_rows.softmax(512, "f16"), tilerun=Program(speed), triton=Program(speed, wrong=lambda c: c[0]["BLOCK"] == 128),
                  before=Program(speed, refuses=lambda c: "too much of it" if c[0]["BLOCK"] != 64 else None))
    assert row["configurations"] == {"tilerun": ["128xFalse w4 s2"], "triton": ["512xTrue w4 s2"], "before": ["64xFalse w4 s2"]}
    assert row["notes"] == ["triton is WRONG at 128xFalse w4 s2: relative norm of the error of out 1.0e+00",
                            "before refuses 512xTrue w4 s2, 128xFalse w4 s2: too much of it"]
    assert {who: ratio["median"] for who, ratio in row["ratios"].items() if who in ("triton", "before")} == {"triton": 2.0, "before": 4.0}


def none_works():
    """A program that can run no configuration has no figure, and the others have."""
    small_rows()
    row = measure(works_rows.softmax(512, "f16"), tilerun=Program(refuses=lambda c: "no"), triton=Program())
    assert "tilerun" not in row["figures"] and row["ratios"] == {} and row["figures"]["triton"] > 0


def backward():
    """Three timed parts, each with a configuration of its own; the forward pass is run, checked, and not timed."""
    works_attention.KEY_SIZES[:] = [(32, 64, 4, 2), (64, 64, 4, 2)]
    works_attention.QUERY_SIZES[:] = [(64, 32, 4, 2)]
    for causal in (False, True):
        work = works_attention.backward(1, 128, 32, causal)
        row = measure(work, tilerun=Program(lambda c: 1.0 if c[0].get("BLOCK_M") == 64 else 2.0), triton=Program())
        assert not [note for note in row["notes"] if note.startswith(("tilerun", "triton"))], row["notes"]
        parts = row["configurations"]["tilerun"]
        assert len(parts) == 3 and parts[1] == f"32x64x64x{causal} w4 s2", parts
        assert set(row["turns"]["tilerun"]) == {4.0}  # 2 for the sums, 1 for each of the gradients' kernels.
        assert set(row["turns"]["triton"]) == {3.0}
        assert work.amount == 10 * 32 * 128**2 * 32 // (2 if causal else 1)


def decode():
    """A part of two launches, and the amount is that of the weights or of the cache."""
    works_products.BLOCKS_DECODE[:] = [((16, 32, 64), 4, 3)] * 6
    work = works_products.split_product(5, 96, 200, "column")
    row = measure(work, tilerun=Program(lambda c: 0.5), triton=Program())
    assert not row["notes"] and set(row["turns"]["tilerun"]) == {1.0} and work.amount == 96 * 200 * 2
    work = works_attention.decode(2, 40, 4, 512, 32)
    row = measure(work, tilerun=Program(lambda c: 0.5), triton=Program())
    assert not [note for note in row["notes"] if note.startswith(("tilerun", "triton"))], row["notes"]
    assert work.amount == 2 * (2 * 40 * 512 * 32) * 2 and row["ratios"]["triton"]["median"] == 2.0


def run(works, budget=None):
    """(whether compare.py found everything right, the file that it wrote, what it printed)"""
    small_rows()
    measuring.Timer = Clock
    rows = [(name, None if name == "impossible" else lambda: works_rows.softmax(512, "f16")) for name in works]
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as printed:
        options = argparse.Namespace(budget=budget, json=os.path.join(folder, "out.json"), repeat=15)
        document = {"run": {"before": None}, "rows": [], "failures": {}, "not measured": list(works)}
        right = compare.measure_all(rows, {"tilerun": Program(), "triton": Program()}, options, document)
        with open(options.json) as file:
            return right, json.load(file), printed.getvalue()


def failing():
    """A row that cannot be measured is named with its reason, and the others are measured."""
    right, document, _ = run(["first", "impossible", "last"])
    assert not right and [row["name"] for row in document["rows"]] == ["first", "last"]
    assert document["not measured"] == ["impossible"] and document["failures"] == {"impossible": ["'NoneType' object is not callable"]}
    assert run(["first"])[0]


def lost():
    """Without the GPU the run ends, and what was measured stays."""
    compare.has_lost_the_gpu = lambda: True
    right, document, printed = run(["first", "impossible", "last"])
    assert not right and [row["name"] for row in document["rows"]] == ["first"] and document["not measured"] == ["impossible", "last"]
    assert "the process has lost the GPU; not measured: impossible, last" in printed


def budget():
    """The first row always begins; none does that would end too late."""
    right, document, printed = run(["first", "second"], budget=0)
    assert right and [row["name"] for row in document["rows"]] == ["first"] and document["rows"][0]["seconds"] >= 0
    assert "the budget of 0 s ends here; not measured: second" in printed


CASES = {case.__name__: case for case in (rows, choice, none_works, backward, decode, failing, lost, budget)}

if __name__ == "__main__":
    CASES[sys.argv[2]]()
    print("ok")
