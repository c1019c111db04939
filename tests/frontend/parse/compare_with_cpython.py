#!/usr/bin/env python3
"""Parses every file of the given folders with Tilerun's parser and with CPython's own, and compares
the trees node by node with their places. Usage: compare_with_cpython.py DUMP_TOOL FOLDER...

Not compared: the inside of f-strings and match statements, and the places of those nodes whose extent
CPython counts otherwise (noted below)."""
import ast, os, subprocess, sys, warnings

BINARY = {"Add": "+", "Sub": "-", "Mult": "*", "Div": "/", "FloorDiv": "//", "Mod": "%", "Pow": "**",
          "MatMult": "@", "LShift": "<<", "RShift": ">>", "BitAnd": "&", "BitOr": "|", "BitXor": "^"}
UNARY = {"UAdd": "+", "USub": "-", "Invert": "~", "Not": "not"}
COMPARE = {"Eq": "==", "NotEq": "!=", "Lt": "<", "LtE": "<=", "Gt": ">", "GtE": ">=", "Is": "is",
           "IsNot": "is not", "In": "in", "NotIn": "not in"}


def escaped(data):
    out = []
    for byte in data:
        char = chr(byte)
        if char == "\\":
            out.append("\\\\")
        elif 0x20 <= byte < 0x7F and char != '"':
            out.append(char)
        else:
            out.append("\\%02X" % byte)
    return "'" + "".join(out) + "'"


