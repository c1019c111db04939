#!/usr/bin/env python3
"""docs/functions.md has every function of the language with an example and its result. Usage: functions.py TILERUN TREE [--update]

Names, signatures and documentation are those of docs/language.md, which is generated from the compiler's table. The examples are lines of
frontend/lang/examples.txt; each becomes a kernel, which is compiled and run on the interpreter in strict mode (as Triton takes it), and what it gives
is what the page shows. Functions of one target are compiled for it.
"""
import concurrent.futures
import difflib
import json
import pathlib
import re
import subprocess
import sys
import tempfile

HEAD = """# Functions by example

Every function of the [language](language.md#functions) with an example. Generated from the compiler's table and `frontend/lang/examples.txt` by
`tests/docs/functions.py build/dev/bin/tilerun . --update`; each example is compiled and run on the interpreter, by a test, too.

In the examples,

- `i` is `tl.arange(0, 4)`: the `int32` tensor `[0, 1, 2, 3]`;
- `p` points to four `float32` in memory, and `x` is `tl.load(p + i)`: `[-1.5, -0.5, 0.5, 1.5]`;
- `q` points to four `int32` in memory: `[1, 2, 3, 4]`;
- `multiply` is a `@triton.jit` function that returns the product of two values, and `collatz` one with a branch: `n // 2` of an even `n`, else `3 * n + 1`;
- `ones` is a 16×16 tensor of `float16` ones; `e4m3` is 16×32 values of the format e4m3, all 1.

*p after* and *q after* is what their memory holds after the launch; a result of two dimensions has a pair of brackets for a row. Names come from
`import triton.language as tl` and `from triton.language.extra import libdevice, cuda, hip`; Triton has `target_info` in `triton.language`.
"""

KERNELS = """import triton
import triton.language as tl
from triton.language import target_info
from triton.language.extra import libdevice, cuda, hip


@triton.jit
def multiply(a, b):
    return a * b


@triton.jit
def collatz(n):
    if n % 2 == 0:
        return n // 2
    return 3 * n + 1
"""

KERNEL = """

@triton.jit
def example_{number}(p, q):
    i = tl.arange(0, 4)
    x = tl.load(p + i)
    ones = tl.full((16, 16), 1, tl.float16)
    e4m3 = tl.full((16, 32), 0x38, tl.uint8)
{body}
"""
ROW = re.compile(r"^- `((?:(\w+)\.)?(\w+))\((.*)\)`( \(also a method\))?: (.*)$")
EXAMPLE = re.compile(r"^([\w.]+)(?: > (\w+)| @ (\S+))?: (.+)$")
ARGUMENTS = ["p=f32[4]:arange(-1.5, 1)", "q=i32[4]:arange(1, 1)"]


def read_functions(tree):
    """[(family, [(name, signature, is a method, documentation)])] of the generated part of docs/language.md."""
    page = (tree / "docs/language.md").read_text(encoding="utf-8")
    families = []
    for line in page[page.index("<!-- Generated from the table"):].splitlines():
        if line.startswith("### "):
            families.append((line[4:], []))
        elif line.startswith("- "):
            row = ROW.match(line) or sys.exit(f"docs/language.md: not a function: {line}")
            families[-1][1].append((row[1], row[4], bool(row[5]), row[6]))
    return families


def read_examples(tree):
    """{name: (what is shown, target, lines of code)}"""
    examples = {}
    for line in (tree / "frontend/lang/examples.txt").read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        match = EXAMPLE.match(line) or sys.exit(f"frontend/lang/examples.txt: not an example: {line}")
        name, shown, target, text = match.groups()
        if name in examples:
            sys.exit(f"frontend/lang/examples.txt: {name} has two examples")
        if not re.search(rf"\b{re.escape(name.split('.')[-1])}\b", text):
            sys.exit(f"frontend/lang/examples.txt: the example of {name} does not use it")
        examples[name] = (shown or "value", target, text.replace("\\n", "\n").replace("; ", "\n").split("\n"))
    return examples


def check_names(functions, examples):
    names = [name for _, rows in functions for name, *_ in rows]
    wrong = [f"{name} has no example; add a line" for name in names if name not in examples]
    wrong += [f"{name} is not a function of docs/language.md" for name in examples if name not in names]
    if wrong:
        sys.exit("\n".join(f"frontend/lang/examples.txt: {text}" for text in wrong))


def write_kernel(number, example):
    shown, _, lines = example
    body = [*lines[:-1], f"result = {lines[-1]}" if shown == "value" else lines[-1]]
    return KERNEL.format(number=number, body="\n".join(f"    {line}" for line in body))


def show_number(value, digits):
    if isinstance(value, float):
        return f"{value:.{digits}g}" if value != int(value) or abs(value) >= 1e6 else str(int(value))
    return {"inf": "∞", "-inf": "-∞"}.get(value, str(value))


def show_values(values, shape, digits=6):
    if not shape:
        return show_number(values[0], digits)
    step = len(values) // shape[0]
    return "[" + ", ".join(show_values(values[k * step:(k + 1) * step], shape[1:], digits) for k in range(shape[0])) + "]"


