"""`triton.profiler`: counts and times launches by the scopes around them, and records what
`launch_metadata` reports for each.

Launches are timed by launch hooks: by torch's events on a GPU's stream, by the clock elsewhere. A session ends as
a file of the same form as Triton's, which `viewer` reads, or with `data="trace"` as a timeline in Chrome's form, which
Perfetto shows. Work of others (PyTorch's kernels) is not seen."""

import functools
import json
import os
import threading
import time

from .. import knobs
from ... import _devices
from ..._memory import KINDS
from ...errors import UnsupportedError

_sessions = {}
_names = {}
_local = threading.local()
# Metrics of launch metadata that add up; the rest of it names the launch.
_NO_METRICS = ("name", "function", "grid", "device", "stream")


class _Frame:
    """A node of a session's tree."""

    def __init__(self, name):
        self.name, self.metrics, self.children = name, {}, {}

    def find(self, path):
        frame = self
        for name in path:
            frame = frame.children.setdefault(name, _Frame(name))
        return frame

    def add(self, metrics):
        for name, value in metrics.items():
            self.metrics[name] = self.metrics.get(name, 0) + value

    def to_json(self):
        return {"frame": {"name": self.name, "type": "function"}, "metrics": self.metrics,
                "children": [child.to_json() for child in self.children.values()]}


class _Session:
    """Launches added up by scope."""
    data, suffix, formats = "tree", ".hatchet", ("", "hatchet", None)

    def __init__(self, name):
        self.path, self.root, self.active, self.pending = name + self.suffix, _Frame("ROOT"), True, []
        self.devices = {}

    def begin_launch(self, place):
        pass

    def end_launch(self, scopes, name, metrics, place, begin, end):
        frame = self.root.find((*scopes, name))
        frame.add({"count": 1, **metrics})
        kind, device = place
        self.devices[(KINDS[kind].upper(), device)] = None
        if isinstance(begin, int):
            frame.add({"time (ns)": end - begin})
        else:
            self.pending.append((frame, begin, end))

    def add_metrics(self, scopes, metrics):
        self.root.find(scopes).add(metrics)

    def end_scope(self, name, begin, end, metrics):
        if metrics:
            self.add_metrics(_stack(), metrics)

    def settle(self):
        """Reads the events that have been recorded."""
        for frame, begin, end in self.pending:
            end.synchronize()
            frame.add({"time (ns)": int(begin.elapsed_time(end) * 1e6)})
        self.pending = []

    def write(self, file):
        devices = {}
        for kind, index in self.devices:
            devices.setdefault(kind, {})[str(index)] = {}
        json.dump([self.root.to_json(), devices], file)


