"""`python -m tilerun --cpu`: scripts that were written for a GPU, which ask whether they have one."""

import pytest

pytest.importorskip("torch")

ANSWERS = """
import torch, triton

x = torch.empty(4, 5, device="cuda")
for t in (x, x + 1, x.t(), x[0], x.clone(), torch.zeros_like(x), x.new_zeros(3), torch.nn.Parameter(x), torch.rand(3).cuda(),
          torch.arange(3, device=torch.device("cuda", 0)), torch.tensor([1, 2]).to("cuda:0"), torch.ones(2, device=0),
          torch.nn.Linear(2, 3, device="cuda").weight, torch.nn.Linear(2, 3).cuda().bias, torch.cuda.FloatTensor(3)):
    assert t.is_cuda and not t.is_cpu and t.device.type == "cuda" and t.device.index == 0 and t.get_device() == 0
    assert t.device == x.device == torch.device("cuda:0") == triton.runtime.driver.active.get_active_torch_device()
assert "device='cuda:0'" in repr(x)
h = torch.rand(3)
assert x.type() == "torch.cuda.FloatTensor" and h.type() == "torch.FloatTensor" and x.half().type() == "torch.cuda.HalfTensor"
assert h.type("torch.cuda.HalfTensor").type() == "torch.cuda.HalfTensor" and not h.type(torch.int32).is_cuda
assert x.type("torch.cuda.FloatTensor") is x and not x.type("torch.FloatTensor").is_cuda
assert h.type("torch.cuda.FloatTensor").is_cuda and h.type("torch.cuda.FloatTensor").data_ptr() != h.data_ptr()
assert not torch.empty(3, device="meta").is_cuda and torch.empty(3, device="meta").device.type == "meta"

cuda = torch.cuda
assert cuda.is_available() and cuda.is_initialized() and cuda.device_count() == 1 and cuda.current_device() == 0
assert cuda.get_device_capability() == cuda.get_device_capability(0) == (9, 0) and cuda.get_device_name(0)
p = cuda.get_device_properties("cuda")
assert (p.major, p.minor) == (9, 0) and p.multi_processor_count >= 1 and p.total_memory and p.name == cuda.get_device_name()
assert p.shared_memory_per_block_optin and p.warp_size == 32 and p.regs_per_multiprocessor and p.L2_cache_size
assert cuda.is_bf16_supported() and torch.version.cuda and "sm_90" in cuda.get_arch_list()
target = triton.runtime.driver.active.get_current_target()
assert target.backend == "cuda" and target.arch == 90 and target.warp_size == 32
assert triton.runtime.driver.active.get_device_capability() == (9, 0)

begin, end = cuda.Event(enable_timing=True), cuda.Event(enable_timing=True)
stream = cuda.Stream()
with cuda.device(0), cuda.device("cuda"), cuda.stream(stream), torch.no_grad():
    assert cuda.current_stream() is stream and stream.query() and stream.cuda_stream == 0
    assert not stream.is_capturing() and stream.device == x.device
    begin.record()
    end.record(stream)
stream.wait_stream(cuda.current_stream())
assert cuda.current_stream() is cuda.default_stream() is not stream
cuda.synchronize()
cuda.synchronize(x.device)
assert begin.elapsed_time(end) >= 0 and end.query()
cuda.nvtx.range_push("x")
cuda.nvtx.range_pop()
x.record_stream(stream)
cuda.empty_cache()
cuda.reset_peak_memory_stats()
assert cuda.max_memory_allocated() == 0
"""


def test_answers(run_text):
    run_text(ANSWERS, "--cpu")


def test_truth_by_name(run_text):
    run_text("""
        import torch, triton
        x = torch.empty(4, device="cuda")
        assert not x.is_cuda and x.device.type == "cpu" and x.get_device() == -1 and "cuda" not in repr(x)
        assert not torch.cuda.is_available() and torch.cuda.get_device_capability() == (0, 0)
        assert triton.runtime.driver.active.get_current_target().backend == "cpu"
        assert triton.runtime.driver.active.get_active_torch_device().type == "cpu"
        torch.cuda.synchronize()
        """, "--cpu", "--no-pretend")


