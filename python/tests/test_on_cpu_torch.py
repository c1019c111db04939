"""`python -m tilerun --cpu`: the parts of torch besides tensors and kernels that scripts for a GPU use."""

import pytest

torch = pytest.importorskip("torch")


def test_storages_are_where_their_tensors_are(run_text):
    run_text("""
        import copy, pickle, torch
        x, h = torch.rand(4, device="cuda"), torch.rand(4)
        get = (lambda t: t.untyped_storage()) if hasattr(h, "untyped_storage") else (lambda t: t.storage())
        for storages in (get, lambda t: t.storage()):
            s, t = storages(x), storages(h)
            assert s.is_cuda and s.device == x.device and s.data_ptr() == x.data_ptr() and len(s) == len(t)
            assert not t.is_cuda and t.device == torch.device("cpu")
            for moved in (t.cuda(), s.cuda(), copy.deepcopy(s), s.clone()):
                assert moved.is_cuda and (moved.data_ptr() == x.data_ptr()) == (moved is s or moved.data_ptr() == s.data_ptr())
            for moved in (s.cpu(), t.cpu(), copy.deepcopy(t), t.clone()):
                assert not moved.is_cuda
            assert t.cuda().data_ptr() != h.data_ptr() and s.cpu().data_ptr() != x.data_ptr() and t.cpu().data_ptr() == h.data_ptr()
            assert torch.empty(4, device="cuda").set_(t.cuda()).tolist() == h.tolist()
        if hasattr(torch, "UntypedStorage"):
            assert torch.UntypedStorage(8, device="cuda").is_cuda and not torch.UntypedStorage(8).is_cuda
            # Tensors sent to other processes are in the CPU's memory.
            for t in (torch.rand(4, device="cuda"), torch.rand(4)):
                was = t.is_cuda
                assert t.share_memory_() is t and t.is_shared() and t.is_cuda == was
        assert pickle.loads(pickle.dumps(x)).tolist() == x.tolist()
        """, "--cpu")


def test_loaded_tensors_are_where_the_caller_wants_them(run_text):
    run_text("""
        import io, torch
        file = io.BytesIO()
        torch.save({"x": torch.arange(3.0), "y": torch.ones(3, device="cuda")}, file)

        def load(**named):
            file.seek(0)
            loaded = torch.load(file, **named)
            assert loaded["x"].tolist() == [0, 1, 2] and loaded["y"].tolist() == [1, 1, 1]
            assert loaded["x"].is_cuda == loaded["y"].is_cuda
            return loaded["x"].is_cuda

        for place in ("cuda", "cuda:0", torch.device("cuda"), {"cpu": "cuda:0"}, lambda storage, location: storage.cuda(),
                      lambda storage, location: storage.cuda(0)):
            assert load(map_location=place), place
        for place in (None, "cpu", torch.device("cpu"), {"cuda:0": "cpu"}, lambda storage, location: storage, lambda *_: None,
                      lambda storage, location: storage.cpu()):
            assert not load(map_location=place), place
        """, "--cpu")


def test_mixed_precision(run_text):
    done = run_text("""
        import torch
        x = torch.rand(4, 4, device="cuda")

        def look(context):
            before = torch.is_autocast_enabled()
            with context:
                inside = torch.is_autocast_enabled(), torch.nn.functional.linear(x, x).dtype, torch.get_autocast_gpu_dtype()
            assert torch.is_autocast_enabled() == before
            return inside

        for make in (lambda **named: torch.autocast("cuda", **named), torch.cuda.amp.autocast):
            assert look(make(dtype=torch.bfloat16)) == (True, torch.bfloat16, torch.bfloat16)
            assert look(make(enabled=False))[:2] == (False, torch.float32)
            enabled, dtype, _ = look(make())
            assert (enabled, dtype) in ((True, torch.float16), (False, torch.float32))
            print(enabled)
        model = torch.nn.Linear(4, 4).cuda()
        optimizer, scaler = torch.optim.SGD(model.parameters(), 0.1), torch.cuda.amp.GradScaler(growth_interval=1)
        for bad, expected in ((False, 2.0), (True, 0.5)):
            optimizer.zero_grad()
            before, scale = model.weight.tolist(), scaler.get_scale()
            with torch.cuda.amp.autocast(dtype=torch.bfloat16):
                loss = model(x).float().sum() * (float("inf") if bad else 1)
            scaler.scale(loss).backward()
            scaler.unscale_(optimizer)
            assert bad or torch.allclose(model.weight.grad, x.sum(0).expand(4, 4), rtol=0.02)
            scaler.step(optimizer)
            scaler.update()
            assert (model.weight.tolist() == before) == bad and scaler.get_scale() == scale * expected
        """, "--cpu")
    # A version of torch without it says so.
    assert ("has no automatic mixed precision of torch.float16" in done.stderr) == (done.stdout.split()[0] == "False")


