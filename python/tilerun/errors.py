"""Exceptions: one for each way in which the library refuses or fails."""

import re

from . import _triton_words


class TilerunError(RuntimeError):
    """A call of the library failed. `status` is the library's word for the kind of failure."""

    status = "internal error"


class CompilationError(TilerunError):
    """The kernel does not compile. The message has the diagnostics, with source lines and carets. Made of a function's text, a node
    of its syntax tree and a message, as frameworks do, it says what Triton's says."""

    status = "compile error"
    source_line_count_max_in_message = 12

    def __init__(self, src=None, node=None, error_message=None):
        if node is None and error_message is None:
            super().__init__(*(() if src is None else (src, )))
        else:
            super().__init__(src, node, error_message)
        self.src, self.node = (src, node) if len(self.args) == 3 else (None, None)
        self.error_message = error_message if len(self.args) == 3 else str(self)

    def __str__(self):
        if len(self.args) != 3:
            return super().__str__()
        line, column = getattr(self.node, "lineno", None), getattr(self.node, "col_offset", 0)
        if self.src is None:
            excerpt = " <source unavailable>"
        elif line is None:
            excerpt = self.src
        else:
            lines = self.src.split("\n")[:line][-self.source_line_count_max_in_message:]
            excerpt = "\n".join([*lines, " " * column + "^"])
        place = "" if line is None else f"at {line}:{column}:\n"
        return place + excerpt + (f"\n{self.error_message}" if self.error_message else "")

    @property
    def message(self):
        return str(self)


class CompileTimeAssertionFailure(CompilationError):
    """An assertion of compile time (tl.static_assert) does not hold."""


class UnsupportedLanguageConstruct(CompilationError):
    """The kernel has a construct of Python that the language lacks."""


class OutOfResources(TilerunError):
    """The kernel needs more than the device has: shared memory, threads, registers."""

    status = "out of resources"

    def __init__(self, required, limit=None, name=None):
        """A message of the library, or as Triton's: the resource, how much is needed, and how much is available."""
        if isinstance(required, str):
            found = re.search(r"(?:needs|has) (\d+) (?:bytes of )?([a-z ]+) in a program; .*? (?:takes|has) (\d+)", required)
            self.required, self.name, self.limit = (int(found[1]), found[2], int(found[3])) if found else (None, name, limit)
            super().__init__(f"{required}\n{self._say()}" if found and "out of resource: " not in required else required)
        else:
            self.required, self.limit, self.name = required, limit, name
            super().__init__(self._say())

    def _say(self):
        """In Triton's words, which scripts look for."""
        return (f"out of resource: {self.name}, Required: {self.required}, Hardware limit: {self.limit}. Reducing block sizes or `num_stages` "
                "may help.")


class OutOfMemoryError(TilerunError, MemoryError):
    status = "out of memory"


class DeviceLostError(TilerunError):
    """A kernel's fault ended the device's context; see the message for the way back."""

    status = "device lost"


class FaultError(TilerunError):
    """A kernel failed; the device stays usable."""

    status = "fault"


class InvalidArgumentError(TilerunError, ValueError):
    status = "invalid argument"


class WarpsError(InvalidArgumentError, AssertionError):
    """The number of warps is not a power of two."""


class ArgumentTypeError(InvalidArgumentError, TypeError):
    """A parameter cannot take what was passed, whatever its value."""


class DescriptorError(InvalidArgumentError, AssertionError):
    """A tensor cannot be described as it was asked for."""


class OutsideKernelError(RuntimeError, ValueError):
    """Host code called a function of the language."""


class DtypeError(ValueError, AssertionError):
    """A name of a dtype that does not exist."""


class DeprecatedOptionError(KeyError, AssertionError):
    """An option of launches that earlier releases of Triton had."""


class IntegerRangeError(TypeError, OverflowError):
    """An integer that no type of kernels holds."""


class UnsupportedError(TilerunError, NotImplementedError):
    status = "unsupported"


class UnavailableError(TilerunError):
    """No such device, driver or plugin; the message lists the existing ones."""

    status = "unavailable"


class NotFoundError(TilerunError, LookupError):
    status = "not found"


class SourceError(OSError, ValueError):
    """The source of a kernel cannot be read: it was made by exec or typed at a prompt, or it is a lambda."""