class _TraceSession:
    """Launches and scopes on a timeline: a track for each thread's scopes, and one for each device."""
    data, suffix, formats = "trace", ".chrome_trace", ("", "chrome_trace", None)

    def __init__(self, name):
        self.path, self.active, self.pending = name + self.suffix, True, []
        self.start = time.perf_counter_ns()
        self.spans, self.threads = [], {}
        # For each device whose launches are timed by events: one from the beginning, and when that was.
        self.bases = {}

    def begin_launch(self, place):
        if place not in self.bases and _devices.torch_has(place[0]):
            base = _record(*place)
            base.synchronize()
            self.bases[place] = (base, time.perf_counter_ns())

    def end_launch(self, scopes, name, metrics, place, begin, end):
        track = f"{KINDS[place[0]]}:{place[1]}"
        args = {"scope": "/".join(scopes), **metrics} if scopes else metrics
        if isinstance(begin, int):
            self.spans.append((track, name, begin, end, args))
        elif place in self.bases:  # Else it began while the session was not active.
            self.pending.append((track, name, self.bases[place], begin, end, args))

    def add_metrics(self, scopes, metrics):
        """Metrics belong to the span of their scope, which ends later."""
        _local.notes[-1].update(metrics)

    def end_scope(self, name, begin, end, metrics):
        thread = self.threads.setdefault(threading.get_ident(), f"scopes of thread {len(self.threads) + 1}")
        self.spans.append((thread, name, max(begin, self.start), end, {**_local.notes[-1], **(metrics or {})}))

    def settle(self):
        for track, name, (base, at), begin, end, args in self.pending:
            end.synchronize()
            self.spans.append((track, name, at + int(base.elapsed_time(begin) * 1e6),
                               at + int(base.elapsed_time(end) * 1e6), args))
        self.pending = []

    def separate(self):
        """Spans in order, those of a track that overlap others of it, as launches of several streams, in tracks of their own:
        viewers take what overlaps on one track for a mistake."""
        ends = {}
        for track, name, begin, end, args in sorted(self.spans, key=lambda span: (span[2], -span[3])):
            if not track.startswith("scopes"):  # Scopes nest.
                lanes = ends.setdefault(track, [])
                lane = next((i for i, free in enumerate(lanes) if free <= begin), len(lanes))
                lanes[lane:lane + 1] = [end]
                track += f" ({lane + 1})" if lane else ""
            yield track, name, begin, end, args

    def write(self, file):
        spans = list(self.separate())
        tracks = {track: number for number, track in enumerate(dict.fromkeys(span[0] for span in spans), 1)}
        events = [{"ph": "M", "pid": 1, "name": "process_name", "args": {"name": "tilerun"}}]
        events += [{"ph": "M", "pid": 1, "tid": number, "name": "thread_name", "args": {"name": track}}
                   for track, number in tracks.items()]
        # Microseconds since the session began.
        events += [{"ph": "X", "pid": 1, "tid": tracks[track], "name": name,
                    "cat": "scope" if track.startswith("scopes") else "launch",
                    "ts": (begin - self.start) / 1e3, "dur": (end - begin) / 1e3, "args": args}
                   for track, name, begin, end, args in spans]
        json.dump({"displayTimeUnit": "ms", "traceEvents": events}, file)


_KINDS_OF_SESSIONS = {"tree": _Session, None: _Session, "trace": _TraceSession}


def _stack():
    if not hasattr(_local, "scopes"):
        _local.scopes, _local.launches = [], []
        _local.begins, _local.notes = [], []  # Of the scopes.
    return _local.scopes


def _active():
    return [session for session in _sessions.values() if session.active]


def _record(kind, device):
    if not _devices.torch_has(kind):
        _devices.wait(kind, device)
        return time.perf_counter_ns()
    import torch
    event = torch.cuda.Event(enable_timing=True)
    event.record(torch.cuda.current_stream(device))
    return event


def _enter_launch(metadata):
    _stack()
    for session in _active():
        session.begin_launch(metadata._place)
    _local.launches.append(_record(*metadata._place))


def _exit_launch(metadata):
    _stack()
    if not _local.launches:
        return  # A session began while it was launched.
    begin = _local.launches.pop()
    end = _record(*metadata._place)
    said = metadata.get()
    metrics = {name: value for name, value in said.items()
               if name not in _NO_METRICS and isinstance(value, (int, float))}
    for session in _active():
        session.end_launch(tuple(_local.scopes), said["name"], metrics, metadata._place, begin, end)


def _set_hooks():
    change = "add" if _active() else "remove"
    getattr(knobs.runtime.launch_enter_hook, change)(_enter_launch)
    getattr(knobs.runtime.launch_exit_hook, change)(_exit_launch)


# For each option of Triton's: the values that are taken, and why others are refused.
_RECORDINGS = {
    "context": (("shadow", None), {"python": "frames of Python are not recorded; proton.scope names them"}),
    "data": (("tree", "trace", None), {}),
    "backend": ((None, "cupti", "roctracer"), {"instrumentation": "whole launches are timed, nothing inside them"}),
    "mode": ((None, ""), {"pcsampling": "no instructions are sampled"}),
    "hook": ((None, "triton", "launch"), {}),
}
_FORMATS = {"hatchet_msgpack": "the file is JSON", "chrome_trace": "a session with data='trace' writes it",
            "hatchet": "a session with data='tree' writes it"}


def _check_recording(**wanted):
    for name, value in wanted.items():
        known, reasons = _RECORDINGS[name]
        if value in known:
            continue
        reason = reasons.get(str(value).partition(":")[0])
        if reason is None:
            names = [repr(word) for word in (*known, *reasons) if word is not None and word != ""]
            raise ValueError(f"triton.profiler: {name} is {value!r}; it is {' or '.join(names) if names else None}")
        raise UnsupportedError(f"triton.profiler: {name}={value!r} is not supported: {reason}")


