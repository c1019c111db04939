#!/usr/bin/env python3
"""Captures launches of all kinds (`launch_ways.py`) into CUDA graphs, and replays them with other inputs: each alone, all of them in
one graph one after the other, and on another stream. Tuning inside of a capture is an error that says what to do, and leaves
the process usable. Needs a GPU and PyTorch; exit code 1 if anything is wrong."""

import sys

import torch

import tilerun.triton as triton
import tilerun.triton.language as tl
from launch_ways import CONFIGS, LAUNCHES

N = 1024
failures = 0


def report(name, is_right):
    global failures
    failures += not is_right
    print(f"{name:58}{'ok' if is_right else 'WRONG'}", flush=True)


def make_inputs():
    return torch.randn(N, device="cuda"), torch.randn(N, device="cuda")


def replay(graph, x, y, outs):
    """Whether replays compute with what the tensors have by then."""
    is_right = True
    for _ in range(3):
        for tensor, fresh in zip((x, y), make_inputs()):
            tensor.copy_(fresh)
        for out in outs:
            out.fill_(float("nan"))
        graph.replay()
        torch.cuda.synchronize()
        is_right &= all(torch.equal(out, x + y) for out in outs)
    return is_right


def check_each(x, y):
    for name, launch in LAUNCHES.items():
        out = torch.empty_like(x)
        launch(x, y, out, N)  # Compiles and tunes.
        torch.cuda.synchronize()
        out.zero_()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            launch(x, y, out, N)
        torch.cuda.synchronize()
        report(f"{name}: nothing runs during the capture", not out.any())
        report(f"{name}: replays", replay(graph, x, y, [out]))


def check_together(x, y):
    outs = [torch.empty_like(x) for _ in LAUNCHES]
    stream, graph = torch.cuda.Stream(), torch.cuda.CUDAGraph()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.graph(graph, stream=stream):
        for launch, out in zip(LAUNCHES.values(), outs):
            launch(x, y, out, N)
    report("all in one graph, on another stream", replay(graph, x, y, outs))


def check_dependent(x, y):
    """Each launch reads what the one before it wrote."""
    first, second = torch.empty_like(x), torch.empty_like(x)
    launches, graph = list(LAUNCHES.values()), torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        launches[0](x, y, first, N)
        for launch in launches[1:]:
            launch(first, y, second, N)
            first, second = second, first
    graph.replay()
    torch.cuda.synchronize()
    expected = x + y
    for _ in launches[1:]:
        expected = expected + y
    report("a chain of launches", torch.equal(first, expected))


@triton.autotune(CONFIGS, key=["n_elements"], warmup=1, rep=5)
@triton.jit
def tuned_alone(x_ptr, y_ptr, output_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    tl.store(output_ptr + offsets, tl.load(x_ptr + offsets, mask=mask) + tl.load(y_ptr + offsets, mask=mask), mask=mask)


def check_tuning(x, y):
    out = torch.empty_like(x)
    said = ""
    try:
        with torch.cuda.graph(torch.cuda.CUDAGraph()):
            tuned_alone[(1, )](x, y, out, N)
    except triton.runtime.AutotunerError as error:
        said = str(error)
    report("tuning during a capture is an error that says what to do", "before the capture begins" in said)
    tuned_alone[(1, )](x, y, out, N)
    torch.cuda.synchronize()
    report("afterwards it is tuned", torch.equal(out, x + y) and len(tuned_alone.cache) == 1)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        tuned_alone[(1, )](x, y, out, N)
    report("and captured", replay(graph, x, y, [out]))


def main():
    x, y = make_inputs()
    for check in (check_each, check_together, check_dependent, check_tuning):
        check(x, y)
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
