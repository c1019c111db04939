"""Launches that are sent to a device which cannot use the memory of their tensors: an emulated AMD GPU (`TILERUN_AMDSIM`),
Mesa's Vulkan driver for the CPU. By `tilerun.use`, by TILERUN_DEVICE, and by `python -m tilerun --device`."""

import glob

import pytest

KERNELS = """
import numpy as np, pytest
import tilerun
import tilerun.triton as triton
import tilerun.triton.language as tl
from tilerun.triton import knobs


@triton.jit
def add(x, y, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)


@triton.jit
def scale(x, n, s, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(x + i, tl.load(x + i, mask=i < n) * s, mask=i < n)


@triton.jit
def checked(x, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0)
    tl.store(x + i, v + 1, mask=i < n)
    tl.device_assert(v < 5, "too large")


def expect_sum(n=1000):
    x, y = np.random.default_rng(1).standard_normal((2, n), np.float32)
    out = np.full(n + 1, 7, np.float32)[:n]
    compiled = add[(triton.cdiv(n, 128), )](x, y, out, n, B=128)
    np.testing.assert_array_equal(out, x + y)
    assert out.base[n] == 7
    return compiled
"""


@pytest.fixture
def run_script(run_python, tmp_path):
    """Runs the kernels above and a text."""

    def run(text, *options, **environment):
        import textwrap
        script = tmp_path / "script.py"
        script.write_text(KERNELS + textwrap.dedent(text))
        return run_python(*options, script, **environment)

    return run


def test_use(run_script):
    run_script(
        """
        target = lambda: triton.runtime.driver.active.get_current_target()
        tilerun.use("hip:0")
        assert (target().backend, target().arch, target().warp_size) == ("hip", "gfx942", 64)
        assert expect_sum().asm["amdgcn"].count("s_endpgm") >= 1
        tilerun.use("hip:1")
        assert (target().arch, target().warp_size) == ("gfx1100", 32)
        assert "gfx1100" in expect_sum().asm["amdgcn"]
        # The interpreter is before it, as it is before a GPU; afterwards launches go there again.
        knobs.runtime.interpret = True
        expect_sum()
        knobs.runtime.interpret = False
        assert target().arch == "gfx1100"
        tilerun.use(None)
        assert knobs.runtime.device is None
        with pytest.raises(ValueError, match="'fpga:0' is not the name of a device, such as cuda:0, hip:0"):
            tilerun.use("fpga:0")
        for bad in ("hip:", "hip:-1", "hip:x", "cpu:1", "", 3):
            if bad != "hip:":
                with pytest.raises(ValueError, match="is not the name of a device"):
                    tilerun.use(bad)
        with pytest.raises(tilerun.errors.UnavailableError, match="no device 'hip:2'.*hip:0.*hip:1"):
            tilerun.use("hip:2")
        """, TILERUN_AMDSIM="gfx942,gfx1100")


def test_environment(run_script):
    run_script(
        """
        import os
        from tilerun import _devices
        assert _devices.get_default()[0] == 10 and "gfx90a" in expect_sum().asm["amdgcn"]
        # The variable is what the setting begins with; a launch does not look at it again.
        os.environ["TILERUN_DEVICE"] = "gpu"
        assert "gfx90a" in expect_sum().asm["amdgcn"] and knobs.runtime.device == "hip:0"
        knobs.runtime.device = None
        assert expect_sum().asm.keys() & {"amdgcn"} == set()
        del knobs.runtime.device
        assert "gfx90a" in expect_sum().asm["amdgcn"]
        knobs.runtime.device = "gpu"
        with pytest.raises(ValueError, match="'gpu' is not the name of a device"):
            expect_sum()
        """, TILERUN_AMDSIM="gfx90a", TILERUN_DEVICE="hip:0")


