"""Processes that have one of the two `triton`s each, since both own the name, and take turns: what libraries.py, torch_models.py and
torch_compile.py have in common. A request is a line of JSON, [method, arguments…], and so is its answer; a failure is
{"failed": why}. Needs nothing but Python; the processes that answer need PyTorch."""

import concurrent.futures
import contextlib
import datetime
import json
import os
import platform
import random
import subprocess
import sys
import tempfile
import time

import ratios
import selection

TURNS, SECONDS_OF_A_TURN = 15, 0.05


# -- The process that answers


def install(which):
    """Makes `triton` the one that this process is to have."""
    if which.startswith("tilerun") and "triton" not in sys.modules:  # `python -m tilerun --cpu` has done it before.
        import tilerun
        tilerun.install()
    import triton
    assert ("tilerun" in triton.__name__) == which.startswith("tilerun"), triton.__file__


def measure_wall(run, synchronize, count):
    """Milliseconds of the wall of one call of `run`, of `count` behind a first one."""
    run()
    synchronize()
    start = time.perf_counter()
    for _ in range(count):
        run()
    synchronize()
    return (time.perf_counter() - start) * 1000 / count


def serve(make):
    """Answers requests by the methods of what `make` makes, until the input ends."""
    channel = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # What libraries print is not an answer.
    runner = make()
    for line in sys.stdin:
        method, *arguments = json.loads(line)
        try:
            answer = getattr(runner, method)(*arguments)
        except Exception as problem:
            lines = [line for line in str(problem).splitlines() if line.strip()]
            answer = {"failed": f"{type(problem).__name__}: {' '.join(lines[:3])}"[:500]}
        channel.write(json.dumps(answer) + "\n")
        channel.flush()


def describe(torch, use_cpu):
    """The machine and the versions, as a page tells them."""
    import triton
    return {"gpu": platform.processor() or "a CPU" if use_cpu else torch.cuda.get_device_name(), "Triton": triton.__version__,
            "PyTorch": torch.__version__, "CUDA": torch.version.cuda}


# -- The process that asks


class Server:
    """A process that runs `script --serve WHICH OPTIONS`, with its caches in a new folder of its own. `pretend`: as under
    `python -m tilerun --cpu`."""

    def __init__(self, which, script, options, folder, pretend=False):
        own = tempfile.mkdtemp(prefix=which.replace(" ", "-").replace(",", "") + "-", dir=folder)
        path = [part for part in os.environ.get("PYTHONPATH", "").split(os.pathsep) if part and "tilerun" not in part]
        command = [sys.executable, "-X", "faulthandler"]
        if which.startswith("tilerun"):
            bundle = os.environ.get("TILERUN_BUNDLE", "")
            path.insert(0, os.environ.get("TILERUN_PACKAGE") or os.path.join(bundle, "lib", "tilerun", "python"))
            command += ["-m", "tilerun", "--cpu"] if pretend else []
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path), "CUDA_CACHE_DISABLE": "1"}
        environment.pop("TRITON_CACHE_DIR", None)  # Inductor sets it, below its own folder.
        for variable in ("TILERUN_CACHE_DIR", "TRITON_HOME", "TORCHINDUCTOR_CACHE_DIR"):
            environment[variable] = os.path.join(own, variable.partition("_")[0].lower())
        self.which, self.log = which, open(os.path.join(own, "log"), "w+")
        self.process = subprocess.Popen([*command, os.path.abspath(script), "--serve", which, *options], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=self.log, text=True, env=environment)

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
        lines = self.log.read().strip().splitlines() or ["without a message"]
        # Of a crash, what faulthandler says first; else the last line.
        crash = next((place for place, line in enumerate(lines) if line.startswith("Fatal Python error")), len(lines) - 1)
        said = " ".join(line.strip() for line in lines[crash:crash + 8])
        return {"failed": f"the process has ended with status {self.process.wait()}: {said}"[:700]}

    def has_ended(self):
        return self.process.poll() is not None

    def close(self):
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()
        self.log.close()


