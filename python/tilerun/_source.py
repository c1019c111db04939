"""From a jit function to the sources that the library compiles: its own text, those of the helpers that it reaches,
and the values of the globals and captured variables that they use. Python has resolved every name, so that nothing is
looked for on disk: closures, helpers of other packages and constants from anywhere work alike.

Each function is a source of its own, at its own lines (what is before it is left empty, so that messages show the file's
line numbers); behind it follow the names that it uses, as imports of the other sources and as literals."""

import ast
import builtins
import inspect
import re
import textwrap
import types

from .triton.language import constexpr, dtype

_DEFINITION = re.compile(r"^(async\s+)?def\s", re.MULTILINE)


def read_function(fn):
    """(text from `def` on, dedented; line of the `def`; path). OSError with what to do if there is no source."""
    try:
        lines, start = inspect.getsourcelines(fn)
    except (OSError, TypeError) as error:
        raise OSError(f"the source of '{fn.__qualname__}' cannot be read ({error}); a kernel must be defined in a file, "
                      "or in what linecache knows (a notebook's cell)") from error
    text = textwrap.dedent("".join(lines))
    found = _DEFINITION.search(text)
    if found is None:
        raise OSError(f"the source of '{fn.__qualname__}' has no 'def'; a lambda cannot be a kernel")
    line = start + text.count("\n", 0, found.start())
    return text[found.start():], line, inspect.getsourcefile(fn) or fn.__code__.co_filename


def _used_names(text):
    """Names that a function reads and does not bind itself, and the attributes asked of each: {name: {attribute chain}}."""
    tree = ast.parse(text)
    bound, used = set(), {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Load):
                used.setdefault(node.id, set())
            else:
                bound.add(node.id)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
            # A string annotation is code.
            if isinstance(node.annotation, ast.Constant) and isinstance(node.annotation.value, str):
                for name in re.findall(r"[A-Za-z_]\w*", node.annotation.value)[:1]:
                    used.setdefault(name, set())
        elif isinstance(node, ast.Attribute):
            chain, base = [node.attr], node.value
            while isinstance(base, ast.Attribute):
                chain.append(base.attr)
                base = base.value
            if isinstance(base, ast.Name):
                used.setdefault(base.id, set()).add(tuple(reversed(chain)))
    # Names of parameters hide globals in the body; annotations and defaults stand outside of it.
    body = tree.body[0]
    outside = set()
    arguments = body.args
    for expression in [a.annotation for a in arguments.args + arguments.kwonlyargs + arguments.posonlyargs] + \
            arguments.defaults + arguments.kw_defaults:
        if expression is not None:
            outside |= {n.id for n in ast.walk(expression) if isinstance(n, ast.Name)}
    return {name: chains for name, chains in used.items() if name not in bound or name in outside}


class _Unknown:
    pass


def _capture(fn):
    """What the free variables of a function hold now."""
    cells = {}
    for name, cell in zip(fn.__code__.co_freevars, fn.__closure__ or ()):
        try:
            cells[name] = cell.cell_contents
        except ValueError:
            pass  # Bound later, or never.
    return cells


