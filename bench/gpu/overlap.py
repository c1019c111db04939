"""Launches that overlap (launch_pdl): whether they do, whether results are right, and the time
saved. Needs a GPU from sm_90 on."""

import sys

import torch

import tilerun.triton as triton
import tilerun.triton.language as tl

cuda = tl.extra.cuda
PROGRAMS, BLOCK, TRIALS, CHAIN = 32, 256, 50, 500


@triton.jit
def first(out, times, value, NANOSECONDS: tl.constexpr, B: tl.constexpr):
    pid = tl.program_id(0)
    begin = cuda.globaltimer()
    cuda.gdc_launch_dependents()
    now = begin
    while now - begin < NANOSECONDS:
        now = cuda.globaltimer()
    i = pid * B + tl.arange(0, B)
    tl.store(out + i, i + value)
    tl.store(times + pid, cuda.globaltimer())


@triton.jit
def second(x, y, times, B: tl.constexpr):
    pid = tl.program_id(0)
    tl.store(times + 2 * pid, cuda.globaltimer())
    cuda.gdc_wait()
    tl.store(times + 2 * pid + 1, cuda.globaltimer())
    i = pid * B + tl.arange(0, B)
    tl.store(y + i, tl.load(x + i) * 2)


@triton.jit
def step(x, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    cuda.gdc_wait()
    value = tl.load(x + i)
    cuda.gdc_launch_dependents()
    tl.store(x + i, value + 1)


def check_pairs(overlap):
    """A launch after one that works for 200 us: whether it began before that ended, and read what
    it wrote."""
    x, y = (torch.zeros(PROGRAMS * BLOCK, dtype=torch.int32, device="cuda") for _ in range(2))
    ends = torch.zeros(PROGRAMS, dtype=torch.int64, device="cuda")
    marks = torch.zeros(PROGRAMS, 2, dtype=torch.int64, device="cuda")
    early = right = 0
    for value in range(TRIALS):
        torch.cuda.synchronize()
        first[(PROGRAMS, )](x, ends, value, NANOSECONDS=200_000, B=BLOCK)
        second[(PROGRAMS, )](x, y, marks, B=BLOCK, launch_pdl=overlap)
        torch.cuda.synchronize()
        early += bool((marks[:, 0] < ends.min()).any())
        right += torch.equal(y, (torch.arange(PROGRAMS * BLOCK, device="cuda", dtype=torch.int32) + value) * 2)
    begins, waited = ((time - ends.max()).item() / 1e3 for time in marks.amin(dim=0))
    print(f"launch_pdl={overlap}: began before the one before it ended in {early} of {TRIALS}, right in {right}; the last one "
          f"began {begins:+.1f} us from that end, and had waited {waited:+.1f} us from it")
    return right == TRIALS and early == (TRIALS if overlap else 0)


def check_chain(overlap):
    """Launches that each need what the one before them wrote."""
    x = torch.zeros(PROGRAMS * BLOCK, dtype=torch.int32, device="cuda")
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    step[(PROGRAMS, )](x, B=BLOCK, launch_pdl=overlap)
    torch.cuda._sleep(20_000_000)  # The host is done before they begin.
    start.record()
    for _ in range(CHAIN):
        step[(PROGRAMS, )](x, B=BLOCK, launch_pdl=overlap)
    end.record()
    torch.cuda.synchronize()
    right = bool((x == CHAIN + 1).all())
    print(f"launch_pdl={overlap}: {CHAIN} launches in a chain, {start.elapsed_time(end) * 1e3 / CHAIN:.2f} us each, "
          f"{'right' if right else 'WRONG'}")
    return right


def check_graph():
    x = torch.zeros(PROGRAMS * BLOCK, dtype=torch.int32, device="cuda")
    step[(PROGRAMS, )](x, B=BLOCK, launch_pdl=True)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(20):
            step[(PROGRAMS, )](x, B=BLOCK, launch_pdl=True)
    for _ in range(10):
        graph.replay()
    torch.cuda.synchronize()
    right = bool((x == 201).all())
    print("in a CUDA graph:", "right" if right else "WRONG")
    return right


if __name__ == "__main__":
    results = [check(overlap) for check in (check_pairs, check_chain) for overlap in (False, True)] + [check_graph()]
    sys.exit(0 if all(results) else 1)