def test_the_opt_out_alone_means_nothing(run_python):
    assert "--no-pretend needs --cpu" in run_python("-m", "tilerun", "--no-pretend", "-cpass", fails=True).stderr


LAUNCH = """
import sys, torch, triton, triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

DEVICE = triton.runtime.driver.active.get_active_torch_device()

@triton.jit
def add_kernel(x_ptr, y_ptr, output_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(axis=0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    tl.store(output_ptr + offsets, tl.load(x_ptr + offsets, mask=mask) + tl.load(y_ptr + offsets, mask=mask), mask=mask)

@triton.jit
def move(out, desc, n):
    desc.store([0, 0], desc.load([0, 0]) + n)

def add(x, y):
    output = torch.empty_like(x)
    assert x.is_cuda and y.is_cuda and output.is_cuda
    assert x.device == DEVICE and y.device == DEVICE and output.device == DEVICE
    n_elements = output.numel()
    add_kernel[lambda meta: (triton.cdiv(n_elements, meta["BLOCK_SIZE"]), )](x, y, output, n_elements, BLOCK_SIZE=1024)
    return output

class Wrapped:
    def __init__(self, tensor):
        self.tensor, self.dtype, self.device = tensor, tensor.dtype, tensor.device

    def data_ptr(self):
        return self.tensor.data_ptr()

x, y = torch.rand(98432, device=DEVICE), torch.rand(98432, device="cuda")
assert torch.equal(add(x, y), x + y)
out = torch.empty_like(x)
first = Wrapped(x) if sys.argv[1] == "--cpu" else x  # Of such objects it is not known how much memory they have.
add_kernel[(97, )](first, triton.reinterpret(y.view(torch.int32), torch.float32), out, 98432, BLOCK_SIZE=1024)
assert torch.equal(out, x + y)
square = torch.zeros(8, 8, device=DEVICE)
move[(1, )](square, TensorDescriptor.from_tensor(square, [4, 4]), 3.0)
assert square.sum() == 48
"""


@pytest.mark.parametrize("option", ["--cpu", "--checks"])
def test_launches(run_text, option):
    run_text(LAUNCH, option, arguments=(option, ))


def test_memory_is_apart_where_a_gpu_has_its_own(run_text):
    run_text("""
        import numpy as np, torch
        host = torch.zeros(4)
        there = host.cuda()
        there += 1
        back = there.cpu()
        again = there.to("cpu", torch.float32)
        there += 1
        assert host.tolist() == [0] * 4 and there.tolist() == [2] * 4 and back.tolist() == again.tolist() == [1] * 4
        array = np.zeros(3, np.float32)
        torch.from_numpy(array).to(device="cuda").fill_(7)
        assert not array.any()
        # A tensor that is already there is returned as it is.
        assert there.cuda() is there.to("cuda") is there.to(there.device) is there and there.to(torch.float32) is there
        assert there.to("cuda", torch.float64).dtype == torch.float64
        model = torch.nn.Linear(3, 3)
        weight = model.weight
        assert model.cuda() is model.to("cuda") is model.to(device="cuda:0") is model and model.weight is weight
        assert weight.to("cuda") is weight and model.to("cuda", torch.float64).weight.dtype == torch.float64
        leaf = torch.ones(3, requires_grad=True)
        (leaf.cuda() * 2).sum().backward()
        assert leaf.grad.tolist() == [2] * 3
        assert np.from_dlpack(there).tolist() == [2] * 4 and there.numpy().tolist() == [2] * 4
        from tilerun import _places
        for _ in range(1000):
            torch.zeros(8)
        assert 0 < len(_places.host_storages) < 200
        """, "--cpu")


