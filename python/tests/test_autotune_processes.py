"""Autotuning beside other things: threads, other processes, the disk, and what is told while it runs."""

import threading
import time

import numpy as np
import pytest

import tilerun.triton as triton
import tilerun.triton.language as tl


@pytest.fixture(autouse=True)
def measured(knobs, monkeypatch):
    """These tests measure on the interpreter, which happens only on request."""
    monkeypatch.setenv("TILERUN_INTERPRETER_AUTOTUNE", "1")


def make(do_bench):

    @triton.autotune([triton.Config({"BLOCK": b}) for b in (16, 64)], key=["n"], warmup=1, rep=2, do_bench=do_bench)
    @triton.jit
    def tuned(x, out, n, BLOCK: tl.constexpr):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(out + i, tl.load(out + i, mask=i < n) + tl.load(x + i, mask=i < n), mask=i < n)

    return tuned


def grid(meta):
    return (triton.cdiv(meta["n"], meta["BLOCK"]), )


def arrays(n=100):
    return np.ones(n, np.float32), np.zeros(n, np.float32)


def test_choices_are_kept_on_disk(run_text, tmp_path):
    text = """
        import sys, numpy as np, triton, triton.language as tl

        @triton.autotune(configs=[triton.Config({"BLOCK": b}) for b in (16, 32, 1 << 21)], key=["n"], warmup=1, rep=1)
        @triton.jit
        def kernel(out, n, BLOCK: tl.constexpr):
            tl.store(out + tl.arange(0, BLOCK), 1, mask=tl.arange(0, BLOCK) < n)

        kernel[(1, )](np.zeros(64, np.int32), 64)
        print(kernel.best_config.kwargs["BLOCK"], len(kernel.configs_timings))
        """
    first = run_text(text, TILERUN_CACHE_DIR=str(tmp_path / "cache"))
    again = run_text(text, TILERUN_CACHE_DIR=str(tmp_path / "cache"))
    block, measured = first.stdout.split()
    assert measured == "2" and again.stdout.split() == [block, "1"]
    assert "configuration skipped (BLOCK: 2097152" in first.stderr and "skipped" not in again.stderr
    off = run_text(text, TILERUN_CACHE="off")
    assert off.stdout.split()[1] == "2"


def test_progress_on_a_terminal(tmp_path, run_python):
    """A line that is rewritten, on a terminal alone."""
    import os
    import pty
    import subprocess
    import sys
    script = tmp_path / "script.py"
    script.write_text("import numpy as np, triton, triton.language as tl\n"
                      "@triton.autotune(configs=[triton.Config({'B': b}) for b in (16, 32)], key=[], warmup=1, rep=1)\n"
                      "@triton.jit\ndef kernel(out, B: tl.constexpr):\n    tl.store(out + tl.arange(0, B), 1)\n"
                      "kernel[(1, )](np.zeros(64, np.int32))\n")
    assert run_python("-m", "tilerun", script).stderr == ""
    try:
        ours, theirs = pty.openpty()
    except OSError as problem:
        pytest.skip(f"no pseudo-terminal on this machine: {problem}")
    process = subprocess.Popen([sys.executable, "-m", "tilerun", str(script)], stderr=theirs,
                               env={**os.environ, "TILERUN_CACHE": "off"})
    os.close(theirs)
    told = b""
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:
            break
        if not part:
            break
        told += part
    assert process.wait() == 0 and b"tilerun: tuning kernel: 2 of 2, best " in told and told.endswith(b"\r\x1b[K")


def test_threads_tune_a_key_once():
    benched, results = [], []

    def bench(call, quantiles):
        benched.append(threading.get_ident())
        time.sleep(0.02)
        call()
        return 1.0

    kernel = make(do_bench=bench)

    def work():
        x, out = arrays()
        kernel[grid](x, out, 100)
        results.append(float(out[0]))

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(benched) == 2 and len(set(benched)) == 1
    assert sorted(results)[:5] == [1] * 5  # The one that tuned has added more often.


def test_threads_launch_their_own_configuration():
    """What a thread remembers of a key is what it launched, not what another one launched last."""

    def choose(configs, arguments, **_):
        time.sleep(0.001)
        return [config for config in configs if config.kwargs["BLOCK"] == arguments["n"]]

    @triton.autotune([triton.Config({"BLOCK": b}) for b in (16, 32, 64)], key=["n"],
                     prune_configs_by={"early_config_prune": choose})
    @triton.jit
    def fill(out, n, BLOCK: tl.constexpr):
        tl.store(out + tl.arange(0, BLOCK), 1.0)

    wrong = []

    def work(sizes):
        for _ in range(20):
            for n in sizes:
                out = np.zeros(64, np.float32)
                fill[(1, )](out, n)
                if out.sum() != n:
                    wrong.append((n, out.sum()))

    threads = [threading.Thread(target=work, args=(s, )) for s in ((16, 32, 64), (64, 16, 32), (32, 64, 16), (64, 32, 16))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize("stream", ["None", "Closed()"])
def test_tuning_without_a_stderr(run_text, stream):
    done = run_text(f"""
        import sys
        import numpy as np, triton, triton.language as tl

        class Closed:
            def isatty(self):
                raise ValueError("closed")
            def write(self, text):
                raise OSError("gone")
            def flush(self):
                pass

        @triton.autotune([triton.Config({{"B": b}}) for b in (4, 8, -1)], key=[], warmup=1, rep=1)
        @triton.jit
        def kernel(x, B: tl.constexpr):
            tl.store(x + tl.arange(0, B), 1.0)

        x = np.zeros(8, np.float32)
        sys.stderr = {stream}
        kernel[(1, )](x)
        print("works")
        """)
    assert done.stdout == "works\n"


def test_a_child_of_a_tuning_thread_can_tune(run_text):
    """The lock that threads wait at is not inherited while another thread holds it."""
    done = run_text("""
        import os, signal, threading
        import numpy as np, triton, triton.language as tl

        inside, go_on = threading.Event(), threading.Event()

        def bench(call, quantiles):
            inside.set()
            go_on.wait()
            call()
            return 1.0

        @triton.autotune([triton.Config({"B": b}) for b in (4, 8)], key=["n"], do_bench=bench)
        @triton.jit
        def kernel(x, n, B: tl.constexpr):
            tl.store(x + tl.arange(0, B), 1.0)

        x = np.zeros(8, np.float32)
        thread = threading.Thread(target=lambda: kernel[(1, )](x, 1))
        thread.start()
        inside.wait()
        child = os.fork()
        if child == 0:
            signal.alarm(30)
            go_on.set()
            kernel[(1, )](x, 2)
            os._exit(0)
        print("child:", os.waitpid(child, 0)[1])
        go_on.set()
        thread.join()
        """)
    assert done.stdout == "child: 0\n"
