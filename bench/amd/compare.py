#!/usr/bin/env python3
"""What kernels of examples/ need on AMD GPUs, beside the same kernels from Triton's compiler; needs no GPU.

    bench/amd/compare.py [--arch gfx942,gfx1100] [--only PATTERN] TILERUN

The interpreter that runs it must have Triton and PyTorch (the examples import it). Both compilers
get the same types, divisibilities and constants; of integer arguments neither knows more. Registers
(both files together), spills, LDS and scratch bytes are those of the assembly's metadata; code is
the size of the function; matrix, LDS, global and barrier are instructions in the text, not in time.
"""
import argparse
import fnmatch
import importlib.util
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
COLUMNS = "VGPR+AGPR,spills,LDS,scratch,code,matrix,LDS reads,LDS writes,global,barriers".split(",")
STRIDES = "stride_am=i32:16,stride_ak=1,stride_bk=i32:16,stride_bn=1,stride_cm=i32:16,stride_cn=1"
MATMUL = "a_ptr=*fp16:16,b_ptr=*fp16:16,c_ptr=*{0}:16,M=i32:16,N=i32:16,K=i32:16," + STRIDES

# name, file, kernel, signature, num_warps, num_stages
CASES = [
    ("vector add 1024", "vector_add.py", "add_kernel",
     "x_ptr=*fp32:16,y_ptr=*fp32:16,output_ptr=*fp32:16,n_elements=i32:16,BLOCK_SIZE=1024", 4, 2),
    ("softmax 1024", "softmax.py", "softmax_kernel",
     "output_ptr=*fp32:16,input_ptr=*fp32:16,input_row_stride=i32:16,output_row_stride=i32:16,n_rows=i32,n_cols=i32:16,"
     "BLOCK_SIZE=1024", 4, 2),
    ("layer norm 1024 f16", "layer_norm.py", "layer_norm_fwd_kernel",
     "X=*fp16:16,Y=*fp16:16,W=*fp16:16,B=*fp16:16,Mean=*fp32:16,Rstd=*fp32:16,stride=i32:16,N=i32:16,eps=fp32,"
     "BLOCK_SIZE=1024", 4, 2),
    ("product 64x64x32 f16, 4 warps", "matmul.py", "matmul_kernel",
     MATMUL.format("fp32") + ",BLOCK_M=64,BLOCK_N=64,BLOCK_K=32", 4, 2),
    ("product 128x128x64 f16, 4 warps", "matmul.py", "matmul_kernel",
     MATMUL.format("fp32") + ",BLOCK_M=128,BLOCK_N=128,BLOCK_K=64", 4, 2),
    ("product 128x128x64 f16, 8 warps", "matmul.py", "matmul_kernel",
     MATMUL.format("fp32") + ",BLOCK_M=128,BLOCK_N=128,BLOCK_K=64", 8, 2),
]


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


def measure(assembly, code_object, shared=None):
    """The row of a kernel; `shared` replaces the metadata's LDS bytes."""
    def field(name):
        found = re.search(rf"^\s*\.{name}:\s*(\d+)", assembly, re.M)
        return int(found[1]) if found else 0

    def count(pattern):
        return len(re.findall(rf"^\s+(?:{pattern})", assembly, re.M))

    agprs = field("agpr_count")
    return [f"{field('vgpr_count') - agprs}+{agprs}", field("vgpr_spill_count"),
            field("group_segment_fixed_size") if shared is None else shared, field("private_segment_fixed_size"),
            read_code_bytes(code_object), count("v_mfma|v_wmma|v_swmmac"), count("ds_read|ds_load"),
            count("ds_write|ds_store"), count("global_load|global_store|buffer_load|buffer_store"),
            count(r"s_barrier\b|s_barrier_wait")]


def ask_tilerun(tilerun, arch, case, folder):
    _, file, kernel, signature, warps, stages = case
    base = [tilerun, "compile", f"{ROOT}/examples/{file}::{kernel}", "--signature", signature, "--target", f"hip:{arch}",
            "--num-warps", str(warps), "--num-stages", str(stages), "--no-line-info"]
    out = {}
    for phase in ("amdgcn", "hsaco"):
        path = folder / phase
        subprocess.run([*base, "--emit", phase, "-o", str(path)], check=True)
        out[phase] = path.read_bytes()
    return measure(out["amdgcn"].decode(), out["hsaco"])


def ask_triton(arch, case):
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource
    _, file, kernel, signature, warps, stages = case
    spec = importlib.util.spec_from_file_location(file[:-3], ROOT / "examples" / file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    types, constants, attributes = {}, {}, {}
    names = getattr(module, kernel).arg_names
    given = dict(word.split("=") for word in signature.split(","))
    for i, name in enumerate(names):
        kind, _, divisibility = given[name].partition(":")
        if kind.lstrip("-").isdigit():
            types[name], constants[name] = "constexpr", int(kind)
            continue
        types[name] = kind
        if divisibility:
            attributes[(i,)] = [["tt.divisibility", int(divisibility)]]
    target = GPUTarget("hip", arch, 64 if arch.startswith("gfx9") else 32)
    source = ASTSource(fn=getattr(module, kernel), signature=types, constexprs=constants, attrs=attributes)
    compiled = triton.compile(source, target=target, options={"num_warps": warps, "num_stages": stages})
    return measure(compiled.asm["amdgcn"], compiled.asm["hsaco"], compiled.metadata.shared)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tilerun")
    parser.add_argument("--arch", default="gfx942,gfx1100")
    parser.add_argument("--only", default="*", help="pattern of names, such as 'product*'")
    options = parser.parse_args()
    cases = [case for case in CASES if fnmatch.fnmatch(case[0], options.only)]
    if not cases:
        sys.exit(f"no kernel matches '{options.only}'; there are {', '.join(case[0] for case in CASES)}")
    for arch in options.arch.split(","):
        print(f"| {arch} | compiler | {' | '.join(COLUMNS)} |")
        print("|---" * (len(COLUMNS) + 2) + "|")
        for case in cases:
            with tempfile.TemporaryDirectory() as folder:
                rows = {"Tilerun": ask_tilerun(options.tilerun, arch, case, pathlib.Path(folder)),
                        "Triton": ask_triton(arch, case)}
            for compiler, row in rows.items():
                print(f"| {case[0]} | {compiler} | {' | '.join(map(str, row))} |", flush=True)
        print()


if __name__ == "__main__":
    main()
