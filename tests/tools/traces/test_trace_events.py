"""Each rule of trace_events.py finds a mistake that is planted, and takes what is right."""
import copy
import unittest

import trace_events

RIGHT = {"displayTimeUnit": "ms", "traceEvents": [
    {"ph": "M", "pid": 1, "name": "process_name", "args": {"name": "tilerun"}},
    {"ph": "M", "pid": 1, "tid": 1, "name": "thread_name", "args": {"name": "main"}},
    {"ph": "X", "pid": 1, "tid": 1, "cat": "a", "name": "outer", "ts": 0, "dur": 10.5},
    {"ph": "X", "pid": 1, "tid": 1, "cat": "a", "name": "inner", "ts": 2.25, "dur": 8.25, "args": {"bytes": "4"}},
    {"ph": "X", "pid": 1, "tid": 1, "cat": "a", "name": "next", "ts": 10.5, "dur": 1},
    {"ph": "X", "pid": 1, "tid": 2, "cat": "a", "name": "beside", "ts": 1, "dur": 100},
    {"ph": "B", "pid": 2, "tid": 1, "name": "block", "ts": 0},
    {"ph": "E", "pid": 2, "tid": 1, "name": "block", "ts": 3},
    {"ph": "b", "pid": 2, "cat": "c", "id": 7, "name": "operation", "ts": 1},
    {"ph": "e", "pid": 2, "cat": "c", "id": 7, "name": "operation", "ts": 2},
    {"ph": "s", "pid": 2, "tid": 1, "id": 8, "name": "flow", "ts": 1},
    {"ph": "f", "pid": 2, "tid": 1, "id": 8, "name": "flow", "ts": 2},
    {"ph": "i", "pid": 2, "tid": 1, "name": "moment", "ts": 1},
    {"ph": "C", "pid": 2, "name": "memory", "ts": 1, "args": {"bytes": 5}},
]}


class Rules(unittest.TestCase):
    def planted(self, number, **fields):
        """The problems of the right trace with fields of one event changed, or left out by None."""
        trace = copy.deepcopy(RIGHT)
        event = trace["traceEvents"][number]
        event.update(fields)
        for name in [name for name, value in event.items() if value is None]:
            del event[name]
        return "\n".join(trace_events.find_problems(trace))

    def test_what_is_right(self):
        self.assertEqual(trace_events.find_problems(RIGHT), [])
        self.assertEqual(trace_events.get_extent(RIGHT), 101)

    def test_the_file(self):
        for wrong in ([], {}, {"traceEvents": {}}):
            self.assertIn("not an object with traceEvents", trace_events.find_problems(wrong))
        self.assertIn("displayTimeUnit is neither", trace_events.find_problems({**RIGHT, "displayTimeUnit": "us"})[0])

    def test_events(self):
        for number, fields, text in (
            (2, {"ph": "Q"}, "without a known phase"), (2, {"pid": None}, "pid is missing"), (2, {"tid": None}, "tid is missing"),
            (2, {"tid": "1"}, "tid is not an integer"), (2, {"dur": None}, "dur is missing"), (2, {"dur": -1}, "dur is not a time"),
            (2, {"ts": "0"}, "ts is not a time"), (2, {"ts": float("nan")}, "ts is not a time"), (2, {"name": ""}, "name is empty"),
            (2, {"name": "\ud800"}, "name is not valid Unicode"), (2, {"cat": 5}, "cat is not a text"), (3, {"args": []}, "args is not an object"),
            (0, {"name": "process"}, "metadata of an unknown name"), (0, {"args": {}}, "args.name is not str"), (1, {"tid": None}, "tid is missing"),
            (13, {"args": {"bytes": "5"}}, "a counter that is not a number"), (8, {"id": None}, "id is missing")):
            with self.subTest(text=text):
                self.assertIn(text, self.planted(number, **fields))

    def test_slices_nest(self):
        self.assertIn("'inner' from 2.25 to 10.6", self.planted(3, dur=8.35))
        self.assertIn("'next' from 10.4 to 11.4 ends after", self.planted(4, ts=10.4))
        self.assertEqual(self.planted(3, dur=8.251), "", "a digit that was rounded up")

    def test_pairs(self):
        self.assertIn("'block' has a B and no E", self.planted(7, tid=2))
        self.assertIn("an E at 3 without a B", self.planted(7, tid=2))
        self.assertIn("'block' ends as 'other'", self.planted(7, name="other"))
        self.assertIn("the operation 'operation' has no end", self.planted(9, id=9))
        self.assertIn("the operation 'operation' ends before it begins", self.planted(9, ts=0))
        self.assertIn("the flow 'flow' has no end", self.planted(11, name="other"))


unittest.main()