# By the numbers of TILERUN_STATUS_LIST in plugin.h.
_BY_STATUS = {2: InvalidArgumentError, 3: UnsupportedError, 4: UnavailableError, 5: OutOfMemoryError,
              6: CompilationError, 8: NotFoundError, 9: FaultError, 10: DeviceLostError}


# A diagnostic's first line; lines of source and carets follow.
_DIAGNOSTIC = re.compile(r"^(?P<path>.+?):\d+:\d+: (?P<kind>error|warning|note|remark): ", re.MULTILINE)
_WRAPPER = re.compile(r"<launch of (\w+)>")
# Stand-ins for values and functions of the host, which have no source line to show.
_MADE_PATHS = ("<values of the host>", "<functions of the host>")
_MADE_VALUE = re.compile(r"for (\w+) in \(\): pass  # A ([\w.]+?)( that [\w ]+)?\.$", re.MULTILINE)
_MADE_LINE = re.compile(r"(async )?def \w+\(\*arguments\):|@__host")
_PART = re.compile(r"'([^\W\d]\w*?)((?:__(?:shape|stride)?\d+)+)'")


def name_parts(text):
    """`text` with the parts of arguments as host code has them: 'd__shape0' is d.shape[0], and 'pair__1' pair[1]."""

    def name(found):
        steps = re.findall(r"__(shape|stride)?(\d+)", found[2])
        return "'" + found[1] + "".join(f".{word}[{at}]".replace("stride[", "strides[") if word else f"[{at}]"
                                        for word, at in steps) + "'"

    return _PART.sub(name, text)


def _place_in_file(part):
    """A diagnostic with the column and the line of the file, where the compiler was given the function's text without its indentation."""
    import linecache
    found = re.match(r"(.+?:)(\d+):(\d+)(: .*\n)    (.*)\n    (.*)", part)
    source = found and linecache.getline(found[1][:-1], int(found[2])).rstrip("\n")
    if not found or not source.endswith(found[5]) or source == found[5]:
        return part
    indent = source[:len(source) - len(found[5])]
    marks = "    " + indent + found[6] if found[6].lstrip().startswith("^") else "    " + found[6]
    return f"{found[1]}{found[2]}:{int(found[3]) + len(indent)}{found[4]}    {source}\n{marks}{part[found.end():]}"


def show_message(text):
    """A message of the library as users of the package see it: without the names of C functions,
    and of the kernels that the package writes around functions whose arguments are taken in
    parts."""
    text = re.sub(r"\Atilerun[A-Z]\w*: ", "", text)
    text = re.sub(r"\A[a-z]+:\d+: (?=[^\n]+?:\d+:\d+: )", "", text)  # The device: a line of the kernel says more.
    text = re.sub(r"'__m\d+__(\w+)'", r"'\1'", text)
    text = re.sub(r"\n\s*<launch of \w+>:\d+:\d+: called from here", "", text)
    starts = [found.start() for found in _DIAGNOSTIC.finditer(text)]
    parts = [text[:starts[0]]] if starts else [text]
    for begin, end in zip(starts, [*starts[1:], len(text)]):
        part = text[begin:end]
        found = _DIAGNOSTIC.match(part)
        wrapper = _WRAPPER.fullmatch(found["path"])
        lines = part.splitlines(keepends=True)
        if found["kind"] == "note" and found["path"] in _MADE_PATHS:
            value = _MADE_VALUE.search(part)
            parts.append(f"note: '{value[1]}' is a {value[2].removeprefix('builtins.')} of the host"
                         f"{value[3] or ''}\n" if value else "")
        elif len(lines) > 1 and _MADE_LINE.fullmatch(lines[1].strip()):
            parts.append(lines[0])
        elif wrapper is None:
            parts.append(_place_in_file(part))
        elif found["kind"] != "note":
            parts.append(f"kernel '{wrapper[1]}': {found['kind']}: {part[found.end():].splitlines()[0]}\n")
    return name_parts("".join(parts))


def _quote(message):
    """A fault's message with the lines of its places that are in no file, but known to Python: a notebook's, `-c`."""
    import linecache
    lines = message.split("\n")
    quoted = []
    for line, following in zip(lines, lines[1:] + [""]):
        quoted.append(line)
        place = re.match(r"(.+?):(\d+):(\d+): ", line)
        text = place and not following.startswith("    ") and linecache.getline(place[1], int(place[2])).rstrip("\n")
        if text:
            quoted += ["    " + text, "    " + re.sub(r"[^\t]", " ", text[:int(place[3]) - 1]) + "^"]
    return "\n".join(quoted)