def test_small_memory_is_a_fact_of_a_launch(run_script):
    run_script(
        """
        assert expect_sum().signature == "x=*fp32:16, y=*fp32:16, out=*fp32:16, n=i32, B=128"
        tilerun.use("hip:0")
        compiled = expect_sum()
        assert compiled.signature == "x=*fp32:16:small, y=*fp32:16:small, out=*fp32:16:small, n=i32, B=128"
        assert compiled.src.attrs[(0, )] == [["tt.divisibility", 16], ["tt.pointer_range", 32]]
        # Triton's word for it, in what is compiled ahead of time.
        from tilerun.triton.compiler import ASTSource, GPUTarget


        @triton.jit
        def rows(x, stride, n, B: tl.constexpr):
            i = tl.arange(0, B)
            tl.store(x + i * stride, 1.0, mask=i < n)


        def compile(facts):
            source = ASTSource(rows, {"x": "*fp32", "stride": "i32", "n": "i32"}, {"B": 64}, {(0, ): facts})
            return triton.compile(source, target=GPUTarget("hip", "gfx942", 64)).asm["amdgcn"]


        assert "global_store" in compile([["tt.divisibility", 16]])
        assert "buffer_store" in compile([["tt.divisibility", 16], ["tt.pointer_range", 32]])
        x = np.zeros((64, 3), np.float32)
        compiled = rows[(1, )](x, 3, 50, B=64)
        np.testing.assert_array_equal(x[:, 0], np.arange(64) < 50)
        assert not x[:, 1:].any() and "buffer_store" in compiled.asm["amdgcn"]


        # A warmup compiles what the launch needs; what stands in for a tensor counts as small.
        from tilerun.triton.runtime.jit import MockTensor
        assert rows.warmup(x, 3, 50, B=64, grid=(1, )).signature == compiled.signature
        assert rows.warmup(MockTensor("fp32"), 3, 50, B=64, grid=(1, )).signature == compiled.signature


        # A pointer into the middle of its memory, and accesses before it.
        @triton.jit
        def around(x, stride, n, B: tl.constexpr):
            i = tl.arange(0, B)
            tl.store(x + (i - 8) * stride, 1.0, mask=i < n)


        x = np.zeros((64, 3), np.float32)
        compiled = around[(1, )](x[8:], 3, 50, B=64)
        np.testing.assert_array_equal(x[:, 0], np.arange(64) < 50)
        assert not x[:, 1:].any() and compiled.signature.startswith("x=*fp32:16:small")
        """, TILERUN_AMDSIM="gfx942")


def test_memory_of_arguments(run_script):
    run_script(
        """
        tilerun.use("hip:0")
        # Views of one array are views of one copy, and what is around them stays.
        both = np.arange(64, dtype=np.float32)
        add[(1, )](both[:16], both[16:32], both[32:48], 16, B=16)
        np.testing.assert_array_equal(both[32:48], np.arange(16) * 2 + 16)
        np.testing.assert_array_equal(both[48:], np.arange(48, 64))
        scale[(1, )](both[1::2][:0], 0, 2, B=16)
        empty = np.empty(0, np.float32)
        add[(1, )](empty, empty, empty, 0, B=16)
        # Read-only arrays may be read.
        fixed = np.ones(16, np.float32)
        fixed.flags.writeable = False
        out = np.zeros(16, np.float32)
        add[(1, )](fixed, fixed, out, 16, B=16)
        np.testing.assert_array_equal(out, 2)
        with pytest.raises(tilerun.TilerunError, match="parameter 'x' is a read-only array, which the kernel writes to"):
            scale[(1, )](fixed, 16, 2, B=16)
        np.testing.assert_array_equal(fixed, 1)


        class Unknown:
            dtype, device = "float32", "cpu"
            data_ptr = lambda self: out.ctypes.data


        with pytest.raises(tilerun.TilerunError, match="copies to hip:0 need to know how much memory parameter 'x' has"):
            scale[(1, )](Unknown(), 16, 2, B=16)
        # Numbers alone: the launch has nothing to copy.
        @triton.jit
        def nothing(n):
            tl.device_assert(n > 0)
        nothing[(1, )](3)
        """, TILERUN_AMDSIM="gfx942")


