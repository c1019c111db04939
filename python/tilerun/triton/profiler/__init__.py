"""`triton.profiler`: counts and times launches by the scopes around them, and records what
`launch_metadata` reports for each.

Launches are timed by launch hooks: by torch's events on a GPU's stream, by the clock elsewhere. A session ends as
a file of the same form as Triton's, which `viewer` reads. Work of others (PyTorch's kernels) is not seen."""

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
    def __init__(self, path):
        self.path, self.root, self.active, self.pending = path, _Frame("ROOT"), True, []
        self.devices = {}

    def settle(self):
        """Reads the events that have been recorded."""
        for frame, begin, end in self.pending:
            end.synchronize()
            frame.add({"time (ns)": int(begin.elapsed_time(end) * 1e6)})
        self.pending = []


def _stack():
    if not hasattr(_local, "scopes"):
        _local.scopes, _local.launches = [], []
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
    kind, device = metadata._place
    _local.launches.append(_record(kind, device))


def _exit_launch(metadata):
    _stack()
    if not _local.launches:
        return  # A session began while it was launched.
    begin = _local.launches.pop()
    kind, device = metadata._place
    end = _record(kind, device)
    said = metadata.get()
    metrics = {name: value for name, value in said.items()
               if name not in _NO_METRICS and isinstance(value, (int, float))}
    for session in _active():
        frame = session.root.find((*_local.scopes, said["name"]))
        frame.add({"count": 1, **metrics})
        session.devices[(KINDS[kind].upper(), device)] = None
        if isinstance(begin, int):
            frame.add({"time (ns)": end - begin})
        else:
            session.pending.append((frame, begin, end))


def _set_hooks():
    change = "add" if _active() else "remove"
    getattr(knobs.runtime.launch_enter_hook, change)(_enter_launch)
    getattr(knobs.runtime.launch_exit_hook, change)(_exit_launch)


# For each option of Triton's: the values that are taken, and why others are refused.
_RECORDINGS = {
    "context": (("shadow", None), {"python": "frames of Python are not recorded; proton.scope names them"}),
    "data": (("tree", None), {"trace": "launches are added up by scope, without a timeline"}),
    "backend": ((None, "cupti", "roctracer"), {"instrumentation": "whole launches are timed, nothing inside them"}),
    "mode": ((None, ""), {"pcsampling": "no instructions are sampled"}),
    "hook": ((None, "triton", "launch"), {}),
}
_FORMATS = {"hatchet_msgpack": "the file is JSON", "chrome_trace": "launches are added up by scope, without a timeline"}


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
    NAME.hatchet. Other arguments are refused if they would record anything other than launches by
    scope."""
    if knobs.proton.disable:
        return None
    _check_recording(context=context, data=data, backend=backend, mode=mode, hook=hook)
    name = os.fspath(name or "proton")
    if name not in _names:
        _names[name] = len(_names)
    number = _names[name]
    if number not in _sessions:
        _sessions[number] = _Session(name + ".hatchet")
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
    if output_format not in ("", "hatchet", None):
        kind = UnsupportedError if output_format in _FORMATS else ValueError
        raise kind(f"triton.profiler: output_format={output_format!r} is not supported: "
                   f"{_FORMATS.get(output_format, 'there is hatchet')}")
    for number in [n for n in _sessions if session is None or n == session]:
        found = _sessions.pop(number)
        found.settle()
        _names.pop(next(name for name, n in _names.items() if n == number))
        devices = {}
        for kind, index in found.devices:
            devices.setdefault(kind, {})[str(index)] = {}
        with open(found.path, "w") as file:
            json.dump([found.root.to_json(), devices], file)
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
    if metrics:
        for session in _active():
            session.root.find(_local.scopes).add(metrics)


def exit_scope(name=None, *, metrics=None):
    """Ends the innermost scope."""
    if metrics:
        for session in _active():
            session.root.find(_stack()).add(metrics)
    if _stack():
        _local.scopes.pop()


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
