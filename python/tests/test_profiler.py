"""`triton.profiler`: launches by scopes, and the viewer's tree."""

import json
import pathlib
import sys
import threading

import numpy as np
import pytest

import tilerun.triton as triton
import tilerun.triton.language as tl
import tilerun.triton.profiler as proton

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests/tools/traces"))
import trace_events  # noqa: E402


def tell(grid, kernel, args):
    return {"name": f"{kernel.name}_{args['N']}", "bytes": 8 * args["N"] * grid[0], "flops32": args["N"]}


@triton.jit(launch_metadata=tell)
def told(x, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(x + i, tl.load(x + i) * 2)


@triton.jit
def plain(x):
    tl.store(x, 1.0)


X = np.ones(64, np.float32)


def find(node, *names):
    for name in names:
        node = next(child for child in node["children"] if child["frame"]["name"] == name)
    return node["metrics"]


def test_a_session(tmp_path, capsys, run_python):
    name = str(tmp_path / "profile")
    session = proton.start(name, hook="triton")
    told[(2, )](X, 16)
    with proton.scope("outer"):
        plain[(1, )](X)
        with proton.scope("inner", metrics={"weight": 3}):
            told[(1, )](X, 16)
            told[(1, )](X, 16)
        proton.deactivate(session)
        plain[(1, )](X)
        proton.activate(session)

        @proton.scope("function")
        def work():
            plain[(1, )](X)

        work()
        work()
    with proton.cpu_timed_scope("timed"):
        pass
    proton.finalize()
    plain[(1, )](X)
    assert not triton.knobs.runtime.launch_enter_hook, "nothing is left behind"
    root, devices = json.load(open(name + ".hatchet"))
    assert devices == {"CPU": {"0": {}}}
    assert find(root, "told_16")["count"] == 1 and find(root, "told_16")["bytes"] == 8 * 16 * 2
    assert find(root, "outer", "plain")["count"] == 1 and find(root, "outer", "plain")["time (ns)"] > 0
    assert find(root, "outer", "inner") == {"weight": 3}
    inner = find(root, "outer", "inner", "told_16")
    assert inner["count"] == 2 and inner["flops32"] == 32
    assert find(root, "outer", "function", "plain")["count"] == 2
    assert find(root, "timed")["cpu_time (ns)"] > 0

    tree, metrics = proton.viewer.parse(["count", "time/ms", "gbyte/s", "flop32/s"], name + ".hatchet")
    proton.viewer.print_tree(tree, metrics)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("6.000 ") and lines[0].endswith(" ROOT")
    told_line = next(line.split() for line in lines if line.endswith("told_16"))
    took = find(root, "told_16")["time (ns)"]
    assert float(told_line[1]) == pytest.approx(took / 1e6, abs=1e-3)
    assert float(told_line[2]) == pytest.approx(256 / took, abs=1e-3)
    assert any(line.strip().split()[0] == "1.000" and line.endswith("plain") for line in lines)
    done = run_python("-m", "tilerun", "-m", "triton.profiler.viewer", "-m", "count,nonsense", name + ".hatchet")
    assert done.stdout.splitlines()[0] == "6.000 - ROOT"


def test_a_function_as_a_session(tmp_path):
    name = str(tmp_path / "function")

    @proton.profile(name=name)
    def work():
        plain[(1, )](X)

    work()
    plain[(1, )](X)
    work()
    proton.finalize()
    root, _ = json.load(open(name + ".hatchet"))
    assert find(root, "plain")["count"] == 2


def test_a_timeline(tmp_path):
    name = str(tmp_path / "timeline")
    session = proton.start(name, data="trace")
    told[(2, )](X, 16)
    with proton.scope("outer", metrics={"weight": 3}):
        with proton.scope("inner"):
            plain[(1, )](X)
        proton.deactivate(session)
        plain[(1, )](X)
        proton.activate(session)
    thread = threading.Thread(target=proton.scope("elsewhere")(lambda: plain[(1, )](X)))
    thread.start()
    thread.join()
    with pytest.raises(ValueError, match="has data='trace'; finalize it first"):
        proton.start(name)
    with pytest.raises(NotImplementedError, match="output_format='hatchet' is not supported: a session with data='tree' writes it"):
        proton.finalize(output_format="hatchet")
    proton.finalize(output_format="chrome_trace")
    assert not triton.knobs.runtime.launch_enter_hook, "nothing is left behind"
    trace = json.load(open(name + ".chrome_trace"))
    assert trace_events.find_problems(trace) == []
    tracks = {event["tid"]: event["args"]["name"] for event in trace["traceEvents"] if event["name"] == "thread_name"}
    spans = [event for event in trace["traceEvents"] if event["ph"] == "X"]
    assert [(span["name"], tracks[span["tid"]], span["cat"]) for span in spans] == [
        ("told_16", "cpu:0", "launch"),
        ("outer", "scopes of thread 1", "scope"),
        ("inner", "scopes of thread 1", "scope"),
        ("plain", "cpu:0", "launch"),
        ("elsewhere", "scopes of thread 2", "scope"),
        ("plain", "cpu:0", "launch"),
    ]
    by_name = {span["name"]: span for span in spans[:4]}
    assert by_name["told_16"]["args"] == {"bytes": 256, "flops32": 16}
    assert by_name["outer"]["args"] == {"weight": 3}
    assert by_name["plain"]["args"] == {"scope": "outer/inner"}
    assert all(span["ts"] >= 0 and span["dur"] > 0 for span in spans)
    for inside, around in (("plain", "inner"), ("inner", "outer")):
        inside, around = by_name[inside], by_name[around]
        assert around["ts"] <= inside["ts"]
        assert inside["ts"] + inside["dur"] <= around["ts"] + around["dur"] + 1e-3
    assert [span["ts"] for span in spans] == sorted(span["ts"] for span in spans)


def test_a_tree_and_a_timeline_at_once(tmp_path):
    name = str(tmp_path / "both")
    proton.start(name + "1")
    proton.start(name + "2", data="trace")
    with proton.scope("outer", metrics={"weight": 3}):
        plain[(1, )](X)
    proton.finalize()
    root, _ = json.load(open(name + "1.hatchet"))
    assert find(root, "outer") == {"weight": 3} and find(root, "outer", "plain")["count"] == 1
    spans = [event for event in json.load(open(name + "2.chrome_trace"))["traceEvents"] if event["ph"] == "X"]
    assert [span["name"] for span in spans] == ["outer", "plain"]


def test_launches_that_overlap_have_tracks_of_their_own(tmp_path):
    session = proton._TraceSession(str(tmp_path / "overlap"))
    at = session.start
    session.spans = [("cuda:0", "first", at, at + 9000, {}), ("cuda:0", "second", at + 4000, at + 12000, {}), ("cuda:0", "third", at + 9000, at + 10000, {}),
                     ("scopes of thread 1", "outer", at, at + 20000, {}), ("scopes of thread 1", "inner", at, at + 100, {})]
    with open(tmp_path / "overlap.json", "w", encoding="utf-8") as file:
        session.write(file)
    trace = json.loads((tmp_path / "overlap.json").read_text())
    assert trace_events.find_problems(trace) == []
    tracks = {event["tid"]: event["args"]["name"] for event in trace["traceEvents"] if event["name"] == "thread_name"}
    placed = {event["name"]: tracks[event["tid"]] for event in trace["traceEvents"] if event["ph"] == "X"}
    assert placed == {"first": "cuda:0", "second": "cuda:0 (2)", "third": "cuda:0", "outer": "scopes of thread 1", "inner": "scopes of thread 1"}


def test_a_timeline_of_several_threads(tmp_path):
    name = str(tmp_path / "threads")
    proton.start(name, data="trace")
    threads = [threading.Thread(target=proton.scope(f"of {i}")(lambda: [plain[(4, )](X) for _ in range(20)])) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    proton.finalize()
    trace = json.load(open(name + ".chrome_trace"))
    assert trace_events.find_problems(trace) == []
    names = [event["name"] for event in trace["traceEvents"] if event["ph"] == "X"]
    assert names.count("plain") == 80 and {f"of {i}" for i in range(4)} <= set(names)


REFUSED = [({"context": "python"}, NotImplementedError, "context='python' is not supported"),
           ({"backend": "instrumentation"}, NotImplementedError, "backend='instrumentation' is not supported"),
           ({"mode": "pcsampling:interval=1000"}, NotImplementedError, "mode='pcsampling:interval=1000' is not supported"),
           ({"data": "list"}, ValueError, "data is 'list'; it is 'tree' or 'trace'"),
           ({"hook": 5}, ValueError, "hook is 5; it is 'triton' or 'launch'")]


@pytest.mark.parametrize("options, kind, text", REFUSED)
def test_recordings_that_there_are_not(options, kind, text):
    for begin in (proton.start, proton.profile):
        with pytest.raises(kind, match=text):
            begin(**options)
    assert not triton.knobs.runtime.launch_enter_hook


def test_formats_that_there_are_not(tmp_path):
    name = str(tmp_path / "profile")
    proton.start(name, context=None, data=None, backend="cupti", mode="", hook="launch")
    for word, kind in (("chrome_trace", NotImplementedError), ("hatchet_msgpack", NotImplementedError), ("x", ValueError)):
        with pytest.raises(kind, match=f"output_format='{word}' is not supported"):
            proton.finalize(output_format=word)
    plain[(1, )](X)
    proton.finalize(output_format="hatchet")  # It was not lost.
    assert find(json.load(open(name + ".hatchet"))[0], "plain")["count"] == 1


def test_names_are_paths(tmp_path):
    proton.start(tmp_path / "profile")
    proton.finalize()
    assert (tmp_path / "profile.hatchet").exists()
    with pytest.raises(TypeError, match="expected str, bytes or os.PathLike object, not int"):
        proton.start(3)


def test_profiling_can_be_switched_off(tmp_path):
    triton.knobs.proton.disable = True
    try:
        assert proton.start(str(tmp_path / "profile")) is None
        assert proton.profile(lambda: 5, name=str(tmp_path / "profile"))() == 5
    finally:
        del triton.knobs.proton.disable
    proton.finalize()
    assert not list(tmp_path.iterdir())
