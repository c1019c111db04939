#!/usr/bin/env python3
"""Functions of Liger, FLA and vLLM by their own host code, under Tilerun and under Triton: in two processes, because both own
the name `triton`, which take turns. Results of the two are compared first; times are of the wall, with the host's part.

Usage: TILERUN_BUNDLE=DIR libraries.py --packages DIR [--only TEXT] [--part I/N] [--budget SECONDS] [--json FILE]
DIR has the packages unzipped: `pip download --no-deps liger-kernel fla-core einops`, and `python3 -m zipfile -e FILE.whl DIR` for
each. What cannot be imported is named as not measured. `--device cpu` runs small shapes on the interpreter, without Triton."""

import argparse
import datetime
import importlib.metadata
import json
import os
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import time

import ratios
import selection

HERE = os.path.dirname(os.path.abspath(__file__))
TURNS, SECONDS_OF_A_TURN = 15, 0.05
TOLERANCE = 3e-2  # Both round to bf16 between steps, in another order.


# -- The process that runs functions with one of the two `triton`s


class Runner:

    def __init__(self, which, device, packages):
        if which == "tilerun" and device != "cpu":
            import tilerun
            tilerun.install()
        sys.path.insert(1, packages)
        import torch
        import triton
        assert ("tilerun" in triton.__name__) == (which == "tilerun"), triton.__file__
        self.torch, self.device, self.ready = torch, device, {}

    def describe(self):
        torch = self.torch
        import triton
        has_gpu = self.device != "cpu"
        return {"gpu": torch.cuda.get_device_name() if has_gpu else platform.processor() or "a CPU", "Triton": triton.__version__,
                "PyTorch": torch.__version__, "CUDA": torch.version.cuda}

    def names(self):
        from library_rows import ROWS
        return [row.name for row in ROWS]

    def prepare(self, index, path):
        """Runs a row for the first time, and saves its results, or compares them with those that are saved."""
        from library_rows import ROWS
        torch, row = self.torch, ROWS[index]
        torch.manual_seed(11)
        call, tensors = row.make(self.device == "cpu")
        leaves = [t.requires_grad_(row.backward) for t in tensors]
        grads = []

        def run():
            out = call(*leaves)
            if not row.backward:
                return [out]
            if not grads:
                grads.append(torch.randn_like(out))
            return [out, *torch.autograd.grad(out, leaves, grads[0])]

        self.synchronize()
        start = time.perf_counter()
        found = run()
        self.synchronize()
        answer = {"first call": time.perf_counter() - start, "version": importlib.metadata.version(row.distribution)}
        # Copies: some packages write gradients where their inputs were.
        found = [t.detach().float().cpu() for t in found]
        if os.path.exists(path):
            answer["error"] = max(self.error(ours, other) for ours, other in zip(found, torch.load(path)))
        else:
            torch.save(found, path)
        self.ready[index] = run
        return answer

    def error(self, ours, other):
        error = ((ours - other).norm() / other.norm().clamp(min=1e-30)).item()
        return error if error == error else 1e30

    def measure(self, index, count):
        """Milliseconds of one call, of `count`."""
        run = self.ready[index]
        run()
        self.synchronize()
        start = time.perf_counter()
        for _ in range(count):
            run()
        self.synchronize()
        return {"ms": (time.perf_counter() - start) * 1000 / count}

    def forget(self, index):
        self.ready.pop(index, None)
        if self.device != "cpu":
            self.torch.cuda.empty_cache()
        return {}

    def synchronize(self):
        if self.device != "cpu":
            self.torch.cuda.synchronize()


def serve(options):
    """Answers requests, each a line of JSON: [method, arguments…]."""
    channel = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # What libraries print is not an answer.
    runner = Runner(options.serve, options.device, options.packages)
    for line in sys.stdin:
        method, *arguments = json.loads(line)
        try:
            answer = getattr(runner, method)(*arguments)
        except Exception as problem:
            lines = str(problem).splitlines()
            answer = {"failed": f"{type(problem).__name__}: {lines[0] if lines else ''}"[:300]}
        channel.write(json.dumps(answer) + "\n")
        channel.flush()


# -- The process that asks


class Server:

    def __init__(self, which, options, folder):
        own = os.path.join(folder, which)
        os.mkdir(own)
        path = [part for part in os.environ.get("PYTHONPATH", "").split(os.pathsep) if part and "tilerun" not in part]
        command = [sys.executable]
        if which == "tilerun":
            bundle = os.environ.get("TILERUN_BUNDLE", "")
            path.insert(0, os.environ.get("TILERUN_PACKAGE") or os.path.join(bundle, "lib", "tilerun", "python"))
            command += ["-m", "tilerun", "--cpu"] if options.device == "cpu" else []
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path), "TILERUN_CACHE_DIR": os.path.join(own, "kernels"),
                       "TRITON_CACHE_DIR": os.path.join(own, "kernels"), "CUDA_CACHE_DISABLE": "1"}
        self.which, self.log = which, open(os.path.join(own, "log"), "w+")
        command += [os.path.abspath(__file__), "--serve", which, "--device", options.device, "--packages", options.packages]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, text=True, env=environment)

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
        return {"failed": "the process has ended: " + (self.log.read().strip().splitlines() or ["without a message"])[-1][:300]}

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def take_turns(servers, index):
    """{which: milliseconds of each turn}"""
    longest = max(server.ask("measure", index, 1)["ms"] for server in servers) / 1000
    count = min(max(round(SECONDS_OF_A_TURN / longest), 2), 50)
    turns = {server.which: [] for server in servers}
    for _ in range(TURNS):
        for server in random.sample(servers, len(servers)):
            turns[server.which].append(round(server.ask("measure", index, count)["ms"], 6))
    return turns


