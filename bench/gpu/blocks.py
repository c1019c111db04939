"""Programs on clusters of blocks (num_ctas), on an NVIDIA GPU: the same with one block and several, bit for bit, for products in every type and
order, with and without copies of boxes, multicast and persistent programs; within rounding for attention and rows; and kernels that cannot be divided. Then the
times of a few products. A watchdog ends the process if a launch hangs.

Prints what differs; exits with 1 if anything does."""

import faulthandler
import itertools
import os
import sys
import time

import torch
import triton
import triton.language as tl

import binding

EXAMPLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "matmul.py")
HERE = os.path.abspath(__file__)
SECONDS = 60  # For one launch with its compilation.


@triton.jit
def attention(Q, K, V, Z, L, T, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    head = tl.program_id(1) * T * D
    q = tl.load(Q + head + m[:, None] * D + d[None, :], mask=m[:, None] < T, other=0.0)
    most = tl.full((BM,), float("-inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    for start in range(0, T, BN):
        n = start + tl.arange(0, BN)
        k = tl.load(K + head + n[None, :] * D + d[:, None], mask=n[None, :] < T, other=0.0)
        s = tl.where(n[None, :] < T, tl.dot(q, k) * (1.4426950408889634 / D**0.5), float("-inf"))
        new = tl.maximum(most, tl.max(s, 1))
        p = tl.exp2(s - new[:, None])
        scale = tl.exp2(most - new)
        total = total * scale + tl.sum(p, 1)
        v = tl.load(V + head + n[:, None] * D + d[None, :], mask=n[:, None] < T, other=0.0)
        acc = tl.dot(p.to(tl.float16), v, acc * scale[:, None])
        most = new
    tl.store(Z + head + m[:, None] * D + d[None, :], (acc / total[:, None]).to(tl.float16), mask=m[:, None] < T)
    tl.store(L + tl.program_id(1) * T + m, most + tl.log2(total), mask=m < T)


@triton.jit
def rows(X, W, Z, COUNT, N, C: tl.constexpr, BM: tl.constexpr):
    """RMS norm; each program counts itself once, whatever its blocks."""
    r = tl.program_id(0) * BM + tl.arange(0, BM)
    c = tl.arange(0, C)
    x = tl.load(X + r[:, None] * C + c[None, :], mask=r[:, None] < N, other=0.0).to(tl.float32)
    scale = 1 / tl.sqrt(tl.sum(x * x, 1) / C + 1e-5)
    tl.store(Z + r[:, None] * C + c[None, :], (x * scale[:, None] * tl.load(W + c)[None, :]).to(tl.float16), mask=r[:, None] < N)
    tl.atomic_add(COUNT, tl.num_programs(0), sem="relaxed")


@triton.jit
def softmax(X, Z, C: tl.constexpr):
    """A row of one program: it cannot be divided."""
    i = tl.program_id(0) * C + tl.arange(0, C)
    x = tl.load(X + i)
    x = tl.exp(x - tl.max(x, 0))
    tl.store(Z + i, x / tl.sum(x, 0))


@triton.jit
def places(OUT, BLOCK: tl.constexpr):
    """What a program sees of the grid."""
    x, y, z = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    program = (z * tl.num_programs(1) + y) * tl.num_programs(0) + x
    i = tl.arange(0, BLOCK)
    tl.store(OUT + program * BLOCK + i, x + 100 * y + 10000 * z + 1000000 * i)


WAYS = {"plain": {"tma": "off"}, "boxes": {"tma": "on", "persistent": "off", "multicast": "off"},
        "multicast": {"tma": "on", "persistent": "off", "multicast": "on"},
        "persistent": {"tma": "on", "persistent": "on", "multicast": "off"},
        "multicast persistent": {"tma": "on", "persistent": "on", "multicast": "on"}, "auto": {}}


class Check:
    def __init__(self):
        self.libraries = {way: binding.Library(options=options) for way, options in WAYS.items()}
        self.count = self.wrong = 0

    def run(self, path, kernel, grid, arguments, outputs, what, warps=4, stages=3, reference=None, ways=WAYS, exact=True):
        """Launches with 1, 2, 4 and 8 blocks; `outputs` are zeros before each launch. Not `exact`: sums of a row may have another order."""
        for way in ways:
            expected = None
            for ctas in (1, 2, 4, 8):
                library = self.libraries[way]
                for out in outputs:
                    out.zero_()
                faulthandler.dump_traceback_later(SECONDS, exit=True)
                library.launch(library.kernel(path, kernel), grid, arguments, warps, stages, ctas)
                torch.cuda.synchronize()
                faulthandler.cancel_dump_traceback_later()
                results = [out.clone() for out in outputs]
                self.count += 1
                # Bytes, because NaN is not itself.
                same = all(torch.equal(a.view(torch.uint8), b.view(torch.uint8)) if exact else torch.allclose(a.float(), b.float(), 2e-3, 2e-3 * a.float().abs().max().item())
                           for a, b in zip(results, expected or results))
                expected = expected or results
                error = 0.0
                if reference is not None:
                    error = ((results[0].double() - reference.double()).norm() / (reference.double().norm() + 1e-30)).item()
                if not same or not error < 1e-2:
                    self.wrong += 1
                    print(f"DIFFERENT: {what}, {way}, {ctas} blocks: equal bits {same}, relative error {error:.1e}", flush=True)


def make(shape, dtype, transposed):
    """A tensor whose lines are whole multiples of 16 bytes, whatever its size."""
    lines, columns = reversed(shape) if transposed else shape
    pitch = -(-columns * dtype.itemsize // 16) * 16 // dtype.itemsize + 32 // dtype.itemsize
    data = torch.randn(max(lines, 1), pitch, device="cuda").to(dtype)[:lines, :columns]
    return data.t() if transposed else data


def check_products(check):
    blocks = [((128, 128, 64), 4, 3), ((256, 128, 64), 8, 3), ((128, 256, 32), 8, 4), ((64, 256, 64), 4, 3)]
    sizes = [(512, 512, 512), (1000, 760, 328), (8, 16, 2048), (129, 257, 72)]
    for (block, warps, stages), (m, n, k), (ta, tb) in itertools.product(blocks, sizes, ((False, False), (True, True))):
        # The first form in all ways; others as the compiler chooses.
        ways = WAYS if block == blocks[0][0] and not ta else ["auto"]
        a, b = make((m, k), torch.float16, ta), make((k, n), torch.float16, tb)
        out = torch.empty(m, n, device="cuda", dtype=torch.float16)
        values = [a, b, out, m, n, k, a.stride(0), a.stride(1), b.stride(0), b.stride(1), out.stride(0), 1]
        grid = (-(-m // block[0]), -(-n // block[1]))
        check.run(EXAMPLE, "matmul_kernel", grid, values + list(block), [out], f"{m}x{n}x{k} {ta} {tb} {block}", warps, stages,
                  a.float() @ b.float(), ways)
    for dtype, (ta, tb) in itertools.product((torch.bfloat16, torch.float32, torch.float8_e4m3fn), ((False, True), (False, False))):
        m, n, k = 768, 520, 416
        a, b = make((m, k), dtype, ta), make((k, n), dtype, tb)
        out = torch.empty(m, n, device="cuda", dtype=torch.float32 if dtype.itemsize != 2 else dtype)
        values = [a, b, out, m, n, k, a.stride(0), a.stride(1), b.stride(0), b.stride(1), out.stride(0), 1]
        check.run(EXAMPLE, "matmul_kernel", (6, 5), values + [128, 128, 32], [out], f"{dtype} {ta} {tb}", 4, 3, a.float() @ b.float(),
                  ["boxes", "multicast"], exact=dtype.itemsize > 1)


def check_others(check):
    for dim, tokens in ((64, 1000), (128, 512)):
        q, k, v = (torch.randn(6, tokens, dim, device="cuda", dtype=torch.float16) for _ in range(3))
        out, lse = torch.empty_like(q), torch.empty(6, tokens, device="cuda")
        for block, warps in ((128, 4), (256, 8)):
            check.run(HERE, "attention", (-(-tokens // block), 6), [q, k, v, out, lse, tokens, dim, block, 64], [out, lse],
                      f"attention {dim} {tokens} {block}", warps, 3,
                      torch.nn.functional.scaled_dot_product_attention(q.float(), k.float(), v.float()), exact=False)
    x, w = torch.randn(1000, 256, device="cuda", dtype=torch.float16), torch.randn(256, device="cuda")
    out, count = torch.empty_like(x), torch.zeros(4, device="cuda", dtype=torch.int32)
    check.run(HERE, "rows", (32,), [x, w, out, count, 1000, 256, 32], [out, count], "rows", ways=["auto"],
              reference=torch.nn.functional.rms_norm(x.float(), (256,), w, 1e-5), exact=False)
    if count[0].item() != 32 * 32:
        check.wrong += 1
        print(f"DIFFERENT: programs counted {count[0].item()} instead of {32 * 32}")
    x = torch.randn(64, 1024, device="cuda")
    out = torch.empty_like(x)
    check.run(HERE, "softmax", (64,), [x, out, 1024], [out], "softmax", ways=["auto"], reference=torch.softmax(x, 1))
    grid = (5, 3, 2)
    out = torch.empty(30, 1024, device="cuda", dtype=torch.int32)
    z, y, x = torch.meshgrid(*(torch.arange(size, device="cuda") for size in reversed(grid)), indexing="ij")
    expected = (x + 100 * y + 10000 * z).reshape(-1, 1) + 1000000 * torch.arange(1024, device="cuda")
    check.run(HERE, "places", grid, [out, 1024], [out], "places", ways=["auto"], reference=expected)
    if not torch.equal(out.long(), expected.to(torch.int32).long()):
        check.wrong += 1
        print("DIFFERENT: places in the grid")


def measure(libraries):
    """Milliseconds of products with 1, 2 and 4 blocks, with and without multicast: medians, in turns."""
    for m, n, k, block, warps in ((4096, 4096, 4096, (128, 256, 64), 8), (8192, 8192, 8192, (128, 256, 64), 8), (8192, 8192, 8192, (256, 256, 64), 8),
                                  (4096, 4096, 4096, (256, 128, 64), 8), (4096, 4096, 4096, (256, 256, 64), 8)):
        a, b = make((m, k), torch.float16, False), make((k, n), torch.float16, False)
        out = torch.empty(m, n, device="cuda", dtype=torch.float16)
        values = [a, b, out, m, n, k, a.stride(0), a.stride(1), b.stride(0), b.stride(1), out.stride(0), 1]
        grid = (-(-m // block[0]) * -(-n // block[1]),)
        launches, times = {}, {}
        for ctas, way in itertools.product((1, 2, 4), ("boxes", "multicast", "persistent", "multicast persistent")):
            if ctas == 1 and "multicast" in way:
                continue
            library, name = libraries[way], f"{ctas} blocks, {way}"
            launches[name] = library.prepared(library.kernel(EXAMPLE, "matmul_grouped_kernel"), grid, values + list(block) + [8, ""],
                                              warps, 3, ctas)
            faulthandler.dump_traceback_later(SECONDS, exit=True)
            try:
                launches[name]()
                torch.cuda.synchronize()
                times[name] = []
            except binding.Error as error:
                print(f"{m}x{n}x{k} {block}, {name}: {str(error).splitlines()[0][:150]}")
            faulthandler.cancel_dump_traceback_later()
        faulthandler.dump_traceback_later(SECONDS, exit=True)
        for _ in range(100):
            for name in times:
                begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
                begin.record()
                launches[name]()
                end.record()
                end.synchronize()
                times[name].append(begin.elapsed_time(end))
        faulthandler.cancel_dump_traceback_later()
        for name, each in times.items():
            median = sorted(each)[len(each) // 2]
            print(f"{m}x{n}x{k} {block}, {name}: {median:.3f} ms, {2e-9 * m * n * k / median:.0f} TFLOP/s", flush=True)


def main():
    torch.manual_seed(0)
    check = Check()
    for part in (check_others, check_products):
        start = time.time()
        part(check)
        print(f"{part.__name__}: {check.count} launches so far, {time.time() - start:.0f} s", flush=True)
    print(f"{check.count} launches, {check.wrong} differ from those with one block")
    measure(check.libraries)
    return 1 if check.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
