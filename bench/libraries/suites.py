#!/usr/bin/env python3
"""Test suites of packages with Triton kernels, unmodified, where `triton` is Tilerun, and where it is Triton: which tests pass under one of them alone.

    bench/libraries/suites.py --python PYTHON --tilerun PACKAGE [--cpu] [--peer] [--seconds N] [--budget N] --record FILE SUITE…
    bench/libraries/suites.py --record FILE [--page docs/results/library-tests.md]

SUITE is NAME=FOLDER[:SOURCES]:PATTERN: an unpacked sdist (`pip download --no-deps --no-binary :all: liger-kernel`), the folder in it that is the root for
imports (its own, if left out), and which files have tests, such as `liger=liger_kernel-0.8.5:src:test/transformers/test_*.py`. PYTHON has PyTorch, pytest
and what the packages need; PACKAGE is the folder with `tilerun`. With --cpu kernels run on the interpreter, without a peer; what PyTorch computes for
comparison is then of its CPU code, whose sums of 16-bit floats are less accurate than a GPU's. Each file is a process of its own; a test ends after
--seconds, files that have not begun after --budget are left out, and said to be. FILE gets a line of JSON for each test; a second run goes on after the
last file that was done."""

import argparse
import collections
import datetime
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
COMPILERS = "Tilerun", "Triton"
# Why tests fail that would fail with any compiler: (what the suite, the test and its error match, the reason).
EXPLAINED = (
    (r"liger.*OutputWithPast|liger.*pooler_output", "of another version of transformers, or without torchvision"),
    (r"liger.*(test_layer_norm|test_group_norm|test_poly_norm)", "PyTorch's own result on the CPU errs more, by comparison with float64: gradients of a layer norm's weights in "
     "bfloat16 0.17 and Liger's 0.06, of a group norm's bias 4.4e-4 and 1.1e-4"),
)


def left_out(file):
    """The outcome of a file that was not begun."""
    return [[file, "left out", 0, ""]]


def read_record(path):
    """{(suite, file, compiler): [[test, outcome, seconds, why], …]}"""
    found = collections.OrderedDict()
    if path.exists():
        for line in path.read_text().splitlines():
            suite, file, compiler, tests = json.loads(line)
            found[suite, file, compiler] = tests
    return found


def run_file(options, folder, sources, file, compiler):
    """The outcomes of one file's tests. A process that ends without a word for the rest is an outcome as well."""
    with tempfile.TemporaryDirectory() as scratch:
        outcomes = pathlib.Path(scratch) / "outcomes"
        path = [str(HERE), str(sources)] + ([options.tilerun] if compiler == "Tilerun" else []) + [os.environ.get("PYTHONPATH", "")]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, path)), "SUITE_OUTCOMES": str(outcomes), "SUITE_SECONDS": str(options.seconds),
                                    "PYTHONDONTWRITEBYTECODE": "1", "HF_HUB_OFFLINE": "1"}
        under = ["-m", "tilerun", *(["--cpu"] if options.cpu else [])] if compiler == "Tilerun" else []
        command = [options.python, *under, "-m", "pytest", "-q", "-p", "suite_outcomes", "-p", "no:cacheprovider", file]
        try:
            done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=options.file_seconds)
            ended = "" if done.returncode in (0, 1, 5) else (done.stderr.strip() or done.stdout.strip() or "?").splitlines()[-1][:200]
        except subprocess.TimeoutExpired:
            ended = f"the file was not done after {options.file_seconds} s"
        told = {}  # Of a test that began and did not end the process's end is the outcome.
        for line in outcomes.read_text().splitlines() if outcomes.exists() else ():
            test, outcome, seconds, why = json.loads(line)
            told[test] = [test, "ended", 0, ended] if outcome == "begun" else [test, outcome, seconds, why]
        tests = list(told.values())
        if ended and not any(outcome in ("not collected", "ended") for _, outcome, _, _ in tests):
            tests.append([file, "ended", 0, ended])
        return tests


def run(options):
    record = pathlib.Path(options.record)
    known, begin = read_record(record), time.monotonic()
    for suite in options.suites:
        name, _, rest = suite.partition("=")
        parts = rest.split(":")
        if not name or len(parts) not in (2, 3):
            sys.exit(f"suites.py: '{suite}' is not NAME=FOLDER[:SOURCES]:PATTERN")
        folder = pathlib.Path(parts[0]).resolve()
        sources = folder / parts[1] if len(parts) == 3 else folder
        files = sorted(str(path.relative_to(folder)) for path in folder.glob(parts[-1]))
        if not files:
            sys.exit(f"suites.py: '{suite}': no file in '{folder}' matches '{parts[-1]}'")
        for file in files:
            for compiler in COMPILERS[:2 if options.peer else 1]:
                if known.get((name, file, compiler), left_out(file)) != left_out(file):
                    continue
                tests = run_file(options, folder, sources, file, compiler) if time.monotonic() - begin < options.budget else left_out(file)
                with record.open("a") as out:
                    out.write(json.dumps([name, file, compiler, tests]) + "\n")
                known[name, file, compiler] = tests
                counts = collections.Counter(outcome for _, outcome, _, _ in tests)
                print(f"{name} {file} {compiler}: {', '.join(f'{n} {outcome}' for outcome, n in counts.most_common())}", flush=True)
    return known


