"""How a row of the comparison is measured: works as lists of launches, the choice of configurations, and turns.

A work consists of parts, each of them one or more launches with one list of configurations. Every program (Tilerun, Triton,
another build) runs the same kernels with the same configurations, and its best one of each part counts."""

import concurrent.futures
import importlib.util
import os
import random
import statistics
import sys

import torch

import binding
import ratios

EXAMPLES = os.path.join(binding.BUNDLE, "share", "tilerun", "examples")
HERE = os.path.dirname(os.path.abspath(__file__))
TURNS = 15
COARSE, FINALISTS, FINE = 5, 3, 24  # Launches of each configuration; how many are measured again, and with how many.
PEERS_MAY = 5  # Libraries round what is between steps to f16 or bf16; another function's result is far off.
HOPELESS = 3  # A configuration this many times slower than the best is not measured further.

sys.path.insert(0, EXAMPLES)


def load_example(name, folder=EXAMPLES):
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, os.path.join(folder, name + ".py"))
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    return sys.modules[name]


def own(name):
    """A module of kernels of this folder."""
    return load_example(name, HERE)


class Step:
    """One launch. `arguments`: of the kernel's first parameters; a configuration gives the others. `grid`: of it."""

    def __init__(self, module, kernel, arguments, grid):
        self.module, self.kernel, self.arguments, self.grid = module, kernel, arguments, grid

    def constants(self, meta):
        names = getattr(self.module, self.kernel).arg_names[len(self.arguments):]
        return {name: meta[name] for name in names if name in meta}  # The others have defaults.


class Part:
    """Steps that share a configuration, (constants, num_warps, num_stages). `outputs` are poisoned before a check;
    `expected`() gives a tensor or number for each of the names that `results`() gives (by default: of the outputs)."""

    def __init__(self, steps, configs, outputs, expected, results=None, timed=True):
        self.steps, self.configs, self.outputs, self.timed = steps, configs, outputs, timed
        self.results = results or (lambda: outputs)
        self.make_expected, self.kept = expected, None

    def expected(self):
        if self.kept is None:
            self.kept = self.make_expected()
        return self.kept


class Work:
    """One row. `amount`: bytes or operations, as `unit` says; `peers`: other programs' launches by name, the vendor's library
    first; `answers`: what a peer's launch returns as {name: tensor}, where it is compared; `copy`: whether a copy of
    `amount` bytes takes turns, too."""

    def __init__(self, parts, amount, unit, peers, tolerance, answers=None, copy=False):
        self.parts, self.amount, self.unit, self.peers, self.tolerance = parts, amount, unit, peers, tolerance
        self.answers, self.copy = answers, copy

    def rate(self, milliseconds):
        return self.amount / milliseconds / (1e6 if self.unit == "GB/s" else 1e9)


def single(module, kernel, arguments, grid, configs, out, expected, amount, unit, peers, tolerance, **more):
    """A work of one launch and one result."""
    part = Part([Step(module, kernel, arguments, grid)], configs, {"out": out}, lambda: {"out": expected()})
    return Work([part], amount, unit, peers, tolerance, answers=lambda answer: {"out": answer}, **more)


class Triton:
    """Launches kernels with Triton; binding.Library is its peer."""

    def prepared(self, step, config):
        meta, warps, stages = config
        function, grid, constants = getattr(step.module, step.kernel), step.grid(meta), step.constants(meta)
        return lambda: function[grid](*step.arguments, **constants, num_warps=warps, num_stages=stages)

    def compile(self, step, config):
        meta, warps, stages = config
        getattr(step.module, step.kernel).warmup(*step.arguments, **step.constants(meta), num_warps=warps, num_stages=stages,
                                                 grid=step.grid(meta))


class Tilerun:
    def __init__(self, library):
        self.library = library

    def prepared(self, step, config):
        meta, warps, stages = config
        kernel = self.library.kernel(step.module.__file__, step.kernel)
        arguments = [*step.arguments, *step.constants(meta).values()]
        return self.library.prepared(kernel, step.grid(meta), arguments, warps, stages)

    def compile(self, step, config):
        self.prepared(step, config)()


class Timer:
    def __init__(self):
        self.cache = torch.empty(256 << 20, dtype=torch.int8, device="cuda")

    def __call__(self, launch, repeat):
        """Milliseconds of single launches between two events, the L2 cache cleared before each."""
        launch()
        events = [[torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in range(repeat)]
        for start, end in events:
            self.cache.zero_()
            start.record()
            launch()
            end.record()
        torch.cuda.synchronize()
        return [start.elapsed_time(end) for start, end in events]

    def median(self, launch, repeat):
        return statistics.median(self(launch, repeat))


def label(config):
    meta, warps, stages = config
    return "x".join(str(v) for v in meta.values() if v != "") + f" w{warps} s{stages}"


def in_a_row(launches):
    if len(launches) == 1:
        return launches[0]

    def launch():
        for each in launches:
            each()

    return launch


def compile_all(work, programs):
    """On all cores, so that the choice finds everything compiled. What is refused says so there."""
    def attempt(job):
        program, step, config = job
        try:
            program.compile(step, config)
        except Exception:
            pass

    torch.cuda.synchronize()
    jobs = [(program, step, config) for part in work.parts for config in part.configs for step in part.steps
            for program in programs.values()]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(attempt, jobs))
    torch.cuda.synchronize()


