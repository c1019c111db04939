"""Records the result dtypes that Triton's own compiler gives, as plain tables that the frontend's tests read.

Needs Triton (no GPU, no torch): `python3 record.py` with `triton` importable writes binary.txt, unary.txt and cast.txt beside this file.
The tables hold facts only: for every expression and pair of operands the dtype of the result, or "-" where Triton rejects it.
"""

import contextlib
import importlib.util
import io
import pathlib
import tempfile

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton.compiler.compiler import make_backend
from triton._C.libtriton import ir

SHORT = {
    "int1": "i1", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64", "uint8": "u8", "uint16": "u16",
    "uint32": "u32", "uint64": "u64", "fp8e5": "fp8e5", "fp8e4nv": "fp8e4nv", "fp16": "fp16", "bf16": "bf16",
    "fp32": "fp32", "fp64": "fp64"
}
LANGUAGE = {"fp8e5": "float8e5", "fp8e4nv": "float8e4nv", "fp16": "float16", "bf16": "bfloat16", "fp32": "float32",
            "fp64": "float64"}
LITERALS = ["True", "3", "-1", "300", "2**31", "2**40", "2**63", "1.5", "1e300", "1e-300"]
ASSIGNED = ["=" + text for text in ("True", "3", "2**31", "2**40", "1.5", "1e300")]
BINARY = ["a + b", "a - b", "a * b", "a / b", "a // b", "a % b", "a & b", "a | b", "a ^ b", "a << b", "a >> b", "a < b",
          "a == b", "tl.where(a == a, a, b)", "tl.where(b == b, a, b)", "tl.maximum(a, b)", "tl.minimum(a, b)",
          "tl.fdiv(a, b)"]
UNARY = ["-a", "~a", "not a", "tl.abs(a)", "tl.exp(a)", "tl.sqrt(a)", "tl.sum(a)", "tl.max(a)", "tl.min(a)",
         "tl.argmax(a, 0)", "tl.cumsum(a)", "tl.cumprod(a)", "tl.floor(a)", "tl.ceil(a)", "tl.sigmoid(a)",
         "tl.softmax(a)", "tl.sort(a)", "tl.xor_sum(a)", "tl.reduce_or(a, 0)", "tl.sin(a)", "tl.log2(a)",
         "tl.rsqrt(a)", "tl.erf(a)", "tl.cdiv(a, a)", "tl.umulhi(a, a)", "tl.clamp(a, a, a)", "tl.fma(a, a, a)",
         "tl.div_rn(a, a)", "tl.max(a, 0, return_indices=True)[0]", "tl.zeros_like(a)"]

target = GPUTarget("cuda", 90, 32)
backend = make_backend(target)
options = backend.parse_options({})


def record(cases):
    """cases: (expression, a, b) with a dtype, a literal, '=literal' (assigned to a variable first) or None."""
    lines = ["import triton", "import triton.language as tl"]
    for number, (expression, a, b) in enumerate(cases):
        body, parameters, text = [], [], expression
        for name, value in (("a", a), ("b", b)):
            if value is None:
                continue
            if value in SHORT:
                parameters.append(name + "p")
                index = "" if expression.startswith("not ") else " + tl.arange(0, 16)"
                body.append(f"    {name} = tl.load({name}p{index})")
            elif value.startswith("="):
                body.append(f"    {name} = {value[1:]}")
            else:
                body.append(f"    {name}: tl.constexpr = {value}")
        body.append(f'    tl.static_print("R", ({text}).dtype)')
        lines += ["@triton.jit", f"def k{number}({', '.join(parameters)}):", *body]
    results = []
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "kernels.py"
        path.write_text("\n".join(lines))
        spec = importlib.util.spec_from_file_location("kernels", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        for number, (expression, a, b) in enumerate(cases):
            signature = {n + "p": "*" + SHORT[v] for n, v in (("a", a), ("b", b)) if v in SHORT}
            source = ASTSource(fn=getattr(module, f"k{number}"), signature=signature)
            context = ir.context()
            ir.load_dialects(context)
            backend.load_dialects(context)
            out = io.StringIO()
            try:
                with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
                    source.make_ir(target, options, backend.get_codegen_implementation(options),
                                   backend.get_module_map(), context)
                results.append(out.getvalue().split("R", 1)[1].strip())
            except Exception:
                results.append("-")
    return results


def write(path, comment, sections):
    with open(path, "w") as f:
        for line in comment:
            f.write(f"# {line}\n")
        for title, rows, columns, cells in sections:
            f.write(f"\nexpr {title}\n" + "%-8s" % "a\\b" + " ".join("%-7s" % c for c in columns) + "\n")
            for row, values in zip(rows, cells):
                f.write("%-8s" % row + " ".join("%-7s" % v for v in values) + "\n")


def main():
    here = pathlib.Path(__file__).parent
    version = triton.__version__
    dtypes = list(SHORT)
    sections = []
    for expression in BINARY:
        rows = dtypes + LITERALS + ASSIGNED
        cases = [(expression, a, b) for a in rows for b in rows if a in SHORT or b in SHORT]
        found = dict(zip(cases, record(cases)))
        sections.append((expression, rows, rows,
                         [[found.get((expression, a, b), ".") for b in rows] for a in rows]))
    write(here / "binary.txt", [
        f"Result dtypes of binary expressions, recorded from Triton {version} by record.py.",
        "Rows are a, columns are b: a 16-element tensor of the dtype, a compile-time literal, or =literal (a variable to which the",
        "literal was assigned). '-' means that Triton rejects the expression, '.' that it was not tried."], sections)
    cases = [(expression, a, None) for expression in UNARY for a in dtypes]
    found = record(cases)
    n = len(dtypes)
    write(here / "unary.txt", [
        f"Result dtypes of expressions of one operand, recorded from Triton {version} by record.py.",
        "a is a 16-element tensor (a scalar for `not`); '-' means that Triton rejects the expression."],
          [(expression, [""], dtypes, [found[i * n:(i + 1) * n]]) for i, expression in enumerate(UNARY)])
    cases = [(f"a.to(tl.{LANGUAGE.get(t, t)})", f, None) for f in dtypes for t in dtypes]
    found = record(cases)
    write(here / "cast.txt", [f"Casts that Triton {version} accepts ('-' means rejected), recorded by record.py; rows are a."],
          [("a.to(column)", dtypes, dtypes, [found[i * n:(i + 1) * n] for i in range(n)])])


main()
