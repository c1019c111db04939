"""Checks a trace in Chrome's form, by the rules of tests/tools/traces/trace_events.py. With
--timing, the table in the JSON on stdin: shares add up to the whole. Prints a line for each event."""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "tools/traces"))
import trace_events  # noqa: E402

if sys.argv[1] == "--timing":
    timing = json.load(sys.stdin)["timing"]
    top = sum(s["seconds"] for s in timing["stages"] if s["depth"] == 0)
    assert abs(top + timing["elsewhere"] - timing["seconds"]) < 1e-6, timing
    open_ = []
    for stage in timing["stages"]:
        assert stage["count"] >= 1 and stage["category"]
        del open_[stage["depth"]:]
        assert len(open_) == stage["depth"] and (not open_ or stage["seconds"] <= open_[-1] + 1e-9), stage
        open_.append(stage["seconds"])
    assert {s["name"] for s in timing["stages"]} >= {"parse", "frontend", "optimize", "compile by cpu", "copy to device"}
    sys.exit()
trace = json.load(open(sys.argv[1], encoding="utf-8"))
assert trace["droppedEvents"] == 0
events = [e for e in trace["traceEvents"] if e["ph"] == "X"]
assert events and all(e["ph"] in "XM" for e in trace["traceEvents"])
problems = trace_events.find_problems(trace)
assert not problems, "\n".join(problems)
for e in events:
    print(f"{e['cat']}: {e['name']} {e.get('args', {})}")