def test_faults(run_script):
    done = run_script(
        """
        tilerun.use("hip:0")
        x = np.arange(8, dtype=np.int32)
        with pytest.raises(tilerun.errors.FaultError, match="too large"):
            checked[(1, )](x, 8, B=8, debug=True)
        # Stores before the fault have arrived, and the device is usable.
        np.testing.assert_array_equal(x, np.arange(1, 9))
        expect_sum()
        # The emulator finds an access behind the memory of a tensor.
        with pytest.raises(tilerun.TilerunError, match="out of bounds"):
            scale[(1, )](np.zeros(16, np.float32), 4096, 2, B=4096)
        """, TILERUN_AMDSIM="gfx942")
    assert "scale" in done.stderr and "out of bounds" in done.stderr


def test_tuning_takes_the_first_configuration_of_an_emulated_device(run_script):
    run_script(
        """
        tilerun.use("hip:0")
        tuned = triton.autotune([triton.Config({"B": 256}), triton.Config({"B": 64})], key=["n"], restore_value=["x"])(scale)
        x = np.ones(512, np.float32)
        tuned[lambda meta: (triton.cdiv(512, meta["B"]), )](x, 512, 3)
        np.testing.assert_array_equal(x, 3)
        assert tuned.best_config.kwargs == {"B": 256}
        # On request it measures, and undoes what that does.
        knobs.interpreter.autotune = True
        tuned[lambda meta: (triton.cdiv(500, meta["B"]), )](x, 500, 3, )
        np.testing.assert_array_equal(x, np.where(np.arange(512) < 500, 9, 3))
        assert triton.testing.do_bench(lambda: expect_sum(), warmup=1, rep=1) > 0
        """, TILERUN_AMDSIM="gfx942")


SCRIPT = """
import torch, triton, triton.language as tl


@triton.jit
def softmax(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + tl.program_id(0) * n + i, mask=i < n, other=-float("inf"))
    e = tl.exp(v - tl.max(v, 0))
    tl.store(out + tl.program_id(0) * n + i, e / tl.sum(e, 0), mask=i < n)


x = torch.randn(5, 100, device="cuda")
out = torch.empty_like(x)
assert x.is_cuda and out.device.type == "cuda"
compiled = softmax[(5, )](x, out, 100, B=128)
torch.testing.assert_close(out, torch.softmax(x, 1))
torch.testing.assert_close(out.cpu(), torch.softmax(x.cpu(), 1))
target = triton.runtime.driver.active.get_current_target()
print(target.backend, target.arch, target.warp_size, sorted(compiled.asm.keys() & {"amdgcn", "spirv-asm", "ptx"}))
properties = torch.cuda.get_device_properties(0)
print(torch.cuda.get_device_name(), properties.name, properties.warp_size, properties.gcnArchName, torch.version.hip)
print(torch.cuda.get_device_capability(), properties.major)
"""


@pytest.mark.parametrize("arch, warp_size, capability", [("gfx942", 64, (9, 4)), ("gfx90a", 64, (9, 0)), ("gfx1201", 32, (12, 0))])
def test_script_for_a_gpu(run_text, arch, warp_size, capability):
    pytest.importorskip("torch")
    said = run_text(SCRIPT, "--emulate", f"hip:{arch}").stdout.splitlines()
    assert said[0] == f"hip {arch} {warp_size} ['amdgcn']"
    assert said[1] == f"emulated {arch} emulated {arch} {warp_size} {arch} 6.4"
    assert said[2] == f"{capability} {capability[0]}"
    assert run_text(SCRIPT, "--device=hip:0", TILERUN_AMDSIM=arch).stdout.splitlines() == said


