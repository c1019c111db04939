#!/usr/bin/env python3
"""Statistics, the choice of rows, the budget of time, merging and goals of bench/gpu. Usage: statistics_test.py bench/gpu"""

import pathlib
import random
import statistics
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(sys.argv.pop(1)).resolve()))

import goals
import ratios
import results
import selection


def row(name, tilerun, unit="GB/s", amount=10**9, **others):
    """Times in milliseconds; a number is that of three turns."""
    as_turns = lambda times: [times] * 3 if isinstance(times, (int, float)) else times
    return {"name": name, "unit": unit, "amount": amount, "vendor": "cuBLAS" if "cuBLAS" in others else None,
            "turns": {who: as_turns(times) for who, times in {"tilerun": tilerun, **others}.items()}}


def document(date, rows, left=(), **more):
    return {"run": {"date": date, "gpu": "a GPU", "command": f"compare.py on {date}"}, "rows": rows, "not measured": list(left)} | more


class Ratios(unittest.TestCase):

    def test_pairs_of_a_turn_are_compared(self):
        """A clock that slows down by the turn moves medians of unequal turns, not the pairs' ratios."""
        ours, theirs = [1.0, 2.0, 4.0, 8.0, 16.0], [1.25, 2.5, 5.0, 10.0, 20.0]
        self.assertEqual(ratios.ratio_of_pairs(ours, theirs), {"median": 1.25, "low": 1.25, "high": 1.25, "pairs": 5})

    def test_the_median_ignores_one_disturbed_turn(self):
        self.assertEqual(ratios.ratio_of_pairs([1.0, 1.0, 100.0], [1.5, 1.5, 1.5])["median"], 1.5)

    def test_unequal_numbers_are_refused(self):
        with self.assertRaisesRegex(ValueError, "as many times of both, not 2 and 1"):
            ratios.ratio_of_pairs([1.0, 2.0], [1.0])
        with self.assertRaises(ValueError):
            ratios.ratio_of_pairs([], [])

    def test_a_seed_gives_the_same_interval(self):
        values = [random.Random(3).gauss(1, 0.1) for _ in range(15)]
        self.assertEqual(ratios.bootstrap_interval(values, seed=5), ratios.bootstrap_interval(values, seed=5))
        low, high = ratios.bootstrap_interval(values, seed=5)
        self.assertLessEqual(low, statistics.median(values))
        self.assertGreaterEqual(high, statistics.median(values))

    def test_an_interval_grows_with_the_noise(self):
        generator = random.Random(1)
        noise = [generator.gauss(0, 1) for _ in range(15)]
        width = lambda scale: (lambda low, high: high - low)(*ratios.bootstrap_interval([1 + scale * n for n in noise]))
        self.assertAlmostEqual(width(0.2), 10 * width(0.02))
        self.assertGreater(width(0.02), 0)

    def test_intervals_contain_the_median_as_often_as_they_say(self):
        """Of 300 samples whose distribution's median is 1: 95 %, give or take what 300 samples and a bootstrap of 15 allow."""
        generator, inside = random.Random(7), 0
        for trial in range(300):
            low, high = ratios.bootstrap_interval([generator.lognormvariate(0, 0.05) for _ in range(15)], resamples=300, seed=trial)
            inside += low <= 1 <= high
        self.assertGreaterEqual(inside, 0.90 * 300)
        self.assertLess(inside, 300)

    def test_ratios_are_to_all_others(self):
        found = ratios.ratios_of_turns({"tilerun": [2.0], "triton": [3.0], "copy": [1.0]})
        self.assertEqual({who: r["median"] for who, r in found.items()}, {"triton": 1.5, "copy": 0.5})
        self.assertEqual(ratios.ratios_of_turns({"triton": [3.0]}), {})


