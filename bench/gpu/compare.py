#!/usr/bin/env python3
"""Tilerun beside Triton and PyTorch in one process on one GPU: the same kernel files, the best of the same
configurations, PyTorch's tensors and stream. Every result is compared with PyTorch's first.

Times are medians of single launches between two events, the L2 cache cleared before each; the spread is
from the 20th to the 80th percentile. With --before, another build of Tilerun takes its turns too, and the last ratio is
Tilerun's speed over that build's. Usage: TILERUN_BUNDLE=DIR compare.py [--before DIR] [--only TEXT] [--json FILE]"""

import argparse
import importlib.util
import json
import random
import os
import statistics
import sys

import torch
import triton

import binding

EXAMPLES = os.path.join(binding.BUNDLE, "share", "tilerun", "examples")
HERE = os.path.dirname(os.path.abspath(__file__))

sys.path.insert(0, EXAMPLES)


def load_example(name, folder=EXAMPLES):
    spec = importlib.util.spec_from_file_location(name, os.path.join(folder, name + ".py"))
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


class Timer:
    def __init__(self):
        self.cache = torch.empty(256 << 20, dtype=torch.int8, device="cuda")

    def __call__(self, launch, repeat):
        """Sorted milliseconds."""
        launch()
        launch()
        events = [[torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in range(repeat)]
        for start, end in events:
            self.cache.zero_()
            start.record()
            launch()
            end.record()
        torch.cuda.synchronize()
        return sorted(start.elapsed_time(end) for start, end in events)


class Work:
    """One row of the table. `configs`: (meta-parameters, num_warps, num_stages); `amount`: bytes or operations."""

    def __init__(self, name, module, kernel, arguments, grid, configs, output, reference, amount, unit, peer,
                 tolerance):
        self.__dict__.update(locals())

    def launchers(self, libraries, config):
        """(name, launch) of each library and of Triton."""
        meta, warps, stages = config
        function = getattr(self.module, self.kernel)
        grid = self.grid(meta)
        arguments = [*self.arguments, *meta.values()]
        for who, library in libraries.items():
            handle = library.kernel(self.module.__file__, self.kernel)
            yield who, lambda library=library, handle=handle: library.launch(handle, grid, arguments, warps, stages)
        yield "triton", lambda: function[grid](*self.arguments, **meta, num_warps=warps, num_stages=stages)

    def check(self, launch):
        self.output.fill_(float("nan") if self.output.is_floating_point() else -(1 << 30))
        launch()
        torch.cuda.synchronize()
        expected = self.reference()
        scale = expected.double().norm().item() or 1.0
        error = (self.output.double() - expected.double()).norm().item() / scale
        return error if error == error else float("inf")


def vector_add(n):
    x, y = torch.randn(n, device="cuda"), torch.randn(n, device="cuda")
    out = torch.empty_like(x)
    return Work(f"vector add f32 2^{n.bit_length() - 1}", load_example("vector_add"), "add_kernel", [x, y, out, n],
                lambda m: (-(-n // m["BLOCK_SIZE"]),),
                [({"BLOCK_SIZE": b}, w, 3) for b in (512, 1024, 2048, 4096) for w in (4, 8)], out, lambda: x + y,
                12 * n, "GB/s", lambda: torch.add(x, y, out=out), 1e-6)


def softmax(rows, columns):
    x = torch.randn(rows, columns, device="cuda", dtype=torch.float16)
    out = torch.empty_like(x)
    block = triton.next_power_of_2(columns)
    return Work(f"softmax f16 {rows}x{columns}", load_example("softmax"), "softmax_kernel",
                [out, x, x.stride(0), out.stride(0), rows, columns], lambda m: (rows,),
                [({"BLOCK_SIZE": block}, w, 2) for w in (4, 8, 16, 32)], out, lambda: torch.softmax(x.float(), 1),
                4 * x.numel(), "GB/s", lambda: torch.softmax(x, 1), 1e-3)


def layer_norm(rows, columns):
    x = torch.randn(rows, columns, device="cuda", dtype=torch.float16)
    w, b = (torch.rand(columns, device="cuda", dtype=torch.float16) for _ in range(2))
    out, (mean, rstd) = torch.empty_like(x), (torch.empty(rows, device="cuda") for _ in range(2))
    return Work(f"layer norm f16 {rows}x{columns}", load_example("layer_norm"), "layer_norm_fwd_kernel",
                [x, out, w, b, mean, rstd, columns, columns, 1e-5], lambda m: (rows,),
                [({"BLOCK_SIZE": s}, k, 3) for s in (1024, 2048, 4096, 8192) if s <= columns for k in (4, 8, 16)], out,
                lambda: torch.nn.functional.layer_norm(x.float(), (columns,), w.float(), b.float()),
                4 * x.numel(), "GB/s", lambda: torch.nn.functional.layer_norm(x, (columns,), w, b), 1e-3)


ROW_LOOPS = [({"X_BLOCK": x, "R_BLOCK": r}, w, 1) for x, r, w in ((1, 1024, 4), (1, 2048, 8), (1, 4096, 16), (1, 8192, 16))]


def softmax_log_softmax(rows, columns):
    x = torch.randn(rows, columns, device="cuda", dtype=torch.float16)
    out = torch.empty(2, rows, columns, device="cuda", dtype=torch.float16)
    return Work(f"softmaxes, graph {rows}x{columns}", load_example("graph_kernels", HERE), "softmax_log_softmax_kernel",
                [x, out[0], out[1], rows, columns], lambda m: (-(-rows // m["X_BLOCK"]),), ROW_LOOPS, out,
                lambda: torch.stack((torch.softmax(x.float(), 1), torch.log_softmax(x.float(), 1))), 6 * x.numel(),
                "GB/s", lambda: (torch.softmax(x, 1), torch.log_softmax(x, 1)), 1e-3)


def layer_norm_gelu(rows, columns):
    x = torch.randn(rows, columns, device="cuda", dtype=torch.float16)
    w, b = (torch.rand(columns, device="cuda", dtype=torch.float16) for _ in range(2))
    out = torch.empty_like(x)
    norm, gelu = torch.nn.functional.layer_norm, torch.nn.functional.gelu
    return Work(f"norm + GELU, graph {rows}x{columns}", load_example("graph_kernels", HERE), "layer_norm_gelu_kernel",
                [x, w, b, out, rows, columns, 1e-5], lambda m: (-(-rows // m["X_BLOCK"]),), ROW_LOOPS, out,
                lambda: gelu(norm(x.float(), (columns,), w.float(), b.float())), 4 * x.numel(), "GB/s",
                lambda: gelu(norm(x, (columns,), w, b)), 1e-3)


def gelu(n):
    x = torch.randn(n, device="cuda")
    out = torch.empty_like(x)
    return Work(f"GELU, exact f32 2^{n.bit_length() - 1}", load_example("gelu"), "gelu_kernel", [x, out, n],
                lambda m: (-(-n // m["BLOCK_SIZE"]),),
                [({"APPROXIMATE": False, "BLOCK_SIZE": b}, w, 3) for b in (512, 1024, 2048) for w in (4, 8)], out,
                lambda: torch.nn.functional.gelu(x), 8 * n, "GB/s", lambda: torch.nn.functional.gelu(x), 1e-5)


def sort_rows(rows, columns):
    x = torch.randn(rows, columns, device="cuda", dtype=torch.float16)
    out = torch.empty_like(x)
    return Work(f"sort f16 {rows}x{columns}", load_example("library_kernels", HERE), "sort_rows_kernel", [x, out],
                lambda m: (rows,), [({"COLUMNS": columns}, w, 3) for w in (1, 2, 4, 8)], out,
                lambda: torch.sort(x, 1, descending=True).values, 4 * x.numel(), "GB/s",
                lambda: torch.sort(x, 1, descending=True), 0)


def normal(n):
    """The generator is not PyTorch's, so the sum of the squares is compared."""
    out = torch.empty(n, device="cuda")
    return Work(f"randn f32 2^{n.bit_length() - 1}", load_example("library_kernels", HERE), "normal_kernel",
                [out, n, 5], lambda m: (-(-n // m["BLOCK_SIZE"]),),
                [({"BLOCK_SIZE": b}, w, 3) for b in (512, 1024) for w in (4, 8)], out, lambda: out / out.norm() * n**0.5,
                4 * n, "GB/s", lambda: torch.randn(n, out=out), 1e-2)


def matmul(n, dtype, tolerance, k=None):
    k = k or n
    a, b = torch.randn(n, k, device="cuda").to(dtype), torch.randn(k, n, device="cuda").to(dtype)
    out = torch.empty(n, n, device="cuda", dtype=dtype)
    configs = [((128, 256, 64), 8, 3), ((128, 256, 64), 8, 4), ((256, 128, 64), 8, 3), ((128, 128, 64), 4, 3),
               ((128, 128, 64), 4, 4), ((128, 128, 64), 8, 3), ((128, 128, 32), 4, 4), ((64, 128, 64), 4, 6),
               ((128, 64, 64), 4, 6)]
    configs = [(dict(zip(("BLOCK_M", "BLOCK_N", "BLOCK_K"), s), GROUP_M=8, ACTIVATION=""), w, t)
               for s, w, t in configs]
    name = str(dtype).removeprefix("torch.").replace("float", "f")
    size = f"{n}^3" if k == n else f"{n}x{n}x{k}"
    return Work(f"matmul {name} {size}", load_example("matmul"), "matmul_grouped_kernel",
                [a, b, out, n, n, k, k, 1, n, 1, n, 1],
                lambda m: (-(-n // m["BLOCK_M"]) * -(-n // m["BLOCK_N"]),), configs, out,
                lambda: a.float() @ b.float(), 2 * n**2 * k, "TFLOP/s", lambda: torch.mm(a, b, out=out), tolerance)


PRODUCTS = {  # Element type, result, blocks with warps and stages.
    "tf32": (torch.float32, torch.float32, [((256, 128, 32), 8, 3), ((256, 128, 32), 8, 4), ((128, 256, 32), 8, 3),
                                            ((128, 256, 32), 8, 4), ((128, 128, 32), 4, 4), ((128, 128, 32), 8, 5)]),
    "e4m3": (torch.float8_e4m3fn, torch.bfloat16, [((256, 128, 128), 8, 3), ((256, 128, 128), 8, 4),
                                                   ((128, 256, 128), 8, 3), ((128, 256, 128), 8, 4),
                                                   ((128, 128, 128), 4, 4), ((128, 128, 128), 8, 4)]),
    "int8": (torch.int8, torch.int32, [((256, 128, 128), 8, 3), ((256, 128, 128), 8, 4), ((128, 256, 128), 8, 3),
                                       ((128, 256, 128), 8, 4), ((128, 128, 128), 4, 4), ((128, 128, 128), 8, 4)]),
}


def product(n, kind, a_order, b_order):
    """Square products; an order is "row" (major) or "column". The vendor's library gets operands as it wants them."""
    dtype, result, blocks = PRODUCTS[kind]

    def operand(order):
        if dtype == torch.int8:
            values = torch.randint(-12, 13, (n, n), device="cuda", dtype=torch.int8)
        else:
            values = torch.randn(n, n, device="cuda").to(dtype)
        return values if order == "row" else values.t()

    a, b = operand(a_order), operand(b_order)
    out = torch.empty(n, n, device="cuda", dtype=result)
    configs = [(dict(zip(("BLOCK_M", "BLOCK_N", "BLOCK_K"), s), GROUP_M=8), w, t) for s, w, t in blocks]
    one = torch.ones((), device="cuda")
    b_columns = b.t().contiguous().t()

    def peer():
        if dtype == torch.float32:
            torch.backends.cuda.matmul.allow_tf32 = True
            torch.mm(a, b, out=out)
            torch.backends.cuda.matmul.allow_tf32 = False
        elif dtype == torch.int8:
            torch._int_mm(a, b_columns)
        else:
            torch._scaled_mm(a, b_columns, one, one, out_dtype=result, use_fast_accum=True)

    return Work(f"matmul {kind} {n}^3 {a_order} x {b_order}", load_example("library_kernels", HERE), "product_kernel",
                [a, b, out, n, n, n, *a.stride(), *b.stride(), n, 1],
                lambda m: (-(-n // m["BLOCK_M"]) * -(-n // m["BLOCK_N"]),), configs, out,
                lambda: a.float() @ b.float(), 2 * n**3, "TFLOP/s", peer, 5e-3)


def attention(tokens, head, causal):
    batch, heads = 4, 32
    q, k, v = (torch.randn(batch, heads, tokens, head, device="cuda", dtype=torch.float16) for _ in range(3))
    out = torch.empty_like(q)
    scale, sdpa = head**-0.5, torch.nn.functional.scaled_dot_product_attention

    def vendor():
        with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.CUDNN_ATTENTION):
            return sdpa(q, k, v, is_causal=causal, scale=scale)

    configs = [({"D": head, "BLOCK_M": m, "BLOCK_N": n, "CAUSAL": causal}, w, s)
               for m, w in ((64, 4), (128, 4), (128, 8)) for n in (64, 128) for s in (2, 3) if n <= m or not causal]
    return Work(f"attention f16 {tokens}x{head}" + (" causal" if causal else ""), load_example("attention_kernels", HERE),
                "attention_kernel", [q, k, v, out, tokens, head, tokens * head, scale],
                lambda m: (tokens // m["BLOCK_M"], batch * heads), configs, out, vendor,
                4 * batch * heads * tokens**2 * head // (2 if causal else 1), "TFLOP/s", vendor, 2e-3)


TURNS = 6
WORKS = [
    *[lambda n=n: vector_add(n) for n in (1 << 28, 1 << 24, 1 << 20)],
    *[lambda s=s: softmax(*s) for s in ((8192, 4096), (4096, 12288), (2048, 32768))],
    *[lambda s=s: layer_norm(*s) for s in ((4096, 4096), (8192, 8192))],
    lambda: softmax_log_softmax(4096, 8192),
    lambda: layer_norm_gelu(8192, 4096),
    lambda: gelu(1 << 24),
    lambda: sort_rows(32768, 512),
    lambda: normal(1 << 24),
    *[lambda n=n: matmul(n, torch.float16, 2e-3) for n in (1024, 4096, 8192)],
    lambda: matmul(8192, torch.bfloat16, 1e-2),
    lambda: matmul(4096, torch.float16, 2e-3, 512),
    *[lambda h=h, c=c: attention(4096, h, c) for h in (64, 128) for c in (False, True)],
    *[lambda a=a, b=b: product(4096, "tf32", a, b)
      for a, b in (("row", "row"), ("row", "column"), ("column", "column"), ("column", "row"))],
    *[lambda k=k, b=b: product(8192, k, "row", b) for k in ("e4m3", "int8") for b in ("row", "column")],
]


def label(config):
    meta, warps, stages = config
    return "x".join(str(v) for v in meta.values() if v != "") + f" w{warps} s{stages}"


def measure(work, libraries, timer, repeat):
    best, notes = {}, []
    for config in work.configs:
        for who, launch in work.launchers(libraries, config):
            try:
                error = work.check(launch)
            except Exception as problem:  # A configuration that one of them refuses.
                notes.append(f"{who} refuses {label(config)}: {str(problem).splitlines()[0][:160]}")
                continue
            if error > work.tolerance:
                notes.append(f"{who} is WRONG at {label(config)}: relative norm of the error {error:.1e}")
                continue
            time = statistics.median(timer(launch, max(repeat // 2, 5)))
            if who not in best or time < best[who][0]:
                best[who] = time, config, launch
    row = {"name": work.name, "unit": work.unit, "notes": notes}
    times = {}
    # Turn by turn in random order: a clock that drifts does so for all, and no program is always first.
    turns = [*((w, b[2]) for w, b in best.items()), ("torch", work.peer)]
    for _ in range(TURNS):
        random.shuffle(turns)
        for who, launch in turns:
            times.setdefault(who, []).extend(timer(launch, repeat // TURNS + 1))
    factor = work.amount / (1e6 if work.unit == "GB/s" else 1e9)
    for who, values in times.items():
        values.sort()
        row[who] = round(factor / statistics.median(values), 1)
        row[who + "_spread"] = [round(factor / values[int(len(values) * p)], 1) for p in (0.8, 0.2)]
        if who in best:
            row[who + "_config"] = label(best[who][1])
    for peer, ratio in (("triton", "ratio"), ("before", "ratio_before")):
        if "tilerun" in row and peer in row:
            row[ratio] = round(row["tilerun"] / row[peer], 3)
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="")
    parser.add_argument("--before", metavar="DIR", help="another bundle, to compare with")
    parser.add_argument("--beside", metavar="NAME=VALUE", help="this build with another option of the target, as `before`")
    parser.add_argument("--json")
    parser.add_argument("--repeat", type=int, default=60)
    parser.add_argument("--seed", type=int, help="of the order of turns (default: another one each time)")
    options = parser.parse_args()
    torch.manual_seed(0)
    random.seed(options.seed)
    torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False
    libraries, timer = {"tilerun": binding.Library()}, Timer()
    if options.before:
        libraries["before"] = binding.Library(bundle=options.before, cache_folder="")
    if options.beside:
        name, _, value = options.beside.partition("=")
        libraries["before"] = binding.Library(cache_folder="", options={name: value})
    rows, wrong = [], False
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, Triton {triton.__version__}")
    has_before = options.before or options.beside
    before = f"{(options.beside or 'before')[:9]:>9}{'ratio':>7}" if has_before else ""
    print(f"{'work':28}{'Tilerun':>9}{'Triton':>9}{'PyTorch':>9}  {'unit':8}{'ratio':>6}{before}  configurations")
    for make in WORKS:
        work = make()
        if options.only not in work.name:
            continue
        row = measure(work, libraries, timer, options.repeat)
        rows.append(row)
        before = f"{row.get('before', '-'):>9}{row.get('ratio_before', '-'):>7}" if has_before else ""
        print(f"{row['name']:28}{row.get('tilerun', '-'):>9}{row.get('triton', '-'):>9}{row['torch']:>9}  "
              f"{row['unit']:8}{row.get('ratio', '-'):>6}{before}  "
              f"{row.get('tilerun_config')} | {row.get('triton_config')}", flush=True)
        for note in row["notes"]:
            wrong |= "WRONG" in note and note.startswith("tilerun")
            print("    " + note, flush=True)
        del work
        torch.cuda.empty_cache()
    if options.json:
        with open(options.json, "w") as file:
            json.dump(rows, file, indent=1)
    return 1 if wrong or any("tilerun" not in row for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
