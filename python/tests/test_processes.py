"""Threads, forks and signals."""

import concurrent.futures

import numpy as np
import pytest

import tilerun.triton as triton
import tilerun.triton.language as tl

FORKS = """
import os, signal, sys, threading
import numpy as np
import tilerun.triton as triton
import tilerun.triton.language as tl

@triton.jit
def double(x, y, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(y + i, tl.load(x + i) * 2)

X = np.arange(1 << 14, dtype=np.float32)

def launch(block):
    y = np.zeros_like(X)
    double[(X.size // block, )](X, y, N=block)
    assert (y == 2 * X).all()
"""


def test_forks_while_threads_launch(run_python, tmp_path):
    """A child never finds a lock of the library held, also where it compiles what its parent has not compiled."""
    script = tmp_path / "forks.py"
    script.write_text(FORKS + """
stop = threading.Event()

def work(blocks):
    while not stop.is_set():
        for block in blocks:
            launch(block)

threads = [threading.Thread(target=work, args=(b, )) for b in ((16, 32), (64, 16), (32, 64))]
for thread in threads:
    thread.start()
failed = 0
for turn in range(12):
    child = os.fork()
    if child == 0:
        signal.alarm(30)
        launch(16)
        launch(128 << turn % 4)
        os._exit(0)
    failed += os.waitpid(child, 0)[1] != 0
stop.set()
for thread in threads:
    thread.join()
launch(1024)
print("failed:", failed)
""")
    assert run_python(script).stdout == "failed: 0\n"


def test_forks_in_a_hook(run_python, tmp_path):
    """Callbacks of the library may fork: the forking thread does not wait for itself."""
    script = tmp_path / "hook.py"
    script.write_text(FORKS + """
@triton.jit
def tell(x, N: tl.constexpr):
    tl.static_print("compiled for", N)
    tl.store(x + tl.arange(0, N), 0.0)

import builtins, tilerun._devices as devices
def fork_and_print(text, **_):
    child = os.fork()
    if child == 0:
        os._exit(0)
    sys.stdout.write(f"{text.strip()}; child {os.waitpid(child, 0)[1]}\\n")
builtins.print = fork_and_print
signal.alarm(30)
tell[(1, )](X, N=16)
""")
    assert run_python(script).stdout == "compiled for 16; child 0\n"


def test_handlers_of_forks_drop_and_launch_kernels(run_python, tmp_path):
    """Fork handlers of others, which run while no other thread may enter the library: before the
    fork, in parent and child; one of them forks in turn."""
    script = tmp_path / "handlers.py"
    script.write_text("""
import os
kernels, told = [], []

def before():
    kernels.clear()
    launch(16)
    if not told:
        told.append("forks in a handler")
        child = os.fork()
        if child == 0:
            os._exit(0)
        os.waitpid(child, 0)

os.register_at_fork(before=before, after_in_parent=lambda: launch(16), after_in_child=lambda: launch(32))
""" + FORKS + """
def make():
    @triton.jit
    def one(x):
        tl.store(x, 1.0)
    one.warmup(X, grid=(1, ))
    return one

signal.alarm(60)
kernels.append(make())
launch(16)
child = os.fork()
if child == 0:
    signal.alarm(30)
    launch(64)
    os._exit(0)
print("child:", os.waitpid(child, 0)[1], "kernels:", len(kernels))
worker = threading.Thread(target=launch, args=(128, ))
worker.start()
worker.join()
""")
    assert run_python(script).stdout == "child: 0 kernels: 0\n"


@pytest.mark.parametrize("first", [True, False], ids=["main first", "sub-interpreter first"])
def test_sub_interpreters_are_refused(run_python, tmp_path, first):
    """And leave the main interpreter unchanged."""
    script = tmp_path / "sub.py"
    script.write_text(f"""
import sys
try:
    import _interpreters
    make = lambda: _interpreters.create("legacy")
except ImportError:
    import _xxsubinterpreters as _interpreters
    make = lambda: _interpreters.create(isolated=False)

def run():
    interpreter = make()
    text = "import sys; sys.path[:0] = " + repr(sys.path) + \"\"\"
try:
    import tilerun.triton
except ImportError as error:
    print(error)
\"\"\"
    _interpreters.run_string(interpreter, text)
    _interpreters.destroy(interpreter)

{"import tilerun.triton" if first else ""}
run()
run()
""" + FORKS.replace("import os, signal, sys, threading", "import os, signal, threading") + """
launch(16)
try:
    double[(1, )](X, object(), N=16)
except TypeError as error:
    print("object" in str(error))
""")
    lines = run_python(script).stdout.splitlines()
    assert [line[:44] for line in lines] == ["tilerun cannot be imported in a sub-interpreter"[:44]] * 2 + ["True"]


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_processes_that_begin_anew(run_text, method):
    """They import the script, whose `import triton` must mean the same there."""
    done = run_text("""
        import multiprocessing, sys
        import numpy as np
        import triton
        import triton.language as tl

        @triton.jit
        def add_one(x, y, N: tl.constexpr):
            i = tl.arange(0, N)
            tl.store(y + i, tl.load(x + i) + 1)

        def work(queue):
            x, y = np.ones(8, np.float32), np.zeros(8, np.float32)
            add_one[(1, )](x, y, 8)
            queue.put((triton.__name__, float(y.sum())))

        if __name__ == "__main__":
            context = multiprocessing.get_context(sys.argv[1])
            queue = context.Queue()
            process = context.Process(target=work, args=(queue, ))
            process.start()
            process.join()
            assert process.exitcode == 0
            print(queue.get(timeout=60))
        """, arguments=(method, ))
    assert done.stdout == "('tilerun.triton', 16.0)\n"


