"""Checks the kernels of this folder against Triton itself, so that their expectations do not come
from Tilerun.

    python3 compare_with_triton.py        compiles each: refused or not as expected (no GPU needed)
    python3 compare_with_triton.py run    runs each on the first GPU (needs torch)

Cases that say `beyond` are left out: Triton promises nothing there. Differences that are known, and meant, are listed
below with the reason. Ends with 1 if there is another.
"""

import collections
import contextlib
import importlib.util
import io
import math
import pathlib
import re
import signal
import sys

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE))

import triton  # noqa: E402
import triton.language as tl  # noqa: E402

LEFT_OUT = {"outside.py", "sibling.py", pathlib.Path(__file__).name}
LANGUAGE = {
    "i1": tl.int1, "i8": tl.int8, "i16": tl.int16, "i32": tl.int32, "i64": tl.int64, "u8": tl.uint8, "u16": tl.uint16,
    "u32": tl.uint32, "u64": tl.uint64, "fp8e5": tl.float8e5, "fp8e4nv": tl.float8e4nv, "fp8e4b8": tl.float8e4b8,
    "fp8e5b16": tl.float8e5b16, "fp8e4b15": tl.float8e4b15, "fp16": tl.float16, "bf16": tl.bfloat16,
    "fp32": tl.float32, "fp64": tl.float64
}
# (mode, kernel): why Triton differs.
KNOWN = {
    ("compile", "zero_step"): "Triton compiles a loop without end",
    ("compile", "assert_fails"): "Triton makes a device_assert of it",
    ("compile", "extrema_of_descriptors"): "Triton asks the driver whether 16-bit floats are possible",
    ("run", "zero_step"): "Triton compiles a loop without end",
    ("run", "assert_fails"): "Triton makes a device_assert of it",
    ("run", "exact_by_default"): "tf32 is the default on NVIDIA GPUs, as the rule says; tf32_by_default holds it",
    ("run", "remainder"): "Triton's remainder of -4 and 2 is +0, where C's fmod gives -0",
    ("run", "negation"): "Triton subtracts from zero, so -(0.0) is 0.0",
    ("run", "correctly_rounded"): "Triton's fdiv is the fast division whatever ieee_rounding says",
    ("run", "cache_modifiers"): "Triton writes a cache modifier with an eviction policy that ptxas refuses",
    ("run", "positions"): "Triton compares NaN in the order of its reduction, so the position depends on the layout",
    ("run", "common_float8"): "Triton fails in a pass on sums of e4m3",
    ("run", "float8_rounds_back"): "Triton fails in a pass on products of e4m3",
}
# After an illegal instruction, nothing more runs in the process.
STOPS = re.compile(r"\bmake_tensor_descriptor\b")

Tensor = collections.namedtuple("Tensor", "name type before after tolerance")
Case = collections.namedtuple("Case", "file kernel number line tensors values words grid warps")


def elements(text):
    """'1,2*3' as a list of texts."""
    out = []
    for word in filter(None, text.split(",")):
        value, _, times = word.partition("*")
        out += [value] * int(times or 1)
    return out


def read_case(path, number, line, words):
    tensors, values, flags, grid, warps = [], {}, set(), (1, ), 4
    for word in words.split():
        form = re.fullmatch(r"(\w+)(?:=(\w+)\[([^\]]*)\])?(?:->(?:~([^:\[]*):?)?(\w*)\[([^\]]*)\])?", word)
        if form and (form[2] or form[5]):
            name, kind, before, tolerance, out, after = form.groups()
            tensors.append(Tensor(name, kind or out, None if before is None else elements(before),
                                  None if after is None else elements(after), float(tolerance or 0)))
        elif word.startswith("grid="):
            grid = tuple(int(size) for size in word[5:].split(","))
        elif word.startswith("warps="):
            warps = int(word[6:])
        elif "=" in word and not word.startswith("without="):
            name, _, value = word.partition("=")
            values[name] = value
        else:
            flags.add(word)
    return Case(path, None, number, line, tensors, values, flags, grid, warps)