class Dumper:
    """Writes a CPython tree the way `tilerun::ast::dump` writes ours."""

    def __init__(self):
        self.lines, self.depth = [], 0

    def line(self, text):
        self.lines.append("  " * self.depth + text)

    def head(self, role, name, node, data=""):
        place = f" <{node.lineno}:{node.col_offset + 1}>"
        self.line((role + ": " if role else "") + name + (" " + data if data else "") + place)

    def block(self, name, body):
        if body:
            self.line(name + ":")
            self.depth += 1
            for stmt in body:
                self.node("", stmt)
            self.depth -= 1

    def nodes(self, role, items):
        for item in items:
            self.node(role, item)

    def parameters(self, args):
        positional = args.posonlyargs + args.args
        defaults = [None] * (len(positional) - len(args.defaults)) + args.defaults
        entries = [(a, d, " positional-only" if i < len(args.posonlyargs) else "")
                   for i, (a, d) in enumerate(zip(positional, defaults))]
        if args.vararg:
            entries.append((args.vararg, None, " *args"))
        entries += [(a, d, " keyword-only") for a, d in zip(args.kwonlyargs, args.kw_defaults)]
        if args.kwarg:
            entries.append((args.kwarg, None, " **kwargs"))
        for arg, default, kind in entries:
            self.line(f"parameter '{arg.arg}'{kind}")
            self.depth += 1
            self.node("annotation", arg.annotation)
            self.node("default", default)
            self.depth -= 1

    def keywords(self, items):
        for item in items:
            self.node(f"keyword '{item.arg}'" if item.arg else "**", item.value)

    def node(self, role, n):
        if n is None:
            return
        method = getattr(self, "on_" + type(n).__name__)
        method(role, n)

    def children(self, call):
        self.depth += 1
        call()
        self.depth -= 1

    def simple(self, role, name, n, parts, data=""):
        self.head(role, name, n, data)
        self.children(lambda: [self.node(r, c) for r, c in parts])

    def on_Name(self, role, n):
        self.head(role, "name", n, f"'{n.id}'")

    def on_Constant(self, role, n):
        value = n.value
        if value is None or value is True or value is False:
            data = str(value)
        elif value is ...:
            data = "..."
        elif isinstance(value, int):
            data = "int %d" % value if value.bit_length() < 10000 else "int big"
        elif isinstance(value, float):
            data = "float %.17g" % value
        elif isinstance(value, complex):
            data = "imaginary %.17g" % value.imag
        elif isinstance(value, bytes):
            data = "bytes " + escaped(value)
        else:
            data = "string " + escaped(value.encode("utf-8", "surrogatepass"))
        self.head(role, "constant", n, data)

    def on_JoinedStr(self, role, n):
        self.head(role, "f-string", n)

    def on_Tuple(self, role, n):
        self.simple(role, "tuple", n, [("", e) for e in n.elts])

    def on_List(self, role, n):
        self.simple(role, "list", n, [("", e) for e in n.elts])

    def on_Set(self, role, n):
        self.simple(role, "set", n, [("", e) for e in n.elts])

    def on_Dict(self, role, n):
        parts = []
        for key, value in zip(n.keys, n.values):
            parts += [("key", key), ("value" if key else "**", value)]
        self.simple(role, "dict", n, parts)

    def on_UnaryOp(self, role, n):
        self.simple(role, "unary operation", n, [("", n.operand)], f"'{UNARY[type(n.op).__name__]}'")

    def on_BinOp(self, role, n):
        self.simple(role, "binary operation", n, [("", n.left), ("", n.right)],
                    f"'{BINARY[type(n.op).__name__]}'")

    def on_BoolOp(self, role, n):
        self.simple(role, "boolean operation", n, [("", v) for v in n.values],
                    "'and'" if isinstance(n.op, ast.And) else "'or'")

    def on_Compare(self, role, n):
        parts = [("", n.left)]
        parts += [(f"'{COMPARE[type(o).__name__]}'", c) for o, c in zip(n.ops, n.comparators)]
        self.simple(role, "comparison", n, parts)

    def on_IfExp(self, role, n):
        self.simple(role, "conditional expression", n,
                    [("condition", n.test), ("then", n.body), ("else", n.orelse)])

    def on_Call(self, role, n):
        self.head(role, "call", n)
        self.depth += 1
        self.node("callee", n.func)
        for arg in n.args:
            self.node("argument", arg)
        self.keywords(n.keywords)
        self.depth -= 1

    def on_Attribute(self, role, n):
        self.simple(role, "attribute", n, [("", n.value)], f"'{n.attr}'")

    def on_Subscript(self, role, n):
        self.simple(role, "subscript", n, [("value", n.value), ("index", n.slice)])

    def on_Slice(self, role, n):
        self.simple(role, "slice", n, [("lower", n.lower), ("upper", n.upper), ("step", n.step)])

    def on_Starred(self, role, n):
        self.simple(role, "starred expression", n, [("", n.value)])

    def on_Await(self, role, n):
        self.simple(role, "await", n, [("", n.value)])

    def on_Lambda(self, role, n):
        self.head(role, "lambda", n)
        self.depth += 1
        self.parameters(n.args)
        self.node("body", n.body)
        self.depth -= 1

    def on_NamedExpr(self, role, n):
        self.simple(role, "assignment expression", n, [("target", n.target), ("value", n.value)])

    def comprehension(self, role, n, kind, key=None):
        self.head(role, "comprehension", n, kind)
        self.depth += 1
        self.node("key", key)
        self.node("element", n.value if kind == "dict" else n.elt)
        for g in n.generators:
            self.node("for", g.target)
            self.node("in", g.iter)
            self.nodes("if", g.ifs)
        self.depth -= 1

    def on_ListComp(self, role, n):
        self.comprehension(role, n, "list")

    def on_SetComp(self, role, n):
        self.comprehension(role, n, "set")

    def on_GeneratorExp(self, role, n):
        self.comprehension(role, n, "generator")

    def on_DictComp(self, role, n):
        self.comprehension(role, n, "dict", n.key)

    def on_Yield(self, role, n):
        self.simple(role, "yield", n, [("", n.value)])

    def on_YieldFrom(self, role, n):
        self.simple(role, "yield", n, [("", n.value)], "from")

    def on_Expr(self, role, n):
        self.simple(role, "expression statement", n, [("", n.value)])

    def on_Assign(self, role, n):
        self.simple(role, "assignment", n, [("target", t) for t in n.targets] + [("value", n.value)])

    def on_AugAssign(self, role, n):
        self.simple(role, "augmented assignment", n, [("target", n.target), ("value", n.value)],
                    f"'{BINARY[type(n.op).__name__]}='")

    def on_AnnAssign(self, role, n):
        self.simple(role, "annotated assignment", n,
                    [("target", n.target), ("annotation", n.annotation), ("value", n.value)])

    def statement(self, role, name, n, parts, blocks, data=""):
        self.head(role, name, n, data)
        self.depth += 1
        for r, c in parts:
            self.node(r, c)
        for r, body in blocks:
            self.block(r, body)
        self.depth -= 1

    def on_If(self, role, n):
        self.statement(role, "if", n, [("condition", n.test)],
                       [("then", n.body), ("else", n.orelse)])

    def on_For(self, role, n):
        self.statement(role, "for", n, [("target", n.target), ("in", n.iter)],
                       [("body", n.body), ("else", n.orelse)])

    def on_While(self, role, n):
        self.statement(role, "while", n, [("condition", n.test)],
                       [("body", n.body), ("else", n.orelse)])

    def on_Return(self, role, n):
        self.simple(role, "return", n, [("", n.value)])

    def on_Break(self, role, n):
        self.head(role, "break", n)

    def on_Continue(self, role, n):
        self.head(role, "continue", n)

    def on_Pass(self, role, n):
        self.head(role, "pass", n)

    def on_Assert(self, role, n):
        self.simple(role, "assert", n, [("condition", n.test), ("message", n.msg)])

    def on_Raise(self, role, n):
        self.simple(role, "raise", n, [("value", n.exc), ("cause", n.cause)])

    def on_With(self, role, n):
        parts = []
        for item in n.items:
            parts += [("context", item.context_expr), ("as", item.optional_vars)]
        self.statement(role, "with", n, parts, [("body", n.body)])

    on_AsyncWith, on_AsyncFor = on_With, on_For

    def on_FunctionDef(self, role, n, data=""):
        self.head(role, "function definition", n, f"'{n.name}'{data}")
        self.depth += 1
        self.nodes("decorator", n.decorator_list)
        self.parameters(n.args)
        self.node("returns", n.returns)
        self.block("body", n.body)
        self.depth -= 1

    def on_AsyncFunctionDef(self, role, n):
        self.on_FunctionDef(role, n, " async")

    def on_ClassDef(self, role, n):
        self.head(role, "class definition", n, f"'{n.name}'")
        self.depth += 1
        self.nodes("decorator", n.decorator_list)
        self.nodes("base", n.bases)
        self.keywords(n.keywords)
        self.block("body", n.body)
        self.depth -= 1

    def names(self, items):
        for item in items:
            self.line(f"name '{item.name}'" + (f" as '{item.asname}'" if item.asname else ""))

    def on_Import(self, role, n):
        self.head(role, "import", n)
        self.children(lambda: self.names(n.names))

    def on_ImportFrom(self, role, n):
        self.head(role, "from import", n, "'" + "." * n.level + (n.module or "") + "'")
        self.children(lambda: self.names(n.names))

    def on_Global(self, role, n):
        self.head(role, "global", n, ", ".join(n.names))

    def on_Nonlocal(self, role, n):
        self.head(role, "global", n, "nonlocal " + ", ".join(n.names))

    def on_Delete(self, role, n):
        self.simple(role, "del", n, [("", t) for t in n.targets])

    def on_Try(self, role, n):
        self.head(role, "try", n)
        self.depth += 1
        self.block("body", n.body)
        for handler in n.handlers:
            self.line(f"except as '{handler.name}'" if handler.name else "except")
            self.depth += 1
            self.node("type", handler.type)
            self.block("body", handler.body)
            self.depth -= 1
        self.block("else", n.orelse)
        self.block("finally", n.finalbody)
        self.depth -= 1

    on_TryStar = on_Try

    def on_Match(self, role, n):
        self.head(role, "match", n)

    def on_TypeAlias(self, role, n):
        self.head(role, "type alias", n)


