#!/usr/bin/env python3
"""The code of kernels for AMD GPUs beside that of Triton's own AMD backend; needs no GPU.

    bench/amd/compare.py [--arch gfx942,gfx950,gfx1100] [--only PATTERN] [--rounds N] [--page FILE] TILERUN

The interpreter that runs it must have Triton and PyTorch (the examples import it). Both compilers
get the same types, divisibilities and constants, and know that tensors are below 2 GiB, as launches
of both do; of integer arguments neither knows more. --page writes docs/results/amd-beside-triton.md,
which has the columns' meaning; without it, tables go to the standard output.
"""
import pathlib
import re
import struct
import sys

import disassembly

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench"))
import beside_triton  # noqa: E402
from beside_triton import Case, geometric_mean, pair, ratio, write_table  # noqa: E402
from beside_triton_page import Comparison  # noqa: E402

ARCHITECTURES = "gfx942,gfx950,gfx1100"

STRIDES = "stride_am=i32:16,stride_ak=1,stride_bk=i32:16,stride_bn=1,stride_cm=i32:16,stride_cn=1"
TRANSPOSED = "stride_am=i32:16,stride_ak=1,stride_bk=1,stride_bn=i32:16,stride_cm=i32:16,stride_cn=1"
ROWS = "n_rows=i32,n_cols=i32:16"
MEAN = "W=*fp16:16:small,B=*fp16:16:small,Mean=*fp32:16:small,Rstd=*fp32:16:small,stride=i32:16,N=i32:16,eps=fp32"


def product(kernel, element, result, block, strides=STRIDES):
    m, n, k = block.split("x")
    return (f"a_ptr=*{element}:16:small,b_ptr=*{element}:16:small,c_ptr=*{result}:16:small,M=i32:16,N=i32:16,K=i32:16,{strides},"
            f"BLOCK_M={m},BLOCK_N={n},BLOCK_K={k}")


def make_cases():
    examples, own = ROOT / "examples", ROOT / "bench" / "amd" / "kernels.py"

    def masked(element, block, warps, archs=None):
        name = f"masked product {block} {element.replace('fp', 'f')}, {warps} warps"
        return Case(name, examples / "matmul.py", "matmul_kernel", product("", element, "fp32", block), warps, archs)

    def plain(element, result, block, warps, archs=None, strides=STRIDES):
        how = ", B transposed" if strides == TRANSPOSED else ""
        name = f"product {block} {element.replace('fp', 'f')}{how}, {warps} warps"
        return Case(name, own, "product_kernel", product("", element, result, block, strides), warps, archs)

    def attention(rows, keys, head, warps):
        tensors = ",".join(f"{name}=*fp16:16:small" for name in ("q_ptr", "k_ptr", "v_ptr", "out_ptr"))
        return Case(f"attention {rows}x{keys}, head of {head}, {warps} warps", own, "attention_kernel",
                f"{tensors},scale=fp32,stride_head=i32:16,stride_row=i32:16,length=i32:16,BLOCK_M={rows},"
                f"BLOCK_N={keys},HEAD={head}", warps, None)

    def softmax(block, warps):
        return Case(f"softmax {block}, {warps} warps", examples / "softmax.py", "softmax_kernel",
                "output_ptr=*fp32:16:small,input_ptr=*fp32:16:small,input_row_stride=i32:16,output_row_stride=i32:16,"
                f"{ROWS},BLOCK_SIZE={block}", warps, None)

    def norm(block, warps):
        return Case(f"layer norm {block} f16, {warps} warps", examples / "layer_norm.py", "layer_norm_fwd_kernel",
                f"X=*fp16:16:small,Y=*fp16:16:small,{MEAN},BLOCK_SIZE={block}", warps, None)

    def add(block, warps):
        return Case(f"vector add {block}, {warps} warps", examples / "vector_add.py", "add_kernel",
                f"x_ptr=*fp32:16:small,y_ptr=*fp32:16:small,output_ptr=*fp32:16:small,n_elements=i32:16,BLOCK_SIZE={block}", warps, None)

    return [
        add(1024, 4), softmax(1024, 4), softmax(4096, 8), norm(1024, 4), norm(4096, 8),
        masked("fp16", "64x64x32", 4), masked("fp16", "128x128x64", 4), masked("fp16", "128x128x64", 8),
        plain("fp16", "fp32", "64x64x64", 4), plain("fp16", "fp32", "128x128x64", 4),
        plain("fp16", "fp32", "128x128x64", 8), plain("fp16", "fp32", "128x128x32", 4, strides=TRANSPOSED),
        plain("bf16", "fp32", "128x128x32", 4), plain("bf16", "fp32", "128x128x64", 8),
        plain("fp8e4nv", "fp32", "128x128x64", 4, ("gfx950",)), plain("fp8e4nv", "fp32", "128x128x128", 8, ("gfx950",)),
        plain("i8", "i32", "64x64x64", 4), plain("i8", "i32", "128x128x64", 8),
        plain("fp32", "fp32", "64x64x32", 4), plain("fp32", "fp32", "128x64x32", 8),
        attention(64, 64, 64, 4), attention(128, 64, 64, 4), attention(128, 64, 128, 8),
    ]