def show_assignment(assigned, digits):
    if not assigned.get("complete", True):
        sys.exit(f"the result is too large to be shown: {assigned}")
    values = [assigned["value"]] if "value" in assigned else assigned["values"]
    return f"`{assigned['dtype']}` {show_values(values, assigned['shape'], digits)}"


def show_result(example, run, printed):
    """What the page says of a launch, from the command's JSON and what the kernel printed."""
    shown = example[0]
    if shown == "none":
        return ""
    if shown == "out":
        return f"prints `{printed.strip()}`"
    if shown == "debug":
        message = re.search(r"assertion failed: .*?(?= \(kernel)", run["message"]) or sys.exit(f"another message: {run['message']}")
        return f"stops with *{message[0]}*"
    if shown in ("p", "q"):
        return f"{shown} after: {show_values(run['tensors'][shown]['values'], [4])}"
    # The last of nine digits tells rounding up from rounding down.
    digits = 9 if re.search(r"_r[dnuz]\(", example[2][-1]) else 6
    results = [show_assignment(each, digits) for each in run["trace"]["assignments"]]
    return ", ".join(results) or sys.exit("the trace has no result")


def run_example(command, file, number, name, example):
    shown, target, _ = example
    kernel = f"{file}::example_{number}"
    if target:
        done = subprocess.run([command, "compile", kernel, "--signature", "p=*f32:16, q=*i32:16", "--target", target, "--emit", "llvm"],
                              capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"for {target}:\n{done.stdout}{done.stderr}")
        return "on " + {"cuda": "NVIDIA", "hip": "AMD"}[target.split(":")[0]] + " GPUs"
    arguments = [command, "run", kernel, *ARGUMENTS, "--grid", "1", "--json"]
    if shown == "beyond":
        refused = subprocess.run([*arguments, "--strict-triton"], capture_output=True, text=True)
        rule = re.search(r"goes beyond Triton \(rule (\w+)\)", refused.stderr) or sys.exit(f"strict mode takes it:\n{refused.stderr}")
        if subprocess.run(arguments, capture_output=True).returncode:
            sys.exit("it does not run without strict mode either")
        return f"beyond Triton (rule {rule[1]})"
    options = {"value": ["--trace", "result"], "debug": ["--debug"], "p": ["--print", "p"], "q": ["--print", "q"]}.get(shown, [])
    done = subprocess.run([*arguments, "--strict-triton", *options], capture_output=True, text=True)
    if (done.returncode != 0) != (shown == "debug"):
        sys.exit(done.stdout + done.stderr)
    run = json.loads(done.stdout)
    return show_result(example, run, run.get("printed") or done.stderr)


def run_all(command, file, examples):
    """{name: result}; every example that fails is named."""
    def attempt(numbered):
        number, (name, example) = numbered
        try:
            return run_example(command, file, number, name, example), None
        except SystemExit as error:
            return None, f"{name}: {error}"

    with concurrent.futures.ThreadPoolExecutor() as pool:
        found = list(pool.map(attempt, enumerate(examples.items())))
    wrong = [error for _, error in found if error]
    if wrong:
        sys.exit("\n".join(wrong))
    return {name: result for name, (result, _) in zip(examples, found)}


def show_code(lines):
    """Lines of code in a cell of a table."""
    def quote(line):
        indent = len(line) - len(line.lstrip())
        return "\u00a0" * (2 * indent) + "`" + line.strip().replace("|", "\\|") + "`"

    return "<br>".join(map(quote, lines))


def write_page(functions, examples, results):
    parts = [HEAD]
    for family, rows in functions:
        parts.append(f"\n## {family}\n\n| function | example | result |\n|---|---|---|\n")
        for name, signature, is_method, documentation in rows:
            also = " (also a method)" if is_method and not name.startswith("x.") else ""
            cells = [f"`{name}({signature})`{also}: {documentation}".replace("|", "\\|"), show_code(examples[name][2]), results[name]]
            parts.append("| " + " | ".join(cells) + " |\n")
    return "".join(parts)


def main():
    command, tree = sys.argv[1], pathlib.Path(sys.argv[2])
    functions, examples = read_functions(tree), read_examples(tree)
    check_names(functions, examples)
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "functions.py")
        file.write_text(KERNELS + "".join(write_kernel(number, example) for number, example in enumerate(examples.values())), encoding="utf-8")
        results = run_all(command, file, examples)
    page, path = write_page(functions, examples, results), tree / "docs/functions.md"
    committed = path.read_text(encoding="utf-8") if path.exists() else ""
    if "--update" in sys.argv:
        path.write_text(page, encoding="utf-8")
    elif committed != page:
        sys.exit("".join(difflib.unified_diff(committed.splitlines(True), page.splitlines(True), "docs/functions.md", "what the examples give")) +
                 "docs/functions.md is out of date: tests/docs/functions.py build/dev/bin/tilerun . --update")
    print(f"docs/functions.md: {len(examples)} functions")


main()
