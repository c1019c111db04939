"""Products whose operands are copied as boxes (TMA) against those by other copies, on an NVIDIA GPU: equal bits for every
order of operands, type and size, with pointers that wrap, end in the middle of a tile or belong to a batch, in programs
that each compute several tiles, and with results that are copied to memory meanwhile; and the launches that tensor maps cannot do, which other code takes over.

Prints what differs; exits with 1 if anything does. --part I/N: every N-th product, from the I-th on."""

import argparse
import itertools
import os
import sys

import torch
import triton
import triton.language as tl

import binding

EXAMPLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "matmul.py")
HERE = os.path.abspath(__file__)


@triton.jit
def batched(X, Y, Z, M, N, K, xb, xm, xk, yb, yk, yn, zb, zm, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Z[b] = X[b] @ Y[b]: the batch is a dimension of the tensors that a box has one element of."""
    batch = tl.program_id(2)
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    x = X + batch * xb + m[:, None] * xm + k[None, :] * xk
    y = Y + batch * yb + k[:, None] * yk + n[None, :] * yn
    acc = tl.zeros((BM, BN), tl.float32)
    for i in range(0, K, BK):
        a = tl.load(x, mask=(m[:, None] < M) & (i + k[None, :] < K), other=0.0)
        b = tl.load(y, mask=(i + k[:, None] < K) & (n[None, :] < N), other=0.0)
        acc = tl.dot(a, b, acc)
        x += BK * xk
        y += BK * yk
    tl.store(Z + batch * zb + m[:, None] * zm + n[None, :], acc, mask=(m[:, None] < M) & (n[None, :] < N))


def make(shape, dtype, transposed):
    """A tensor whose lines are whole multiples of 16 bytes, whatever its size."""
    rows, columns = reversed(shape) if transposed else shape
    pitch = -(-columns * dtype.itemsize // 16) * 16 // dtype.itemsize + 32 // dtype.itemsize
    data = torch.randn(max(rows, 1), pitch, device="cuda").to(dtype)[:rows, :columns]
    return data.t() if transposed else data


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", default="1/1", metavar="I/N")
    part, parts = map(int, parser.parse_args().part.split("/"))
    torch.manual_seed(0)
    ways = {"on": {"tma": "on", "persistent": "off"}, "off": {"tma": "off"}, "persistent": {"tma": "on", "persistent": "on", "async-stores": "off"},
            "stores": {"tma": "on", "persistent": "on", "async-stores": "on"}}
    ways = {way: binding.Library(options=options) for way, options in ways.items()}
    count, skipped, wrong = 0, 0, 0

    def run(path, kernel, grid, arguments, out, warps, stages, what, reference=None):
        nonlocal count, skipped, wrong
        if (count + skipped) % parts != part - 1:
            skipped += 1
            return
        results = {}
        for way, library in ways.items():
            out.fill_(7.0)
            library.launch(library.kernel(path, kernel), grid, arguments, warps, stages)
            torch.cuda.synchronize()
            results[way] = out.clone()
        count += 1
        same = all(torch.equal(result, results["off"]) for result in results.values())
        error = 0.0
        if reference is not None:
            scale = reference.double().norm().item() or 1.0
            error = (results["on"].double() - reference.double()).norm().item() / scale
        if not same or not error < 1e-2:
            wrong += 1
            print(f"DIFFERENT: {what}: equal bits {same}, relative error {error:.1e}", flush=True)

    def product(a, b):
        return a.float() @ b.float()

    blocks = [((128, 128, 64), 4, 3), ((128, 256, 64), 8, 3), ((64, 128, 32), 4, 4), ((128, 64, 128), 4, 2), ((64, 256, 32), 4, 5)]
    sizes = [(512, 512, 512), (1000, 760, 328), (129, 257, 72), (8, 16, 2048), (2048, 8, 24), (640, 640, 0), (1, 1, 1),
             (2304, 2440, 200)]
    for (block, warps, stages), (m, n, k) in itertools.product(blocks, sizes):
        for ta, tb in itertools.product((False, True), repeat=2):
            a, b = make((m, k), torch.float16, ta), make((k, n), torch.float16, tb)
            out = torch.empty(m, n, device="cuda", dtype=torch.float16)
            values = [a, b, out, m, n, k, a.stride(0), a.stride(1), b.stride(0), b.stride(1), out.stride(0), 1]
            grid = (-(-m // block[0]), -(-n // block[1]))
            what = f"{m}x{n}x{k} {'T' if ta else 'N'}{'T' if tb else 'N'} {block} warps {warps}"
            run(EXAMPLE, "matmul_kernel", grid, values + list(block), out, warps, stages, what, product(a, b))
            run(EXAMPLE, "matmul_grouped_kernel", (grid[0] * grid[1],), values + list(block) + [8, ""], out, warps, stages,
                "grouped " + what, product(a, b))
    for dtype, (ta, tb) in itertools.product((torch.bfloat16, torch.float32, torch.float8_e4m3fn), ((False, True), (True, False))):
        if dtype == torch.float8_e4m3fn and ta:
            continue
        m, n, k = 768, 520, 416
        a, b = make((m, k), dtype, ta), make((k, n), dtype, tb)
        out = torch.empty(m, n, device="cuda", dtype=torch.float32 if dtype.itemsize != 2 else dtype)
        values = [a, b, out, m, n, k, a.stride(0), a.stride(1), b.stride(0), b.stride(1), out.stride(0), 1]
        run(EXAMPLE, "matmul_kernel", (6, 5), values + [128, 128, 32], out, 4, 3, f"{dtype} {ta} {tb}", product(a, b))
    for batch in (1, 3):
        x, y = (torch.randn(batch, 272, 304, device="cuda", dtype=torch.float16) for _ in range(2))
        y = y.transpose(1, 2)
        out = torch.empty(batch, 272, 272, device="cuda", dtype=torch.float16)
        run(HERE, "batched", (3, 3, batch), [x, y, out, 272, 272, 304, *x.stride(), *y.stride(), out.stride(0), out.stride(1),
                                           128, 128, 64], out, 4, 3, f"batch {batch}", torch.bmm(x.float(), y.float()))
    # No tensor map has a stride of 0, or a negative one: other code is compiled for these launches.
    row = torch.randn(1, 256, device="cuda", dtype=torch.float16)
    b, out = make((256, 128), torch.float16, False), torch.empty(128, 128, device="cuda", dtype=torch.float16)
    run(EXAMPLE, "matmul_kernel", (1, 1), [row, b, out, 128, 128, 256, 0, 1, b.stride(0), 1, 128, 1, 128, 128, 64], out, 4, 3,
        "stride 0", product(row.expand(128, 256), b))
    print(f"{count} products, {wrong} differ from those without boxes")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
