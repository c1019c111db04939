#!/usr/bin/env python3
"""Time until autotuned kernels are ready from a cold cache, by the number of threads that compile configurations.

    bench/tune/cold.py BUILD [--device cuda:0] [--threads 1,2,16] [--repeat 3]
    bench/tune/cold.py BUILD --fake
    bench/tune/cold.py BUILD --script SCRIPT.py [ARGUMENT…]

Each measurement is a process of its own with empty caches, the driver's among them. Measured are the first launches of the
kernels in kernels.py, one after another: compiling, loading and measuring all configurations, without the start of Python. --fake
does so over the fake CUDA driver of the tests: everything is compiled to PTX as for a GPU, and nothing is measured. With --script,
which needs a GPU, it is the time of a whole program under `python -m tilerun`. BUILD is build/dev, or a bundle. Numbers of threads
mean cores that are free: on a busy machine more threads only wait for each other."""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent

CHILD = """
import json, sys, time
import tilerun
tilerun.install()
sys.path.insert(0, sys.argv[1])
import kernels
place = lambda array: array
if sys.argv[2] == "fake":
    from tilerun import _memory, _native
    _native.open_device(_memory.CUDA, 0, "cuda:0", 0, 0)
    place = lambda array: _memory.Pointer(_native.allocate(_memory.CUDA, 0, array.nbytes), "fp16", _memory.CUDA, 0)
out = {}
for name, (kernel, launch) in kernels.make_launches(place).items():
    if sys.argv[2] == "fake":  # All are compiled before it is called.
        kernel.do_bench = lambda call, quantiles: 1.0
    begin = time.perf_counter()
    launch()
    out[name] = dict(seconds=time.perf_counter() - begin, configs=len(kernel.configs), works=len(kernel.configs_timings),
                     best=str(kernel.best_config))
print(json.dumps(out))
"""


def find_package(build):
    for folder in (build / "python", build / "lib/tilerun/python"):
        if (folder / "tilerun").is_dir():
            return folder
    sys.exit(f"cold.py: {build} has no Python package; give a build folder or a bundle")


def make_environment(arguments, threads, folder):
    environment = dict(os.environ, PYTHONPATH=str(find_package(arguments.build)), TILERUN_COMPILE_THREADS=str(threads),
                       TILERUN_CACHE_DIR=f"{folder}/tilerun", CUDA_CACHE_PATH=f"{folder}/cuda")
    if arguments.fake:
        driver = arguments.build / "tests/plugins/cuda/libfakecuda.so"
        if not driver.exists():
            sys.exit(f"cold.py: --fake needs {driver}, which the target tilerun_fake_cuda builds")
        environment["TILERUN_CUDA_DRIVER"] = str(driver)
    elif not arguments.script:
        environment["TILERUN_DEVICE"] = arguments.device
    return environment


def measure(arguments, threads):
    """Results by kernel, or {"script": …}."""
    with tempfile.TemporaryDirectory() as folder:
        environment = make_environment(arguments, threads, folder)
        if arguments.script:
            begin = os.times().elapsed
            subprocess.run([sys.executable, "-m", "tilerun", *arguments.script], env=environment, check=True, stdout=sys.stderr)
            return {"script": dict(seconds=os.times().elapsed - begin, configs=0, works=0, best="")}
        done = subprocess.run([sys.executable, "-c", CHILD, str(HERE), "fake" if arguments.fake else "real"], env=environment, check=True, stdout=subprocess.PIPE)
        return json.loads(done.stdout.splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path, metavar="BUILD")
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--fake", action="store_true", help="over the fake CUDA driver")
    parser.add_argument("--threads", default=f"1,{os.cpu_count()}", help="numbers of threads (default: 1 and all cores)")
    parser.add_argument("--repeat", type=int, default=3, help="processes for each number; the median counts")
    parser.add_argument("--script", nargs=argparse.REMAINDER, help="a program instead of kernels.py, with its arguments; last")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    arguments.build = arguments.build.resolve()
    counts = [int(count) for count in arguments.threads.split(",")]
    runs = {count: [] for count in counts}
    for _ in range(arguments.repeat):  # In turns, so that the machine's load changes all alike.
        for count in counts:
            runs[count].append(measure(arguments, count))
    names = list(runs[counts[0]][0])
    seconds = {name: [statistics.median(run[name]["seconds"] for run in runs[count]) for count in counts] for name in names}
    if arguments.json:
        print(json.dumps(dict(threads=counts, seconds=seconds, runs={str(k): v for k, v in runs.items()})))
        return
    print(f"{'kernel':<12} {'configs':>8} " + " ".join(f"{f'{count} thread' + 's' * (count > 1):>11}" for count in counts) +
          f" {'speed-up':>9}")
    total = [sum(column) for column in zip(*seconds.values())]
    for name, row in [*seconds.items(), ("all", total)]:
        one = runs[counts[0]][0].get(name, {})
        works = f"{one['works']}/{one['configs']}" if one.get("configs") else ""
        print(f"{name:<12} {works:>8} " + " ".join(f"{value:>9.2f} s" for value in row) + f" {row[0] / row[-1]:>8.2f}x")


if __name__ == "__main__":
    main()
