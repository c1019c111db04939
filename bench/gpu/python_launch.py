"""Host time of a warm launch from Python, beside Triton's in the same process: 2,000 launches of vector addition on an
idle stream, by rounds; the median round counts. The driver's own part (cuLaunchKernel) is in both."""

import statistics
import time

import torch

import tilerun.triton as ours
import tilerun.triton.language as tl

ROUNDS, LAUNCHES = 30, 200


@ours.jit
def add(x_ptr, y_ptr, output_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    tl.store(output_ptr + offsets, tl.load(x_ptr + offsets, mask=mask) + tl.load(y_ptr + offsets, mask=mask), mask=mask)


def measure(launch):
    for _ in range(20):
        launch()
    times = []
    for _ in range(ROUNDS):
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(LAUNCHES):
            launch()
        times.append((time.perf_counter() - start) / LAUNCHES)
    return statistics.median(times) * 1e6


def main():
    x, y = torch.randn(1024, device="cuda"), torch.randn(1024, device="cuda")
    out = torch.empty_like(x)
    print(f"call without a kernel: {measure(lambda: None):.2f} us")
    print(f"tilerun, grid as a tuple: {measure(lambda: add[(1, )](x, y, out, 1024, BLOCK_SIZE=1024)):.2f} us")
    torch.testing.assert_close(out, x + y)
    grid = lambda meta: (ours.cdiv(1024, meta["BLOCK_SIZE"]), )
    print(f"tilerun, grid as a function: {measure(lambda: add[grid](x, y, out, 1024, BLOCK_SIZE=1024)):.2f} us")
    try:
        import triton
        import python_launch_triton
    except ImportError:
        print("triton: not run: it is not installed")
        return
    theirs = triton.jit(python_launch_triton.add)
    print(f"triton {triton.__version__}, grid as a tuple: "
          f"{measure(lambda: theirs[(1, )](x, y, out, 1024, BLOCK_SIZE=1024)):.2f} us")
    torch.testing.assert_close(out, x + y)


if __name__ == "__main__":
    main()
