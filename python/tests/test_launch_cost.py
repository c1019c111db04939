"""The host's time of a warm launch, as a multiple of a Python call that does nothing with the same arguments: on the
fake CUDA driver, which returns at once, so that what is left is the package's and the library's own."""

import os
import textwrap

import pytest

# 4 us on a machine whose call of a function with five arguments takes 0.06 us and whose driver takes 2.9 us would be 18.
# A third of that is usual, of which the fake driver takes a half. One look-up by name in Python code costs 1.
MOST_CALLS = 18


def test_against_a_call_that_does_nothing(run_python, tmp_path):
    fake = os.path.join(os.environ["TILERUN_BUILD"], "tests", "plugins", "cuda", "libfakecuda.so")
    if not os.path.exists(fake):
        pytest.skip("the fake CUDA driver is not built")
    script = tmp_path / "cost.py"
    script.write_text(
        textwrap.dedent("""
        import time
        import tilerun.triton as triton
        import tilerun.triton.language as tl
        from tilerun import _devices, _memory, _native

        class Tensor:  # Read as torch's tensors are: by data_ptr, dtype, get_device, is_cuda.
            is_cuda, dtype = True, "int32"

            def __init__(self, address):
                self.address = address

            def data_ptr(self):
                return self.address

            def get_device(self):
                return 0

        _native.register_torch((Tensor, ), {Tensor.dtype: _memory.DTYPES["i32"]}, _memory.CUDA)
        _memory.register_torch = lambda: None

        @triton.jit
        def tilerun_test_add(out, a, b, n, BLOCK: tl.constexpr):
            i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
            mask = i < n
            tl.store(out + i, tl.load(a + i, mask=mask) + tl.load(b + i, mask=mask), mask=mask)

        _native.open_device(_memory.CUDA, 0, "cuda:0", 0, 0)
        memory = [Tensor(_native.allocate(_memory.CUDA, 0, 4096)) for _ in range(3)]
        nothing = lambda out, a, b, n, BLOCK: None

        def measure(call, count=2000, rounds=25):
            call()
            best = float("inf")
            for _ in range(rounds):
                start = time.perf_counter()
                for _ in range(count):
                    call()
                best = min(best, (time.perf_counter() - start) / count)
            return best

        empty = measure(lambda: nothing(*memory, 128, BLOCK=128))
        launch = measure(lambda: tilerun_test_add[(1, )](*memory, 128, BLOCK=128))
        function = measure(lambda: tilerun_test_add[lambda meta: (1, )](*memory, 128, BLOCK=128))
        print(launch / empty, function / empty, launch * 1e6, empty * 1e6)
        """))
    done = run_python(script, TILERUN_CUDA_DRIVER=fake)
    launch, function, microseconds, empty = map(float, done.stdout.split())
    print(f"a warm launch is {launch:.1f} calls ({microseconds:.2f} us, a call {empty:.3f} us); {function:.1f} with a "
          "grid function")
    assert launch < MOST_CALLS and function < 2 * MOST_CALLS