class Collector:
    """Collects the sources of one kernel."""

    def __init__(self):
        self.sources = []
        self.modules = {}
        self.pending = []
        self.watched = []
        self.counter = 0

    def collect(self, function, extra=()):
        """(sources for the library, the kernel's name, globals to watch). `extra`: (name, jit function) that the
        kernel's source must know besides."""
        self._module_of(function, dict(extra))
        while self.pending:
            self._write(*self.pending.pop(0))
        # The library looks for the kernel in the first one.
        self.sources.sort(key=lambda source: source[0] != self.modules[id(function)])
        return self.sources, function.fn.__name__, self.watched

    def collect_wrapped(self, function, extra, text):
        """The same for a kernel of the package's own, of the same name, that calls the function as `__inner`."""
        sources, name, watched = self.collect(function)
        lines = [f"from {self.modules[id(function)]} import {name} as __inner", "import triton.language as tl"]
        for known, helper in extra:
            lines.append(f"from {self._module_of(helper)} import {helper.fn.__name__} as {known}")
        while self.pending:
            self._write(*self.pending.pop(0))
        sources.insert(0, ("__w", f"<launch of {name}>", text + "\n".join(lines) + "\n"))
        return sources, name, watched

    # -- Functions

    def _module_of(self, function, extra=None):
        key = id(function)
        if key not in self.modules:
            self.modules[key] = f"__f{len(self.modules)}"
            self.pending.append((function, self.modules[key], extra or {}))
        return self.modules[key]

    def _write(self, function, module, extra):
        text, line, path = function.text, function.starting_line_number, function.path
        lines = []
        cells = _capture(function.fn)
        scope = function.fn.__globals__
        for name, chains in sorted(_used_names(text).items()):
            if name in cells:
                value = cells[name]
            elif name in scope:
                value = scope[name]
                if _is_constant(value):
                    self.watched.append((scope, name, value))
            elif hasattr(builtins, name):
                continue
            else:
                continue  # The compiler says that it is unknown, with the place.
            lines += self._bind(name, value, chains, function)
        for name, helper in extra.items():
            lines.append(f"from {self._module_of(helper)} import {helper.fn.__name__} as {name}")
        head = "\n" * max(line - 2, 0) + function.decorator + "\n"
        tail = "" if text.endswith("\n") else "\n"
        self.sources.append((module, path, head + text + tail + "".join(l + "\n" for l in lines)))

    # -- Values

    def _bind(self, name, value, chains, user):
        """Statements that give a name a value."""
        unknown = [f"for {name} in ():", "    pass"]  # Bound to something that is not known at compile time.
        helper = find_function(value)
        if helper is not None:
            if helper is user and helper.fn.__name__ == name:
                return []
            return [f"from {self._module_of(helper)} import {helper.fn.__name__} as {name}"]
        language = _language_name(value)
        if language is not None:
            return [f"from {language[0]} import {language[1]} as {name}"]
        if isinstance(value, types.ModuleType):
            return self._bind_module(name, value, chains)
        if isinstance(value, type):
            return self._bind_class(name, value, user) or unknown
        if isinstance(value, (types.FunctionType, types.BuiltinFunctionType, types.MethodType)):
            return [f"def {name}(*arguments):", "    pass"]
        lines = []
        text = self._express(value, lines)
        return lines + [f"{name} = {text}"] if text is not None else unknown

    def _bind_module(self, name, module, chains):
        path = getattr(module, "_language_path", None)
        if path is None and (module.__name__ == "tilerun.triton" or module.__name__.startswith("tilerun.triton.")):
            path = "triton" + module.__name__[len("tilerun.triton"):]
        if path is not None or module.__name__ == "math":
            return [f"import {path or 'math'} as {name}"]
        # A module of the user's: a source with the names that are used of it.
        lines = []
        below = {}
        for chain in sorted(chains):
            below.setdefault(chain[0], set())
            if len(chain) > 1:
                below[chain[0]].add(chain[1:])
        for attribute, rest in below.items():
            value = getattr(module, attribute, _Unknown)
            if value is not _Unknown:
                lines += self._bind(attribute, value, rest, None)
                if _is_constant(value):
                    self.watched.append((vars(module), attribute, value))
        own = f"__m{self.counter}"
        self.counter += 1
        self.sources.append((own, getattr(module, "__file__", None) or f"<module {module.__name__}>",
                             "".join(l + "\n" for l in lines)))
        return [f"import {own} as {name}"]

    def _bind_class(self, name, value, user):
        try:
            text = textwrap.dedent(inspect.getsource(value))
        except (OSError, TypeError):
            return []
        scope = dict(vars(inspect.getmodule(value) or types.ModuleType("none")))
        lines = []
        try:
            names = {n.id for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Name)}
        except SyntaxError:
            return []
        for used in sorted(names):
            found = scope.get(used, _Unknown)
            if used != value.__name__ and found is not _Unknown and not isinstance(found, (type, types.FunctionType)):
                lines += self._bind(used, found, set(), user)
        own = f"__m{self.counter}"
        self.counter += 1
        self.sources.append((own, inspect.getsourcefile(value) or "<class>", text + "\n" + "".join(
            l + "\n" for l in lines)))
        return [f"from {own} import {value.__name__} as {name}"]

    def _express(self, value, lines):
        """A literal, or null; adds the imports that it needs to `lines`."""
        while isinstance(value, constexpr):
            value = value.value
        if value is None or isinstance(value, (bool, str)):
            return repr(value if not isinstance(value, str) else str(value))
        if isinstance(value, int):
            return repr(int(value))
        if isinstance(value, float):
            text = repr(float(value))
            return f'float("{text}")' if text in ("inf", "-inf", "nan") else text
        if isinstance(value, dtype) and not value.is_block():
            return self._express_import("triton.language", repr(value).rpartition(".")[2], lines) \
                if not value.is_ptr() else None
        helper = find_function(value)
        if helper is not None:
            return self._express_import(self._module_of(helper), helper.fn.__name__, lines)
        if isinstance(value, (tuple, list)):
            items = [self._express(item, lines) for item in value]
            if any(item is None for item in items):
                return None
            return "(" + "".join(item + ", " for item in items) + ")"
        if hasattr(value, "item") and getattr(value, "ndim", None) == 0 and hasattr(value, "dtype"):
            return self._express(value.item(), lines)
        language = _language_name(value)
        return self._express_import(*language, lines) if language is not None else None

    def _express_import(self, module, name, lines):
        own = f"__v{self.counter}"
        self.counter += 1
        lines.append(f"from {module} import {name} as {own}")
        return own


def _language_name(value):
    """(namespace, name) of what the language itself has: functions and classes, not values of these classes."""
    if isinstance(value, (constexpr, dtype)):
        return None
    found = getattr(value, "_language_name", None)
    return found if isinstance(found, tuple) else None


def _is_constant(value):
    return value is None or isinstance(value, (bool, int, float, str, tuple, constexpr)) or find_function(value) is not None


def find_function(value):
    """The jit function behind a decorated one (autotune, heuristics), or None."""
    for _ in range(16):
        if hasattr(value, "_is_jit_function"):
            return value
        if getattr(value, "_wraps_kernel", False):
            value = value.fn
            continue
        return None
    return None