def test_script_for_a_gpu_on_vulkan(run_text):
    pytest.importorskip("torch")
    driver = ":".join(glob.glob("/usr/share/vulkan/icd.d/lvp_icd*.json"))
    assert driver, "lavapipe is not installed (scripts/setup does it)"
    said = run_text(SCRIPT, "--device", "vulkan:0", VK_DRIVER_FILES=driver, VK_ICD_FILENAMES=driver).stdout
    assert said.startswith("vulkan 1.3") and "llvmpipe" in said.splitlines()[1]


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_processes_inherit_the_device(run_text, method):
    """Whether they begin with the parent's environment, or with that of a server that is older than its choice; a program that is
    started as a command has the environment."""
    said = run_text(
        """
        import multiprocessing, subprocess, sys
        import tilerun, triton
        NAME = "triton.runtime.driver.active.get_current_target().arch"
        def work(queue):
            queue.put(eval(NAME))
        def ask():
            queue = context.Queue()
            child = context.Process(target=work, args=(queue, ))
            child.start()
            print(queue.get(timeout=120), end=" ")
            child.join()
            print(subprocess.check_output([sys.executable, "-c", f"import triton; print({NAME})"], text=True), end="")
        if __name__ == "__main__":
            context = multiprocessing.get_context(sys.argv[1])
            for device in (None, "hip:1", "hip:0", "cpu"):
                tilerun.use(device)
                ask()
        """, arguments=(method, ), TILERUN_AMDSIM="gfx942,gfx1100").stdout.splitlines()
    assert said[1:] == ["gfx1100 gfx1100", "gfx942 gfx942", "interpreter interpreter"]
    assert said[0].split()[0] == said[0].split()[1]


def test_a_fork_does_not_take_the_device_with_it(run_script):
    """The driver's threads stay with the parent: a launch in the child is refused. The interpreter is in the child as well."""
    done = run_script(
        """
        import os, signal, sys
        tilerun.use("hip:0")
        expect_sum()
        for is_warm in (True, False):
            child = os.fork()
            if child == 0:
                signal.alarm(60)
                try:
                    expect_sum() if is_warm else scale[(1, )](np.ones(16, np.float32), 16, 2, B=16)
                except tilerun.errors.UnavailableError as error:
                    print(error)
                tilerun.use("cpu")
                expect_sum()
                sys.exit(3)  # With whatever is done at the end of a process.
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 3
        expect_sum()
        print("the parent goes on")
        """, TILERUN_AMDSIM="gfx942", PYTHONUNBUFFERED="1")
    lines = done.stdout.splitlines()
    assert len(lines) == 3 and lines[2] == "the parent goes on"
    assert all("hip:0 was opened before this process was forked" in line for line in lines[:2])


def test_a_choice_of_the_autotuner_is_one_for_a_device(run_script):
    run_script(
        """
        calls = []
        def bench(call, quantiles):
            arch = triton.runtime.driver.active.get_current_target().arch
            calls.append(arch)
            return [(1 if len(calls) % 2 == (arch == "gfx942") else 2)] * 3
        tuned = triton.autotune([triton.Config({"B": 256}), triton.Config({"B": 64})], key=["n"], do_bench=bench)(scale)
        def launch():
            x = np.ones(64, np.float32)
            tuned[(1, )](x, 64, 3)
            np.testing.assert_array_equal(x[:64], 3)
            return tuned.best_config.kwargs["B"]
        for _ in range(2):
            tilerun.use("hip:0")
            assert launch() == 256 and launch() == 256
            tilerun.use("hip:1")
            assert launch() == 64 and launch() == 64
        assert calls == ["gfx942"] * 2 + ["gfx1100"] * 2 and len(tuned.cache) == 2
        tilerun.use(None)
        launch(), launch()
        assert len(calls) == 6 and len(tuned.cache) == 3
        """, TILERUN_AMDSIM="gfx942,gfx1100")


def test_processes_of_a_script(run_text):
    pytest.importorskip("torch")
    said = run_text(
        """
        import multiprocessing, sys
        import torch, triton
        def work(queue):
            target = triton.runtime.driver.active.get_current_target()
            queue.put((target.arch, torch.zeros(3, device="cuda").is_cuda))
        if __name__ == "__main__":
            context = multiprocessing.get_context("spawn")
            queue = context.Queue()
            child = context.Process(target=work, args=(queue, ))
            child.start()
            print(queue.get(timeout=120))
            child.join()
        """, "--emulate", "hip:gfx1100").stdout
    assert said == "('gfx1100', True)\n"