def read_cases(path):
    cases, open_cases = [], []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.startswith("#:"):
            open_cases.append(read_case(path, len(open_cases), number, line[2:]))
        elif line.startswith("def ") and open_cases:
            name = line[4:].split("(")[0]
            cases += [case._replace(kernel=name) for case in open_cases]
            open_cases = []
    return cases


def load(path):
    spec = importlib.util.spec_from_file_location("rules_" + path.stem, path)
    module = importlib.util.module_from_spec(spec)
    with contextlib.redirect_stdout(io.StringIO()):
        spec.loader.exec_module(module)
    return module


def value_of(text, module):
    if text in ("None", "True", "False"):
        return {"None": None, "True": True, "False": False}[text]
    if text.startswith('"'):
        return text.strip('"')
    if text.startswith("tl."):
        return getattr(tl, text[3:])
    for convert in (lambda t: int(t, 0), float):
        with contextlib.suppress(ValueError):
            return convert(text)
    return getattr(module, text)


def compile_case(case, module):
    """Makes Triton's IR; raises where Triton refuses the kernel."""
    from triton._C.libtriton import ir
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource
    from triton.compiler.compiler import make_backend
    kernel = getattr(module, case.kernel)
    target = GPUTarget("cuda", 90, 32)
    backend = make_backend(target)
    options = backend.parse_options({"debug": "debug" in case.words})
    given = {t.name: "*" + t.type for t in case.tensors}
    constants = {}
    for parameter in kernel.params:
        name = parameter.name
        if name in given:
            continue
        value = value_of(case.values[name], module) if name in case.values else parameter.default
        if parameter.is_constexpr or value is None or (value is not True and value == 1
                                                       and not parameter.do_not_specialize and isinstance(value, int)):
            constants[(parameter.num, )] = value
            given[name] = "constexpr"
        else:
            given[name] = ("u1" if isinstance(value, bool) else "fp32" if isinstance(value, float) else
                           "i32" if -2**31 <= value < 2**31 else "i64" if value < 2**63 else "u64")
    signature = {parameter.name: given[parameter.name] for parameter in kernel.params}
    source = ASTSource(fn=kernel, signature=signature, constexprs=constants)
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        source.make_ir(target, options, backend.get_codegen_implementation(options), backend.get_module_map(), context)