def test_what_is_on_the_gpu_is_not_copied_there(run_text):
    """However it got there: kernels write to the memory that the script reads."""
    run_text("""
        import torch, triton, triton.language as tl

        @triton.jit
        def fill(out):
            tl.store(out + tl.arange(0, 8), 1.0)

        x = torch.zeros(8, device="cuda")
        forms = {
            "factory": x, "zeros_like": torch.zeros_like(x), "empty_like": torch.empty_like(x).zero_(), "operation": x + 0,
            "operation with a number of the host": x * torch.tensor(2.0), "row": torch.zeros(2, 8, device="cuda")[1],
            "view": torch.zeros(2, 4, device="cuda").view(8), "new_zeros": x.new_zeros(8), "clone": x.clone(),
            "device of another": torch.zeros(8, device=x.device), "brought": torch.zeros(8).cuda(), "detached": x.detach(),
            "row of brought": torch.zeros(2, 8).to("cuda")[1], "converted": torch.zeros(8, dtype=torch.float16).cuda().float(),
            "as another": torch.zeros(8).to(x), "function": torch.exp(x) - 1, "like brought": torch.zeros_like(torch.ones(8).cuda()),
            "brought and converted": torch.zeros(8, dtype=torch.int32).to("cuda", torch.float32), "split": torch.cat((x, x)).chunk(2)[1],
            "buffer": torch.nn.BatchNorm1d(8).cuda().running_mean, "data": torch.nn.LayerNorm(8).to("cuda").bias.data,
        }
        for name, out in forms.items():
            for move in (lambda t: t.cuda(), lambda t: t.to("cuda"), lambda t: t.to(x.device), lambda t: t.to(device="cuda:0"),
                         lambda t: t.to(0), lambda t: t.to(x), lambda t: torch.as_tensor(t, device="cuda")):
                out.zero_()
                fill[(1, )](move(out))
                assert out.tolist() == [1] * 8, name
        if hasattr(torch, "set_default_device"):
            torch.set_default_device("cuda")
            made = torch.zeros(8)
            assert made.cuda() is made
        """, "--cpu")


def test_what_is_the_hosts_is_copied(run_text):
    run_text("""
        import numpy as np, torch
        there, array = torch.zeros(8, device="cuda"), np.zeros(8, np.float32)
        host = torch.zeros(8)
        forms = {
            "factory": host, "device": torch.zeros(8, device="cpu"), "array": torch.from_numpy(array), "tensor": torch.tensor([0.0] * 8),
            "as_tensor": torch.as_tensor(array), "buffer": torch.frombuffer(bytearray(32), dtype=torch.float32),
            "back": there.cpu(), "back and converted": there.to("cpu", torch.float64), "as another": there.to(host),
            "like": torch.zeros_like(host), "new": host.new_zeros(8), "row": torch.zeros(2, 8)[1], "view": torch.zeros(2, 4).view(8),
            "operation": host * 2 + 0, "converted": host.half(), "to a type": host.to(torch.float64), "function": torch.tanh(host),
        }
        for name, reference in forms.items():
            for move in (lambda t: t.cuda(), lambda t: t.to("cuda"), lambda t: t.to(there.device), lambda t: t.to(there),
                         lambda t: torch.as_tensor(t, device="cuda"), lambda t: torch.asarray(t, device="cuda")):
                moved = move(reference)
                moved += 1
                assert reference.tolist() == [0] * 8, name
                assert moved.cuda() is moved, name
        torch.as_tensor(array, device="cuda").fill_(3)
        assert not array.any()
        """, "--cpu")


