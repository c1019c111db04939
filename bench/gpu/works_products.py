"""Rows of the comparison that are products: square ones in all orders of their operands, rectangular ones, and those of
decoding, where few rows meet all weights, so that the unit is the bandwidth at which the weights are read."""

import torch

from measuring import load_example, own, Part, single, Step, Work

BLOCKS_16 = [((128, 256, 64), 8, 3), ((128, 256, 64), 8, 4), ((256, 128, 64), 8, 3), ((128, 128, 64), 4, 3),
             ((128, 128, 64), 4, 4), ((128, 128, 64), 8, 3), ((128, 128, 32), 4, 4), ((64, 128, 64), 4, 6),
             ((128, 64, 64), 4, 6)]
BLOCKS_SKINNY = [((64, 128, 64), 4, 4), ((64, 128, 128), 4, 4), ((64, 64, 128), 4, 4), ((64, 64, 64), 4, 6),
                 ((64, 256, 64), 4, 4), ((128, 64, 64), 4, 6), ((128, 128, 64), 4, 4), ((64, 32, 128), 4, 5)]
BLOCKS_DECODE = [((16, 32, 128), 2, 5), ((16, 32, 256), 4, 4), ((16, 64, 128), 4, 4), ((16, 64, 256), 4, 3),
                 ((16, 128, 64), 4, 5), ((16, 128, 128), 4, 4), ((16, 128, 128), 8, 4)]
BLOCKS_8 = [((256, 128, 128), 8, 3), ((256, 128, 128), 8, 4), ((128, 256, 128), 8, 3), ((128, 256, 128), 8, 4),
            ((128, 128, 128), 4, 4), ((128, 128, 128), 8, 4)]
KINDS = {  # Element type, result, tolerance, blocks with warps and stages.
    "f16": (torch.float16, torch.float16, 2e-3, BLOCKS_16),
    "bf16": (torch.bfloat16, torch.bfloat16, 1e-2, BLOCKS_16),
    "tf32": (torch.float32, torch.float32, 5e-3, [((256, 128, 32), 8, 3), ((256, 128, 32), 8, 4), ((128, 256, 32), 8, 3),
                                                  ((128, 256, 32), 8, 4), ((128, 128, 32), 4, 4), ((128, 128, 32), 8, 5)]),
    "e4m3": (torch.float8_e4m3fn, torch.bfloat16, 5e-3, BLOCKS_8),
    "int8": (torch.int8, torch.int32, 5e-3, BLOCKS_8),
}
ORDERS = [(a, b) for a in ("row", "column") for b in ("row", "column")]


def as_configs(blocks, **more):
    return [(dict(zip(("BLOCK_M", "BLOCK_N", "BLOCK_K"), sizes)) | more, w, s) for sizes, w, s in blocks]


def operand(rows, columns, dtype, order):
    """"row" (major) or "column"."""
    shape = (rows, columns) if order == "row" else (columns, rows)
    if dtype == torch.int8:
        values = torch.randint(-12, 13, shape, device="cuda", dtype=torch.int8)
    else:
        values = torch.randn(shape, device="cuda").to(dtype)
    return values if order == "row" else values.t()