def measure(name, index, servers, folder, notes):
    """The row, or None where one of them fails."""
    # Triton first: its results are what the other's are compared with.
    order = sorted(servers, key=lambda server: server.which != "triton")
    path = os.path.join(folder, f"{index}.pt")
    answers = {server.which: server.ask("prepare", index, path) for server in order}
    failed = [f"{who}: {answer['failed']}" for who, answer in answers.items() if "failed" in answer]
    row = None
    if not failed:
        first = {who: round(answer["first call"], 1) for who, answer in answers.items()}
        row = {"name": name, "unit": "ms", "turns": take_turns(servers, index), "first call": first,
               "version": answers["tilerun"]["version"], "notes": []}
        if answers["tilerun"].get("error", 0) > TOLERANCE:
            row["notes"].append(f"results differ: relative norm of the difference {answers['tilerun']['error']:.1e}")
    notes += failed
    for server in servers:
        server.ask("forget", index)
    if os.path.exists(path):
        os.remove(path)
    return row


def show(row):
    medians = {who: statistics.median(times) for who, times in row["turns"].items()}
    ratio = ratios.ratios_of_turns(row["turns"]).get("triton")
    text = f"{ratio['median']:.3f} [{ratio['low']:.3f} {ratio['high']:.3f}]" if ratio else "-"
    print(f"{row['name']:48}" + "".join(f"{medians.get(who, float('nan')):10.3f}" for who in ("tilerun", "triton")) + f"{text:>22}   "
          + " / ".join(f"{seconds} s" for seconds in row["first call"].values()), *row["notes"], flush=True)


def write(path, document):
    """Whole or not at all, because a limit of time may end the process."""
    if path:
        with open(path + ".new", "w") as file:
            json.dump(document, file, indent=1)
        os.replace(path + ".new", path)


def measure_all(rows, servers, options, folder, document):
    """Fills the document; true unless Tilerun is wrong, or fails where Triton does not."""
    budget, right = selection.Budget(options.budget), True
    for name, index in rows:
        if not budget.allows_another():
            print(f"the budget of {options.budget:.0f} s ends here; not measured: {', '.join(document['not measured'])}")
            break
        budget.begin_row()
        notes = []
        row = measure(name, index, servers, folder, notes)
        budget.end_row()
        if row is None:
            right &= len(servers) == 1 or not all(note.startswith("tilerun") for note in notes)
            document["failures"][name] = notes
            print(f"{name}: not measured: {'; '.join(notes)}", flush=True)
        else:
            right &= not row["notes"]
            document["rows"].append(row)
            document["not measured"].remove(name)
            show(row)
        write(options.json, document)
    return right


def describe_run(servers):
    """As compare.py does, but PyTorch is not imported here."""
    told = servers[-1].ask("describe")
    if "failed" in told:
        sys.exit(f"libraries.py: {servers[-1].which}: {told['failed']}")
    query = subprocess.run("nvidia-smi --query-gpu=driver_version --format=csv,noheader || echo unknown", shell=True, text=True,
                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    program = os.path.join(os.environ.get("TILERUN_BUNDLE", ""), "bin", "tilerun")
    version = subprocess.run([program, "--version"], text=True, capture_output=True).stdout.strip() if os.path.exists(program) else "unknown"
    return {"gpu": told.pop("gpu"), "driver": query.stdout.splitlines()[0], "cores": os.cpu_count(),
            "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
            "command": selection.describe_command("bench/gpu/libraries.py"), "versions": {"Tilerun": version} | told}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--packages", required=True, metavar="DIR", help="the folder of unzipped packages")
    parser.add_argument("--only", default="", metavar="TEXT", help="rows whose names contain it; several texts: 'Liger|gla'")
    parser.add_argument("--part", default="1/1", metavar="I/N", help="the I-th of N parts of these rows")
    parser.add_argument("--budget", type=float, metavar="SECONDS", help="end before a row, after the first, that may exceed it")
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--device", default="cuda", choices=("cuda", "cpu"))
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        return serve(options)
    options.packages = os.path.abspath(options.packages)
    with tempfile.TemporaryDirectory() as folder:
        servers = [Server(which, options, folder) for which in ("tilerun", "triton")[:1 if options.device == "cpu" else 2]]
        names = servers[0].ask("names")
        if isinstance(names, dict):
            sys.exit(f"libraries.py: {names['failed']}")
        try:
            rows = selection.select([(name, index) for index, name in enumerate(names)], options.only, options.part)
        except ValueError as problem:
            parser.error(str(problem))
        document = {"kind": "libraries", "run": describe_run(servers), "rows": [], "failures": {}, "not measured": [name for name, _ in rows]}
        print(f"{'function':48}{'Tilerun':>10}{'Triton':>10}{'to Triton':>22}   first call: " + " / ".join(server.which for server in servers))
        right = measure_all(rows, servers, options, folder, document)
        for server in servers:
            server.close()
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