def ask_all(servers, *request):
    """{which: answer}, of all at the same time."""
    with concurrent.futures.ThreadPoolExecutor() as pool:
        return dict(zip((server.which for server in servers), pool.map(lambda server: server.ask(*request), servers)))


def take_turns(servers, *row, rounds=TURNS):
    """Measures all by turns in random order: ({what: {which: milliseconds of a call}}, [which: why it failed]). Answers have "ms" of
    the wall, and more that begins with another word."""
    answers = {server.which: [server.ask("measure", *row, 1)] for server in servers}
    failures = lambda: [f"{who}: {all[-1]['failed']}" for who, all in answers.items() if all and "failed" in all[-1]]
    if failures():
        return {}, failures()
    longest = max(answer["ms"] for answer, in answers.values()) / 1000
    count = min(max(round(SECONDS_OF_A_TURN / longest), 2), 50)
    answers = {server.which: [] for server in servers}
    for _ in range(rounds):
        for server in random.sample(servers, len(servers)):
            answers[server.which].append(server.ask("measure", *row, count))
        if failures():
            return {}, failures()
    kinds = answers[servers[0].which][0]
    return {kind: {who: [round(answer[kind], 6) for answer in all] for who, all in answers.items()} for kind in kinds}, []


def write(path, document):
    """Whole or not at all, because a limit of time may end the process."""
    if path:
        with open(path + ".new", "w") as file:
            json.dump(document, file, indent=1)
        os.replace(path + ".new", path)


def make_document(kind, script, told, names):
    """What a run writes, before it has measured anything. `told`: what a server says of its machine."""
    query = subprocess.run("nvidia-smi --query-gpu=driver_version --format=csv,noheader || echo unknown", shell=True, text=True,
                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    program = os.path.join(os.environ.get("TILERUN_BUNDLE", ""), "bin", "tilerun")
    version = subprocess.run([program, "--version"], text=True, capture_output=True).stdout.strip() if os.path.exists(program) else "unknown"
    run = {"gpu": told.pop("gpu"), "driver": query.stdout.splitlines()[0], "cores": os.cpu_count(),
           "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
           "command": selection.describe_command(script), "versions": {"Tilerun": version} | told}
    return {"kind": kind, "run": run, "rows": [], "failures": {}, "not measured": list(names)}


def measure_all(rows, measure, options, document):
    """Fills the document: measure(name, index, notes) gives a row, or None and why in the notes. True unless Tilerun is wrong (a
    row has notes), or fails where Triton does not."""
    budget, right = selection.Budget(options.budget), True
    for name, index in rows:
        if not budget.allows_another():
            print(f"the budget of {options.budget:.0f} s ends here; not measured: {', '.join(document['not measured'])}")
            break
        budget.begin_row()
        notes = []
        row = measure(name, index, notes)
        budget.end_row()
        if row is None:
            alone = options.device == "cpu"
            right &= alone or not all(note.startswith("tilerun") for note in notes)
            document["failures"][name] = notes
            print(f"{name}: not measured: {'; '.join(notes)}", flush=True)
        else:
            right &= not row["notes"]
            document["rows"].append(row)
            document["not measured"].remove(name)
        write(options.json, document)
    return right


def add_options(parser):
    parser.add_argument("--only", default="", metavar="TEXT", help="rows whose names contain it; several texts: 'Liger|gla'")
    parser.add_argument("--part", default="1/1", metavar="I/N", help="the I-th of N parts of these rows")
    parser.add_argument("--budget", type=float, metavar="SECONDS", help="end before a row, after the first, that may exceed it")
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--device", default="cuda", choices=("cuda", "cpu"))
    parser.add_argument("--serve", help="which of the two this process is, that answers requests (torch_models.py starts it)")


def ratio_text(turns):
    """Of milliseconds."""
    ratio = ratios.ratios_of_turns(turns).get("triton")
    return f"{ratio['median']:.3f} [{ratio['low']:.3f} {ratio['high']:.3f}]" if ratio else "-"
