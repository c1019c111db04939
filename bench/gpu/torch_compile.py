"""torch.compile over Tilerun on a GPU, beside Triton on the same machine: results, times and launches. Nothing is built.

Usage: TILERUN_BUNDLE=BUNDLE bench/gpu/torch_compile.py [SECTION...]; sections: programs checks launches (default: all).
Needs PyTorch 2.8 or later; Triton where it is to be compared with. `--device cpu` runs on the interpreter.

`programs` compiles the programs of python/tests-torch and compares them with eager. `checks` looks at forks and the profiler's
timeline, `launches` at the host's time of a launch by each launcher. Exit status 1 if a result is wrong. Models: torch_models.py."""

import argparse
import importlib.util
import json
import os
import statistics
import sys
import tempfile
import time

import servers

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.join(HERE, "..", "..", "python", "tests-torch")
SECTIONS = "programs", "checks", "launches"
TURNS = 35


class Compiler:
    """Compiles and runs in a process of its own, which has one of the two `triton`s."""

    def __init__(self, which, device):
        servers.install(which)
        sys.path.insert(0, TESTS)
        import torch
        import torch._inductor.config as config
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


# -- The process that asks


def compare_launches(device, folder):
    """Prints the host's times of a small compiled function and of its launch, in new processes that take turns; gives the number of
    ours that fail."""
    has_triton = device != "cpu" and importlib.util.find_spec("triton") is not None
    if not has_triton:
        print("triton: not run: it needs a GPU and the package")
    all = [start(f"{which}{launcher}", device, folder)
           for which in ("tilerun", "triton")[:1 + has_triton] for launcher in (", static launcher", ", own launcher")]
    answers, wrong = [server.ask("launches") for server in all], 0
    times = {server.which: {"call": [], "launch": []} for server in all}
    for _ in range(TURNS):
        for server in all:
            for what, taken in times[server.which].items():
                taken.append(server.ask("host_time", what).get("us", float("nan")))
    for server, answer in zip(all, answers):
        failed = answer.get("failed")
        wrong += bool(failed) and server.which.startswith("tilerun")
        medians = {what: statistics.median(taken) for what, taken in times[server.which].items()}
        print(f"a small compiled function, {server.which}: " + (failed or f"{medians['call']:.1f} us a call, of which the launch "
              f"{medians['launch']:.1f}; {answer['static']} kernels with PyTorch's static launcher"), flush=True)
        server.close()
    return wrong


def compare_programs(ours):
    begin = time.monotonic()
    answer = ours.ask("programs")
    wrong = answer.get("wrong", {"all": answer.get("failed")})
    print(f"programs equal to eager: {answer.get('programs', 0) - len(wrong)} of {answer.get('programs')} "
          f"({time.monotonic() - begin:.0f} s)", flush=True)
    for name, error in wrong.items():
        print(f"  {name}: {error}")
    return len(wrong)


def start(which, device, folder):
    return servers.Server(which, __file__, ["--device", device], folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=", ".join(SECTIONS))
    parser.add_argument("--device", default="cuda", choices=("cuda", "cpu"))
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        return servers.serve(lambda: Compiler(options.serve, options.device))
    unknown = set(options.sections) - set(SECTIONS)
    if unknown:
        parser.error(f"unknown section {', '.join(sorted(unknown))}; use {', '.join(SECTIONS)}")
    sections, wrong = options.sections or SECTIONS, 0
    with tempfile.TemporaryDirectory() as folder:
        ours = start("tilerun", options.device, folder)
        if "checks" in sections:
            answer = ours.ask("checks")
            wrong += "failed" in answer
            print("\n".join(f"{what}: {said}" for what, said in answer.items()), flush=True)
        if "launches" in sections:
            wrong += compare_launches(options.device, folder)
        if "programs" in sections:
            wrong += compare_programs(ours)
        ours.close()
    print(f"\n{'everything is right' if not wrong else f'{wrong} wrong'}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