def start(name=None, *, context="shadow", data="tree", backend=None, mode=None, hook=None):
    """Begins a session, or goes on with the one of this name; its number. `finalize` writes
    NAME.hatchet: launches added up by scope. With `data="trace"` it writes NAME.chrome_trace: scopes and launches on
    a timeline, for Perfetto. Other arguments are refused if they would record anything else."""
    if knobs.proton.disable:
        return None
    _check_recording(context=context, data=data, backend=backend, mode=mode, hook=hook)
    name = os.fspath(name or "proton")
    if name not in _names:
        _names[name] = len(_names)
    number = _names[name]
    wanted = _KINDS_OF_SESSIONS[data]
    if number not in _sessions:
        _sessions[number] = wanted(name)
    elif not isinstance(_sessions[number], wanted):
        raise ValueError(f"triton.profiler: the session {name!r} has data={_sessions[number].data!r}; finalize it first")
    activate(number)
    return number


def activate(session=None):
    """Records again, in one session or all."""
    for number, found in _sessions.items():
        if session is None or number == session:
            found.active = True
    _set_hooks()


def deactivate(session=None, flushing=False):
    """Pauses one session, or all."""
    for number, found in _sessions.items():
        if session is None or number == session:
            found.settle()
            found.active = False
    _set_hooks()


def finalize(session=None, output_format=""):
    """Ends one session, or all, and writes their files."""
    chosen = [n for n in _sessions if session is None or n == session]
    for number in chosen:
        if output_format not in _sessions[number].formats:
            kind = UnsupportedError if output_format in _FORMATS else ValueError
            raise kind(f"triton.profiler: output_format={output_format!r} is not supported: "
                       f"{_FORMATS.get(output_format, 'formats are hatchet and chrome_trace')}")
    for number in chosen:
        found = _sessions.pop(number)
        found.settle()
        _names.pop(next(name for name, n in _names.items() if n == number))
        with open(found.path, "w") as file:
            found.write(file)
    _set_hooks()


def profile(func=None, *, name=None, context="shadow", data="tree", backend=None, mode=None, hook=None):
    """A decorator: a session around each call of a function."""
    wanted = dict(context=context, data=data, backend=backend, mode=mode, hook=hook)
    _check_recording(**wanted)
    if func is None:
        return lambda func: profile(func, name=name, **wanted)

    @functools.wraps(func)
    def call(*args, **kwargs):
        session = start(name, **wanted)
        try:
            return func(*args, **kwargs)
        finally:
            if session is not None:
                deactivate(session)

    return call


def enter_scope(name, *, metrics=None):
    """Launches of this thread from now on stand under `name`; `metrics` are added to it."""
    _stack().append(name)
    _local.begins.append(time.perf_counter_ns())
    _local.notes.append({})
    if metrics:
        for session in _active():
            session.add_metrics(_local.scopes, metrics)


def exit_scope(name=None, *, metrics=None):
    """Ends the innermost scope."""
    if not _stack():
        return
    end = time.perf_counter_ns()
    for session in _active():
        session.end_scope(_local.scopes[-1], _local.begins[-1], end, metrics)
    for stack in (_local.scopes, _local.begins, _local.notes):
        stack.pop()


class scope:
    """A scope as a context, or around a function."""

    def __init__(self, name, metrics=None):
        self.name, self.metrics = name, metrics

    def __enter__(self):
        enter_scope(self.name, metrics=self.metrics)
        return self

    def __exit__(self, *_):
        exit_scope(self.name)

    def __call__(self, func):
        @functools.wraps(func)
        def call(*args, **kwargs):
            with type(self)(self.name, self.metrics):
                return func(*args, **kwargs)

        return call


class cpu_timed_scope(scope):
    """A scope whose time on the host is a metric of it."""

    def __enter__(self):
        self._begin = time.perf_counter_ns()
        return super().__enter__()

    def __exit__(self, *_):
        exit_scope(self.name, metrics={"cpu_time (ns)": time.perf_counter_ns() - self._begin})


from . import viewer  # noqa: E402: it needs nothing of this.

__all__ = ["activate", "cpu_timed_scope", "deactivate", "enter_scope", "exit_scope", "finalize", "profile", "scope", "start",
           "viewer"]
