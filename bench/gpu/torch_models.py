#!/usr/bin/env python3
"""Models with random weights, compiled by torch.compile under Tilerun and under Triton: in two processes, because both own the name
`triton`, which take turns on one machine.

Usage: TILERUN_BUNDLE=DIR torch_models.py [--packages DIR] [--only TEXT] [--part I/N] [--budget SECONDS] [--json FILE] [--kernels DIR]
Needs PyTorch 2.8 or later; transformers and diffusers for most rows, unzipped in DIR or installed. `--device cpu` runs small ones on the
interpreter, without Triton.

A row is a forward pass, or the gradients of a training step (without an optimizer). The processes compile it one after the other, with empty
caches; with --together at the same time, which takes less, but Inductor then measures configurations on a GPU that both use. Results are compared with the same weights in float32 (float64 for what is float32): a
tensor's relative norm of the difference may be three times eager's, or a few units in the last place. `turns` are milliseconds of the wall
for a step, `device turns` those of the GPU alone, which the host keeps supplied; `first call` is the seconds to compile and run for the first
time, of which `phases` are parts. torch_models_page.py makes a page.

--kernels also lists the GPU's time of each kernel in a step, those first by which Tilerun's step is longer; sources of the five worst go to DIR."""

import argparse
import collections
import copy
import glob
import importlib.metadata
import os
import shutil
import statistics
import sys
import tempfile
import time

import selection
import servers

# -- The process that compiles with one of the two `triton`s


class Runner:

    def __init__(self, which, device, packages):
        servers.install(which)
        if packages:
            sys.path.append(packages)
        import torch
        import torch._inductor.config as config
        self.torch, self.device, self.config = torch, device, config
        torch.set_default_device(device)
        if device == "cpu":
            config.cpu_backend, config.compile_threads = "triton", 1
        else:
            torch.backends.cudnn.allow_tf32 = False
        self.run = None

    def describe(self):
        return servers.describe(self.torch, self.device == "cpu")

    def names(self):
        """[name, whether only a GPU has what it needs, whether it tunes]"""
        from torch_model_rows import ROWS
        return [[row.name, row.needs_gpu, row.tunes] for row in ROWS]

    def warm_up(self):
        """Compiles something, so that the first row's time to compile has no start of workers and no imports."""
        torch = self.torch
        x = torch.randn(1000, requires_grad=True)
        torch.compile(lambda x: torch.sin(x) * 2)(x).sum().backward()
        self.synchronize()
        return {}

    def forget_all(self):
        """Empties memory, and the caches in memory and on disk."""
        torch = self.torch
        from torch._inductor.utils import clear_caches
        self.run = None
        torch._dynamo.reset()
        clear_caches()
        for variable in ("TORCHINDUCTOR_CACHE_DIR", "TILERUN_CACHE_DIR"):
            shutil.rmtree(os.environ[variable], ignore_errors=True)
        if self.device != "cpu":
            torch.cuda.empty_cache()
        self.metrics().clear()

    def metrics(self):
        import torch._dynamo.utils as utils
        return utils.compilation_time_metrics

    def prepare(self, index):
        """Compiles a row and compares its results."""
        from torch_model_rows import ROWS
        torch, row = self.torch, ROWS[index]
        self.forget_all()
        torch.manual_seed(11)
        case = row.make(self.device == "cpu")
        expected = self.results_in_higher_precision(case)
        plain = [t.clone() for t in self.make_step(case, case.module)()]
        compiled = torch.compile(self.with_loss(case, case.module), dynamic=False)
        with self.config.patch(case.config):
            step = self.make_step(case, case.module, compiled)
            self.synchronize()
            start = time.perf_counter()
            found = step()
            self.synchronize()
            seconds = time.perf_counter() - start
        found = [t.clone() for t in found]
        version = f"{row.package} {importlib.metadata.version(row.package)}" if row.package else ""
        phases = {name: round(sum(times), 3) for name, times in self.metrics().items() if sum(times) > 0.05}
        answer = {"first call": seconds, "phases": phases, "version": version, "parameters": self.count_parameters(case)} | \
            compare(torch, found, plain, expected, torch.bfloat16 if case.autocast else found[0].dtype)
        self.run = step
        return answer

    def count_parameters(self, case):
        return sum(p.numel() for p in case.module.parameters()) if isinstance(case.module, self.torch.nn.Module) else 0

    def with_loss(self, case, module):
        if case.loss is None:
            return module
        return lambda *inputs: case.loss(module(*inputs), *inputs)

    def make_step(self, case, module, function=None, inputs=None, autocast=None):
        """A function of no arguments that gives a list of tensors: the result, or gradients."""
        torch, inputs = self.torch, case.inputs if inputs is None else inputs
        function = self.with_loss(case, module) if function is None else function
        autocast = case.autocast if autocast is None else autocast
        if case.loss is None:

            def forward():
                with torch.no_grad(), torch.autocast(self.device, torch.bfloat16, enabled=autocast):
                    return [function(*inputs)]

            return forward
        leaves = list(module.parameters()) if isinstance(module, torch.nn.Module) else \
            [t.requires_grad_() for t in inputs if t.is_floating_point()]

        def step():
            with torch.autocast(self.device, torch.bfloat16, enabled=autocast):
                loss = function(*inputs)
            return list(torch.autograd.grad(loss, leaves, allow_unused=True, materialize_grads=True))

        return step

    def results_in_higher_precision(self, case):
        torch = self.torch
        has_weights = isinstance(case.module, torch.nn.Module)
        floats = [t for t in (*case.inputs, *(case.module.parameters() if has_weights else ())) if t.is_floating_point()]
        wider = torch.float64 if not case.autocast and all(t.dtype == torch.float32 for t in floats) else torch.float32
        module = copy.deepcopy(case.module).to(wider) if has_weights else case.module
        inputs = [t.to(wider) if t.is_floating_point() else t for t in case.inputs]
        return self.make_step(case, module, inputs=inputs, autocast=False)()

    def measure(self, count):
        """Milliseconds of one call, of `count`: of the wall, and on a GPU also of the device alone."""
        run, torch = self.run, self.torch
        answer = {"ms": servers.measure_wall(run, self.synchronize, count)}
        if self.device != "cpu":
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            torch.cuda._sleep(20_000_000)  # The device waits until the host is ahead.
            begin.record()
            for _ in range(min(count, 5)):
                run()
            end.record()
            torch.cuda.synchronize()
            answer["device ms"] = begin.elapsed_time(end) / min(count, 5)
        return answer

    def profile(self, steps=3):
        """{kernel: microseconds of a step on the GPU}"""
        torch = self.torch
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profiler:
            for _ in range(steps):
                self.run()
            self.synchronize()
        times = collections.Counter()
        for event in profiler.events():
            if event.device_type == torch.autograd.DeviceType.CUDA:
                times[event.name] += event.time_range.elapsed_us() / steps
        return times

    def copy_source(self, name, folder):
        """Copies the file that Inductor has generated for a kernel."""
        paths = glob.glob(os.path.join(os.environ["TORCHINDUCTOR_CACHE_DIR"], "**", "*.py"), recursive=True)
        for path in sorted(paths, key=os.path.getsize):
            with open(path) as file:
                if f"def {name}(" in file.read():
                    return {"path": shutil.copy(path, os.path.join(folder, name + ".py"))}
        return {"failed": f"{name} is not a kernel that Inductor has generated"}

    def synchronize(self):
        if self.device != "cpu":
            self.torch.cuda.synchronize()