#===----------------------------------------------------------------------===#
# Measuring
#===----------------------------------------------------------------------===#


def read_code_bytes(elf):
    """The size of the one function of a 64-bit ELF file."""
    table, = struct.unpack_from("<Q", elf, 0x28)
    entry, count = struct.unpack_from("<HH", elf, 0x3A)
    for i in range(count):
        _, kind, _, _, start, size = struct.unpack_from("<IIQQQQ", elf, table + i * entry)
        if kind != 11:  # SHT_DYNSYM
            continue
        for symbol in range(start, start + size, 24):
            _, info, _, _, _, code_bytes = struct.unpack_from("<IBBHQQ", elf, symbol)
            if info & 15 == 2:  # STT_FUNC
                return code_bytes
    raise SystemExit("a code object has no function")


def measure(assembly, code_object, seconds, shared=None):
    """The figures of a kernel; `shared` replaces the metadata's LDS bytes."""
    def field(name):
        found = re.search(rf"^\s*\.{name}:\s*(\d+)", assembly, re.M)
        return int(found[1]) if found else 0

    counts, is_loop = disassembly.count_inner_loop(assembly)
    return {"registers": field("vgpr_count"), "AGPRs": field("agpr_count"), "spills": field("vgpr_spill_count"),
            "LDS": field("group_segment_fixed_size") if shared is None else shared,
            "code": read_code_bytes(code_object), "loop": is_loop, "counts": counts, "seconds": seconds}


class Tilerun(beside_triton.Tilerun):
    def compile(self, arch, case):
        """Assembly and code object, each by a process of its own."""
        assembly, _ = self.emit(f"hip:{arch}", case, "amdgcn")
        code, seconds = self.emit(f"hip:{arch}", case, "hsaco")
        return measure(assembly.decode(), code, seconds)


class Triton(beside_triton.Triton):
    def __init__(self, folder):
        super().__init__(folder)
        # The first one of a process takes longer.
        for arch in ARCHITECTURES.split(","):
            self.compile(arch, make_cases()[0])

    def compile(self, arch, case):
        compiled, own, others = self.build("hip", arch, 64 if arch.startswith("gfx9") else 32, case)
        return measure(compiled.asm["amdgcn"], compiled.asm["hsaco"], own + others, compiled.metadata.shared)


#===----------------------------------------------------------------------===#
# Tables
#===----------------------------------------------------------------------===#