def test_mistakes(run_python):
    said = lambda *options, **named: run_python("-m", "tilerun", *options, "-cpass", fails=True, **named).stderr
    assert "--device: no device 'hip:0'" in said("--device", "hip:0", TILERUN_HIP_DRIVER="/nonexistent/libamdhip64.so")
    assert "--device: 'fpga' is not the name of a device" in said("--device", "fpga")
    assert "--cpu runs on the interpreter, and --device elsewhere" in said("--cpu", "--device", "hip:0")
    assert "--emulate: 'gfx942' is not hip:ARCH" in said("--emulate", "gfx942")
    assert "'gfx000' is not emulated; emulated are gfx90a" in said("--emulate", "hip:gfx000")
    assert run_python("-m", "tilerun", "--device", "cpu", "-c", "import sys; print(sys.argv)").stdout == "['-c']\n"


# PyTorch on ROCm calls AMD's devices 'cuda'. Here a module stands for it, whose memory and stream are the HIP runtime's.
ROCM = """
import ctypes, os, sys, types

hip = ctypes.CDLL(os.environ["TILERUN_BUILD"] + "/lib/tilerun/libtilerun-amdsim.so")
pointer, size = ctypes.c_void_p, ctypes.c_size_t
stream = pointer()
assert hip.hipStreamCreateWithFlags(ctypes.byref(stream), 1) == 0


class Tensor:
    is_cuda, requires_grad, dtype, ndim = True, False, "float32", 1
    told = None  # Bytes of the storage, where those are not asked for.

    def __init__(self, n):
        self.n, self.address, self.shape, self.stride = n, pointer(), (n, ), lambda: (1, )
        assert hip.hipMalloc(ctypes.byref(self.address), size(4 * n)) == 0
        self.device = types.SimpleNamespace(type="cuda", index=0)

    def data_ptr(self):
        return self.address.value

    def get_device(self):
        return 0

    def is_pinned(self):
        return False

    def untyped_storage(self):
        return types.SimpleNamespace(data_ptr=self.data_ptr, nbytes=lambda: self.told or 4 * self.n, _cdata=id(self))

    def write(self, values):
        data = (ctypes.c_float * self.n)(*values)
        assert hip.hipMemcpyHtoDAsync(self.address, data, size(4 * self.n), stream) == hip.hipStreamSynchronize(stream) == 0

    def read(self):
        data = (ctypes.c_float * self.n)()
        assert hip.hipMemcpyDtoHAsync(data, self.address, size(4 * self.n), stream) == hip.hipStreamSynchronize(stream) == 0
        return list(data)


torch = sys.modules["torch"] = types.ModuleType("torch")
torch.Tensor, torch.float32 = Tensor, "float32"
torch.nn = types.SimpleNamespace(Parameter=type("Parameter", (Tensor, ), {}))
torch.version = types.SimpleNamespace(hip="6.4.1", cuda=None)
torch._C = types.SimpleNamespace()
torch.cuda = types.SimpleNamespace(is_available=lambda: True, current_device=lambda: 0,
                                   current_stream=lambda index: types.SimpleNamespace(cuda_stream=stream.value))

import tilerun.triton as triton
import tilerun.triton.language as tl


@triton.jit
def spin(x, n, rounds, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n)
    for _ in range(rounds):
        v = v * 0.5 + 1
    tl.store(x + i, v, mask=i < n)


target = triton.runtime.driver.active.get_current_target()
assert (target.backend, target.arch, target.warp_size) == ("hip", "gfx942", 64), target
assert triton.runtime.driver.active.get_current_stream() == stream.value
x = Tensor(16)
x.write(range(16))
compiled = spin[(1, )](x, 16, 1, B=16)
assert x.read() == [i * 0.5 + 1 for i in range(16)] and "amdgcn" in compiled.asm
# Its storage says whether it is small; what the driver says of memory that is not the library's does not count.
signatures = [compiled.signature]
for told in (2**31 - 1, 2**31, 2**40, 64):
    x.told = told
    x.write(range(16))
    signatures.append(spin[(1, )](x, 16, 1, B=16).signature)
    assert x.read() == [i * 0.5 + 1 for i in range(16)]
small, large = "x=*fp32:16:small, n=i32:16, rounds=1, B=16", "x=*fp32:16, n=i32:16, rounds=1, B=16"
assert signatures == [small, small, large, large, small], signatures
x.write([i * 0.5 + 1 for i in range(16)])
# Tensors of several devices, as long as one is chosen: the others' memory is copied there, and back.
import numpy as np, tilerun
y = np.ones(16, np.float32)


@triton.jit
def add(x, y, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(y + i, tl.load(x + i) + tl.load(y + i))


for arguments in ((x, y), (y, x)):
    try:
        add[(1, )](*arguments, B=16)
        assert False, "tensors on two devices are refused"
    except tilerun.TilerunError as error:
        assert "all tensors of a launch must be on one device" in str(error), error
tilerun.use("hip:0")
add[(1, )](x, y, B=16)
assert y.tolist() == [i * 0.5 + 2 for i in range(16)]
tilerun.use(None)
# The launch is on torch's stream: it is busy (600: not ready), and no other is.
other = pointer()
assert hip.hipStreamCreateWithFlags(ctypes.byref(other), 1) == 0
assert hip.hipStreamQuery(stream) == hip.hipStreamQuery(other) == 0
spin[(1, )](x, 16, 300000, B=16)
assert hip.hipStreamQuery(stream) == 600 and hip.hipStreamQuery(other) == 0
assert x.read() == [2.0] * 16
print("done")
"""