def test_what_torch_does_with_devices(run_text):
    """Parts of torch that query the devices of tensors."""
    run_text("""
        import copy, io, pickle, torch, torch.utils.checkpoint
        from torch.utils.data import DataLoader, TensorDataset
        model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.LayerNorm(8), torch.nn.Linear(8, 1)).cuda()
        optimizers = [torch.optim.Adam(model.parameters()), torch.optim.SGD(model.parameters(), 0.1, momentum=0.9)]
        data = TensorDataset(torch.randn(32, 4), torch.randn(32, 1))
        for workers in (0, 2):
            for x, y in DataLoader(data, batch_size=8, shuffle=True, pin_memory=True, num_workers=workers):
                loss = torch.nn.functional.mse_loss(model(x.cuda(non_blocking=True)), y.to("cuda"))
                for optimizer in optimizers:
                    optimizer.zero_grad()
                loss.backward()
                torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                for optimizer in optimizers:
                    optimizer.step()
        assert loss.is_cuda and all(p.grad.is_cuda for p in model.parameters())
        file = io.BytesIO()
        torch.save(model.state_dict(), file)
        file.seek(0)
        model.load_state_dict(torch.load(file, map_location="cuda"))
        x = copy.deepcopy(pickle.loads(pickle.dumps(torch.ones(3, device="cuda"))))
        torch.testing.assert_close(x, torch.ones(3, device="cuda"))
        assert torch.nn.LSTM(3, 4).cuda()(torch.ones(2, 1, 3, device="cuda"))[0].shape == (2, 1, 4)
        torch.testing.assert_close(torch.utils.checkpoint.checkpoint(torch.sin, x.requires_grad_()), torch.sin(x))

        class Double(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                assert x.is_cuda
                ctx.save_for_backward(x)
                return x * 2

            @staticmethod
            def backward(ctx, dy):
                assert dy.is_cuda and ctx.saved_tensors[0].is_cuda
                return dy * 2

        Double.apply(x).sum().backward()
        assert x.grad.tolist() == [2] * 3
        with torch.random.fork_rng():
            torch.manual_seed(3)
        # They are told by identity, as by torch.compile.
        functions = [f for m in (torch.cuda, torch.cuda.nvtx) for f in vars(m).values() if f.__class__.__name__ == "function"]
        assert len({id(f) for f in functions if "_pretend" in f.__code__.co_filename}) == \
            len([f for f in functions if "_pretend" in f.__code__.co_filename]) > 50
        """, "--cpu")


def test_processes_have_it_as_well(run_text):
    run_text("""
        import torch.multiprocessing as mp, torch

        def ask():
            assert torch.cuda.is_available() and torch.zeros(3, device="cuda").is_cuda

        if __name__ == "__main__":
            process = mp.get_context("spawn").Process(target=ask)
            process.start()
            process.join()
            assert process.exitcode == 0
        """, "--cpu")


def test_graphs_are_refused(run_text):
    done = run_text("""
        import torch
        with torch.cuda.graph(torch.cuda.CUDAGraph()):
            pass
        """, "--cpu", fails=True)
    assert done.stderr.splitlines()[-1].startswith("NotImplementedError: CUDA graphs are not possible with --cpu")


def test_products_have_wide_results(run_text):
    run_text("""
        import torch
        a, b = torch.full((2, 64), 0.1, dtype=torch.bfloat16, device="cuda"), torch.full((64, 3), 0.1, dtype=torch.bfloat16, device="cuda")
        exact = a.double() @ b.double()
        c = torch.zeros(2, 3, dtype=torch.float32, device="cuda")
        for wide in (torch.mm(a, b, out_dtype=torch.float32), torch.mm(a, b, torch.float32), torch.addmm(c, a, b, out_dtype=torch.float32, alpha=1),
                     torch.bmm(a[None], b[None], out_dtype=torch.float32)[0], torch.addmm(c, a, b, out_dtype=torch.float32, out=torch.empty_like(c))):
            assert wide.dtype == torch.float32 and wide.is_cuda and torch.allclose(wide.double(), exact, rtol=1e-6), wide
        for wide in (torch.mm(a, mat2=b, out_dtype=torch.float32), torch.mm(input=a, mat2=b, out_dtype=torch.float32),
                     torch.addmm(input=c, mat1=a, mat2=b, out_dtype=torch.float32), torch.addmm(c, a, mat2=b, out_dtype=torch.float32, beta=1),
                     torch.baddbmm(c[None], a[None], batch2=b[None], out_dtype=torch.float32)[0]):
            assert wide.dtype == torch.float32 and torch.allclose(wide.double(), exact, rtol=1e-6), wide
        assert torch.mm(a, b).dtype == torch.mm(a, b, out_dtype=torch.bfloat16).dtype == torch.bfloat16

        def refuse(words, function, *args, **kwargs):
            try:
                function(*args, **kwargs)
            except RuntimeError as error:
                assert words in str(error), error
            else:
                raise AssertionError(words)

        refuse("out_dtype is torch.int32, but an operand is torch.bfloat16", torch.mm, a, b, out_dtype=torch.int32)
        refuse("out_dtype is torch.float16, but", torch.bmm, a[None], mat2=b[None], out_dtype=torch.float16)
        refuse("out_dtype is torch.int32, but an operand is torch.float32", torch.mm, a.float(), b.float(), torch.int32)
        refuse("out_dtype is torch.float32, but an operand is torch.float64", torch.addmm, c, a.double(), b.double(), out_dtype=torch.float32)
        refuse("out has dtype torch.bfloat16, but out_dtype is torch.float32", torch.mm, a, b, out_dtype=torch.float32, out=a.new_empty(2, 3))
        torch.mm(a.float(), b.float(), out=c)
        assert torch.allclose(c.double(), exact, rtol=1e-6)
        """, "--cpu")