def test_devices_by_default(run_text):
    run_text("""
        import torch

        def places():
            made = (torch.empty(3), torch.nn.Linear(2, 2).weight, torch.tensor([1.0]), torch.Tensor(2), torch.ones(3, device="cpu"),
                    torch.empty(3, device="cuda"))
            return [t.is_cuda for t in made]

        host, gpu = [False] * 5 + [True], [True] * 4 + [False, True]
        assert places() == host
        if hasattr(torch, "set_default_device"):
            for device in ("cuda", "cuda:0", torch.device("cuda", 0)):
                torch.set_default_device(device)
                assert places() == gpu, device
                if hasattr(torch, "get_default_device"):
                    assert torch.get_default_device() == torch.device("cuda:0")
                torch.set_default_device("cpu")
                assert places() == host
            torch.set_default_device("cuda")
            torch.set_default_device(None)
            assert places() == host
            with torch.device("cuda"):
                assert places() == gpu
                with torch.device("cpu"):
                    assert places() == host
                assert places() == gpu
            assert places() == host
        for t in ("torch.cuda.FloatTensor", torch.cuda.FloatTensor):
            torch.set_default_tensor_type(t)
            assert places() == gpu, t
            torch.set_default_tensor_type(torch.FloatTensor)
            assert places() == host
        assert torch.cuda.FloatTensor([1.0]).is_cuda and not torch.Tensor([1.0]).is_cuda
        assert isinstance(torch.ones(2, device="cuda"), torch.cuda.FloatTensor) and not isinstance(torch.ones(2), torch.cuda.FloatTensor)
        assert not isinstance(torch.ones(2, device="cuda").half(), torch.cuda.FloatTensor)
        """, "--cpu")


def test_pinned_memory(run_text):
    run_text("""
        import torch
        h = torch.rand(3)
        p = h.pin_memory()
        assert p.is_pinned() and not h.is_pinned() and not p.is_cuda and p.data_ptr() != h.data_ptr() and p.pin_memory() is p
        assert torch.empty(3, pin_memory=True).is_pinned() and not torch.empty(3).is_pinned()
        x = p.to("cuda", non_blocking=True)
        assert x.is_cuda and not x.is_pinned() and x.tolist() == h.tolist()
        p.copy_(x * 2, non_blocking=True)
        assert p.is_pinned() and p.tolist() == (h * 2).tolist() and p[1:].is_pinned()
        """, "--cpu")


def test_what_torch_cuda_answers(run_text):
    run_text("""
        import torch
        cuda = torch.cuda
        for device in (0, "cuda", "cuda:0", torch.device("cuda"), None):
            for name in ("memory_allocated max_memory_allocated memory_reserved max_memory_reserved get_device_properties "
                         "get_device_capability get_device_name current_stream default_stream synchronize mem_get_info memory_stats "
                         "memory_summary reset_peak_memory_stats utilization").split():
                assert getattr(cuda, name)(device=device) == getattr(cuda, name)(device) or "properties" in name, name
        assert cuda.memory_stats()["active_bytes.all.current"] == 0 == cuda.memory.memory_allocated(0) and cuda.memory_snapshot() == []
        p = cuda.get_device_properties(0)
        assert p.max_threads_per_block == 1024 and "multi_processor_count=" in repr(p) and not hasattr(p, "colour")
        try:
            p.colour
        except AttributeError as error:
            assert "with --cpu, nothing is known of the GPU's property 'colour'; known properties are L2_cache_size, " in str(error)
        generator = torch.Generator(device="cuda").manual_seed(3)
        assert torch.rand(2, device="cuda", generator=generator).is_cuda and len(cuda.default_generators) == 1
        assert not torch.get_rng_state().is_cuda and not cuda.get_rng_state("cuda").is_cuda
        cuda.random.manual_seed(1)
        s, e = cuda.streams.Stream(priority=-1), cuda.Event(enable_timing=True, blocking=True)
        assert s.priority == -1 and e.cuda_event == 0 and e.device.type == "cuda"
        with cuda.StreamContext(s):
            assert cuda.current_stream() is s
        if hasattr(torch, "Event"):
            assert isinstance(torch.Stream("cuda"), cuda.Stream) and isinstance(torch.Event(device="cuda"), cuda.Event)
        assert isinstance(s, torch.Stream)
        cuda.cudart().cudaProfilerStart()
        with cuda.profiler.profile():
            pass
        from torch._C import _cuda_getCurrentRawStream
        assert _cuda_getCurrentRawStream(0) == 0 == cuda.get_sync_debug_mode()
        linear = torch.nn.Linear(4, 4).cuda()
        x = torch.rand(2, 4, device="cuda")
        assert torch.nn.DataParallel(linear)(x).is_cuda and torch.jit.script(linear)(x).is_cuda
        if hasattr(torch, "nested"):
            assert torch.nested.nested_tensor([x, x], device="cuda").device.type == "cuda"
        """, "--cpu")


@pytest.mark.parametrize("call, message", [
    ("cuda.CUDAGraph()", "CUDA graphs are not possible with --cpu"),
    ("cuda.caching_allocator_alloc(16)", "torch.cuda.caching_allocator_alloc is not possible with --cpu"),
    ("cuda.MemPool()", "torch.cuda.MemPool is not possible with --cpu"),
    ("cuda.Event().ipc_handle()", "events of other processes are not possible with --cpu"),
    ("cuda.cudart().cudaMalloc(3)", "torch.cuda.cudart().cudaMalloc is not possible with --cpu: it is of the CUDA runtime")])
def test_what_is_not_possible_says_so(run_text, call, message):
    done = run_text(f"""
        import torch
        cuda = torch.cuda
        {call}
        """, "--cpu", fails=True)
    assert message in done.stderr


def test_classes_stay_classes(run_text):
    """Packages name those of what is not possible in annotations, and ask whether objects are of them."""
    run_text("""
        import torch
        assert not isinstance(1, torch.cuda.CUDAGraph) and not isinstance(1, torch.cuda.graph)
        def replay(graph: torch.cuda.CUDAGraph | None):
            return graph
        assert replay(None) is None and torch.cuda.graphs.CUDAGraph is torch.cuda.CUDAGraph
        class Recorded(torch.cuda.CUDAGraph):
            pass
        """, "--cpu")