# What the first error of a compilation says, and the classes: of the exception, and of its cause, which is Python's own word for
# the mistake.
_CLASSES = (
    (r"tl\.static_assert: 'cond' is false", CompileTimeAssertionFailure, None),
    (r".*cannot be (used in|defined inside) a kernel|the kernel raises an error here|the condition of \w+ must be one value",
     UnsupportedLanguageConstruct, None),
    (r"(':='|a dict|a chain of comparisons|'break'|'continue') goes beyond Triton", UnsupportedLanguageConstruct, None),
    (r".+ has no attribute '", CompilationError, AttributeError),
    (r"'.{1,3}': (bitwise|shift)|cannot apply|unary '|operator '", CompilationError, TypeError),
    (r"", CompilationError, ValueError))


def _parse(path):
    """The syntax tree of a file, as Python knows it: notebooks' cells as well. None without one."""
    import ast
    import linecache
    from .triton.runtime._callables import lock
    try:
        with lock:  # Python 3.11 parses in one thread at a time.
            return ast.parse("".join(linecache.getlines(path)))
    except (SyntaxError, ValueError, SystemError):
        return None


def _number_place(path, line, column, said):
    """A place by line and column of its function, as Triton counts; None where the function is not found. What is wrong with a
    call of the language, or a missing attribute, is at the start of that expression."""
    import ast
    tree = _parse(path)
    around = [] if tree is None else [node for node in ast.walk(tree) if hasattr(node, "end_lineno") and
                                      (node.lineno, node.col_offset) <= (line, column) < (node.end_lineno, node.end_col_offset)]
    inner = max((node for node in around if isinstance(node, ast.FunctionDef)), key=lambda node: node.lineno, default=None)
    if inner is None:
        return None
    called = re.match(r"tl\.(\w+): ", said)
    missing = re.match(r".+ has no attribute '(\w+)'", said)
    for node in around:
        if called and isinstance(node, ast.Call) and called[1] == getattr(node.func, "attr", getattr(node.func, "id", None)) or \
                missing and isinstance(node, ast.Attribute) and node.attr == missing[1]:
            line, column = node.lineno, node.col_offset
    return f"at {line - inner.lineno + 1}:{column - inner.col_offset}: in '{inner.name}'"


def _number_places(message):
    """Those of the errors, and of the calls that led there."""
    found = re.finditer(r"^(.+?):(\d+):(\d+): (?:error: |note: in call)(.*)", message, re.MULTILINE)
    places = [_number_place(at[1], int(at[2]), int(at[3]) - 1, at[4]) for at in found]
    return [place for place in places if place is not None]


def _find_marked(text):
    """What carets mark in the first line of source after an error."""
    _, source, carets = (text.split("\n") + ["", ""])[:3]
    marks = re.search(r"\^~*", carets)
    return source[marks.start():marks.end()] if marks else ""


def _make_compilation_error(message):
    found = re.search(r": error: (.*)", message)
    said = found[1] if found else message
    kind, cause = next((kind, cause) for pattern, kind, cause in _CLASSES if re.match(pattern, said))
    words = _triton_words.find(said, _find_marked(message[found.end():])) if found else None
    places = _number_places(message)
    error = kind("\n".join([message.rstrip("\n"), *places, *([repr(words)] if words else [])]))
    if found and cause:
        error.__cause__ = words or cause(said)
        if len(places) > 1:
            # In a function that the kernel calls: Triton tells of each function in an exception of its own.
            inner = kind(f"{places[0]}\n{error.__cause__!r}")
            inner.__cause__, error.__cause__ = error.__cause__, inner
        error.__suppress_context__ = True
    return error


def make_error(status, message):
    """The exception that the native module raises for a failed call."""
    message = show_message(message)
    if status == 6:
        return _make_compilation_error(message)
    if status == 9:
        message = _quote(message)
    if status == 2 and ("bytes of shared memory in a program" in message or "threads in a program" in message):
        return OutOfResources(message)
    if status == 2 and re.search(r"num_warps is \d+, which is not a power of two", message):
        return WarpsError(f"{message}; num_warps must be a power of 2")
    if status == 2 and "is not a tl.constexpr; it takes a pointer" in message:
        return ArgumentTypeError(message)
    return _BY_STATUS.get(status, TilerunError)(message)
