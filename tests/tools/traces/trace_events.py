"""The rules of Chrome's trace event format that Perfetto and chrome://tracing rely on, as far as a program may break them.

`find_problems(trace)` returns what is wrong as lines: the form of the file and of each event; times in microseconds that begin at 0 or later; B and E in pairs of one
name; slices of a thread that nest, as viewers drop or misplace others; b and e, s and f in pairs by their ids.
"""
import math

METADATA = {"process_name": ("name", str), "process_labels": ("labels", str), "process_sort_index": ("sort_index", int),
            "thread_name": ("name", str), "thread_sort_index": ("sort_index", int)}
# What each phase needs besides `ph` and `pid`.
FIELDS = {"X": ("tid", "name", "ts", "dur"), "B": ("tid", "name", "ts"), "E": ("tid", "ts"), "i": ("name", "ts"), "C": ("name", "ts", "args"),
          "b": ("cat", "id", "name", "ts"), "n": ("cat", "id", "name", "ts"), "e": ("cat", "id", "name", "ts"),
          "s": ("tid", "id", "name", "ts"), "t": ("tid", "id", "name", "ts"), "f": ("tid", "id", "name", "ts"), "M": ("name", "args")}
# Times are written with three digits behind the point.
ROUNDING = 1.5e-3


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def check_text(text, what):
    """A text without halves of surrogate pairs, which are not UTF-8."""
    if not isinstance(text, str):
        return [f"{what} is not a text"]
    return [f"{what} is not valid Unicode"] if any("\ud800" <= c <= "\udfff" for c in text) else []


def check_event(event):
    if not isinstance(event, dict) or event.get("ph") not in FIELDS:
        return ["an event without a known phase"]
    problems = [f"{name} is missing" for name in ("pid", *FIELDS[event["ph"]]) if name not in event]
    problems += [f"{name} is not an integer" for name in ("pid", "tid") if name in event and type(event[name]) is not int]
    for name in ("ts", "dur"):
        if name in event and not (is_number(event[name]) and event[name] >= 0):
            problems.append(f"{name} is not a time in microseconds")
    for name in ("name", "cat"):
        problems += check_text(event[name], name) if name in event else []
    if event.get("name") == "":
        problems.append("name is empty")
    if not isinstance(event.get("args", {}), dict):
        problems.append("args is not an object")
    elif event["ph"] == "M":
        problems += check_metadata(event)
    elif event["ph"] == "C" and not all(map(is_number, event.get("args", {}).values())):
        problems.append("a counter that is not a number")
    return problems


def check_metadata(event):
    if event.get("name") not in METADATA:
        return ["metadata of an unknown name"]
    field, kind = METADATA[event["name"]]
    value = event.get("args", {}).get(field)
    problems = [] if type(value) is kind else [f"args.{field} is not {kind.__name__}"]
    if event["name"].startswith("thread") and "tid" not in event:
        problems.append("tid is missing")
    return problems


def check_slices(events):
    """X, B and E of one thread."""
    problems, spans, begun = [], [], []
    for event in sorted(events, key=lambda event: event["ts"]):
        if event["ph"] == "X":
            spans.append((event["ts"], event["ts"] + event["dur"], event["name"]))
        elif event["ph"] == "B":
            begun.append(event)
        elif not begun:
            problems.append(f"an E at {event['ts']} without a B")
        else:
            opened = begun.pop()
            if event.get("name", opened["name"]) != opened["name"]:
                problems.append(f"'{opened['name']}' ends as '{event['name']}'")
            spans.append((opened["ts"], event["ts"], opened["name"]))
    problems += [f"'{event['name']}' has a B and no E" for event in begun]
    around = []
    for begin, end, name in sorted(spans, key=lambda span: (span[0], -span[1])):
        while around and around[-1][0] <= begin + ROUNDING:
            around.pop()
        if around and end > around[-1][0] + ROUNDING:
            problems.append(f"'{name}' from {begin} to {end} ends after '{around[-1][1]}', in which it begins, at {around[-1][0]}")
        around.append((end, name))
    return problems


def check_pairs(events, first, last, what):
    problems, opened = [], {}
    for event in sorted((event for event in events if event["ph"] in (first, last)), key=lambda event: (event["ts"], event["ph"] == last)):
        key = (event.get("cat"), event["id"], event["name"])
        opened[key] = opened.get(key, 0) + (1 if event["ph"] == first else -1)
        if opened[key] < 0:
            problems.append(f"{what} '{event['name']}' ends before it begins")
    return problems + [f"{what} '{key[2]}' has no end" for key, count in opened.items() if count > 0]


def find_problems(trace):
    if not isinstance(trace, dict) or not isinstance(trace.get("traceEvents"), list):
        return ["not an object with traceEvents"]
    problems = [] if trace.get("displayTimeUnit", "ms") in ("ms", "ns") else ["displayTimeUnit is neither ms nor ns"]
    events, threads = [], {}
    for number, event in enumerate(trace["traceEvents"]):
        wrong = check_event(event)
        problems += [f"event {number}: {text}: {event}" for text in wrong]
        if not wrong:
            events.append(event)
    for event in events:
        if event["ph"] in "XBE":
            threads.setdefault((event["pid"], event["tid"]), []).append(event)
    for (pid, tid), own in threads.items():
        problems += [f"process {pid}, thread {tid}: {text}" for text in check_slices(own)]
    return problems + check_pairs(events, "b", "e", "the operation") + check_pairs(events, "s", "f", "the flow")


def get_extent(trace):
    """Microseconds from the first event to the end of the last."""
    events = [event for event in trace["traceEvents"] if event["ph"] != "M"]
    return max(event["ts"] + event.get("dur", 0) for event in events) - min(event["ts"] for event in events)
