"""TILERUN_STRICT=1: what the package, and not the compiler, takes beyond Triton. Values of globals and captured variables that are not
marked as constants: Triton keeps the value of the first compilation, so that it refuses them; Tilerun looks at it in each launch."""

import ast
import linecache
import os

from .errors import make_error


def _is_set(variable):
    return os.environ.get(variable, "").lower() not in ("", "0", "false", "off", "no", "n")


def is_strict():
    return _is_set("TILERUN_STRICT")


def _is_plain(value):
    kind = type(value)
    return kind in (int, float, bool, str, list, dict, set) or kind is tuple


def _find_use(function, name):
    """Line and column of the first use in the function's body, whose text may be indented."""
    text = function.text
    definition, = ast.parse(text).body
    uses = [node for statement in definition.body for node in ast.walk(statement) if isinstance(node, ast.Name) and node.id == name]
    return min(((node.lineno, node.col_offset) for node in uses), default=None)


def check_global(name, value, function):
    """Refuses a value that a kernel finds under a name of its scope."""
    annotation = function.fn.__globals__.get("__annotations__", {}).get(name)
    from .triton import knobs
    if not _is_plain(value) or "constexpr" in str(annotation) or knobs.compilation.allow_non_constexpr_globals:
        return
    use = _find_use(function, name)
    if use is None:
        return  # A default is evaluated by Python.
    line, column = use
    text, number = function.text.splitlines()[line - 1], function.starting_line_number + line - 1
    source = linecache.getline(function.path, number).rstrip("\n")
    if source.endswith(text):
        column += len(source) - len(text)  # The function's text has no indentation.
    else:
        source = text
    place = f"{function.path}:{number}:{column + 1}"
    raise make_error(6, f"{place}: error: global variable '{name}' is not a tl.constexpr, which goes beyond Triton; write "
                        f"{name} = tl.constexpr(…)\n    {source}\n    {' ' * column}^")
