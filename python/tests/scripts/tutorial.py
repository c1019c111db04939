"""A script as users write them, for test_examples.py: sys.argv[1] is a folder for the report."""

import sys

import torch

import triton
import triton.language as tl

DEVICE = torch.device("cuda")


@triton.autotune(configs=[triton.Config({"BLOCK": block}, num_warps=warps) for block, warps in ((64, 2), (128, 4))],
                 key=["n"], reset_to_zero=["out"])
@triton.heuristics({"EVEN": lambda args: args["n"] % args["BLOCK"] == 0})
@triton.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if EVEN:
        tl.store(out + i, tl.load(x + i) + tl.load(y + i))
    else:
        tl.store(out + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)


def add(x, y):
    out = torch.empty_like(x)
    assert x.device == y.device == out.device
    n = out.numel()
    add_kernel[lambda meta: (triton.cdiv(n, meta["BLOCK"]), )](x, y, out, n)
    return out


@triton.testing.perf_report(
    triton.testing.Benchmark(x_names=["size"], x_vals=[2**i for i in range(6, 9)], x_log=True, line_arg="provider",
                             line_vals=["tilerun", "torch"], line_names=["Tilerun", "Torch"],
                             styles=[("blue", "-"), ("green", "--")], ylabel="GB/s",
                             plot_name="vector-add-performance", args={}))
def benchmark(size, provider):
    x, y = torch.rand(size, device=DEVICE), torch.rand(size, device=DEVICE)
    quantiles = [0.5, 0.2, 0.8]
    function = {"tilerun": lambda: add(x, y), "torch": lambda: x + y}[provider]
    ms, low, high = triton.testing.do_bench(function, warmup=1, rep=2, quantiles=quantiles)
    rate = lambda ms: 3 * x.numel() * x.element_size() * 1e-9 / (ms * 1e-3)
    return rate(ms), rate(high), rate(low)


if __name__ == "__main__":
    torch.manual_seed(0)
    for size in (98, 128, 1000):
        x, y = torch.rand(size, device=DEVICE), torch.rand(size, device=DEVICE)
        torch.testing.assert_close(add(x, y), x + y)
    assert triton.__name__ == "tilerun.triton"
    print("args:", sys.argv[2:])
    benchmark.run(print_data=True, show_plots=False, save_path=sys.argv[1])
