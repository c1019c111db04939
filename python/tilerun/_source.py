"""From a jit function to the sources that the library compiles: its own text, those of the helpers that it reaches,
and the values of the globals and captured variables that they use. Python has resolved every name, so that nothing is
looked for on disk: closures, helpers of other packages and constants from anywhere work alike.

Each function is a source of its own, at its own lines (what is before it is left empty, so that messages show the file's
line numbers); it is followed by the names that it uses, as imports of the other sources and as literals."""

import ast
import builtins
import inspect
import os
import re
import types

from ._host_values import (add_local_scope, ARRAY_LIBRARIES, as_named_tuple, as_tuple_of, explain_nesting, find_function,
                           find_library, follow, get_attribute, get_fields, is_array_function, is_asked_for_functions,
                           is_enum_member, is_frozen, is_marked, is_named_tuple, is_of_compile_time, is_of_kernels,
                           is_plain_class, language_name, look_up, TUPLE_MAKERS, Unknown)
from . import _strict
from .errors import SourceError, make_error
from .triton.language import constexpr, dtype

_DEFINITION = re.compile(r"^(async\s+)?def\s", re.MULTILINE)


def _dedent(lines):
    """Source lines without the first one's indentation. Comments and texts that begin further left stay where they are."""
    indent = lines[0][:len(lines[0]) - len(lines[0].lstrip())]
    return "".join(line.removeprefix(indent) for line in lines)


def read_function(fn):
    """(text from `def` on, dedented; line of the `def`; path). SourceError with advice if there is
    no source."""
    try:
        lines, start = inspect.getsourcelines(fn)
    except (OSError, TypeError) as error:
        raise SourceError(f"the source of '{fn.__qualname__}' cannot be read ({error}); a kernel must be defined in a file, "
                      "or a notebook's cell") from error
    text = _dedent(lines)
    found = _DEFINITION.search(text)
    if found is None:
        raise SourceError(f"the source of '{fn.__qualname__}' has no 'def'; a lambda cannot be a kernel")
    line = start + text.count("\n", 0, found.start())
    return text[found.start():], line, inspect.getsourcefile(fn) or fn.__code__.co_filename


def _get_chain(node):
    """("a", ("b", "c")) of `a.b.c`; (None, ()) where the first part is not a name."""
    chain = []
    while isinstance(node, ast.Attribute):
        chain.append(node.attr)
        node = node.value
    return (node.id, tuple(reversed(chain))) if isinstance(node, ast.Name) else (None, ())


def _used_names(text):
    """Names that a function reads and does not bind itself, and the attributes asked of each: {name: {attribute chain}},
    with () among them where the name stands alone."""
    tree = ast.parse(text)
    bound, used = set(), {}
    asked = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Load):
                chains = used.setdefault(node.id, set())
                if id(node) not in asked:
                    chains.add(())
            else:
                bound.add(node.id)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
            # A string annotation is code.
            if isinstance(node.annotation, ast.Constant) and isinstance(node.annotation.value, str):
                for name in re.findall(r"[A-Za-z_]\w*", node.annotation.value)[:1]:
                    used.setdefault(name, set())
        elif isinstance(node, ast.Attribute) and id(node) not in asked:
            base, chain = _get_chain(node)
            if base is not None:
                used.setdefault(base, set()).add(chain)
    # Names of parameters hide globals in the body; annotations and defaults stand outside of it.
    body = tree.body[0]
    outside = set()
    arguments = body.args
    for expression in [a.annotation for a in arguments.args + arguments.kwonlyargs + arguments.posonlyargs] + \
            arguments.defaults + arguments.kw_defaults:
        if expression is not None:
            outside |= {n.id for n in ast.walk(expression) if isinstance(n, ast.Name)}
    return {name: chains for name, chains in used.items() if name not in bound or name in outside}


