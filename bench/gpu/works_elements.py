"""Rows of the comparison whose kernels are those of the examples, of graph compilers and of the language's library."""

import torch
import triton

from measuring import load_example, own, Part, single, Step, Work


def vector_add(n):
    x, y = torch.randn(n, device="cuda"), torch.randn(n, device="cuda")
    out = torch.empty_like(x)
    return single(load_example("vector_add"), "add_kernel", [x, y, out, n], lambda m: (-(-n // m["BLOCK_SIZE"]), ),
                  [({"BLOCK_SIZE": b}, w, 3) for b in (512, 1024, 2048, 4096) for w in (4, 8)], out, lambda: x + y, 12 * n,
                  "GB/s", {"PyTorch": lambda: torch.add(x, y)}, 1e-6, copy=True)


def softmax(rows, columns):
    x = torch.randn(rows, columns, device="cuda", dtype=torch.float16)
    out = torch.empty_like(x)
    block = triton.next_power_of_2(columns)
    return single(load_example("softmax"), "softmax_kernel", [out, x, x.stride(0), out.stride(0), rows, columns],
                  lambda m: (rows, ), [({"BLOCK_SIZE": block}, w, 2) for w in (4, 8, 16, 32)], out,
                  lambda: torch.softmax(x.float(), 1), 4 * x.numel(), "GB/s", {"PyTorch": lambda: torch.softmax(x, 1)}, 1e-3,
                  copy=True)


def layer_norm(rows, columns):
    x = torch.randn(rows, columns, device="cuda", dtype=torch.float16)
    w, b = (torch.rand(columns, device="cuda", dtype=torch.float16) for _ in range(2))
    out, (mean, rstd) = torch.empty_like(x), (torch.empty(rows, device="cuda") for _ in range(2))
    norm = torch.nn.functional.layer_norm
    return single(load_example("layer_norm"), "layer_norm_fwd_kernel", [x, out, w, b, mean, rstd, columns, columns, 1e-5],
                  lambda m: (rows, ),
                  [({"BLOCK_SIZE": s}, k, 3) for s in (1024, 2048, 4096, 8192) if s <= columns for k in (4, 8, 16)], out,
                  lambda: norm(x.float(), (columns, ), w.float(), b.float()), 4 * x.numel(), "GB/s",
                  {"PyTorch": lambda: norm(x, (columns, ), w, b)}, 1e-3, copy=True)


ROW_LOOPS = [({"X_BLOCK": x, "R_BLOCK": r}, w, 1) for x, r, w in ((1, 1024, 4), (1, 2048, 8), (1, 4096, 16), (1, 8192, 16))]


def softmax_log_softmax(rows, columns):
    x = torch.randn(rows, columns, device="cuda", dtype=torch.float16)
    out = torch.empty(2, rows, columns, device="cuda", dtype=torch.float16)
    step = Step(own("graph_kernels"), "softmax_log_softmax_kernel", [x, out[0], out[1], rows, columns],
                lambda m: (-(-rows // m["X_BLOCK"]), ))
    part = Part([step], ROW_LOOPS, {"softmax": out[0], "its logarithm": out[1]},
                lambda: {"softmax": torch.softmax(x.float(), 1), "its logarithm": torch.log_softmax(x.float(), 1)})
    return Work([part], 6 * x.numel(), "GB/s", {"PyTorch": lambda: (torch.softmax(x, 1), torch.log_softmax(x, 1))}, 1e-3)


def layer_norm_gelu(rows, columns):
    x = torch.randn(rows, columns, device="cuda", dtype=torch.float16)
    w, b = (torch.rand(columns, device="cuda", dtype=torch.float16) for _ in range(2))
    out = torch.empty_like(x)
    norm, gelu_of = torch.nn.functional.layer_norm, torch.nn.functional.gelu
    return single(own("graph_kernels"), "layer_norm_gelu_kernel", [x, w, b, out, rows, columns, 1e-5],
                  lambda m: (-(-rows // m["X_BLOCK"]), ), ROW_LOOPS, out,
                  lambda: gelu_of(norm(x.float(), (columns, ), w.float(), b.float())), 4 * x.numel(), "GB/s",
                  {"PyTorch": lambda: gelu_of(norm(x, (columns, ), w, b))}, 1e-3)


def gelu(n):
    x = torch.randn(n, device="cuda")
    out = torch.empty_like(x)
    return single(load_example("gelu"), "gelu_kernel", [x, out, n], lambda m: (-(-n // m["BLOCK_SIZE"]), ),
                  [({"APPROXIMATE": False, "BLOCK_SIZE": b}, w, 3) for b in (512, 1024, 2048) for w in (4, 8)], out,
                  lambda: torch.nn.functional.gelu(x), 8 * n, "GB/s", {"PyTorch": lambda: torch.nn.functional.gelu(x)}, 1e-5,
                  copy=True)


def sort_rows(rows, columns):
    x = torch.randn(rows, columns, device="cuda", dtype=torch.float16)
    out = torch.empty_like(x)
    return single(own("library_kernels"), "sort_rows_kernel", [x, out], lambda m: (rows, ),
                  [({"COLUMNS": columns}, w, 3) for w in (1, 2, 4, 8)], out,
                  lambda: torch.sort(x, 1, descending=True).values, 4 * x.numel(), "GB/s",
                  {"PyTorch": lambda: torch.sort(x, 1, descending=True).values}, 0)


def normal(n):
    """The generator is not PyTorch's, so moments are compared."""
    out = torch.empty(n, device="cuda")
    step = Step(own("library_kernels"), "normal_kernel", [out, n, 5], lambda m: (-(-n // m["BLOCK_SIZE"]), ))
    part = Part([step], [({"BLOCK_SIZE": b}, w, 3) for b in (512, 1024) for w in (4, 8)], {"out": out},
                lambda: {"second moment": 1.0, "fourth moment": 3.0},
                lambda: {"second moment": out.double().pow(2).mean(), "fourth moment": out.double().pow(4).mean()})
    return Work([part], 4 * n, "GB/s", {"PyTorch": lambda: torch.randn(n, device="cuda")}, 1e-2)


ROWS = [
    *[(f"vector add f32 2^{p}", lambda p=p: vector_add(1 << p)) for p in (28, 24, 20)],
    *[(f"softmax f16 {r}x{c}", lambda r=r, c=c: softmax(r, c))
      for r, c in ((4096, 1024), (8192, 4096), (4096, 12288), (2048, 32768))],
    *[(f"layer norm f16 {n}x{n}", lambda n=n: layer_norm(n, n)) for n in (4096, 8192)],
    ("softmaxes, graph 4096x8192", lambda: softmax_log_softmax(4096, 8192)),
    ("norm + GELU, graph 8192x4096", lambda: layer_norm_gelu(8192, 4096)),
    ("GELU, exact f32 2^24", lambda: gelu(1 << 24)),
    ("sort f16 32768x512", lambda: sort_rows(32768, 512)),
    ("randn f32 2^24", lambda: normal(1 << 24)),
]