def test_torch_on_rocm(run_python, tmp_path):
    script = tmp_path / "rocm.py"
    script.write_text(ROCM)
    assert run_python(script, TILERUN_AMDSIM="gfx942").stdout == "done\n"


def test_only_what_a_launch_changes_is_written_back(run_script):
    run_script(
        """
        import os, tempfile, threading
        torch = pytest.importorskip("torch")
        tilerun.use("hip:0")
        # Two tensors that overlap, and each of which is a part of the memory by itself.
        a = np.zeros(64, np.float32)
        x, y = torch.from_numpy(a[:48]), torch.from_numpy(a[16:])
        add[(1, )](x, x + 1, y, 48, B=64)
        assert (a[16:] == 1).all() and (a[:16] == 0).all()
        # Threads that use parts of one memory.
        flat = torch.zeros(2048)
        def increase(part):
            for _ in range(8):
                add[(8, )](part, torch.ones(1024), part, 1024, B=128)
        threads = [threading.Thread(target=increase, args=(flat[i:i + 1024], )) for i in (0, 1024)]
        [t.start() for t in threads], [t.join() for t in threads]
        assert (flat == 8).all()
        # Memory that is mapped read-only may be read.
        with tempfile.NamedTemporaryFile() as file:
            file.write(np.ones(64, np.float32).tobytes())
            file.flush()
            weights = torch.from_numpy(np.memmap(file.name, np.float32, "r"))
            out = torch.zeros(64)
            add[(1, )](weights, weights, out, 64, B=64)
            assert (out == 2).all()
        """, TILERUN_AMDSIM="gfx942")


def test_copies_of_gpu_memory_keep_what_others_write():
    """Memory of a GPU on the interpreter; tensors of the CPU stand for the GPU's. Parts of a MiB, of which some bytes have changed,
    all, or none."""
    torch = pytest.importorskip("torch")
    from tilerun.triton.runtime._copies import _HostCopy
    part = 1 << 20
    memory = torch.zeros(3 * part + 10, dtype=torch.uint8)
    copy = _HostCopy(memory[7:])
    assert copy.origin == memory.data_ptr() and copy.size == memory.numel() and copy.address != copy.origin
    copy.here[[0, 5, part - 1]] = 9
    copy.here[part:2 * part] = 8
    copy.here[-1] = 7
    expected = copy.here.clone()
    for place in (1, part - 2, 2 * part + 1, 3 * part):
        memory[place] = expected[place] = 1  # Another stream, meanwhile.
    copy.write_back()
    assert torch.equal(memory, expected)
