#!/usr/bin/env python3
"""Are Tilerun's mathematical functions at most as wrong as Triton's, for every argument? Both on the same arguments.

    TILERUN_BUNDLE=DIR bench/math/exhaustive.py [--seed N] [--json FILE] [--jobs N] [--seconds N] [FUNCTION …]

Functions of one float32 get all 2^32 arguments. Functions of two, and all of float64, get random arguments from
--seed, --count of them for each range, and then from further seeds while time is left. float32 is compared with
Triton's float64 function of the same name (one for both, computed on the GPU), which is itself compared with Tilerun's
float64 function: where the two differ, the reference is named as not good enough. float64 is compared with the C
library's 64-bit mantissa (references.c, which takes a C compiler). Prints each function and range with both errors and
the arguments of the largest ones, then the rows in which Tilerun is more wrong, then what was not measured; the last
line is their number, and the exit code is 1 if there are any. Units are those of bench/math/errors.py. It ends after
--seconds; a function that ends its process, or for which no time was left, is reported by name.

Needs PyTorch, Triton 3.6 and a GPU. For trials without one: --device cpu:0 with --without triton takes Tilerun's
interpreter and the C library as reference for float32, too; --blocks 64 then takes 64 blocks spread over all float32.
"""
import argparse
import ctypes
import fnmatch
import importlib.util
import json
import math
import os
import pathlib
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import traceback

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "gpu")]
import errors  # noqa: E402
import instructions  # noqa: E402
from references import KEYS, CReferences, plain  # noqa: E402

SIDES = ["tilerun", "triton"]
BLOCK = 1 << 25  # float32 patterns at a time; a divisor of 2^31, so that a block has one sign
# Ranges of two operands that differ.
MIXED = [("unit", "twenty"), ("twenty", "unit"), ("twenty", "thousand"), ("bits", "twenty"), ("one", "rotary")]
# References of float32 that are PyTorch's operations: the functions have no float64 form, or it is an instruction.
OPERATIONS = {"tl.fdiv": lambda x, y: x / y, "tl.div_rn": lambda x, y: x / y, "tl.sqrt": lambda x: x.sqrt(),
              "tl.sqrt_rn": lambda x: x.sqrt(), "sqrt": lambda x: x.sqrt()}
# The largest allowed difference of two float64 functions, relative to the result (to at least 1 for those that cross zero): a
# ten-thousandth of a unit of float32.
AGREEMENT = 2.0**-37


def binary(function):
    return function in instructions.BINARY


# --- arguments and ranges ---

def float32_ends(name):
    """The patterns [first, last) of positive float32 that a range has, and whether negative ones belong to it, too."""
    kind, (low, high) = {row[0]: row[1:3] for row in errors.RANGES}[name]
    if kind == "bits":
        return 0, 1 << 31, True
    if kind == "subnormal":
        return 0, 1 << 23, True
    if kind == "exponents":
        return (low + 127) << 23, (high + 128) << 23, True
    first, last = (int(np.array([max(v, 0)], np.float32).view(np.uint32)[0]) for v in (low, high))
    return first, last + 1, low < 0


def segments():
    """Patterns between which no range begins or ends, and range to the segments of both signs that it has."""
    ends = sorted({end for row in errors.RANGES for end in float32_ends(row[0])[:2]})
    parts = list(zip(ends, ends[1:]))
    ranges = {}
    for name, *_ in errors.RANGES:
        first, last, both = float32_ends(name)
        ranges[name] = [(sign, i) for i, (a, b) in enumerate(parts) for sign in range(1 + both)
                        if first <= a and b <= last]
    return parts, ranges