def normalized(lines):
    """Our dump, without the parts that are not compared."""
    out, skip = [], None
    for line in lines:
        depth = len(line) - len(line.lstrip(" "))
        if skip is not None:
            if depth > skip:
                continue
            skip = None
        text = line.lstrip(" ")
        if "f-string <" in text and not text.startswith("text "):
            head = text.split("f-string <")[0]
            if head == "" or head.endswith(": "):
                skip = depth
        if "constant int " in text:
            digits = text.split("constant int ")[1].split(" <")[0]
            value = int(digits, 0)
            spelled = "%d" % value if value.bit_length() < 10000 else "big"
            line = line.replace("int " + digits, "int " + spelled)
        out.append(line)
    return out


def main():
    tool, folders = sys.argv[1], sys.argv[2:]
    files = []
    for folder in folders:
        for base, _, names in sorted(os.walk(folder)):
            files += [os.path.join(base, name) for name in sorted(names) if name.endswith(".py")]
    warnings.simplefilter("ignore")
    if hasattr(sys, "set_int_max_str_digits"):
        sys.set_int_max_str_digits(0)
    trees, readable = {}, []
    for path in files:
        try:
            with open(path, "rb") as file:
                source = file.read()
            trees[path] = ast.parse(source)
        except (SyntaxError, ValueError, OSError):
            continue  # A file that CPython does not parse says nothing about our parser.
        readable.append(path)
    run = subprocess.run([tool], input="\n".join(readable), capture_output=True, text=True,
                         errors="surrogateescape", check=True)
    ours, current = {}, None
    for line in run.stdout.split("\n"):
        if line.startswith("=== "):
            if line == "=== failed":
                ours[current].append("FAILED")
            else:
                current = line[4:]
                ours[current] = []
        elif line:
            ours[current].append(line)
    bad = nodes = 0
    for path in readable:
        dumper = Dumper()
        for stmt in trees[path].body:
            dumper.node("", stmt)
        expected, actual = dumper.lines, normalized(ours.get(path, []))
        nodes += len(expected)
        if expected == actual:
            continue
        bad += 1
        if bad <= 20:
            for i, (a, b) in enumerate(zip(expected + ["<end>"], actual + ["<end>"])):
                if a != b:
                    print(f"{path}: difference in line {i + 1} of the dump\n"
                          f"  CPython: {a.strip()}\n  Tilerun: {b.strip()}")
                    break
    print(f"{len(readable)} files, {nodes} nodes, {bad} files differ")
    # Few files would mean that the test looked in the wrong place.
    return 1 if bad or len(readable) < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