WHOLE = [("VGPR+AGPR", lambda f: f"{f['registers'] - f['AGPRs']}+{f['AGPRs']}"), ("spills", lambda f: f["spills"]),
         ("LDS bytes", lambda f: f["LDS"]), ("code bytes", lambda f: f["code"]),
         ("compile time", lambda f: f"{f['seconds']:.2f} s")]
COUNTS = ["VALU", "LDS reads", "LDS writes", "VMEM", "waits", "barriers", "128-bit"]
INNER = [("instructions", lambda f: f["counts"]["all"]),
         ("matrix (share)", lambda f: f"{f['counts']['matrix']} ({f['counts']['matrix'] / f['counts']['all']:.0%})"
          if f["counts"]["matrix"] else "0"),
         *((name, lambda f, name=name: f["counts"][name]) for name in COUNTS)]


def instruction_ratio(both):
    """Of inner loops, for the same number of multiply-adds."""
    own, other = both["Tilerun"]["counts"], both["Triton"]["counts"]
    work = other["multiply-adds"] / own["multiply-adds"] if own["multiply-adds"] and other["multiply-adds"] else 1
    return own["all"] * work / other["all"]


def write_tables(results, archs, out):
    for arch in archs:
        rows = [(name, both) for (a, name), both in results.items() if a == arch]
        if not rows:
            continue
        print(f"\n## {arch}\n", file=out)
        for title, columns in (("the kernel", WHOLE), ("its inner loop", INNER)):
            names = [name for name, _ in columns] + (["ratio"] if columns is INNER else [])
            lines = []
            for name, both in rows:
                cells = [pair(both, show) for _, show in columns]
                if columns is INNER:
                    cells.append(f"{instruction_ratio(both):.2f}")
                loop = "" if columns is WHOLE or both["Tilerun"]["loop"] else " (no loop)"
                lines.append([name + loop, *cells])
            write_table([title, *names], lines, out)
            print(file=out)


def more_spills(group):
    return f"{sum(both['Tilerun']['spills'] > both['Triton']['spills'] for both in group)} of {len(group)}"


def of_kernels(of, wants_matrix=None):
    def value(group):
        ratios = [of(both) for both in group if wants_matrix is None or bool(both["Triton"]["counts"]["matrix"]) == wants_matrix]
        return f"{geometric_mean(ratios):.2f}" if ratios else "–"

    return value


class AmdComparison(Comparison):
    title = "AMD code beside Triton's compiler"
    script = "bench/amd/compare.py"
    architectures = ARCHITECTURES
    tilerun, triton = Tilerun, Triton
    make_cases, write_tables = staticmethod(make_cases), staticmethod(write_tables)

    def goals(self):
        return [("kernels with more spills than Triton's", "0", more_spills),
                ("instructions of the inner loop", "≤ 1.00", of_kernels(instruction_ratio)),
                ("… with matrix instructions", "", of_kernels(instruction_ratio, True)),
                ("… without", "", of_kernels(instruction_ratio, False)),
                ("compile time", "≤ 0.50", of_kernels(lambda both: ratio(both, "seconds")))]

    def describe(self, rounds, is_kept):
        kept = "Figures of Triton were kept from an earlier run (`--triton`).\n" if is_kept else ""
        return f"""Kernels are those of `examples/` and `bench/amd/kernels.py`, compiled by both with the same knowledge of their arguments (all tensors are below 2 GiB) and two stages.
Registers, spills and LDS bytes are those of the code object's note; code bytes are those of the function. A compile time is the least
processor time of {rounds}, in random order: of Tilerun's command for a code object, less that of `--version`; of `triton.compile` in a process that has
compiled before.

The inner loop is the innermost one with matrix instructions, else the longest innermost one, found by the backward branches of the assembly; where
there is no loop, it is the whole kernel. Its ratio is for equal numbers of multiply-adds. 128-bit accesses are those of LDS and of global memory.
{kept}None of this is a time, which only a device gives."""


if __name__ == "__main__":
    AmdComparison().main(__doc__)