class Selection(unittest.TestCase):
    rows = [(name, None) for name in ("softmax 1", "softmax 2", "matmul 1", "matmul 2", "sort 1")]

    def names(self, **options):
        return [name for name, _ in selection.select(self.rows, **options)]

    def test_only_takes_one_of_several_texts(self):
        self.assertEqual(self.names(only="matmul|sort"), ["matmul 1", "matmul 2", "sort 1"])
        self.assertEqual(self.names(), [name for name, _ in self.rows])

    def test_parts_divide_the_rows(self):
        parts = [self.names(part=f"{i}/3") for i in (1, 2, 3)]
        self.assertEqual(parts, [["softmax 1", "matmul 2"], ["softmax 2", "sort 1"], ["matmul 1"]])

    def test_a_wrong_part_is_refused(self):
        for part in ("0/3", "4/3", "1", "a/b", "1/0"):
            with self.assertRaisesRegex(ValueError, "a part is I/N"):
                self.names(part=part)


class BudgetOfTime(unittest.TestCase):

    def test_no_row_begins_that_the_slowest_would_not_fit(self):
        now = [100.0]
        budget = selection.Budget(60, clock=lambda: now[0])
        for seconds in (10, 20):
            self.assertTrue(budget.allows_another())
            budget.begin_row()
            now[0] += seconds
            self.assertEqual(budget.end_row(), seconds)
        now[0] += 10
        self.assertTrue(budget.allows_another())  # 40 s have passed, and 20 are left.
        now[0] += 1
        self.assertFalse(budget.allows_another())

    def test_the_first_row_always_begins(self):
        budget = selection.Budget(0, clock=iter([0.0, 1.0, 2.0, 3.0]).__next__)
        self.assertTrue(budget.allows_another())
        budget.begin_row()
        budget.end_row()
        self.assertFalse(budget.allows_another())

    def test_without_a_budget(self):
        self.assertTrue(selection.Budget(None, clock=iter([0.0]).__next__).allows_another())


class Merging(unittest.TestCase):

    def test_the_latest_of_a_row_counts_whatever_the_order(self):
        first = document("2026-01-01 10:00 UTC", [row("a", 1.0), row("b", 1.0)], ["c"])
        second = document("2026-01-01 11:00 UTC", [row("b", 2.0), row("c", 3.0)])
        for documents in ([first, second], [second, first]):
            found = results.Results(documents)
            self.assertEqual([(r.name, r.milliseconds("tilerun"), r.run) for r in found.rows], [("a", 1.0, 0), ("b", 2.0, 1), ("c", 3.0, 1)])
            self.assertEqual(found.not_measured, [])

    def test_runs_without_a_row_left_are_not_listed(self):
        found = results.Results([document("1", [row("a", 1.0)], ["d"]), document("2", [row("a", 2.0)], ["d"])])
        self.assertEqual([run["date"] for run in found.runs], ["2"])
        self.assertEqual(found.not_measured, ["d"])

    def test_a_failure_counts_until_a_row_is_measured(self):
        failed = document("1", [], ["vLLM: f"], failures={"vLLM: f": ["no module"]}, kind="libraries")
        self.assertEqual(results.Results([failed]).failures, {"vLLM: f": ["no module"]})
        self.assertEqual(results.Results([failed, document("2", [row("vLLM: f", 1.0, unit="ms")], kind="libraries")]).failures, {})

    def test_libraries_are_apart(self):
        found = results.Results([document("1", [row("a", 1.0)]), document("2", [row("a", 5.0, unit="ms")], kind="libraries")])
        self.assertEqual([r.milliseconds("tilerun") for r in found.rows], [1.0])
        self.assertEqual([r.figure("tilerun") for r in found.libraries], [5.0])

    def test_figures_have_the_row_s_unit(self):
        of = lambda unit, amount: results.Row(row("a", 2.0, unit=unit, amount=amount), 0).figure("tilerun")
        self.assertEqual((of("GB/s", 4 * 10**9), of("TFLOP/s", 3 * 10**12)), (2000.0, 1500.0))

    def test_families_have_each_row_once(self):
        names = ["softmax f16 8192x4096", "softmax rows f16 1k", "matmul f16 64^3", "decode f16 1x2x3", "decode attention f16 1", "attention f16 1x2",
                 "something else"]
        found = results.Results([document("1", [row(name, 1.0) for name in names])]).families()
        self.assertEqual([[r.name for r in rows] for _, rows in found],
                         [names[:1], names[1:2], names[2:3], names[3:5], names[5:6], names[6:]])


