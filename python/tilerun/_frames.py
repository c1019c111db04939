"""Which frames of a traceback are shown: the user's. Frames of the package and of the parts of
Python's library that it calls mean nothing to a user who passed a wrong argument.
`TRITON_FRONT_END_DEBUGGING=1` shows all."""

import contextlib
import opcode
import os
import sysconfig
import types

from .errors import TilerunError

_OURS = os.path.dirname(os.path.abspath(__file__)) + os.sep
_LIBRARY = tuple(path + os.sep for path in {sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")})
_PACKAGES = (os.sep + "site-packages" + os.sep, os.sep + "dist-packages" + os.sep)
# Where the native module is called, whose exceptions have no frame of their own.
_CALLERS = frozenset(("_launch_with_hooks", "launch", "run"))
# Of exceptions whose frames were hidden further down.
_HIDDEN = "_tilerun_frames_are_hidden"


def _list(trace):
    out = []
    while trace is not None:
        out.append(trace)
        trace = trace.tb_next
    return out


def _is_ours(trace):
    return trace.tb_frame.f_code.co_filename.startswith(_OURS)


def _is_of_library(trace):
    path = trace.tb_frame.f_code.co_filename
    return path.startswith("<frozen ") or path.startswith(_LIBRARY) and not any(p in path for p in _PACKAGES)


def _is_deliberate(error, last):
    """Whether an exception is a refusal by the package; for an internal error its frames are needed."""
    if isinstance(error, TilerunError) or not _is_ours(last) or getattr(error, _HIDDEN, False):
        return True
    code = last.tb_frame.f_code
    return code.co_name in _CALLERS or opcode.opname[code.co_code[last.tb_lasti]] == "RAISE_VARARGS"


def hide(error, trace):
    """The traceback of an exception without the package's frames; the whole one where those are
    wanted."""
    from .triton import knobs
    frames = _list(trace)
    if not frames or knobs.compilation.front_end_debugging or not _is_deliberate(error, frames[-1]):
        return trace
    shown, below = [], False
    for frame in frames:
        below = _is_ours(frame) or (below and _is_of_library(frame))
        if not below:
            shown.append(frame)
    _hide_context(error)
    with contextlib.suppress(AttributeError):
        setattr(error, _HIDDEN, True)
    out = None
    for frame in reversed(shown):
        out = types.TracebackType(out, frame.tb_frame, frame.tb_lasti, frame.tb_lineno)
    return out


def _hide_context(error):
    """Drops the cause of an exception if only the package has seen it."""
    origin = error.__cause__ or error.__context__
    if origin is not None and not error.__suppress_context__ | (error.__cause__ is not None):
        if all(_is_ours(frame) or _is_of_library(frame) for frame in _list(origin.__traceback__)):
            error.__suppress_context__ = True


def skip_start(error, trace):
    """Without the frames from Python's own start to the script: those of `python -m tilerun`."""
    frame = trace
    while frame is not None and (_is_ours(frame) or _is_of_library(frame)):
        frame = frame.tb_next
    return frame if frame is not None or isinstance(error, SyntaxError) else trace