def to_torch(torch, values, kind):
    """A tensor of bytes."""
    names = {"i1": "bool", "fp8e5": "float8_e5m2", "fp8e4nv": "float8_e4m3fn", "fp8e4b8": "float8_e4m3fnuz",
             "fp8e5b16": "float8_e5m2fnuz", "fp16": "float16", "bf16": "bfloat16", "fp32": "float32", "fp64": "float64"}
    if kind.startswith(("f", "b")):
        dtype = getattr(torch, names[kind])
        size = torch.empty(0, dtype=dtype).element_size()
        parts = []
        for value in values:
            if value.startswith("0x"):
                parts.append(int(value, 16).to_bytes(size, "little"))
            else:
                number = torch.tensor([float(value)], dtype=torch.float64)
                parts.append(bytes(number.to(dtype).view(torch.uint8).tolist()))
        return torch.tensor(list(b"".join(parts)), dtype=torch.uint8)
    size = max(1, int(kind[1:]) // 8)
    data = b"".join((int(v, 0) & (256**size - 1)).to_bytes(size, "little") for v in values)
    return torch.tensor(list(data), dtype=torch.uint8)


def floats(torch, data, kind):
    names = {"fp8e5": "float8_e5m2", "fp8e4nv": "float8_e4m3fn", "fp8e4b8": "float8_e4m3fnuz",
             "fp8e5b16": "float8_e5m2fnuz", "fp16": "float16", "bf16": "bfloat16", "fp32": "float32", "fp64": "float64"}
    return data.view(getattr(torch, names[kind])).to(torch.float64).tolist()


def difference(torch, tensor, got):
    want = to_torch(torch, tensor.after if tensor.after is not None else tensor.before, tensor.type)
    if want.tolist() == got.tolist():
        return None
    if not tensor.type.startswith(("f", "b")):
        size = len(want) // len(tensor.after or tensor.before)
        numbers = [int.from_bytes(bytes(got.tolist()[i:i + size]), "little") for i in range(0, len(got), size)]
        return f"{tensor.name} is {numbers}"
    a, b = floats(torch, want, tensor.type), floats(torch, got, tensor.type)
    for x, y in zip(a, b):
        same = x == y and math.copysign(1, x) == math.copysign(1, y)
        if not (same or (math.isnan(x) and math.isnan(y)) or (tensor.tolerance and abs(x - y) <= tensor.tolerance * abs(x))):
            return f"{tensor.name} is {b}"
    return None


def run_case(case, module):
    import torch
    kernel = getattr(module, case.kernel)
    if STOPS.search(kernel.src):
        raise LookupError("Triton's descriptors of tensors as small as these stop the GPU with an illegal instruction")
    arguments, buffers = {}, {}
    for tensor in case.tensors:
        if tensor.type == "fp8e4b15":
            raise LookupError("torch has no fp8e4b15")
        data = to_torch(torch, tensor.before if tensor.before is not None else ["0"] * len(tensor.after), tensor.type)
        buffers[tensor.name] = data.cuda()
        arguments[tensor.name] = triton.reinterpret(buffers[tensor.name], LANGUAGE[tensor.type])
    for name, text in case.values.items():
        arguments[name] = value_of(text, module)
    with contextlib.redirect_stdout(io.StringIO()):
        kernel[case.grid](**arguments, num_warps=case.warps, debug="debug" in case.words)
    torch.cuda.synchronize()
    for tensor in case.tensors:
        if text := difference(torch, tensor, buffers[tensor.name].cpu()):
            return text
    return None


def check(case, module, mode):
    """The differences; None if there are none."""
    refused = "refused" in case.words
    signal.alarm(20)
    try:
        if mode == "compile" or (refused and mode == "run"):
            compile_case(case, module)
        else:
            text = run_case(case, module)
            if text:
                return text
    except (LookupError, TimeoutError) as error:
        return f"(not run) {error}"
    except Exception as error:
        return None if refused else f"refused: {str(error).strip().splitlines()[-1] if str(error).strip() else type(error).__name__}"
    finally:
        signal.alarm(0)
    return "accepted" if refused else None


def give_up(*_):
    raise TimeoutError("it did not end")


def main():
    signal.signal(signal.SIGALRM, give_up)
    mode = "run" if "run" in sys.argv[1:] else "compile"
    only = [word for word in sys.argv[1:] if word != "run"]
    counts = collections.Counter()
    for path in sorted(HERE.glob("*.py")):
        if path.name in LEFT_OUT:
            continue
        module = load(path)
        for case in read_cases(path):
            if only and case.kernel not in only:
                continue
            if "beyond" in case.words or (mode != "compile" and "fails" in case.words):
                counts["left out"] += 1
                continue
            text = check(case, module, mode)
            if text is None:
                counts["agree"] += 1
                continue
            reason = KNOWN.get((mode, case.kernel))
            counts["differ, as known" if reason else "not run" if text.startswith("(not run)") else "differ"] += 1
            if not reason:
                print(f"{path.name}:{case.line}: {case.kernel}: {text}", flush=True)
    print(f"Triton {triton.__version__}, {mode}:", ", ".join(f"{count} {what}" for what, count in sorted(counts.items())))
    return 1 if counts["differ"] else 0


if __name__ == "__main__":
    sys.exit(main())
