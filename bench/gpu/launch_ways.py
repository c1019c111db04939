"""The ways in which host code launches kernels: plain, by keywords, autotuned, through heuristics. `python_launch.py` measures
them, `graphs.py` captures them. Each adds two tensors; `LAUNCHES` has a function for each, which takes (x, y, out, n)."""

import tilerun.triton as triton
import tilerun.triton.language as tl

CONFIGS = [triton.Config({"BLOCK_SIZE": size}, num_warps=warps) for size, warps in ((1024, 4), (2048, 4), (1024, 8))]
HEURISTICS = {"IS_WHOLE": lambda args: args["n_elements"] % args["BLOCK_SIZE"] == 0,
              "HAS_SCALE": lambda args: args["scale"] is not None}


@triton.jit
def add(x_ptr, y_ptr, output_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    tl.store(output_ptr + offsets, tl.load(x_ptr + offsets, mask=mask) + tl.load(y_ptr + offsets, mask=mask), mask=mask)


@triton.jit
def add_whole(x_ptr, y_ptr, output_ptr, n_elements, scale, BLOCK_SIZE: tl.constexpr, IS_WHOLE: tl.constexpr,
              HAS_SCALE: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    if IS_WHOLE:
        total = tl.load(x_ptr + offsets) + tl.load(y_ptr + offsets)
        tl.store(output_ptr + offsets, total * scale if HAS_SCALE else total)
    else:
        mask = offsets < n_elements
        total = tl.load(x_ptr + offsets, mask=mask) + tl.load(y_ptr + offsets, mask=mask)
        tl.store(output_ptr + offsets, total * scale if HAS_SCALE else total, mask=mask)


tuned = triton.autotune(CONFIGS, key=["n_elements"], warmup=1, rep=5)(add)
guided = triton.heuristics(HEURISTICS)(add_whole)
tuned_guided = triton.autotune(CONFIGS, key=["n_elements"], warmup=1, rep=5)(guided)


def count_programs(meta):
    return (-(-meta["n_elements"] // meta["BLOCK_SIZE"]), )


def _keywords(kernel):
    return lambda x, y, out, n: kernel[(1, )](x_ptr=x, y_ptr=y, output_ptr=out, n_elements=n)


LAUNCHES = {
    "plain": lambda x, y, out, n: add[(1, )](x, y, out, n, 1024),
    "meta-parameter by name": lambda x, y, out, n: add[(1, )](x, y, out, n, BLOCK_SIZE=1024),
    "all by name, options": lambda x, y, out, n: add[(1, )](x_ptr=x, y_ptr=y, output_ptr=out, n_elements=n, BLOCK_SIZE=1024,
                                                             num_warps=8),
    "grid function": lambda x, y, out, n: add[count_programs](x, y, out, n, BLOCK_SIZE=1024),
    "autotuned": lambda x, y, out, n: tuned[(1, )](x, y, out, n),
    "autotuned, by name": _keywords(tuned),
    "autotuned, grid function": lambda x, y, out, n: tuned[count_programs](x, y, out, n),
    "heuristics": lambda x, y, out, n: guided[(1, )](x, y, out, n, None, BLOCK_SIZE=1024),
    "autotuned, heuristics": lambda x, y, out, n: tuned_guided[(1, )](x, y, out, n, None),
    "autotuned, heuristics, by name, grid function":
    lambda x, y, out, n: tuned_guided[count_programs](x_ptr=x, y_ptr=y, output_ptr=out, n_elements=n, scale=None),
}