def random_arguments(name, element, seed, operand, count):
    """Fresh random numbers of a range of errors.py."""
    index = [row[0] for row in errors.RANGES].index(name)
    kind, wide = errors.RANGES[index][1], element == "f64"
    low, high = errors.RANGES[index][2 + wide]
    generator = np.random.default_rng([seed, index, operand, wide])
    floating, unsigned = (np.float64, np.uint64) if wide else (np.float32, np.uint32)
    if kind == "uniform":
        return (low + (high - low) * generator.random(count)).astype(floating)
    mantissa, bias = (52, 1023) if wide else (23, 127)
    pattern = generator.integers(0, 1 << (64 if wide else 32), count, unsigned)
    if kind != "bits":
        pattern &= unsigned((1 << (63 if wide else 31)) | ((1 << mantissa) - 1))
        if kind == "exponents":
            pattern |= generator.integers(low + bias, high + bias + 1, count, unsigned) << unsigned(mantissa)
    return pattern.view(floating)


# --- both sides' functions ---

class Machine:
    """A device with both sides' kernels of all functions: one element for each thread."""
    PROGRAM = 128

    def __init__(self, device, folder, without):
        import torch
        import binding
        self.torch, self.folder, self.without = torch, folder, without
        self.place = "cuda" if device.startswith("cuda") else "cpu"
        self.library = binding.Library(device) if "tilerun" not in without else None
        self.synchronize = torch.cuda.synchronize if self.place == "cuda" else lambda: None
        if self.library and self.place == "cpu":
            self.stream = ctypes.c_void_p()
            self.library.call("tilerunCreateStream", self.library.device, ctypes.byref(self.stream))
            self.library.stream = lambda native: self.stream
            torch.cuda.current_stream = lambda: argparse.Namespace(cuda_stream=0)
        if "triton" not in without:
            spec = importlib.util.spec_from_file_location("kernels", folder / "kernels.py")
            self.kernels = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(self.kernels)

    def apply(self, side, function, x, y, out):
        """The function of device arrays whose size is a multiple of PROGRAM, into `out`."""
        grid = (x.numel() // self.PROGRAM,)
        name = instructions.kernel_name(function)
        if side == "triton":
            getattr(self.kernels, name)[grid](x, y, out, self.PROGRAM, num_warps=4)
        else:
            handle = self.library.kernel(str(self.folder / "kernels.py"), name)
            launch = self.launch_copies if self.place == "cpu" else self.library.launch
            launch(handle, grid, [x, y, out, self.PROGRAM], 4)
        return out

    def launch_copies(self, handle, grid, arguments, num_warps):
        """For a device that PyTorch has no memory of: its own, which the last array is copied back from."""
        tensors, copies = arguments[:-1], []
        for tensor in tensors:
            address, size = ctypes.c_uint64(), ctypes.c_uint64(tensor.numel() * tensor.element_size())
            self.library.call("tilerunAllocate", self.stream, size, ctypes.byref(address))
            self.library.call("tilerunCopyToDevice", self.stream, address, ctypes.c_void_p(tensor.data_ptr()), size)
            copies.append(argparse.Namespace(data_ptr=lambda address=address: address.value, dtype=tensor.dtype))
        self.library.launch(handle, grid, [*copies, arguments[-1]], num_warps)
        self.library.call("tilerunCopyFromDevice", self.stream, ctypes.c_void_p(tensors[-1].data_ptr()), address, size)
        self.library.call("tilerunSynchronizeStream", self.stream)
        for copy in copies:
            self.library.call("tilerunFree", self.stream, ctypes.c_uint64(copy.data_ptr()))


# --- float32, on the GPU ---

class Comparison:
    """Errors of float32 results against float64, element for element, all on the device."""

    def __init__(self, torch, exact):
        self.torch, beyond = torch, 2.0**128
        self.exact = exact.clamp(-beyond, beyond)
        self.is_nan = torch.isnan(exact)
        magnitude = self.exact.abs()
        self.normal = magnitude >= 2.0**-126
        self.upToOne = magnitude <= 1
        # A unit in the last place, from the exponent's bits; subnormal results have the smallest number.
        exponent = (magnitude.view(torch.int64) >> 52).clamp(1023 - 126, 1023 + 127)
        self.unit = ((exponent - 23) << 52).view(torch.float64)

    def errors(self, got):
        """ulp, subnormal, absolute, and NaN that is wrong, as four arrays."""
        torch = self.torch
        wide = got.double()
        difference = (wide.clamp(-2.0**128, 2.0**128) - self.exact).abs().nan_to_num_(0)
        units = difference / self.unit
        wrong = torch.isnan(wide) != self.is_nan
        return [torch.where(self.normal, units, 0), torch.where(self.normal, 0, units),
                torch.where(self.upToOne, difference, 0), wrong]


def largest(errors, first, last):
    """Values and places of the largest errors of [first, last), as one array of eight float64 on the device."""
    import torch
    values, places = [], []
    for part in errors:
        part = part[first:last]
        if part.dtype == torch.bool:
            values.append(part.sum().double())
            places.append(part.byte().argmax().double() + first)
        else:
            value, place = part.max(0)
            values.append(value)
            places.append(place.double() + first)
    return torch.stack(values + places)


def merge(rows):
    """The largest of several {key: [value, argument]}; wrong NaN are added."""
    result = {}
    for key in KEYS:
        best = max((row[key] for row in rows), key=lambda item: item[0])
        result[key] = [sum(row[key][0] for row in rows), best[1]] if key == "nan" else best
    return result


class Reference:
    """float64 results for float32 arguments on the device; where there are two such functions, how far they differ."""

    def __init__(self, machine, references, function):
        self.machine, self.references, self.function = machine, references, function
        self.differences = 0
        self.first = None

    def __call__(self, x, y):
        torch = self.machine.torch
        x, y = x.double(), y.double()
        if self.function in OPERATIONS:
            return OPERATIONS[self.function](*((x, y) if binary(self.function) else (x,)))
        if "triton" in self.machine.without:
            return torch.from_numpy(self.references.evaluate(self.function, x.cpu().numpy(), y.cpu().numpy())).to(x)
        exact = self.machine.apply("triton", self.function, x, y, torch.empty_like(x))
        if self.machine.library:
            self.compare(x, y, exact)
        return exact

    def compare(self, x, y, exact):
        """Every 64th group of arguments: Tilerun's float64 function must agree."""
        torch, size = self.machine.torch, Machine.PROGRAM
        pick = [v.view(-1, size)[::64].contiguous().view(-1) for v in (x, y, exact)]
        other = self.machine.apply("tilerun", self.function, pick[0], pick[1], torch.empty_like(pick[0]))
        limit = 2.0**128
        a, b = (v.clamp(-limit, limit) for v in (pick[2], other))
        scale = a.abs().clamp(min=2.0**-149)
        if self.function in errors.CROSSING:
            scale = scale.clamp(min=1)
        wrong = (torch.isnan(a) != torch.isnan(b)) | ((a - b).abs() > AGREEMENT * scale)
        count = int(wrong.sum())
        if count and not self.differences:
            at = int(wrong.byte().argmax())
            self.first = [float(v[at]) for v in (pick[0], pick[1], pick[2], other)]
        self.differences += count

    def note(self):
        if not self.differences:
            return None
        x, y, theirs, ours = self.first
        of = f"{x.hex()}, {y.hex()}" if binary(self.function) else x.hex()
        return (f"{self.differences} results of Triton's and Tilerun's float64 function differ by more than 2^-37, the "
                f"first of {of}: {theirs!r} and {ours!r}")


def all_float32(machine, references, task):
    """Every float32, block by block."""
    torch, function, size = machine.torch, task["function"], min(BLOCK, task["block"])
    reference, (parts, ranges) = Reference(machine, references, function), segments()
    found = {side: {} for side in machine_sides(machine)}
    starts = range(0, 1 << 32, size)
    if task["blocks"]:
        starts = starts[::max(1, len(starts) // task["blocks"])]
    for start in starts:
        sign, first = start >> 31, start & 0x7fffffff
        signed = start - (1 << 32) if sign else start
        x = torch.arange(size, dtype=torch.int32, device=machine.place).add_(signed).view(torch.float32)
        comparison = Comparison(torch, reference(x, x))
        for side in found:
            got = machine.apply(side, function, x, x, torch.full_like(x, math.nan))
            parts_of = comparison.errors(got)
            for i, (low, high) in enumerate(parts):
                low, high = max(low, first) - first, min(high, first + size) - first
                if low < high:
                    row = largest(parts_of, low, high)
                    found[side].setdefault((sign, i), []).append((start, row))
    result = {}
    for side, of in found.items():
        rows = {key: merge([place(start, row.tolist()) for start, row in list_of]) for key, list_of in of.items()}
        for name, keys in ranges.items():
            known = [rows[key] for key in keys if key in rows]
            if known:
                result.setdefault(name, {})[side] = merge(known)
    return result, reference.note()


def place(start, values):
    """Errors with their arguments, given a block's first pattern."""
    def argument(at):
        return [float(np.array([start + int(at)], np.uint32).view(np.float32)[0]).hex()]
    return {key: [values[i], argument(values[4 + i])] for i, key in enumerate(KEYS)}


def machine_sides(machine):
    return [side for side in SIDES if side not in machine.without]


def ranges_of(function):
    same = [(row[0], row[0]) for row in errors.RANGES]
    return same + MIXED if binary(function) else same


def two_float32(machine, references, task):
    torch, function = machine.torch, task["function"]
    reference, result = Reference(machine, references, function), {}
    for names in ranges_of(function):
        x, y = (random_arguments(name, "f32", task["seed"], operand, task["count"])
                for operand, name in enumerate(names))
        a, b = (torch.from_numpy(v).to(machine.place) for v in (x, y))
        comparison = Comparison(torch, reference(a, b))
        row = result.setdefault(names[0] if names[0] == names[1] else ", ".join(names), {})
        for side in machine_sides(machine):
            got = machine.apply(side, function, a, b, torch.full_like(a, math.nan))
            values = largest(comparison.errors(got), 0, x.size).tolist()
            row[side] = {key: [values[i], [float(v[int(values[4 + i])]).hex() for v in (x, y)]]
                         for i, key in enumerate(KEYS)}
    return result, reference.note()


def float64(machine, references, task):
    torch, function, result = machine.torch, task["function"], {}
    if not references.has(function):
        return {}, "references.c lacks it"
    for names in ranges_of(function):
        x, y = (random_arguments(name, "f64", task["seed"], operand, task["count"])
                for operand, name in enumerate(names))
        a, b = (torch.from_numpy(v).to(machine.place) for v in (x, y))
        sides = machine_sides(machine)
        got = []
        for side in sides:
            out = machine.apply(side, function, a, b, torch.full_like(a, math.nan))
            machine.synchronize()
            got.append(np.ascontiguousarray(out.cpu().numpy()))
        rows = references.measure(function, x, y, got)
        result[names[0] if names[0] == names[1] else ", ".join(names)] = {
            side: {key: [value, [float(v[max(at, 0)]).hex() for v in ((x, y) if binary(function) else (x,))]]
                   for key, (value, at) in row.items()} for side, row in zip(sides, rows)}
    return result, None


# --- processes ---

def work(options):
    """Reads tasks from standard input, a line each, and answers each with a line."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # Output of libraries does not belong to the answers.
    folder = pathlib.Path(options.work)
    machine, references = Machine(options.device, folder, options.without), CReferences(folder)
    for line in sys.stdin:
        task = json.loads(line)
        sweep = float64 if task["element"] == "f64" else two_float32 if binary(task["function"]) else all_float32
        begun = time.monotonic()
        try:
            rows, note = sweep(machine, references, task)
            answer = {"rows": rows, "note": note}
        except Exception as error:  # One function must not end the others.
            traceback.print_exc()
            answer = {"error": f"{type(error).__name__}: {error}".split("\n")[0]}
        answer["seconds"] = round(time.monotonic() - begun, 1)
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


class Worker(threading.Thread):
    """A process that takes tasks from a queue; another one begins where one ends."""

    def __init__(self, tasks, results, options, command, end):
        super().__init__(daemon=True)
        self.tasks, self.results, self.options, self.command = tasks, results, options, command
        self.end, self.process = end, None

    def run(self):
        while time.monotonic() < self.end - self.options.margin:
            try:
                task = self.tasks.get_nowait()
            except queue.Empty:
                break
            self.results.put((task, self.answer(task)))
        if self.process:
            self.process.kill()
            self.process.wait()

    def answer(self, task):
        if not self.process:
            self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        left = max(1, min(self.options.limit, self.end - time.monotonic()))
        timer = threading.Timer(left, self.process.kill)
        timer.start()
        try:
            self.process.stdin.write(json.dumps(task) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except OSError:
            line = ""
        timer.cancel()
        if line.endswith("\n"):
            return json.loads(line)
        self.process.kill()
        code, self.process = self.process.wait(), None
        return {"error": f"stopped after {left:.0f} s" if code == -9 else f"its process ended with {code}"}


# Tasks that take long begin first.
SLOW = ("tgamma lgamma y1 y0 j1 j0 cyl_bessel_i1 cyl_bessel_i0 normcdfinv erfcinv erfinv pow remainder fmod normcdf "
        "erfcx").split()


def make_tasks(functions, options):
    """Of the first seed, and of those that are taken while time is left."""
    def key(function):
        name = plain(function)
        return SLOW.index(name) if name in SLOW else len(SLOW)

    def task(function, element, seed):
        return {"function": function, "element": element, "seed": seed, "blocks": options.blocks,
                "block": options.block, "count": options.count * (4 if element == "f32" else 1)}
    functions = sorted(functions, key=key)
    elements = [e for e in ("f64", "f32") if e in options.types]
    # float64 keeps the processors busy, float32 the GPU: in turn.
    every = [(f, e) for f in functions for e in elements if not (e == "f64" and f.endswith("_rn"))]
    first = [task(f, e, options.seed) for f, e in every]
    more = [task(f, e, options.seed + i) for i in range(1, options.seeds) for f, e in every if e == "f64" or binary(f)]
    return first, more


def text_of(row):
    return " / ".join(f"{row[key][0]:.4g}" for key in KEYS[:3]) + (
        f", {int(row['nan'][0])} NaN wrong" if row["nan"][0] else "")


def report(found, document):
    """The table, the rows that are worse, and what is missing; the number of the last two."""
    worse = []
    print("| function | range | Tilerun ulp / below normal / absolute | of | Triton | of |\n|---|---|---|---|---|---|")
    for (function, element), ranges in sorted(found.items(), key=lambda item: item[0][::-1]):
        for name, both in ranges.items():
            cells = [f"{text_of(both[side])} | {', '.join(both[side]['ulp'][1])}" if side in both else "— | —"
                     for side in SIDES]
            line = f"| {function} {element} | {name} | {cells[0]} | {cells[1]} |"
            print(line)
            if len(both) == 2:
                ours, theirs = ({key: row[key][0] for key in KEYS} for row in (both[side] for side in SIDES))
                if errors.is_worse(function, ours, theirs):
                    ratio = max((ours[k] / theirs[k] for k in KEYS[:2] if theirs[k]), default=math.inf)
                    worse.append((ratio, line))
    print("\nmore wrong than Triton's, the most first:")
    for _, line in sorted(worse, reverse=True):
        print(line)
    document["worse"] = [line for _, line in sorted(worse, reverse=True)]
    for heading, lines in (("references that are not good enough", document["references"]),
                           ("not measured", document["missing"])):
        print(f"\n{heading}: {len(lines)}")
        for line in lines:
            print(f"  {line}")
    return len(worse), len(document["missing"])


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("functions", nargs="*")
    parser.add_argument("--seed", type=int, default=20261126)
    parser.add_argument("--seeds", type=int, default=4, help="at most so many; the first alone is sure to be taken")
    parser.add_argument("--count", type=int, default=1 << 22, help="random arguments for each range and seed; four "
                        "times as many pairs of float32")
    parser.add_argument("--types", default="f32,f64")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=min(14, os.cpu_count() or 1))
    parser.add_argument("--seconds", type=int, default=330, help="for all")
    parser.add_argument("--margin", type=int, default=50, help="seconds before the end in which nothing new begins")
    parser.add_argument("--limit", type=int, default=150, help="seconds for one function")
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--without", default="", help="tilerun or triton: that side is left out")
    parser.add_argument("--blocks", type=int, default=0, help="float32: so many blocks, not all")
    parser.add_argument("--block", type=int, default=BLOCK, help="float32: a block's size, a power of two")
    parser.add_argument("--work", help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.without = [side for side in options.without.split(",") if side]
    options.types = options.types.split(",")
    for given, known, what in ((options.without, SIDES, "side"), (options.types, ["f32", "f64"], "type")):
        for word in given:
            if word not in known:
                parser.error(f"no such {what}: {word}; choose from {', '.join(known)}")
    if options.block < Machine.PROGRAM or options.block & (options.block - 1):
        parser.error(f"--block is not a power of two from {Machine.PROGRAM} on")
    if options.count % (64 * Machine.PROGRAM):
        parser.error(f"--count is not a multiple of {64 * Machine.PROGRAM}")
    return parser, options


def name_of_machine(options):
    if not options.device.startswith("cuda"):
        return options.device
    import torch
    return torch.cuda.get_device_name()


def main():
    parser, options = parse()
    if options.work:
        work(options)
        return 0
    every = instructions.LANGUAGE + instructions.UNARY + instructions.BINARY
    functions = [f for f in every if not options.functions or any(fnmatch.fnmatch(f, p) for p in options.functions)]
    if not functions:
        parser.error(f"no such function; functions are {', '.join(every)}")
    begun = time.monotonic()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="tilerun-math-"))
    instructions.write_kernels(functions, folder / "kernels.py")
    if not CReferences.build(folder):
        return 2
    first, more = make_tasks(functions, options)
    tasks, results = queue.Queue(), queue.Queue()
    for task in first + more:
        tasks.put(task)
    command = [sys.executable, __file__, *sys.argv[1:], "--work", str(folder)]
    workers = [Worker(tasks, results, options, command, begun + options.seconds) for _ in range(options.jobs)]
    for worker in workers:
        worker.start()
    document = {"machine": name_of_machine(options), "seed": options.seed, "count": options.count, "references": [],
                "missing": [], "seconds": {}}
    found, seen = {}, set()
    while any(worker.is_alive() for worker in workers) or not results.empty():
        try:
            task, answer = results.get(timeout=0.5)
        except queue.Empty:
            continue
        key = task["function"], task["element"]
        name = f"{key[0]} {key[1]}"
        seen.add((*key, task["seed"]))
        print(f"{time.monotonic() - begun:.0f} s: {name}, seed {task['seed']}, "
              f"{answer.get('error', str(answer['seconds']) + ' s') if 'seconds' in answer else answer['error']}",
              file=sys.stderr, flush=True)
        document["seconds"][name] = answer.get("seconds")
        if "error" in answer:
            document["missing"].append(f"{name}, seed {task['seed']}: {answer['error']}")
            continue
        if answer["note"]:
            document["references" if answer["rows"] else "missing"].append(f"{name}: {answer['note']}")
        for range_name, both in answer["rows"].items():
            row = found.setdefault(key, {}).setdefault(range_name, {})
            for side, values in both.items():
                row[side] = merge([row[side], values]) if side in row else values
    document["missing"] += [f"{t['function']} {t['element']}: no time was left" for t in first
                            if (t["function"], t["element"], t["seed"]) not in seen]
    document["further seeds"] = sum((t["function"], t["element"], t["seed"]) in seen for t in more)
    document["errors"] = {e: {f: rows for (f, of), rows in found.items() if of == e} for e in ("f32", "f64")}
    worse, missing = report(found, document)
    if options.json:
        options.json.write_text(json.dumps(document, indent=1) + "\n")
    shutil.rmtree(folder)
    print(f"\n{document['machine']}, {time.monotonic() - begun:.0f} s, seeds from {options.seed}, "
          f"{document['further seeds']} of {len(more)} further sweeps")
    print(f"more wrong than Triton's: {worse} of {sum(map(len, found.values()))} rows; not measured: {missing}")
    return 1 if worse or missing or document["references"] else 0


if __name__ == "__main__":
    sys.exit(main())
