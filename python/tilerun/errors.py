"""Exceptions: one for each way in which the library refuses or fails."""

import re


class TilerunError(RuntimeError):
    """A call of the library failed. `status` is the library's word for the kind of failure."""

    status = "internal error"


class CompilationError(TilerunError):
    """The kernel does not compile. The message has the diagnostics, with source lines and carets."""

    status = "compile error"

    @property
    def error_message(self):
        return str(self)


class OutOfResources(TilerunError):
    """The kernel needs more than the device has: shared memory, threads, registers."""

    status = "out of resources"

    def __init__(self, required, limit=None, name=None):
        """A message of the library, or as Triton's: the resource, how much is needed, and how much is available."""
        if isinstance(required, str):
            found = re.search(r"(?:needs|has) (\d+) (?:bytes of )?([a-z ]+) in a program; .*? (?:takes|has) (\d+)", required)
            self.required, self.name, self.limit = (int(found[1]), found[2], int(found[3])) if found else (None, name, limit)
            super().__init__(required)
        else:
            self.required, self.limit, self.name = required, limit, name
            super().__init__(f"{name}: {required} are needed, {limit} are available; use smaller blocks or fewer stages "
                             "(num_stages)")


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
            parts.append(part)
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


def make_error(status, message):
    """The exception that the native module raises for a failed call."""
    message = show_message(message)
    if status == 9:
        message = _quote(message)
    if status == 2 and ("bytes of shared memory in a program" in message or "threads in a program" in message):
        return OutOfResources(message)
    return _BY_STATUS.get(status, TilerunError)(message)