def test_workers_of_a_data_loader(run_python, tmp_path):
    torch = pytest.importorskip("torch")
    assert torch
    script = tmp_path / "loader.py"
    script.write_text("""
import torch
import tilerun.triton as triton
import tilerun.triton.language as tl

@triton.jit
def double(x, y, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y + i, tl.load(x + i) * 2)

class Data(torch.utils.data.Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        x = torch.full((16, ), float(index))
        y = torch.empty_like(x)
        double[(1, )](x, y, N=16)
        return y

if __name__ == "__main__":
    assert Data()[3][0] == 6
    rows = torch.cat(list(torch.utils.data.DataLoader(Data(), batch_size=2, num_workers=2)))
    print(rows[:, 5].tolist())
""")
    assert run_python(script).stdout == "[0.0, 2.0, 4.0, 6.0, 8.0, 10.0, 12.0, 14.0]\n"


def test_interrupts_arrive_after_the_launch(run_python, tmp_path):
    script = tmp_path / "interrupt.py"
    script.write_text(FORKS + """
@triton.jit
def count(out, n):
    for i in range(n):
        tl.store(out, i)

out = np.zeros(1, np.int64)
count[(1, )](out, 10)
signal.signal(signal.SIGALRM, signal.default_int_handler)
signal.setitimer(signal.ITIMER_REAL, 0.05)
try:
    while True:
        count[(1, )](out, 20000)
except KeyboardInterrupt:
    print("interrupted")
launch(64)
print("and goes on")
""")
    assert run_python(script).stdout == "interrupted\nand goes on\n"


def test_interrupts_end_tuning(run_python, tmp_path):
    """Before the next run, not after the configuration's ten seconds."""
    script = tmp_path / "tuning.py"
    script.write_text(FORKS + """
import time

@triton.autotune([triton.Config({"N": n}) for n in (4, 8)], key=[], rep=10_000)
@triton.jit
def tuned(x, y, N: tl.constexpr):
    i = tl.program_id(0) % 1024 * N + tl.arange(0, N)
    tl.store(y + i, tl.load(x + i) * 2)

signal.signal(signal.SIGALRM, signal.default_int_handler)
signal.setitimer(signal.ITIMER_REAL, 0.5)
start = time.monotonic()
try:
    tuned[(1 << 16, )](X, np.zeros_like(X))
except KeyboardInterrupt:
    print("interrupted", time.monotonic() - start < 4)
launch(64)
""")
    assert run_python(script, TILERUN_INTERPRETER_AUTOTUNE="1").stdout == "interrupted True\n"


@triton.jit
def scale(x, y, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(y + i, tl.load(x + i) * N)


def test_kernels_are_compiled_by_an_executor():
    x, y = np.ones(64, np.float32), np.zeros(64, np.float32)
    with concurrent.futures.ThreadPoolExecutor(4) as executor:
        with triton.AsyncCompileMode(executor):
            kernels = [scale.warmup(x, y, n, grid=(1, )) for n in (8, 16, 32, 64)]
            assert all(isinstance(kernel, triton.FutureKernel) for kernel in kernels)
            assert scale.warmup(x, y, 8, grid=(1, )) is kernels[0]
            with pytest.raises(RuntimeError, match="active already"):
                with triton.AsyncCompileMode(executor):
                    pass
        assert [kernel.result().signature for kernel in kernels] == [
            f"x=*fp32:16, y=*fp32:16, N={n}" for n in (8, 16, 32, 64)]
        assert "tile.store" in kernels[0].asm["ttir"]
    scale[(1, )](x, y, 16)
    assert y[0] == 16
    assert isinstance(scale.warmup(x, y, 4, grid=(1, )), triton.compiler.CompiledKernel)


def test_failures_in_an_executor():
    x = np.ones(64, np.float32)
    with concurrent.futures.ThreadPoolExecutor(1) as executor:
        with pytest.raises(triton.CompilationError, match="the range"):
            with triton.AsyncCompileMode(executor):
                scale.warmup(x, x, -3, grid=(1, ))
        with triton.AsyncCompileMode(executor, ignore_errors=True):
            kernel = scale.warmup(x, x, -3, grid=(1, ))
        assert kernel.result(ignore_errors=True) is None