def compare(torch, found, plain, expected, computed):
    """Relative norms of the differences of all tensors together, and of those that are wrong, by their place. `computed`: the type
    that rounds."""
    norm = lambda tensors: torch.stack([t.double().norm() for t in tensors]).norm().item()
    differences = lambda given: [g.double() - e.double() for g, e in zip(given, expected)]
    ours, eager, largest = differences(found), differences(plain), norm(expected)
    wrong, unit = [], torch.finfo(computed).eps
    for place, (our, their, e) in enumerate(zip(ours, eager, expected)):
        allowed = max(3 * their.norm().item(), 4 * unit * e.double().norm().item(), unit * largest / len(expected)**0.5)
        if not our.norm().item() <= allowed:
            wrong.append(f"tensor {place} of {len(found)}: {our.norm().item():.2e}, not {allowed:.2e}")
    return {"error": norm(ours) / largest, "eager's error": norm(eager) / largest, "wrong": wrong}


# -- The process that asks


def measure(name, index, both, tunes, options, notes):
    """The row, or None where one of them fails."""
    revive(both, options)
    together = options.together and not tunes
    answers = servers.ask_all(both, "prepare", index) if together else {server.which: server.ask("prepare", index) for server in both}
    notes += [f"{who}: {answer['failed']}" for who, answer in answers.items() if "failed" in answer]
    if notes:
        return None
    turns, failed = servers.take_turns(both, rounds=options.rounds)
    notes += failed
    if failed:
        return None
    ours = answers["tilerun"]
    row = {"name": name, "unit": "ms", "turns": turns["ms"], "device turns": turns.get("device ms", {}),
           "first call": {who: round(answer["first call"], 2) for who, answer in answers.items()},
           "phases": {who: answer["phases"] for who, answer in answers.items()},
           "errors": {**{who: answer["error"] for who, answer in answers.items()}, "eager": ours["eager's error"]},
           "version": ours["version"], "parameters": ours["parameters"], "notes": [f"tilerun: {text}" for text in ours["wrong"]]}
    show(row)
    if options.kernels:
        row["kernels"] = compare_kernels(both, options.kernels)
    return row