def _annotate(text, params):
    """A function's text with the annotations of its parameters as Python has them, where they mean something else than what is
    written there: decorators and code set others, and a name may stand for one."""
    from .triton.runtime._callables import get_meaning
    lines = text.encode().splitlines(keepends=True)
    arguments = ast.parse(text).body[0].args
    nodes = {node.arg: node for node in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
    for param in reversed(params):
        node = nodes.get(param.name)
        written = node and node.annotation
        if node is None or isinstance(written, ast.Call):
            continue
        is_text = isinstance(written, ast.Constant) and isinstance(written.value, str)
        word = "" if written is None else written.value if is_text else ast.unparse(written)
        if get_meaning(word) == param.meaning:
            continue
        if written is None:  # Behind the name.
            row, begin, end, new = node.end_lineno - 1, node.end_col_offset, node.end_col_offset, f": {param.meaning!r}"
        elif written.lineno == written.end_lineno:
            row, begin, end, new = written.lineno - 1, written.col_offset, written.end_col_offset, repr(param.meaning or None)
        else:
            continue
        lines[row] = lines[row][:begin] + new.encode() + lines[row][end:]
    return b"".join(lines).decode()


def _refuse_unused(text, line, path, values):
    """CompilationError for a call that stands alone, of a function that is marked by `must_use_result`. `values`: by the names
    that the text uses and does not bind."""
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
            continue
        base, chain = _get_chain(node.value.func)
        told = getattr(follow(values.get(base), chain), "_must_use_result", False)
        if told:
            quoted = text.splitlines()[node.lineno - 1]
            raise make_error(6, f"{path}:{line + node.lineno - 1}:{node.col_offset + 1}: error: the result of "
                             f"'{ast.unparse(node.value.func)}' is not used" + (f": {told}" if isinstance(told, str) else "") +
                             f"\n    {quoted}\n    {' ' * node.col_offset}^")


class Collector:
    """Collects the sources of one kernel."""

    def __init__(self):
        self.sources = []
        self.functions = []
        self.modules = {}
        self.classes = {}
        self.pending = []
        self.helpers = {}
        self.watched = []
        self.counter = 0

    def collect(self, function, extra=()):
        """(sources for the library, the kernel's name, globals to watch). `extra`: (name, jit function or class) that
        the kernel's source must know besides."""
        self._module_of(function, dict(extra))
        while self.pending:
            self._write(*self.pending.pop(0))
        # The library looks for the kernel in the first one.
        self.sources.sort(key=lambda source: source[0] != self.modules[id(function)])
        return self.sources, function.__name__, self.watched

    def collect_wrapped(self, function, extra, text):
        """The same for a kernel of the package's own, of the same name, that calls the function as `__inner`."""
        sources, name, watched = self.collect(function)
        lines = [f"from {self.modules[id(function)]} import {name} as __inner", "import triton.language as tl"]
        for known, helper in extra:
            lines += self._bind(known, helper, set(), None)
        while self.pending:
            self._write(*self.pending.pop(0))
        sources.insert(0, ("__w", f"<launch of {name}>", text + "\n".join(lines) + "\n"))
        return sources, name, watched

    def note_user(self, kernel):
        """Makes all functions know the kernel that has their sources."""
        for function in self.functions:
            function._users.add(kernel)

    # -- Functions

    def _module_of(self, function, extra=None):
        key = id(function)
        if key not in self.modules:
            self.modules[key] = f"__f{len(self.modules)}"
            self.functions.append(function)
            self.pending.append((function, self.modules[key], extra or {}))
        return self.modules[key]

    def _write(self, function, module, extra):
        text, line, path = function.text, function.starting_line_number, function.path
        lines = []
        cells = dict(zip(function.fn.__code__.co_freevars, function.fn.__closure__ or ()))
        scope = function.fn.__globals__
        values = {}
        refuses = _strict.is_strict() and not is_of_compile_time(function)
        for name, chains in sorted(_used_names(text).items()):
            place = (cells[name], None) if name in cells else (scope, name)
            value = values[name] = look_up(*place)
            if value is Unknown:
                if name in cells or not hasattr(builtins, name):
                    self.watched.append(place)  # It may be bound later. Until then the compiler reports it as unknown.
                continue
            if not isinstance(value, types.ModuleType):
                self.watched.append((*place, value))
            if refuses:
                _strict.check_global(name, value, function)
            lines += self._bind(name, value, chains, function)
        for name, helper in extra.items():
            lines += self._bind(name, helper, set(), None)
        _refuse_unused(text, line, path, values)
        text = _annotate(text, getattr(function, "params", ()))
        head = "\n" * max(line - 2, 0) + function.decorator + "\n"
        tail = "" if text.endswith("\n") else "\n"
        self._keep(module, path, head + text + tail + "".join(l + "\n" for l in lines))

    def _keep(self, module, path, text):
        # The library takes UTF-8, which the names of files need not be.
        self.sources.append((module, os.fsencode(path).decode("utf-8", "backslashreplace"), text))

    # -- Values

    def _bind(self, name, value, chains, user):
        """Statements that give a name a value."""
        helper = find_function(value)
        if helper is not None:
            if helper is user and helper.__name__ == name:
                return []
            if helper.is_gluon():
                helper._ensure_loaded()  # Which refuses it.
            return [f"from {self._module_of(helper)} import {helper.__name__} as {name}"]
        language = language_name(value)
        if language is not None:
            return [f"from {language[0]} import {language[1]} as {name}"]
        nesting = explain_nesting(value)
        if nesting is not None:
            return self._bind_unknown(name, value, nesting)
        if isinstance(value, types.FunctionType) and value in TUPLE_MAKERS:
            return [f"from {value.__module__} import {value.__name__} as {name}"]
        if isinstance(value, types.ModuleType):
            return self._bind_module(name, value, chains, user)
        if isinstance(value, type):
            # A class without values is its constants, which are what they are now, whatever its text says.
            if chains and () not in chains and is_plain_class(value):
                return self._bind_object(name, value, chains)
            return self._bind_class(name, value) or self._bind_unknown(name, value)
        if isinstance(value, types.FunctionType) and (is_of_compile_time(user) or is_marked(value)):
            helper = self._make_helper(value)
            if helper is not None and helper is user and helper.__name__ == name:
                return []  # It calls itself.
            if helper is not None:
                return [f"from {self._module_of(helper)} import {helper.__name__} as {name}"]
        if isinstance(value, (types.FunctionType, types.BuiltinFunctionType, types.MethodType)) or is_array_function(value):
            return self._bind_host_function(name, value)
        lines = []
        text = self._express(value, lines)
        if text is not None:
            return lines + [f"{name} = {text}"]
        if chains and () not in chains:
            return self._bind_object(name, value, chains)
        whole = self._express(self._read_fields(value), lines)
        return lines + [f"{name} = {whole}"] if whole is not None else self._bind_unknown(name, value)

    def _make_helper(self, function):
        """A plain function that a compile-time function calls, or that is marked for kernels, as a
        compile-time function; None without a source."""
        from .triton.runtime.jit import ConstexprFunction
        function = inspect.unwrap(function)
        if function not in self.helpers:
            try:
                self.helpers[function] = ConstexprFunction(function)
            except SourceError:
                self.helpers[function] = None
        return self.helpers[function]

    def _bind_object(self, name, value, chains):
        """An object by the attributes that are used of it."""
        kind = value if isinstance(value, type) else type(value)
        own = self._add_source(name, f"<{kind.__qualname__} of the host>", "".join(l + "\n" for l in self._bind_attributes(value, chains)))
        return [f"import {own} as {name}"]

    def _bind_attributes(self, owner, chains, user=None):
        below, lines = {}, []
        for chain in sorted(chains):
            if chain:
                below.setdefault(chain[0], set()).add(chain[1:])
        for attribute, rest in below.items():
            value = get_attribute(owner, attribute)
            if value is Unknown:
                continue  # The compiler says so, with the place.
            lines += self._bind(attribute, value, rest, user)
            if isinstance(owner, types.ModuleType):
                self._watch(vars(owner), attribute, value)
            elif not isinstance(value, (types.ModuleType, types.MethodType, types.BuiltinMethodType)):
                self.watched.append((owner, attribute, value))
        return lines

    def _read_fields(self, value):
        """A named tuple of the attributes that kernels can use; the object itself if there are
        none."""
        fields = {}
        for field, held in get_fields(value).items():
            self.watched.append((value, field, held))
            if self._express(held, []) is not None:
                fields[field] = held
        return as_tuple_of(value, fields)

    def _add_source(self, name, path, text):
        """The name of a new source, of what the user calls `name`: messages show that (errors.show_message)."""
        own = f"__m{self.counter}__{name}"
        self.counter += 1
        self._keep(own, path, text)
        return own

    def _bind_unknown(self, name, value, more=""):
        """A value that kernels cannot use: the compiler's note describes it. Without the value, because sources are keys of the cache."""
        kind = type(value)
        what = f"{kind.__module__}.{kind.__qualname__}" + (f" that {more}" if more else "")
        own = self._add_source(name, "<values of the host>", f"for {name} in (): pass  # A {what}.\n")
        return [f"from {own} import {name}"]

    def _watch(self, scope, name, value):
        """Notes what a module's name holds; what the module makes when it is asked is not there."""
        if scope.get(name, Unknown) is value and not isinstance(value, types.ModuleType):
            self.watched.append((scope, name, value))

    def _bind_host_function(self, name, value):
        """A function that kernels cannot call, at its own place for the compiler's messages."""
        library = find_library(value)
        if library is not None:  # The compiler says what the language has instead.
            own = self._add_source(name, "<functions of the host>", f"from {library} import {value.__name__} as {name}\n")
            return [f"from {own} import {name}"]
        code = getattr(value, "__code__", None)
        path, line = (code.co_filename, code.co_firstlineno) if code is not None else ("<functions of the host>", 1)
        # With an unknown decorator, because its effect is not in this text: no compile-time
        # function may call it.
        above = "\n" * (line - 2) + "@__host\n" if line > 1 else "async "
        own = self._add_source(name, path, above + f"def {name}(*arguments):\n    pass\n")
        return [f"from {own} import {name}"]

    def _bind_module(self, name, module, chains, user):
        path = getattr(module, "_language_path", None)
        if path is None and (module.__name__ == "tilerun.triton" or module.__name__.startswith("tilerun.triton.")):
            path = "triton" + module.__name__[len("tilerun.triton"):]
        if path is not None or module.__name__ == "math":
            return [f"import {path or 'math'} as {name}"]
        if module.__name__ in ARRAY_LIBRARIES and not is_of_compile_time(user) and is_asked_for_functions(module, chains):
            # The compiler says what the language has instead.
            return [f"import {module.__name__} as {name}"]
        # A module of the user: a source with the names that are used from it.
        lines = self._bind_attributes(module, chains, user)
        own = self._add_source(name, getattr(module, "__file__", None) or f"<module {module.__name__}>",
                               "".join(l + "\n" for l in lines))
        return [f"import {own} as {name}"]

    def _bind_class(self, name, value):
        """The import of a class, which is a source of its own; empty if its source cannot be found."""
        if value not in self.classes:
            self.classes[value] = f"__m{self.counter}"
            self.counter += 1
            source = self._write_class(value)
            if source is None:
                self.classes[value] = None
            else:
                self._keep(self.classes[value], *source)
        own = self.classes[value]
        return [f"from {own} import {value.__name__} as {name}"] if own else []

    def _write_class(self, value):
        """(path, text) of a class, followed by the names that it uses, or None."""
        try:
            text, start = inspect.getsourcelines(value)
        except (OSError, TypeError):
            return self._write_named_tuple(value) if is_named_tuple(value) else None
        text = _dedent(text)
        try:
            tree = ast.parse(text)
        except SyntaxError:
            return None
        scope = dict(vars(inspect.getmodule(value) or types.ModuleType("none")))
        add_local_scope(value, tree, scope)
        chains = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Name):
                chains.setdefault(node.id, set())
            elif isinstance(node, ast.Attribute):
                base, chain = _get_chain(node)
                if base is not None:
                    chains.setdefault(base, set()).add(chain)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isidentifier():
                chains.setdefault(node.value, set())  # Perhaps an annotation.
        lines = []
        for used in sorted(chains):
            found = scope.get(used, Unknown)
            if used == value.__name__ or found is Unknown or not is_of_kernels(found, value):
                continue
            # Of host modules, a class may use much that kernels do not.
            wanted = {chain for chain in chains[used] if is_of_kernels(follow(found, chain), value)}
            lines += self._bind(used, found, wanted | {()}, None)
            self._watch(vars(inspect.getmodule(value) or types.ModuleType("none")), used, found)
        tail = "" if text.endswith("\n") else "\n"
        return (inspect.getsourcefile(value) or "<class>",
                "\n" * max(start - 1, 0) + text + tail + "".join(l + "\n" for l in lines))

    def _write_named_tuple(self, value):
        """The same for a class that `collections.namedtuple` made."""
        lines, defaults = [], []
        for field, default in value._field_defaults.items():
            text = self._express(default, lines)
            if text is None:
                return None
            defaults.append(text)
        lines.append("from collections import namedtuple as __namedtuple")
        lines.append(f"{value.__name__} = __namedtuple({value.__name__!r}, {list(value._fields)!r}, "
                     f"defaults=[{', '.join(defaults)}])")
        return f"<namedtuple {value.__name__}>", "".join(l + "\n" for l in lines)

    def _express(self, value, lines):
        """A literal, or null; adds the imports that it needs to `lines`."""
        is_wrapped = isinstance(value, constexpr)
        while isinstance(value, constexpr):
            value = value.value
        if is_enum_member(value):
            return self._express_member(value, is_wrapped, lines)
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
            return self._express_import(self._module_of(helper), helper.__name__, lines)
        if is_frozen(value):
            value = as_named_tuple(value)
        if isinstance(value, (tuple, list)):
            items = [self._express(item, lines) for item in value]
            if any(item is None for item in items):
                return None
            if type(value) is list:
                self.watched.append((value, None, value))
                return "[" + ", ".join(items) + "]"
            if is_named_tuple(type(value)):
                own = f"__v{self.counter}"
                self.counter += 1
                found = self._bind_class(own, type(value))
                lines += found
                if found:
                    return f"{own}(" + ", ".join(items) + ")"
            return "(" + "".join(item + ", " for item in items) + ")"
        if type(value) is dict and all(type(key) is str for key in value):
            items = {key: self._express(item, lines) for key, item in value.items()}
            if any(item is None for item in items.values()):
                return None
            self.watched += [(value, key, item) for key, item in value.items()]
            return "{" + ", ".join(f"{key!r}: {item}" for key, item in items.items()) + "}"
        if hasattr(value, "item") and getattr(value, "ndim", None) == 0 and hasattr(value, "dtype"):
            return self._express(value.item(), lines)
        language = language_name(value)
        return self._express_import(*language, lines) if language is not None else None

    def _express_member(self, value, is_wrapped, lines):
        """A member of an enumeration; in a tl.constexpr, of which `.value` is the member."""
        own = f"__v{self.counter}"
        self.counter += 1
        found = self._bind_class(own, type(value))
        if not found:
            return None
        lines += found
        text = f"{own}.{value.name}"
        return f"{self._express_import('triton.language', 'constexpr', lines)}({text})" if is_wrapped else text

    def _express_import(self, module, name, lines):
        own = f"__v{self.counter}"
        self.counter += 1
        lines.append(f"from {module} import {name} as {own}")
        return own