def first_line(problem):
    return (str(problem) or type(problem).__name__).splitlines()[0][:160]


def poison(tensor):
    tensor.fill_(float("nan") if tensor.is_floating_point() else torch.iinfo(tensor.dtype).min)


def relative_error(actual, expected):
    """By norm; infinite where something is not a number."""
    actual, expected = (torch.as_tensor(value, dtype=torch.float64, device="cuda") for value in (actual, expected))
    error = (actual - expected).norm().item() / (expected.norm().item() or 1.0)
    return error if error == error else float("inf")


def check(part, launch):
    """The worst result's name and error."""
    for output in part.outputs.values():
        poison(output)
    launch()
    torch.cuda.synchronize()
    results, expected = part.results(), part.expected()
    errors = {name: relative_error(results[name], expected[name]) for name in expected}
    return max(errors.items(), key=lambda item: item[1])


def right_ones(who, program, part, timer, tolerance, notes):
    """(launch, configuration) of those that the program takes and that give right results, but for hopeless ones."""
    kept, best, refused = [], float("inf"), {}
    for config in part.configs:
        try:
            launch = in_a_row([program.prepared(step, config) for step in part.steps])
            name, error = check(part, launch)
        except Exception as problem:  # A configuration that one of them refuses.
            refused.setdefault(first_line(problem), []).append(label(config))
            continue
        if error > tolerance:
            notes.append(f"{who} is WRONG at {label(config)}: relative norm of the error of {name} {error:.1e}")
            continue
        time = min(timer(launch, 2))
        best = min(best, time)
        kept.append((time, launch, config))
    notes += [f"{who} refuses {', '.join(labels)}: {text}" for text, labels in refused.items()]
    return [(launch, config) for time, launch, config in kept if time < HOPELESS * best]


def choose(candidates, timer):
    """The fastest configuration, from a few launches of all and more of the best, in random order."""
    if len(candidates) < 2:
        return candidates[0] if candidates else None
    order = list(range(len(candidates)))
    random.shuffle(order)
    coarse = {i: timer.median(candidates[i][0], COARSE) for i in order}
    finalists = sorted(coarse, key=coarse.get)[:FINALISTS]
    times = {i: [] for i in finalists}
    for _ in range(3):
        random.shuffle(finalists)
        for i in finalists:
            times[i] += timer(candidates[i][0], FINE // 3)
    return candidates[min(times, key=lambda i: statistics.median(times[i]))]


def choose_all(work, programs, timer, notes):
    """{program: (launch of all timed parts, labels)} of those that can run every part."""
    chosen = {}
    for who, program in programs.items():
        launches, labels = [], []
        for part in work.parts:
            best = choose(right_ones(who, program, part, timer, work.tolerance, notes), timer)
            if best is None:
                break
            best[0]()  # What later parts read comes from this program's choice.
            if part.timed:
                launches.append(best[0])
                labels.append(label(best[1]))
        else:
            chosen[who] = in_a_row(launches), labels
    return chosen


def working_peers(work, notes):
    """Peers that run, and a note on each whose results are not those of the reference."""
    peers = {}
    expected = {name: value for part in work.parts for name, value in part.expected().items()}
    for name, launch in work.peers.items():
        try:
            answer = launch()
            torch.cuda.synchronize()
        except Exception as problem:
            notes.append(f"{name} refuses it: {first_line(problem)}")
            continue
        peers[name] = launch
        for what, value in (work.answers(answer) if work.answers and answer is not None else {}).items():
            error = relative_error(value, expected[what])
            if error > PEERS_MAY * work.tolerance:
                notes.append(f"{name} differs from the reference: relative norm of the error of {what} {error:.1e}")
    return peers


def copier(amount):
    """A copy that reads and writes `amount` bytes in all."""
    source = torch.ones(amount // 2, dtype=torch.int8, device="cuda")
    target = torch.empty_like(source)
    return lambda: target.copy_(source)


def take_turns(launches, timer, repeat):
    """{name: the median of each turn}, in random order in each."""
    names, turns = list(launches), {name: [] for name in launches}
    for _ in range(TURNS):
        random.shuffle(names)
        for name in names:
            turns[name].append(timer.median(launches[name], repeat // TURNS + 1))
    return turns


def measure(name, work, programs, timer, repeat):
    """The row, as it goes into the file."""
    notes = []
    compile_all(work, programs)
    chosen = choose_all(work, programs, timer, notes)
    peers = working_peers(work, notes)
    launches = {**{who: launch for who, (launch, _) in chosen.items()}, **peers}
    if work.copy:
        launches["copy"] = copier(work.amount)
    turns = {who: [round(time, 6) for time in times] for who, times in take_turns(launches, timer, repeat).items()}
    figures = {who: float(f"{work.rate(statistics.median(times)):.4g}") for who, times in turns.items()}
    found = {who: {key: round(value, 4) for key, value in ratio.items()}
             for who, ratio in ratios.ratios_of_turns(turns).items()}
    return {"name": name, "unit": work.unit, "amount": work.amount, "vendor": next(iter(peers), None), "figures": figures,
            "ratios": found, "configurations": {who: labels for who, (_, labels) in chosen.items()}, "notes": notes,
            "turns": turns}
