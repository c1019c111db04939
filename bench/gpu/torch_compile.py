"""torch.compile over Tilerun on a GPU, beside Triton on the same machine: results, times and launches. Nothing is built.

Usage: TILERUN_BUNDLE=BUNDLE bench/gpu/torch_compile.py [SECTION...]; sections: programs checks models launches (default: all).
Needs PyTorch 2.8 or later; Triton where it is to be compared with. `--device cpu` runs small ones on the interpreter.

`programs` compiles the programs of python/tests-torch and compares them with eager. `models` compiles larger ones under Tilerun and under
Triton, in two processes that take turns round by round: medians of both, and the time of the first call with empty caches. `checks` looks
at forks, the profiler's timeline, and which launcher launches. Exit status 1 if a result is wrong."""

import argparse
import functools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.join(HERE, "..", "..", "python", "tests-torch")
SECTIONS = "programs", "checks", "models", "launches"
ROUNDS = 7


# -- What is compiled, in the process that compiles it


def softmaxes(scale):
    """Softmax and its logarithm of the same rows, fused."""
    import torch
    import torch.nn.functional as F
    x = torch.randn(4096 // scale, 8192 // scale)
    return lambda x: F.softmax(x, -1) * F.log_softmax(x, -1), (x, ), {}


def norm_and_gelu(scale):
    import torch
    import torch.nn.functional as F
    rows, columns = 8192 // scale, 4096 // scale
    return lambda x, w, b: F.gelu(F.layer_norm(x, (columns, ), w, b)), (torch.randn(rows, columns), torch.randn(columns),
                                                                        torch.randn(columns)), {}


def cross_entropy_gradient(scale):
    import torch
    import torch.nn.functional as F
    logits, targets = torch.randn(4096 // scale, 32000 // scale), torch.randint(0, 32000 // scale, (4096 // scale, ))

    def step(logits, targets):
        logits = logits.detach().requires_grad_()
        return torch.autograd.grad(F.cross_entropy(logits, targets), logits)[0]

    return step, (logits, targets), {"forward": lambda l, t: F.cross_entropy(l, t)}


def make_decoder(scale, dtype):
    import torch
    from models import Decoder
    attention = functools.partial(torch.nn.functional.scaled_dot_product_attention, is_causal=True)
    width = 2048 if scale == 1 else 32
    return Decoder(words=2000 // scale, width=width, heads=16 if scale == 1 else 2, attention=attention).to(dtype)


def decoder_forward(scale):
    import torch
    model = make_decoder(scale, torch.bfloat16).eval().requires_grad_(False)
    return model, (torch.randint(0, 2000 // scale, (2, 1024 // scale)), ), {}


def decoder_with_graphs(scale):
    model, arguments, _ = decoder_forward(scale)
    return model, arguments, {"mode": "reduce-overhead"}


def make_step(model, loss):
    """A training step without the optimizer: the gradients of all parameters."""
    import torch
    parameters = list(model.parameters())

    def make(forward):

        def step(inputs, targets):
            return torch.autograd.grad(loss(forward(inputs), targets), parameters)

        return step

    return make


def decoder_training(scale):
    import torch
    import torch.nn.functional as F
    model = make_decoder(scale, torch.bfloat16)
    tokens = torch.randint(0, 2000 // scale, (2, 1024 // scale))
    loss = lambda logits, targets: F.cross_entropy(logits.flatten(0, 1).float(), targets.flatten())
    return model, (tokens, tokens.roll(1, 1)), {"step": make_step(model, loss)}


def convolutions_training(scale):
    import torch
    import torch.nn.functional as F
    from models import Convolutions
    model = Convolutions(64 // min(scale, 8))
    batch = torch.randn(64 // scale, 3, 112 // min(scale, 8), 112 // min(scale, 8)), torch.randint(0, 5, (64 // scale, ))
    return model, batch, {"step": make_step(model, F.cross_entropy)}


def flex(scale, gradient):
    import torch
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention
    length = 4096 // scale
    q, k, v = (torch.randn(2, 16 // min(scale, 8), length, 64, dtype=torch.bfloat16) for _ in range(3))
    slopes = torch.exp2(-torch.arange(1, q.shape[1] + 1) / 2)
    window = create_block_mask(lambda b, h, i, j: (i >= j) & (i - j < length // 4), None, None, length, length, device=q.device)

    def attend(q, k, v):
        return flex_attention(q, k, v, score_mod=lambda score, b, h, i, j: score + slopes[h] * (j - i), block_mask=window)

    def make(forward):

        def step(q, k, v):
            inputs = [t.detach().requires_grad_() for t in (q, k, v)]
            return torch.autograd.grad(forward(*inputs).float().square().mean() * q.numel(), inputs)

        return step

    return attend, (q, k, v), {"step": make} if gradient else {}


def products(scale):
    import torch
    import torch.nn.functional as F
    n = 4096 // scale
    a, b, bias = torch.randn(n, n, dtype=torch.bfloat16), torch.randn(n, n, dtype=torch.bfloat16), torch.randn(n, dtype=torch.bfloat16)
    return lambda a, b, bias: F.gelu(a @ b / 64 + bias), (a, b, bias), {
        "config": {"max_autotune": True, "max_autotune_gemm_backends": "TRITON", "autotune_in_subproc": False}}


# By name: the function, the tolerance, and whether the interpreter has what it needs.
MODELS = {"softmax * log_softmax, 4096 x 8192": (softmaxes, 1e-4, True), "layer norm + GELU, 8192 x 4096": (norm_and_gelu, 1e-4, True),
          "gradient of cross entropy, 4096 x 32000": (cross_entropy_gradient, 1e-4, True),
          "two Llama layers, forward": (decoder_forward, 5e-2, True),
          "two Llama layers, forward, CUDA graphs": (decoder_with_graphs, 5e-2, False),
          "two Llama layers, training step": (decoder_training, 5e-2, True),
          "convolutions, training step": (convolutions_training, 2e-2, True),
          "flex attention, forward": (functools.partial(flex, gradient=False), 5e-2, False),
          "flex attention, gradients": (functools.partial(flex, gradient=True), 1e-1, False),
          "4096^3 product + GELU, max_autotune": (products, 5e-2, False)}


class Compiler:
    """Compiles and runs in a process of its own, which has one of the two `triton`s."""

    def __init__(self, which, device):
        is_ours = which.startswith("tilerun")
        if is_ours:
            import tilerun
            tilerun.install()
        sys.path.insert(0, TESTS)
        import torch
        import torch._inductor.config as config
        import triton
        assert ("tilerun" in triton.__name__) == is_ours, triton.__file__
        self.torch, self.device, self.config = torch, device, config
        torch.manual_seed(5)
        torch.set_default_device(device)
        if device == "cpu":
            config.cpu_backend = "triton"
        config.use_static_triton_launcher = not which.endswith("own launcher")
        config.compile_threads = 1 if device == "cpu" else config.compile_threads
        self.ready = {}

    def synchronize(self):
        if self.device != "cpu":
            self.torch.cuda.synchronize()

    def programs(self):
        """Runs all programs, and gives those that are wrong."""
        from programs import PROGRAMS
        torch, wrong = self.torch, {}
        leaves = torch.utils._pytree.tree_leaves
        for function, make, options in PROGRAMS:
            torch._dynamo.reset()
            torch.manual_seed(3)
            tolerance = {name: options.get(name, 1e-4) for name in ("rtol", "atol")}
            try:
                arguments = [one() for one in make]
                clones = [a.detach().clone().requires_grad_(a.requires_grad) if isinstance(a, torch.Tensor) else a for a in arguments]
                expected, found = function(*arguments), torch.compile(function, fullgraph=True)(*clones)
                torch.testing.assert_close(found, expected, equal_nan=True, **tolerance)
                outputs = [(f, e) for f, e in zip(leaves(found), leaves(expected)) if isinstance(f, torch.Tensor) and e.requires_grad]
                for f, e in outputs:
                    f.float().square().sum().backward()
                    e.float().square().sum().backward()
                for a, b in zip(arguments, clones):
                    if isinstance(a, torch.Tensor) and a.requires_grad:
                        torch.testing.assert_close(b.grad, a.grad, rtol=1e-3, atol=1e-3)
            except Exception as error:
                wrong[function.__name__] = f"{type(error).__name__}: {error}"[:2000]
        return {"programs": len(PROGRAMS), "wrong": wrong}

    def prepare(self, name):
        """Compiles one of MODELS and compares its results with eager's."""
        torch = self.torch
        make, tolerance, _ = MODELS[name]
        torch._dynamo.reset()
        torch.manual_seed(11)
        function, arguments, options = make(64 if self.device == "cpu" else 1)
        with self.config.patch(options.get("config", {})):
            compiled = torch.compile(options.get("forward", function), mode=options.get("mode"), dynamic=False)
            step = options.get("step", lambda forward: forward)
            if "forward" in options:

                def run(logits, targets):
                    logits = logits.detach().requires_grad_()
                    return torch.autograd.grad(compiled(logits, targets), logits)[0]
            else:
                run = step(compiled)
                function = step(function)
            self.synchronize()
            start = time.perf_counter()
            found = run(*arguments)
            self.synchronize()
            seconds = time.perf_counter() - start
        found = torch.utils._pytree.tree_map(lambda t: t.clone(), found)
        expected = function(*arguments)
        for f, e in zip(torch.utils._pytree.tree_leaves(found), torch.utils._pytree.tree_leaves(expected)):
            torch.testing.assert_close(f, e, rtol=tolerance, atol=tolerance * max(e.abs().max().item(), 1e-3) / 4)
        self.ready[name] = lambda: run(*arguments)
        return {"seconds": seconds}

    def measure(self, name, count=10):
        """Milliseconds of one call, by the device's clock."""
        torch, run = self.torch, self.ready[name]
        run()
        if self.device == "cpu":
            start = time.perf_counter()
            run()
            return {"ms": (time.perf_counter() - start) * 1e3}
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        torch.cuda.synchronize()
        torch.cuda._sleep(10_000_000)  # The device waits until the host is ahead.
        start.record()
        for _ in range(count):
            run()
        end.record()
        torch.cuda.synchronize()
        return {"ms": start.elapsed_time(end) / count}

    def forget(self, name):
        self.ready.pop(name, None)
        self.torch._dynamo.reset()
        if self.device != "cpu":
            self.torch.cuda.empty_cache()
        return {}

    def launches(self):
        """Compiles a small function, and says which launcher it has."""
        torch = self.torch
        from torch._inductor.runtime import static_triton_launcher, triton_heuristics
        static, plain = [], static_triton_launcher.StaticallyLaunchedTritonKernel.load_kernel
        static_triton_launcher.StaticallyLaunchedTritonKernel.load_kernel = lambda self, device: (static.append(self), plain(self, device))[1]
        torch._dynamo.reset()
        compiled, x = torch.compile(lambda x: x * 2 + 1), torch.randn(1000)
        torch.testing.assert_close(compiled(x), x * 2 + 1)
        static_triton_launcher.StaticallyLaunchedTritonKernel.load_kernel = plain
        # The kernel's launch as the compiled function calls it.
        seen, run = [], triton_heuristics.CachingAutotuner.run
        triton_heuristics.CachingAutotuner.run = lambda self, *args, **kwargs: (seen.append((self, args, kwargs)), run(self, *args, **kwargs))[1]
        compiled(x)
        triton_heuristics.CachingAutotuner.run = run
        (autotuner, args, kwargs), = seen
        launcher, = autotuner.launchers
        self.ready["call"], self.ready["launch"] = lambda: compiled(x), lambda: launcher(*args, **kwargs)
        return {"static": len(static)}

    def host_time(self, what, count=200):
        """Microseconds of the host for a call of what `launches` has compiled."""
        run = self.ready[what]
        self.synchronize()
        start = time.perf_counter()
        for _ in range(count):
            run()
        return {"us": (time.perf_counter() - start) / count * 1e6}

    def checks(self):
        """A child of fork, and the profiler's timeline, over a kernel of the user's."""
        torch = self.torch
        import triton
        import python_launch_triton
        add_kernel, out = triton.jit(python_launch_triton.add), {}
        x = torch.randn(1000)
        y = torch.empty_like(x)
        add_kernel[(1, )](x, x, y, 1000, BLOCK_SIZE=1024)
        self.synchronize()
        torch.testing.assert_close(y, x + x)
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                add_kernel[(1, )](x, x, y, 1000, BLOCK_SIZE=1024)
                said = "it launches"
            except Exception as error:
                said = f"{type(error).__name__}: {error}"
            os.write(write, said.encode()[:3000])
            os._exit(0)
        os.close(write)
        with os.fdopen(read, "rb") as file:
            out["a child of fork"] = file.read().decode().splitlines()[0][:160]
        os.waitpid(child, 0)
        expected = "it launches" if self.device == "cpu" else "UnavailableError"
        assert out["a child of fork"].startswith(expected), out
        add_kernel[(1, )](x, x, y, 1000, BLOCK_SIZE=1024)
        import triton.profiler as profiler
        with tempfile.TemporaryDirectory() as folder:
            name = os.path.join(folder, "trace")
            profiler.start(name, data="trace")
            with profiler.scope("both"):
                for _ in range(2):
                    add_kernel[(1, )](x, x, y, 1000, BLOCK_SIZE=1024)
            profiler.finalize()
            with open(name + ".chrome_trace") as file:
                events = [event for event in json.load(file)["traceEvents"] if event["ph"] == "X"]
        out["events of a timeline"] = ", ".join(f"{event['name']} {event['dur']:.1f} us" for event in events)
        assert sorted(event["name"] for event in events) == ["add", "add", "both"], events
        return out


def serve(which, device):
    """Answers requests, each a line of JSON: [method, arguments…]."""
    channel = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # What libraries print is not an answer.
    compiler = Compiler(which, device)
    for line in sys.stdin:
        method, *arguments = json.loads(line)
        try:
            answer = getattr(compiler, method)(*arguments)
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        channel.write(json.dumps(answer) + "\n")
        channel.flush()


# -- The process that asks


class Server:

    def __init__(self, which, device, folder):
        own = os.path.join(folder, which.replace(" ", "-").replace(",", ""))
        path = [part for part in os.environ.get("PYTHONPATH", "").split(os.pathsep) if part and "tilerun" not in part]
        if which.startswith("tilerun"):
            package = os.environ.get("TILERUN_PACKAGE") or os.path.join(os.environ["TILERUN_BUNDLE"], "lib", "tilerun", "python")
            path.insert(0, package)
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path), "TORCHINDUCTOR_CACHE_DIR": os.path.join(own, "inductor"),
                       "TILERUN_CACHE_DIR": os.path.join(own, "tilerun"), "CUDA_CACHE_DISABLE": "1"}
        environment.pop("TRITON_CACHE_DIR", None)
        self.which, self.log = which, open(os.path.join(folder, "log-" + os.path.basename(own)), "w+")
        self.process = subprocess.Popen([sys.executable, os.path.abspath(__file__), "--serve", which, "--device", device],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, text=True, env=environment)

    def ask(self, *request):
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except OSError:
            line = ""
        if line:
            return json.loads(line)
        self.log.seek(0)
        return {"error": "the process has ended: " + self.log.read()[-1500:]}

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def compare_models(servers, device, end):
    """Prints a row for each model; gives the number of wrong ones."""
    wrong = 0
    print(f"\n{'model':44} " + " ".join(f"{server.which + ' ms':>14}" for server in servers) + "   ratio   first call, s")
    for name, (_, _, for_the_interpreter) in MODELS.items():
        if device == "cpu" and not for_the_interpreter:
            continue
        if time.monotonic() > end:
            print(f"{name:44} not run: the time is up")
            continue
        prepared = [server.ask("prepare", name) for server in servers]
        times = [[] for _ in servers]
        for _ in range(ROUNDS if all("error" not in answer for answer in prepared) else 0):
            for server, taken in zip(servers, times):
                taken.append(server.ask("measure", name).get("ms", float("nan")))
        for server in servers:
            server.ask("forget", name)
        if not times[0]:
            for server, answer in zip(servers, prepared):
                if "error" in answer:
                    wrong += server.which != "triton"
                    print(f"{name:44} {server.which}: {answer['error'][:1500]}")
            continue
        medians = [statistics.median(taken) for taken in times]
        ratio = f"{medians[0] / medians[-1]:7.2f}" if len(servers) > 1 else "       "
        print(f"{name:44} " + " ".join(f"{median:14.4f}" for median in medians) + f" {ratio}   "
              + " / ".join(f"{answer['seconds']:.1f}" for answer in prepared), flush=True)
    return wrong


def compare_launches(device, folder, with_triton):
    """Prints the host's times of a small compiled function and of its launch, in new processes that take turns; gives the number of
    ours that fail."""
    inner = os.path.join(folder, "launches")
    os.mkdir(inner)
    servers = [Server(f"{which}{launcher}", device, inner)
               for which in ("tilerun", "triton")[:1 + with_triton] for launcher in ("", ", own launcher")]
    answers, wrong = [server.ask("launches") for server in servers], 0
    times = {server.which: {"call": [], "launch": []} for server in servers}
    for _ in range(5 * ROUNDS):
        for server in servers:
            for what, taken in times[server.which].items():
                taken.append(server.ask("host_time", what).get("us", float("nan")))
    for server, answer in zip(servers, answers):
        failed = answer.get("error")
        wrong += bool(failed) and server.which.startswith("tilerun")
        medians = {what: statistics.median(taken) for what, taken in times[server.which].items()}
        print(f"a small compiled function, {server.which}: " + (failed or f"{medians['call']:.1f} us a call, of which the launch "
              f"{medians['launch']:.1f}; {answer['static']} kernels with PyTorch's static launcher"), flush=True)
        server.close()
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=", ".join(SECTIONS))
    parser.add_argument("--device", default="cuda", choices=("cuda", "cpu"))
    parser.add_argument("--seconds", type=float, default=330, help="no model is begun after this time")
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        return serve(options.serve, options.device)
    unknown = set(options.sections) - set(SECTIONS)
    if unknown:
        parser.error(f"unknown section {', '.join(sorted(unknown))}; use {', '.join(SECTIONS)}")
    sections = options.sections or SECTIONS
    end, wrong = time.monotonic() + options.seconds, 0
    with tempfile.TemporaryDirectory() as folder:
        ours = Server("tilerun", options.device, folder)
        servers = [ours]
        if options.device != "cpu":
            theirs = Server("triton", options.device, folder)
            answer = theirs.ask("synchronize")
            if answer is None:
                servers.append(theirs)
            else:
                print(f"triton: not run: {answer['error'].strip().splitlines()[-1]}")
        if "checks" in sections:
            answer = ours.ask("checks")
            wrong += "error" in answer
            print("\n".join(f"{what}: {said}" for what, said in answer.items()), flush=True)
        if "launches" in sections:
            wrong += compare_launches(options.device, folder, len(servers) > 1)
        if "programs" in sections:
            start = time.monotonic()
            answer = ours.ask("programs")
            bad = answer.get("wrong", {"all": answer.get("error")})
            wrong += len(bad)
            print(f"programs equal to eager: {answer.get('programs', 0) - len(bad)} of {answer.get('programs')} "
                  f"({time.monotonic() - start:.0f} s)", flush=True)
            for name, error in bad.items():
                print(f"  {name}: {error}")
        if "models" in sections:
            wrong += compare_models(servers, options.device, end)
        for server in servers:
            server.close()
    print(f"\n{'everything is right' if not wrong else f'{wrong} wrong'}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
