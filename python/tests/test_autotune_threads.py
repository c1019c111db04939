"""Configurations that are compiled by several threads, over the fake CUDA driver: what is compiled, printed and told meanwhile."""

import os
import re
import textwrap

import pytest


def run_tuned(run_text, fake_cuda, body, **environment):
    """Output of a script over the fake CUDA driver, which measures as on a GPU: `tuned` is an autotuned kernel."""
    text = """
        import os, sys, threading
        import numpy as np, triton, triton.language as tl

        def make(blocks, **options):
            configs = [triton.Config({"BLOCK": block}) for block in blocks]

            @triton.autotune(configs=configs, key=["n"], warmup=1, rep=1, **options)
            @triton.jit
            def tuned(out, n, BLOCK: tl.constexpr):
                tl.static_print("compiling", BLOCK)
                i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
                tl.store(out + i, 1, mask=i < n)

            return tuned

        def launch(kernel):
            return kernel[lambda meta: (triton.cdiv(64, meta["BLOCK"]), )](np.zeros(64, np.int32), 64)
        """
    return run_text(textwrap.dedent(text) + textwrap.dedent(body),
                    **{"TILERUN_CUDA_DRIVER": fake_cuda, "TILERUN_DEVICE": "cuda:0", "TILERUN_CACHE": "off", **environment})


@pytest.fixture
def fake_cuda():
    driver = os.path.join(os.environ["TILERUN_BUILD"], "tests", "plugins", "cuda", "libfakecuda.so")
    assert os.path.exists(driver), "the fake CUDA driver is not built"
    return driver


@pytest.mark.parametrize("threads", ["1", "4"])
def test_all_configurations_are_compiled(run_text, fake_cuda, threads):
    done = run_tuned(
        run_text, fake_cuda, """
        kernel = make([16, 32, 1 << 21, 64, 128])
        launch(kernel)
        print("measured", sorted(config.kwargs["BLOCK"] for config in kernel.configs_timings), os.environ["TILERUN_COMPILE_THREADS"])
        """, TILERUN_COMPILE_THREADS=threads)
    lines = done.stdout.splitlines()
    assert sorted(lines[:-1]) == sorted(f"compiling {block}" for block in (16, 32, 64, 128))
    assert lines[-1] == f"measured [16, 32, 64, 128] {threads}"
    assert "configuration skipped (BLOCK: 2097152" in done.stderr


def test_what_kernels_print_while_they_are_compiled_comes_on_the_calling_thread(run_text, fake_cuda):
    done = run_tuned(
        run_text, fake_cuda, """
        class Recorder:
            def write(self, text):
                threads.add(threading.get_ident())
            def flush(self):
                pass
        threads, out = set(), sys.stdout
        sys.stdout = Recorder()
        launch(make([16, 32, 64, 128]))
        sys.stdout = out
        print(threads == {threading.get_ident()})
        """, TILERUN_COMPILE_THREADS="4")
    assert done.stdout == "True\n"


def test_a_bench_of_the_callers_finds_all_compiled(run_text, fake_cuda):
    done = run_tuned(
        run_text, fake_cuda, """
        from tilerun import _memory, _native

        def bench(call, quantiles):
            print("bench")
            call()
            return 1.0

        _native.open_device(_memory.CUDA, 0, "cuda:0", 0, 0)
        out = _memory.Pointer(_native.allocate(_memory.CUDA, 0, 4096), "i32", _memory.CUDA, 0)
        make([16, 1 << 21, 32], do_bench=bench)[(1, )](out, 16)
        """, TILERUN_COMPILE_THREADS="3", TILERUN_DEVICE="")
    # What does not compile is tried again by its own launch, which says why.
    assert sorted(done.stdout.splitlines()[:2]) == ["compiling 16", "compiling 32"]
    assert done.stdout.splitlines()[2:] == ["bench"] * 3
    assert "configuration skipped (BLOCK: 2097152" in done.stderr


def test_the_fastest_is_chosen(run_text, fake_cuda):
    body = """
        kernel = make([128, 16, 64, 32])
        launch(kernel)
        times = kernel.configs_timings
        print(min(times.values()) == times[kernel.best_config], len(times))
        """
    for threads in ("1", "4"):
        assert run_tuned(run_text, fake_cuda, body, TILERUN_COMPILE_THREADS=threads).stdout.endswith("True 4\n")


def test_a_wrong_number_of_threads(run_text, fake_cuda):
    done = run_tuned(run_text, fake_cuda, "launch(make([16, 32]))", TILERUN_COMPILE_THREADS="all", fails=True)
    assert "TILERUN_COMPILE_THREADS is 'all'; a number from 1 to 1024 is expected" in done.stderr


def test_an_interrupt_ends_it(run_text, fake_cuda):
    """While it waits for compilations, too: in a callback of that wait."""
    done = run_tuned(
        run_text, fake_cuda, """
        import signal
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        def stop(*_):
            raise KeyboardInterrupt
        signal.signal(signal.SIGALRM, stop)
        blocks = [16 << i % 12 for i in range(12)]
        configs = [triton.Config({"BLOCK": block}, num_warps=1 << w, num_stages=s)
                   for block in blocks for w in range(5) for s in range(1, 8)]

        @triton.autotune(configs=configs, key=[], warmup=1, rep=1)
        @triton.jit
        def tuned(out, BLOCK: tl.constexpr):
            i = tl.arange(0, BLOCK)
            tl.store(out + i, tl.cumsum(i, 0) + tl.sort(i) + tl.cumsum(i * i, 0))

        try:
            tuned[(1, )](np.zeros(1 << 16, np.int32))
        except KeyboardInterrupt:
            print("interrupted")
        """, TILERUN_COMPILE_THREADS="2")
    assert done.stdout == "interrupted\n"


@pytest.mark.parametrize("variable,wanted", [
    ("TRITON_PRINT_AUTOTUNING", "tilerun: tuned: BLOCK: 32, num_warps: 4, num_ctas: 1, num_stages: 3, maxnreg: None: "),
    ("TILERUN_AUTOTUNE_PROGRESS", "tilerun: tuning tuned: "),
])
def test_progress_elsewhere_than_on_a_terminal(run_text, fake_cuda, variable, wanted):
    quiet = run_tuned(run_text, fake_cuda, "launch(make([16, 32]))")
    assert quiet.stderr == ""
    told = run_tuned(run_text, fake_cuda, "launch(make([16, 32]))", **{variable: "1"}).stderr
    assert wanted in told and re.search(r"\b2 of 2\b", told) and "\r" not in told
    if variable.startswith("TRITON"):
        assert told.count("\n") == 2 and re.search(r"1 of 2, .* s left\)", told)
    else:
        assert re.search(r"best \d+\.\d+ ms \(BLOCK: (16|32),", told)
