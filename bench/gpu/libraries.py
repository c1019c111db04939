#!/usr/bin/env python3
"""Functions of Liger, FLA and vLLM by their own host code, under Tilerun and under Triton: in two processes, because both own
the name `triton`, which take turns. Results of the two are compared first; times are of the wall, with the host's part.

Usage: TILERUN_BUNDLE=DIR libraries.py --packages DIR [--only TEXT] [--part I/N] [--budget SECONDS] [--json FILE]
DIR has the packages unzipped: `pip download --no-deps liger-kernel fla-core einops`, and `python3 -m zipfile -e FILE.whl DIR` for
each. What cannot be imported is named as not measured. `--device cpu` runs small shapes on the interpreter, without Triton."""

import argparse
import importlib.metadata
import os
import statistics
import sys
import tempfile
import time

import selection
import servers

TOLERANCE = 3e-2  # Both round to bf16 between steps, in another order.


# -- The process that runs functions with one of the two `triton`s


class Runner:

    def __init__(self, which, device, packages):
        servers.install(which)
        sys.path.insert(1, packages)
        import torch
        self.torch, self.device, self.ready = torch, device, {}

    def describe(self):
        return servers.describe(self.torch, self.device == "cpu")

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
        return {"ms": servers.measure_wall(self.ready[index], self.synchronize, count)}

    def forget(self, index):
        self.ready.pop(index, None)
        if self.device != "cpu":
            self.torch.cuda.empty_cache()
        return {}

    def synchronize(self):
        if self.device != "cpu":
            self.torch.cuda.synchronize()


# -- The process that asks


def measure(name, index, both, folder, notes):
    """The row, or None where one of them fails."""
    # Triton first: its results are what the other's are compared with.
    order = sorted(both, key=lambda server: server.which != "triton")
    path = os.path.join(folder, f"{index}.pt")
    answers = {server.which: server.ask("prepare", index, path) for server in order}
    failed = [f"{who}: {answer['failed']}" for who, answer in answers.items() if "failed" in answer]
    row = None
    if not failed:
        first = {who: round(answer["first call"], 1) for who, answer in answers.items()}
        turns, failed = servers.take_turns(both, index)
        row = None if failed else {"name": name, "unit": "ms", "turns": turns["ms"], "first call": first, "version": answers["tilerun"]["version"],
                                   "notes": []}
        if row and answers["tilerun"].get("error", 0) > TOLERANCE:
            row["notes"].append(f"results differ: relative norm of the difference {answers['tilerun']['error']:.1e}")
    notes += failed
    for server in both:
        server.ask("forget", index)
    if os.path.exists(path):
        os.remove(path)
    if row:
        show(row)
    return row


def show(row):
    medians = {who: statistics.median(times) for who, times in row["turns"].items()}
    print(f"{row['name']:48}" + "".join(f"{medians.get(who, float('nan')):10.3f}" for who in ("tilerun", "triton"))
          + f"{servers.ratio_text(row['turns']):>22}   " + " / ".join(f"{seconds} s" for seconds in row["first call"].values()), *row["notes"],
          flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--packages", required=True, metavar="DIR", help="the folder of unzipped packages")
    servers.add_options(parser)
    options = parser.parse_args()
    if options.serve:
        return servers.serve(lambda: Runner(options.serve, options.device, options.packages))
    options.packages = os.path.abspath(options.packages)
    with tempfile.TemporaryDirectory() as folder:
        use_cpu = options.device == "cpu"
        both = [servers.Server(which, __file__, ["--device", options.device, "--packages", options.packages], folder, pretend=use_cpu)
                for which in ("tilerun", "triton")[:1 if use_cpu else 2]]
        names, told = both[0].ask("names"), both[-1].ask("describe")
        if "failed" in names or "failed" in told:
            sys.exit(f"libraries.py: {(names if 'failed' in names else told)['failed']}")
        try:
            rows = selection.select([(name, index) for index, name in enumerate(names)], options.only, options.part)
        except ValueError as problem:
            parser.error(str(problem))
        document = servers.make_document("libraries", "bench/gpu/libraries.py", told, [name for name, _ in rows])
        print(f"{'function':48}{'Tilerun':>10}{'Triton':>10}{'to Triton':>22}   first call: " + " / ".join(server.which for server in both))
        right = servers.measure_all(rows, lambda name, index, notes: measure(name, index, both, folder, notes), options, document)
        for server in both:
            server.close()
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
