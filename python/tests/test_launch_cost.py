"""The cost of a warm launch on the host, without the driver: instructions counted by valgrind, and time as a multiple of a
Python call that does nothing with the same arguments. On the fake CUDA driver, which returns at once, and with tensors of
the tests' own, which are read as torch's are."""

import os
import shutil
import sys
import textwrap

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
BENCH = os.path.join(os.path.dirname(os.path.dirname(HERE)), "bench", "gpu")

# Instructions of one launch with three tensors and two numbers, without the driver's and torch's, and those of a call that does
# nothing: 2,470 with Debian's Python 3.11, of which releasing and taking the interpreter's lock are 500, and two look-ups in
# os.environ's dict (settings apply from the next launch) 230. An H200's host does 1,000 in about 0.17 us. In an environment of
# its own: which other variables there are decides how often the look-ups collide, and each time costs 25 instructions.
MOST_INSTRUCTIONS = 2530
OWN_ENVIRONMENT = "PATH", "PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "TILERUN_CACHE_DIR", "TILERUN_BUILD"
NOT_OURS = "cuLaunchKernel", "cuCtxGetCurrent", "aoti_torch_"
# On a machine where calling a function with five arguments takes 0.06 us and the driver takes 2.9
# us, 4 us would be 18. A third of that is usual, and the fake driver takes half of it. One look-up
# by name in Python code costs 1.
MOST_CALLS = 14

# The same for autotuned launches by name, whose choice is known, and for launches that are autotuned and pass two functions of
# heuristics: 5,640 and 10,670, of which 300 are a call that the script adds. `ways` of the script are those of bench/gpu/launch_ways.py.
MOST_OF_WAYS = {"autotuned, by name": 5900, "autotuned, heuristics": 11000}

SCRIPT = """
import ctypes
import sys
import time
sys.path[:0] = [{tests!r}, {bench!r}]
import stand_ins
stand_ins.start()
from launch_ways import LAUNCHES, add

x, y, z = (stand_ins.make("float32") for _ in range(3))
grid = lambda meta: (1, )

def nothing(out, a, b, n, BLOCK_SIZE):
    return None

empty = lambda: nothing(x, y, z, 128, BLOCK_SIZE=128)
launch = lambda: add[(1, )](x, y, z, 128, BLOCK_SIZE=128)
function = lambda: add[grid](x, y, z, 128, BLOCK_SIZE=128)
ways = {{"empty": empty, "launch": launch, **{{name: lambda way=way: way(x, y, z, 1024) for name, way in LAUNCHES.items()}}}}
"""


def make_script(tmp_path, text):
    script = tmp_path / "cost.py"
    script.write_text(SCRIPT.format(tests=HERE, bench=BENCH) + textwrap.dedent(text))
    return script


def read_profile(path):
    """(all instructions, those of the driver's and torch's functions) of a file of callgrind's."""
    total = others = 0
    callee = called = None
    with open(path) as file:
        for line in file:
            if line.startswith(("summary:", "totals:")):
                total = int(line.split()[1])
            elif line.startswith("cfn="):
                callee = line[4:].strip()
            elif line.startswith("calls="):
                called = callee
            elif called and line[:1].isdigit():
                others += int(line.split()[1]) if called.startswith(NOT_OURS) else 0
                called = None
    return total, others


def test_instructions(run_python, tmp_path):
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        pytest.skip("valgrind, which counts instructions, is not installed")
    count = 400
    script = make_script(
        tmp_path, f"""
        way = ways[sys.argv[1]]
        for _ in range(50):
            way()
        assert stand_ins.torch.fakeTorchMeasure(ctypes.py_object(way), {count}) == 0
        """)
    counted = {}
    for way in ("empty", "launch", *MOST_OF_WAYS):
        path = tmp_path / way.replace(" ", "-")
        run_python(script, way)  # Compiles and tunes, which takes valgrind long.
        kept = [f"{name}={os.environ[name]}" for name in OWN_ENVIRONMENT if name in os.environ]
        run_python(script, way, program=[
            "env", "-i", *kept, "PYTHONHASHSEED=0", valgrind, "--tool=callgrind",
            f"--callgrind-out-file={path}", "--toggle-collect=fakeTorchLoop", "--compress-strings=no", "--compress-pos=no",
            sys.executable
        ])
        total, others = read_profile(path)
        assert total and (others > 0) == (way != "empty")
        counted[way] = (total - others) / count
    taken = counted["launch"] - counted["empty"]
    print(f"a warm launch takes {taken:.0f} instructions above a call that does nothing ({counted['empty']:.0f})")
    assert taken < MOST_INSTRUCTIONS
    for way, most in MOST_OF_WAYS.items():
        taken = counted[way] - counted["empty"]
        print(f"{way}: {taken:.0f}")
        assert taken < most, way


def test_against_a_call_that_does_nothing(run_python, tmp_path):
    script = make_script(
        tmp_path, """
        def measure(call, count=2000, rounds=25):
            call()
            best = float("inf")
            for _ in range(rounds):
                start = time.perf_counter()
                for _ in range(count):
                    call()
                best = min(best, (time.perf_counter() - start) / count)
            return best

        ways = [measure(way) for way in (empty, launch, function)]
        print(ways[1] / ways[0], ways[2] / ways[0], ways[1] * 1e6, ways[0] * 1e6)
        """)
    done = run_python(script)
    launch, function, microseconds, empty = map(float, done.stdout.split())
    print(f"a warm launch is {launch:.1f} calls ({microseconds:.2f} us, a call {empty:.3f} us); {function:.1f} with a "
          "grid function")
    assert launch < MOST_CALLS and function < 2 * MOST_CALLS