def differing(known):
    """[(suite, test, what Tilerun gave, what Triton gave, why)] of tests that pass under one of them alone."""
    found = []
    for suite, file in dict.fromkeys((suite, file) for suite, file, _ in known):
        both = [{test: (outcome, why) for test, outcome, _, why in known.get((suite, file, compiler), ())} for compiler in COMPILERS]
        if left_out(file)[0] in known.get((suite, file, "Triton"), left_out(file)):
            continue
        for test in dict.fromkeys([*both[0], *both[1]]):  # A process that ended lacks some.
            (outcome, why), (other, reason) = (told.get(test, ("not run", "")) for told in both)
            if (outcome == "passed") != (other == "passed"):
                found.append((suite, test, outcome, other, why or reason))
    return found


def write_page(known, out):
    show = lambda *lines: print(*lines, sep="\n", file=out)
    show("# Test suites of libraries", "", f"Generated by `bench/libraries/suites.py`; edit that instead. {datetime.datetime.now(datetime.timezone.utc):%Y-%m-%d}.", "",
         "Tests of packages of the Python package index, unmodified, in the processes that pytest makes of them. How: [testing](../testing.md#test-suites-of-libraries).", "")
    outcomes = "passed", "failed", "skipped", "xfailed", "xpassed", "time", "not collected", "ended"
    show(f"| suite | compiler | files | files left out | {' | '.join(outcomes)} |", "|---|---|---|---" + "|---" * len(outcomes) + "|")
    suites = dict.fromkeys((suite, compiler) for suite, _, compiler in known)
    for suite, compiler in suites:
        counts, files = collections.Counter(), 0
        for (other, _, who), tests in known.items():
            if (other, who) == (suite, compiler):
                files += 1
                counts.update(outcome for _, outcome, _, _ in tests)
        show(f"| {suite} | {compiler} | {files - counts['left out']} | {counts['left out']} | {' | '.join(str(counts[outcome]) for outcome in outcomes)} |")
    if any(compiler == "Triton" for _, compiler in suites):
        show("", "## Tests that pass under one of them alone", "", "| suite | test | Tilerun | Triton | why |", "|---|---|---|---|---|")
        show(*(f"| {' | '.join(str(cell).replace('|', chr(92) + '|') for cell in row)} |" for row in differing(known)))
    show("", "## What does not pass under Tilerun", "")
    reasons = collections.OrderedDict()
    for (suite, _, compiler), tests in known.items():
        for test, outcome, _, why in tests if compiler == "Tilerun" else ():
            if outcome in ("failed", "not collected", "ended"):
                # Without places, which differ between machines.
                why = re.sub(r" ?\(?(?<!\w)/[\w./-]+\)?|0x[0-9a-f]+", "…", why)
                reasons.setdefault((suite, outcome, why), []).append(test)
    for (suite, outcome, why), tests in reasons.items():
        explained = next((reason for pattern, reason in EXPLAINED if re.search(pattern, f"{suite} {tests[0]} {why}")), "")
        show(f"- {suite}, {outcome}: {why or 'without a reason'} ({len(tests)}, such as `{tests[0]}`){f'; {explained}' if explained else ''}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", help="an interpreter with PyTorch and pytest")
    parser.add_argument("--tilerun", help="the folder with the package `tilerun`")
    parser.add_argument("--cpu", action="store_true", help="kernels run on the interpreter")
    parser.add_argument("--peer", action="store_true", help="run each file under Triton, too")
    parser.add_argument("--seconds", type=int, default=60, help="of a test")
    parser.add_argument("--file-seconds", type=int, default=600, help="of a file")
    parser.add_argument("--budget", type=int, default=1 << 30, help="seconds after which no file is begun")
    parser.add_argument("--record", required=True)
    parser.add_argument("--page")
    parser.add_argument("suites", nargs="*", metavar="SUITE")
    options = parser.parse_args()
    if options.suites and not (options.python and options.tilerun):
        parser.error("suites need --python and --tilerun")
    if options.cpu and options.peer:
        parser.error("--peer needs a GPU, not --cpu")
    known = run(options)
    if options.page:
        with open(options.page, "w") as out:
            write_page(known, out)
    else:
        write_page(known, sys.stdout)


if __name__ == "__main__":
    main()
