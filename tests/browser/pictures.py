#!/usr/bin/env python3
"""Opens every kind of picture and page that the command writes in a headless browser. Usage: pictures.py TILERUN TREE [KIND...]

Each is drawn by the command as a user would, opened in light and in dark, and examined: what browser.py expects of all, the texts that this kind
has to show, and for pages what happens under the pointer and the keyboard.
"""
import pathlib
import shlex
import subprocess
import sys
import tempfile

import browser
import hover

# What each kind is drawn by; {out} is the file. Exit codes other than 0 are named.
SIGNATURE = ("a_ptr=*f16:16, b_ptr=*f16:16, c_ptr=*f16:16, M=i32:16, N=i32:16, K=i32:16, stride_am=i32:16, stride_ak=1, stride_bk=i32:16, "
             "stride_bn=1, stride_cm=i32:16, stride_cn=1, BLOCK_M=64, BLOCK_N=64, BLOCK_K=32")
KERNEL = "examples/vector_add.py::add_kernel"
REST = "x_ptr=f32[n]:randn(1) y_ptr=f32[n]:randn(2) output_ptr=f32[n]:empty n_elements=n --grid 'cdiv(n, BLOCK_SIZE)'"
WRONG = "tests/lit/tilerun/Inputs/wrong.py"


class Kind:
    def __init__(self, command, texts, formats=("svg", "html"), option="-o", code=0, check=None):
        self.command, self.texts, self.formats, self.option, self.code, self.check = command, texts, formats, option, code, check


KINDS = {
    "show": Kind(f"show {KERNEL} n=50 {REST} BLOCK_SIZE=16", ["x_ptr = float32[50]", "output_ptr = float32[50]", "a", "d"], check=hover.check_cells),
    "show-race": Kind("show tests/lit/tilerun/Inputs/access.py::overlapping x_ptr=f32[16]:ones out_ptr=f32[16]:empty BLOCK=4 --grid 3",
                      ["out_ptr = float32[16]", "!", "race: "], check=hover.check_cells),
    "show-program": Kind(f"show {KERNEL} n=50 {REST} BLOCK_SIZE=16 --program 1", ["x_ptr = float32[50]"], check=hover.check_cells),
    "layout": Kind("layout mma.m16n8.d:32x8,warps=2x1", ["w0 l0", "w1 l31"], check=hover.check_cells),
    "conversion": Kind("layout blocked:16x16,vector=4 --to mma.m16n8.d:16x16 --target cuda:sm_90a", ["w0 l0"], check=hover.check_cells),
    "memory": Kind("layout swizzled:16x16 --element f16", ["bank"], check=hover.check_cells),
    "mismatch": Kind(f"run {WRONG}::tiles M=130 N=200 out=f32[M,N]:empty BLOCK=32 --grid 'cdiv(M, BLOCK), cdiv(N, BLOCK)' --expect out=1",
                     ["1424 of 26000 elements are wrong", "E"], option="--report", code=1, check=hover.check_titles),
    "bench": Kind(f"bench {KERNEL} {REST} --vary n=2**8:2**12:*4 --vary BLOCK_SIZE=128,256 --rep 1 --warmup 1",
                  ["BLOCK_SIZE=128", "BLOCK_SIZE=256", "GB/s", "4096", "times of the interpreter"], check=hover.check_titles),
    "tune": Kind(f"tune {KERNEL} n=4096 {REST} --vary BLOCK_SIZE=128,256,2097152 --vary num_warps=1,2,4 --rep 1 --warmup 1 --no-cache",
                 ["BLOCK_SIZE", "num_warps", "* ", "times of the host"], check=hover.check_titles),
    "explain": Kind(f"explain examples/matmul.py::matmul_kernel --target cuda:sm_90a --signature '{SIGNATURE}'",
                    ["matmul_kernel for cuda:sm_90a", "acc += tl.dot(", "loop-pipelined"], formats=("html",), check=hover.check_levels),
    "explain-hip": Kind(f"explain examples/matmul.py::matmul_kernel --target hip:gfx942 --signature '{SIGNATURE}'",
                        ["matmul_kernel for hip:gfx942", "v_mfma"], formats=("html",), check=hover.check_levels),
    "explain-vulkan": Kind(f"explain examples/matmul.py::matmul_kernel --target vulkan:1.3 --signature '{SIGNATURE}'",
                           ["matmul_kernel for vulkan:1.3"], formats=("html",), check=lambda page: hover.check_levels(page, hover.ALL_TARGETS)),
}


def draw(tilerun, tree, kind, path):
    words = [tilerun, *shlex.split(kind.command), kind.option, str(path)]
    done = subprocess.run(words, cwd=tree, capture_output=True, text=True, check=False)
    if done.returncode != kind.code:
        sys.exit(f"{shlex.join(map(str, words))}\nexited with {done.returncode} instead of {kind.code}\n{done.stderr}")


def main():
    browser.require()
    tilerun, tree = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    names, wrong, count = sys.argv[3:] or KINDS, [], 0
    with tempfile.TemporaryDirectory() as folder, browser.Browser() as opened:
        for name in names:
            kind = KINDS[name]
            for form in kind.formats:
                path = pathlib.Path(folder, f"{name}.{form}")
                draw(tilerun, tree, kind, path)
                for scheme in browser.SCHEMES:
                    opened.open(path, scheme)
                    found = kind.check(opened) if form == "html" else []
                    found += browser.look(opened, scheme, kind.texts)
                    wrong += [f"{path.name}, {scheme}: {line}" for line in found]
                    count += 1
    print("\n".join(wrong) or f"{count} views of {len(names)} kinds of pictures")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