def example_product(n, kind, k=None):
    """With the kernel of the examples, row-major."""
    k = k or n
    dtype, result, tolerance, blocks = KINDS[kind]
    a, b = operand(n, k, dtype, "row"), operand(k, n, dtype, "row")
    out = torch.empty(n, n, device="cuda", dtype=result)
    return single(load_example("matmul"), "matmul_grouped_kernel", [a, b, out, n, n, k, k, 1, n, 1, n, 1],
                  lambda m: (-(-n // m["BLOCK_M"]) * -(-n // m["BLOCK_N"]), ),
                  as_configs(blocks, GROUP_M=8, ACTIVATION=""), out, lambda: a.float() @ b.float(), 2 * n**2 * k, "TFLOP/s",
                  {"cuBLAS": lambda: torch.mm(a, b)}, tolerance)


def vendor(a, b, kind, result, fast=True):
    """cuBLAS by PyTorch, with operands in the orders that it takes."""
    one, b_columns = torch.ones((), device="cuda"), b.t().contiguous().t() if kind in ("e4m3", "int8") else None
    a_rows = a.contiguous() if kind in ("e4m3", "int8") else None

    def tf32():
        torch.backends.cuda.matmul.allow_tf32 = True
        product = torch.mm(a, b)
        torch.backends.cuda.matmul.allow_tf32 = False
        return product

    return {"tf32": tf32, "int8": lambda: torch._int_mm(a_rows, b_columns),
            "e4m3": lambda: torch._scaled_mm(a_rows, b_columns, one, one, out_dtype=result, use_fast_accum=fast),
            }.get(kind, lambda: torch.mm(a, b))


def product(m, n, k, kind, a_order, b_order, blocks=None, weights=False, promoted=False):
    """`weights`: B is what takes the time, and the amount is its bytes. `promoted`: sums of 8-bit floats leave the tensor
    cores, which add with fewer bits, after 128 products."""
    dtype, result, tolerance, usual = KINDS[kind]
    a, b = operand(m, k, dtype, a_order), operand(k, n, dtype, b_order)
    out = torch.empty(m, n, device="cuda", dtype=result)
    configs = as_configs(blocks or usual, GROUP_M=8, **({"IMPRECISE": 128} if promoted else {}))
    return single(own("library_kernels"), "product_kernel", [a, b, out, m, n, k, *a.stride(), *b.stride(), n, 1],
                  lambda c: (-(-m // c["BLOCK_M"]) * -(-n // c["BLOCK_N"]), ), configs, out,
                  lambda: a.float() @ b.float(), b.numel() * b.element_size() if weights else 2 * m * n * k,
                  "GB/s" if weights else "TFLOP/s", {"cuBLAS": vendor(a, b, kind, result, not promoted)}, tolerance, copy=weights)


def split_product(m, n, k, b_order):
    """Split along k, and the sum of the parts."""
    dtype, result, tolerance, _ = KINDS["f16"]
    a, b = operand(m, k, dtype, "row"), operand(k, n, dtype, b_order)
    out = torch.empty(m, n, device="cuda", dtype=result)
    parts = torch.empty(16, m, n, device="cuda")
    kernels = own("decode_kernels")
    steps = [Step(kernels, "split_product_kernel", [a, b, parts, m, n, k, *a.stride(), *b.stride()],
                  lambda c: (-(-n // c["BLOCK_N"]), c["SPLITS"])),
             Step(kernels, "sum_of_parts_kernel", [parts, out, m * n], lambda c: (-(-m * n // c["BLOCK"]), ))]
    configs = [config for splits in (2, 4, 8, 16) for config in as_configs(BLOCKS_DECODE[1:6], SPLITS=splits, BLOCK=512)]
    part = Part(steps, configs, {"out": out}, lambda: {"out": a.float() @ b.float()})
    return Work([part], b.numel() * b.element_size(), "GB/s", {"cuBLAS": lambda: torch.mm(a, b)}, tolerance,
                lambda answer: {"out": answer}, copy=True)


def vector_product(n, k):
    dtype, result, tolerance, _ = KINDS["f16"]
    x, weights = operand(1, k, dtype, "row"), operand(n, k, dtype, "row")
    out = torch.empty(1, n, device="cuda", dtype=result)
    configs = [({"BLOCK_N": n, "BLOCK_K": k}, w, s) for n, k, w, s in
               ((1, 2048, 4, 3), (2, 2048, 4, 3), (4, 1024, 4, 3), (4, 2048, 8, 3), (8, 512, 4, 3), (8, 1024, 4, 3),
                (16, 512, 4, 3), (16, 512, 8, 4))]
    return single(own("decode_kernels"), "vector_product_kernel", [x, weights, out, n, k],
                  lambda c: (-(-n // c["BLOCK_N"]), ), configs, out, lambda: x.float() @ weights.float().t(),
                  weights.numel() * 2, "GB/s", {"cuBLAS": lambda: torch.mm(x, weights.t())}, tolerance, copy=True)


def in_orders(name, make, orders):
    return [(f"{name} {a} x {b}", lambda a=a, b=b: make(a, b)) for a, b in orders]


ROWS = [
    *[(f"matmul f16 {n}^3", lambda n=n: example_product(n, "f16")) for n in (1024, 2048, 4096, 8192, 16384)],
    ("matmul bf16 8192^3", lambda: example_product(8192, "bf16")),
    ("matmul f16 4096x4096x512", lambda: example_product(4096, "f16", 512)),
    # Row-major operands are those above.
    *[row for kind, n in (("f16", 4096), ("f16", 8192), ("bf16", 8192))
      for row in in_orders(f"matmul {kind} {n}^3", lambda a, b, n=n, kind=kind: product(n, n, n, kind, a, b), ORDERS[1:])],
    *[(f"matmul f16 {m}x{n}x{k} row x column", lambda m=m, n=n, k=k: product(m, n, k, "f16", "row", "column"))
      for m, n, k in ((8192, 1024, 8192), (1024, 8192, 4096), (16384, 4096, 1024))],
    *[(f"matmul f16 {m}x8192x8192 row x column",
       lambda m=m: product(m, 8192, 8192, "f16", "row", "column", BLOCKS_SKINNY)) for m in (64, 128)],
    *[(f"decode f16 {m}x8192x8192 row x {b}",
       lambda m=m, b=b: product(m, 8192, 8192, "f16", "row", b, BLOCKS_DECODE, weights=True))
      for m, b in ((1, "column"), (4, "column"), (16, "column"), (16, "row"))],
    *[(f"decode f16 {m}x8192x8192 row x {b}, split along k", lambda m=m, b=b: split_product(m, 8192, 8192, b))
      for m, b in ((1, "column"), (4, "column"), (16, "column"), (16, "row"))],
    ("decode f16 1x8192x8192 row x column, sums of a vector", lambda: vector_product(8192, 8192)),
    *in_orders("matmul tf32 4096^3", lambda a, b: product(4096, 4096, 4096, "tf32", a, b), ORDERS),
    *[row for kind in ("e4m3", "int8")
      for row in in_orders(f"matmul {kind} 8192^3", lambda a, b, kind=kind: product(8192, 8192, 8192, kind, a, b), ORDERS)],
    ("matmul e4m3 8192^3 row x column, promoted", lambda: product(8192, 8192, 8192, "e4m3", "row", "column", promoted=True)),
]