def test_tensors_of_the_host_say_so(run_text):
    run_text("""
        import io, numpy as np, torch

        def make(device):
            x = torch.rand(4, 4, device=device)
            file = io.BytesIO()
            torch.save({"x": [x]}, file)
            file.seek(0)
            F = torch.nn.functional
            return {"made": x, "cat": torch.cat([x, x]), "stack": torch.stack((x, x)), "hstack": torch.hstack([x]), "sum": x + 1,
                    "where": torch.where(x > 0, x, x), "largest": x.max(0)[0], "sorted": torch.sort(x).values, "row": x[0],
                    "split": torch.split(x * 2, 2)[1], "chosen": x[x > 0], "einsum": torch.einsum("ij,jk->ik", x, x),
                    "padded": F.pad(x, (1, 1)), "norm": torch.linalg.norm(x, dim=0), "fft": torch.fft.rfft(x), "less": x < 1,
                    "loaded": torch.load(file, map_location=device)["x"][0], "flipped": x.flip(0), "right": 2 / x,
                    "deep": x.t().contiguous().view(-1).clone().detach(), "stacked": torch.Tensor.cumsum(x, 0), "mean": x.mean()}

        for name, x in {**make(None), "back": make("cuda")["cat"].cpu(), "to": make("cuda")["made"].to("cpu"),
                        "loaded": torch.load(io.BytesIO(saved.getvalue())) if (saved := io.BytesIO(),
                        torch.save(torch.ones(3), saved))[0] else None}.items():
            assert not x.is_cuda and x.is_cpu and x.device == torch.device("cpu") and x.get_device() == -1, name
            there = x.cuda()
            assert there.is_cuda and there.device.type == "cuda" and there.data_ptr() != x.data_ptr(), name
        for name, x in {**make("cuda"), "brought": make(None)["cat"].cuda(), "mixed": make(None)["cat"].cuda() * torch.tensor(2.0),
                        "both": torch.cat([torch.ones(3).cuda(), torch.zeros(3, device="cuda")])}.items():
            assert x.is_cuda and not x.is_cpu and x.device == torch.device("cuda", 0) and x.get_device() == 0, name
            assert x.cuda() is x and x.to("cuda") is x, name
        """, "--cpu")


def test_exports_say_where_the_memory_is(run_text):
    run_text("""
        import numpy as np, torch
        for x in (torch.zeros(6, device="cuda"), torch.zeros(6), torch.zeros(2, 6, device="cuda")[1], torch.zeros(6).cuda()):
            assert x.__dlpack_device__() == (1, 0)
            array, again = np.from_dlpack(x), torch.from_dlpack(x)
            x.fill_(3)
            assert array.tolist() == again.tolist() == [3] * 6 and again.data_ptr() == x.data_ptr() == array.ctypes.data
            capsule = torch.utils.dlpack.to_dlpack(x)
            assert torch.utils.dlpack.from_dlpack(capsule).data_ptr() == x.data_ptr()
            assert x.__dlpack__(stream=1) is not None and x.__dlpack__(stream=None) is not None
        # Tensors made from arrays of the host stay on the host.
        assert not torch.from_dlpack(np.ones(3, np.float32)).is_cuda
        """, "--cpu")
