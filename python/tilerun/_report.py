"""The end of `python -m tilerun` when a script fails: the script's own frames, and advice if it needs a GPU and there
is none."""

import ast
import linecache
import re
import shlex
import sys

from . import _frames, _on_cpu

_OF_GPUS = re.compile(r"\b_?(cuda|gpus?|nvidia|hip|rocm)|is_cuda", re.IGNORECASE)


def _find_reason(trace):
    """For a script's exit: its line, its condition and the text of the statement before it."""
    frames = []
    while trace is not None:
        if trace.tb_frame.f_globals.get("__name__") != "_sitebuiltins":  # Of exit().
            frames.append(trace)
        trace = trace.tb_next
    if not frames:
        return ""
    path, line = frames[-1].tb_frame.f_code.co_filename, frames[-1].tb_lineno
    found = [linecache.getline(path, line)]
    try:
        nodes = list(ast.walk(ast.parse("".join(linecache.getlines(path)))))
    except (SyntaxError, ValueError):
        return found[0]
    around = [node for node in nodes if isinstance(node, ast.If) and node.lineno <= line <= node.end_lineno]
    if around:
        found.append(ast.unparse(max(around, key=lambda node: node.lineno).test))
    for node in nodes:
        for field in ("body", "orelse"):
            statements = getattr(node, field, None)
            for before, here in zip(statements, statements[1:]) if isinstance(statements, list) else ():
                if isinstance(before, ast.Expr) and here.lineno <= line <= here.end_lineno and not hasattr(here, "body"):
                    found += [part.value for part in ast.walk(before) if isinstance(part, ast.Constant) and isinstance(part.value, str)]
    return "\n".join(found)


def _wants_gpu(error):
    """Whether an exception is about a GPU: by what it says or, if it says nothing, by the line that raised it; of an exit with
    a number, by what led to it."""
    if isinstance(error, SystemExit) and isinstance(error.code, int):
        return bool(error.code) and _OF_GPUS.search(_find_reason(error.__traceback__)) is not None
    said = str(error.code if isinstance(error, SystemExit) else error)
    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    if not said and frame is not None:
        said = linecache.getline(frame.tb_frame.f_code.co_filename, frame.tb_lineno)
    return _OF_GPUS.search(said) is not None


def _has_gpu():
    from . import devices
    torch = sys.modules.get("torch")
    return torch is not None and hasattr(torch, "cuda") and torch.cuda.is_available() or \
        any(device[0].partition(":")[0] in ("cuda", "hip") for device in devices())


def find_advice(error, arguments):
    """The command to run instead; "" if none would help."""
    seen = []
    while error is not None and error not in seen:
        seen.append(error)
        error = error.__cause__ or error.__context__
    if _on_cpu.is_redirected or not any(map(_wants_gpu, seen)) or _has_gpu():
        return ""
    if arguments[0][:2] in ("-m", "-c"):
        arguments = [arguments[0][:2], arguments[0][2:], *arguments[1:]]
    return ("tilerun: this machine has no GPU; the interpreter runs scripts that are written for one\n"
            f"run: python -m tilerun --cpu {shlex.join(arguments)}")


def install(arguments):
    """Takes sys.excepthook; a script may take it in turn. `arguments`: those of the command line, from the script's name."""
    show = sys.excepthook

    def report(kind, error, trace):
        # The default hook shows the exception's own data.
        error.__traceback__ = trace = _frames.hide(error, _frames.skip_start(error, trace))
        show(kind, error, trace)
        advice = find_advice(error, arguments)
        if advice:
            print(advice, file=sys.stderr)

    sys.excepthook = report