class Goals(unittest.TestCase):
    of_triton = goals.Goal("all", ".*", "triton", 0.98)
    of_copy = goals.Goal("decoding", "decode", "copy", 0.9, best=True)

    def outcome(self, goal, *rows):
        return goals.Outcome(goal, [results.Row(each, 0) for each in rows])

    def test_what_is_reached_exactly_is_met(self):
        self.assertEqual(self.outcome(self.of_triton, row("a", 1.0, triton=0.98)).verdict(), "met")

    def test_one_slow_row_misses(self):
        found = self.outcome(self.of_triton, row("a", 1.0, triton=2.0), row("b", 1.0, triton=0.97))
        self.assertEqual((found.verdict(), found.worst()[0], [name for name, _ in found.missed]), ("missed", "b", ["b"]))

    def test_a_miss_within_the_interval_says_so(self):
        found = self.outcome(self.of_triton, row("a", [1.0] * 5, triton=[0.9, 0.97, 0.97, 1.1, 1.1]))
        self.assertEqual(found.verdict(), "missed, within the intervals")

    def test_rows_without_the_peer_do_not_count(self):
        self.assertEqual(self.outcome(self.of_triton, row("a", 1.0, cuBLAS=1.0)).verdict(), "not measured")

    def test_the_best_kernel_of_a_shape_counts(self):
        rows = [row("decode 1", 1.0, copy=0.5), row("decode 1, split", 1.0, copy=0.95), row("decode 2", 1.0, copy=0.92)]
        found = self.outcome(self.of_copy, *rows)
        self.assertEqual((found.verdict(), len(found.reached)), ("met", 2))
        every = self.outcome(goals.Goal("decoding", "decode", "copy", 0.9), *rows)
        self.assertEqual(every.verdict(), "missed")

    def test_the_vendor_is_the_one_that_the_row_names(self):
        self.assertEqual(self.outcome(goals.Goal("all", ".*", "vendor", 1.0), row("a", 1.0, cuBLAS=1.5)).worst()[1]["median"], 1.5)

    def test_each_goal_finds_the_rows_that_it_means(self):
        names = ["matmul f16 4096^3", "matmul bf16 8192^3 row x column", "matmul f16 1024^3", "matmul f16 4096x4096x512", "matmul tf32 4096^3 row x row",
                 "matmul e4m3 8192^3 row x row", "matmul e4m3 8192^3 row x row, promoted", "attention f16 4096x64 causal", "attention f16 4096x96", "attention backward f16 4096x64",
                 "RMS norm rows bf16 128k", "decode f16 1x8192x8192 row x column", "decode attention f16 1x32/8x65536"]
        found = goals.outcomes([results.Row(row(name, 1.0, triton=1.0, cuBLAS=1.0, copy=1.0), 0) for name in names])
        self.assertEqual([[name for name, _ in each.reached] for each in found],
                         [names, names[:2], names[2:4], names[4:5], names[5:6], names[6:7], names[7:8], names[9:10], names[10:11], names[11:12], names[12:]])

    def test_first_call(self):
        name, most = goals.FIRST_CALL
        of = lambda seconds: goals.first_call([results.Row(row(name, 1.0, unit="ms") | {"first call": {"tilerun": seconds}}, 0)])
        self.assertEqual(of(most), (most, "met"))
        self.assertEqual(of(most + 1), (most + 1, "missed"))
        self.assertEqual(goals.first_call([results.Row(row("FLA: other", 1.0), 0)]), (None, "not measured"))

    def test_mean(self):
        rows = [results.Row(row("a", 1.0, triton=2.0), 0), results.Row(row("b", 1.0, triton=0.5), 0), results.Row(row("c", 1.0), 0)]
        mean, count = goals.mean_ratio(rows, "triton")
        self.assertAlmostEqual(mean, 1.0)
        self.assertEqual(count, 2)
        self.assertEqual(goals.mean_ratio(rows, "vendor"), (None, 0))


if __name__ == "__main__":
    unittest.main()
