"""Checks a trace in Chrome's form: every event has a name, a category, a time and a thread, and those of one thread nest. With
--timing, the table in the JSON on stdin: shares add up to the whole. Prints a line for each event."""
import json
import sys

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
for thread in {e["tid"] for e in events}:
    ends = []
    for e in sorted((e for e in events if e["tid"] == thread), key=lambda e: (e["ts"], -e["dur"])):
        while ends and ends[-1] < e["ts"] + 5e-4:
            ends.pop()
        assert not ends or e["ts"] + e["dur"] <= ends[-1] + 1e-3, e
        ends.append(e["ts"] + e["dur"])
for e in events:
    print(f"{e['cat']}: {e['name']} {e.get('args', {})}")