def compare_kernels(both, folder, most=12, copied=5):
    """[[kernel, microseconds, those of Triton, launches' source]]: those first by which Tilerun loses most."""
    profiles = {server.which: server.ask("profile") for server in both}
    ours, theirs = (profiles.get(who, {}) for who in ("tilerun", "triton"))
    if "failed" in ours or "failed" in theirs:
        print(f"  kernels: {ours.get('failed') or theirs.get('failed')}", flush=True)
        return []
    rows = sorted(([name, round(ours.get(name, 0), 1), round(theirs.get(name, 0), 1)] for name in ours.keys() | theirs.keys()), key=lambda r: r[2] - r[1])
    print(f"  GPU's time of a step: {sum(ours.values()) / 1000:.3f} ms, Triton {sum(theirs.values()) / 1000:.3f}; the worst kernels (us; Triton's):")
    for place, (name, mine, other) in enumerate(rows[:most]):
        source = next(iter(both[0].ask("copy_source", name, folder).values())) if place < copied else ""
        print(f"  {mine:10.1f} {other:10.1f}   {name[:150]}   {source}", flush=True)
    return rows


def start(options):
    """Both processes, or one without a GPU."""
    return [start_one(which, options) for which in ("tilerun", "triton")[:1 if options.device == "cpu" else 2]]


def start_one(which, options):
    more = ["--packages", options.packages] if options.packages else []
    return servers.Server(which, __file__, ["--device", options.device, *more], options.folder)


def revive(both, options):
    """Starts a process again that a row has ended."""
    for place, server in enumerate(both):
        if server.has_ended():
            server.close()
            both[place] = start_one(server.which, options)
            both[place].ask("warm_up")


def show(row):
    medians = {who: statistics.median(times) for who, times in row["turns"].items()}
    print(f"{row['name']:60}" + "".join(f"{medians.get(who, float('nan')):10.3f}" for who in ("tilerun", "triton"))
          + f"{servers.ratio_text(row['turns']):>22}{servers.ratio_text(row['device turns']):>22}   "
          + " / ".join(f"{seconds} s" for seconds in row["first call"].values())
          + "   " + " / ".join(f"{error:.1e}" for error in row["errors"].values()), *row["notes"], flush=True)


def choose(named, options):
    """The rows to measure, as (name, index). What the interpreter lacks is named."""
    if options.device == "cpu":
        print(f"not on the interpreter: {'; '.join(name for name, needs_gpu, _ in named if needs_gpu)}")
    rows = [(name, index) for index, (name, needs_gpu, _) in enumerate(named) if options.device != "cpu" or not needs_gpu]
    return selection.select(rows, options.only, options.part)


def run(options, parser):
    both = start(options)
    names, told = both[0].ask("names"), both[-1].ask("describe")
    if "failed" in names or "failed" in told:
        sys.exit(f"torch_models.py: {(names if 'failed' in names else told)['failed']}")
    try:
        rows = choose(names, options)
    except ValueError as problem:
        parser.error(str(problem))
    document = servers.make_document("models", "bench/gpu/torch_models.py", told, [name for name, _ in rows])
    print(f"{'ms of a step, and times as fast':60}{'Tilerun':>10}{'Triton':>10}{'to Triton':>22}{'of the device alone':>22}   first call   error")
    failed = [f"{who}: {answer['failed']}" for who, answer in servers.ask_all(both, "warm_up").items() if "failed" in answer]
    if failed:
        sys.exit(f"torch_models.py: {'; '.join(failed)}")
    right = servers.measure_all(rows, lambda name, index, notes: measure(name, index, both, names[index][2], options, notes), options, document)
    for server in both:
        server.close()
    return 0 if right else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--packages", metavar="DIR", help="a folder of unzipped packages, which come last on the path")
    parser.add_argument("--rounds", type=int, default=9, help="turns of each (9)")
    parser.add_argument("--together", action="store_true", help="compile in both processes at the same time")
    parser.add_argument("--kernels", metavar="DIR", help="list the time of each kernel, and copy sources of the worst to DIR")
    servers.add_options(parser)
    options = parser.parse_args()
    if options.serve:
        return servers.serve(lambda: Runner(options.serve, options.device, options.packages))
    options.packages, options.kernels = (path and os.path.abspath(path) for path in (options.packages, options.kernels))
    if options.kernels:
        os.makedirs(options.kernels, exist_ok=True)
    with tempfile.TemporaryDirectory() as options.folder:
        return run(options, parser)


if __name__ == "__main__":
    sys.exit(main())
