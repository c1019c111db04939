#!/usr/bin/env python3
"""Packages with Triton kernels, as they are on the Python package index: which of their files can be imported where `triton` is Tilerun, and which
of their kernels compile for each target. Needs no GPU.

    bench/libraries/survey.py --wheels DIR --results DIR [--only TEXT] [--import-with PYTHON] [--target TARGET…] TILERUN
    bench/libraries/survey.py --results DIR --page docs/results/libraries.md

DIR has wheels and sdists (`pip download --no-deps -d DIR liger-kernel fla-core …`), of which only Python files are read. PYTHON has PyTorch, and what
the packages import besides it. A package's results are files of --results: `tilerun corpus` goes on where it was interrupted, and so does a second run."""

import argparse
import collections
import datetime
import json
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE.parent.parent / "docs" / "results" / "libraries.md"
TARGETS = "cuda:sm_90a", "cuda:sm_80", "hip:gfx942"
# Of a file, and of all files of one package.
IMPORT_SECONDS, PACKAGE_SECONDS = 60, 1200


# -- Packages


def list_packages(folder):
    """{name version: path}, by the files' names."""
    found = {}
    for path in sorted(pathlib.Path(folder).iterdir()):
        name = path.name.removesuffix(".tar.gz")
        if path.suffix == ".whl" or name != path.name:
            name, version = (name if path.suffix != ".whl" else "-".join(path.name.split("-")[:2])).rsplit("-", 1)
            found[f"{name} {version}"] = path
    return found


def unpack(path, folder):
    """Writes the Python files and the metadata of a wheel or an sdist; gives the folder that is the root for imports."""
    wanted = lambda name: name.endswith(".py") or ".dist-info/" in name
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as archive:
            archive.extractall(folder, [name for name in archive.namelist() if wanted(name)])
        return folder
    with tarfile.open(path) as archive:
        for member in archive.getmembers():
            path = pathlib.PurePosixPath(member.name)
            if member.isfile() and wanted(member.name) and not path.is_absolute() and ".." not in path.parts:
                (pathlib.Path(folder) / path).parent.mkdir(parents=True, exist_ok=True)
                (pathlib.Path(folder) / path).write_bytes(archive.extractfile(member).read())
    root, = pathlib.Path(folder).iterdir()
    for extra in ("tests", "test", "benchmarks", "benchmark", "examples", "setup.py", "training", "hopper", "csrc"):  # Not part of the package.
        if (root / extra).is_dir():
            subprocess.run(["rm", "-r", root / extra], check=True)
        elif (root / extra).exists():
            (root / extra).unlink()
    return root


def find_kernel_files(root):
    """The modules whose text has jit functions of Triton, by their dotted names: {name: path}."""
    found = {}
    for path in sorted(root.rglob("*.py")):
        text = path.read_text(errors="replace")
        if re.search(r"^\s*@(\w+\.)*jit\b", text, re.M) and "triton" in text:
            parts = list(path.relative_to(root).with_suffix("").parts)
            if all(part.isidentifier() for part in parts):
                found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


# -- What is measured


def import_files(root, modules, python, tilerun):
    """{module: "" or why it cannot be imported}: each in a child of a process that has imported PyTorch."""
    package = pathlib.Path(tilerun).resolve().parent.parent / "python"
    if not package.exists():
        package = pathlib.Path(tilerun).resolve().parent.parent / "lib" / "tilerun" / "python"
    # What the caller's path has comes last: packages that these import.
    path = os.pathsep.join([str(package), str(root), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = os.environ | {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1", "HF_HUB_OFFLINE": "1"}
    command = [python, "-m", "tilerun", "--cpu", HERE / "importing.py", str(IMPORT_SECONDS), str(PACKAGE_SECONDS)]
    done = subprocess.run(command, input="\n".join(modules), text=True, capture_output=True, env=environment, cwd=tempfile.gettempdir())
    if done.returncode:
        sys.exit(f"survey.py: files cannot be imported: {done.stderr.strip().splitlines()[-1:]}")
    return {module: why for module, why in map(json.loads, done.stdout.splitlines())}


def compile_kernels(root, target, tilerun, record):
    """What `tilerun corpus` counts."""
    command = [tilerun, "corpus", str(root), "--target", target, "--threads", "1", "--time-limit", "60", "--output", str(record), "--json"]
    done = subprocess.run(command, text=True, capture_output=True)
    if not done.stdout:
        sys.exit(f"survey.py: {' '.join(command)}: {done.stderr.strip()}")
    told = json.loads(done.stdout)
    kernels = [kernel for kernel in told["kernels"] if kernel["outcome"] != "helper"]
    typed = [kernel for kernel in kernels if kernel["outcome"] != "fails" and (kernel["outcome"] == "compiles" or "signature" in kernel)]
    failing = [f"{os.path.relpath(kernel['file'], root)}:{kernel['line']} {kernel['name']}: {kernel['outcome']}: {kernel.get('reason', '').partition(chr(10))[0]}"
               for kernel in kernels if kernel["outcome"] not in ("compiles", "fails")]
    constructs = {row["construct"]: row["kernels"] for row in told["constructs"]}
    return {"kernels": len(kernels), "typed": len(typed), "compile": told["counts"]["compiles"], "failing": failing, "constructs": constructs,
            "made": dict(collections.Counter(function["decorator"] for function in told["made"]))}


def survey(name, path, options):
    """Fills a file of results, of which another run keeps what is there."""
    file = pathlib.Path(options.results) / f"{name.replace(' ', '-')}.json"
    data = json.loads(file.read_text()) if file.exists() else {"name": name, "targets": {}}
    folder = pathlib.Path(options.results) / "packages" / name.replace(" ", "-")
    if folder.exists():
        root = folder if path.suffix == ".whl" else next(folder.iterdir())
    else:
        folder.mkdir(parents=True)
        root = unpack(path, folder)
    modules = find_kernel_files(root)
    data["files"], data["date"] = len(modules), datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")
    if options.import_with and "imports" not in data:
        data["imports"] = import_files(root, list(modules), options.import_with, options.tilerun)
        file.write_text(json.dumps(data, indent=1))
    for target in options.target or TARGETS:
        if target not in data["targets"]:
            record = pathlib.Path(options.results) / f"{name.replace(' ', '-')}-{target.replace(':', '-')}.jsonl"
            data["targets"][target] = compile_kernels(root, target, options.tilerun, record)
        file.write_text(json.dumps(data, indent=1))
        told = data["targets"][target]
        print(f"{name}: {target}: {told['compile']} of {told['typed']} kernels that type-check, of {told['kernels']}", flush=True)


# -- The page


def group_imports(imports):
    """(imported, {reason: files}): names of files and of places differ, so that they are left out."""
    reasons = collections.Counter(why for why in imports.values() if why)
    return sum(not why for why in imports.values()), reasons


def write_page(results, path):
    rows, notes = [], []
    dates = sorted({data["date"] for data in results})
    for data in results:
        row = [data["name"], data["files"]]
        imports = data.get("imports")
        if imports is None:
            row.append("–")
        else:
            imported, reasons = group_imports(imports)
            row.append(f"{imported} of {data['files']}")
            notes += [f"- {data['name']}: {count} file{'s' * (count > 1)} cannot be imported: {why}" for why, count in reasons.most_common()]
        first = next(iter(data["targets"].values()), None)
        row += [f"{first['typed']} of {first['kernels']}" if first else "–"]
        for target in TARGETS:
            told = data["targets"].get(target)
            row.append(f"{told['compile']} of {told['typed']}" if told else "–")
            notes += [f"- {data['name']}, {target}: {text}" for text in (told or {}).get("failing", [])]
        row.append(", ".join(f"{count} @{decorator}" for decorator, count in sorted(first["made"].items())) if first and first["made"] else "–")
        rows.append(row)
    head = ["package", "files with kernels", "imported", "kernels that type-check", *(f"compile for `{target}`" for target in TARGETS), "besides"]
    lines = ["# Libraries with Triton kernels", "", "Generated by `bench/libraries/survey.py`; edit that instead. "
             f"{dates[0]}{' to ' + dates[-1] if dates[1:] else ''}, no GPU.", "",
             "Packages of the Python package index, unmodified. *Files with kernels* have a jit function; *imported* are those that a process imports where `triton` is Tilerun, "
             "without a GPU (`python -m tilerun --cpu`) and without the package's own extensions. Kernels compile with launch signatures that are guessed "
             "([how](../testing.md#published-kernels)), 60 s (of the wall, beside other work) and 4 GiB each. *Besides* are functions of which decorators make kernels when Python runs, and kernels of "
             "Gluon, which is another language. Functions that ran on a GPU, beside Triton: [an NVIDIA GPU](h200.md).", "",
             "| " + " | ".join(head) + " |", "|" + "---|" * len(head), *("| " + " | ".join(map(str, row)) + " |" for row in rows), ""]
    if notes:
        lines += ["## What fails", "", *notes, ""]
    path.write_text("\n".join(lines).rstrip() + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tilerun", nargs="?", metavar="TILERUN", help="the command")
    parser.add_argument("--wheels", metavar="DIR")
    parser.add_argument("--results", required=True, metavar="DIR")
    parser.add_argument("--only", default="", metavar="TEXT", help="packages whose names contain it; several texts: 'liger|fla'")
    parser.add_argument("--import-with", metavar="PYTHON")
    parser.add_argument("--target", action="append", metavar="TARGET", help=f"by default {', '.join(TARGETS)}")
    parser.add_argument("--page", metavar="FILE")
    options = parser.parse_args()
    if bool(options.wheels) != bool(options.tilerun) or not (options.wheels or options.page):
        parser.error("name wheels and the command, or --page, or all three")
    pathlib.Path(options.results).mkdir(parents=True, exist_ok=True)
    if options.wheels:
        for name, path in list_packages(options.wheels).items():
            if any(text in name for text in options.only.split("|")):
                survey(name, path, options)
    if options.page:
        results = [json.loads(file.read_text()) for file in sorted(pathlib.Path(options.results).glob("*.json"))]
        write_page(results, pathlib.Path(options.page))


if __name__ == "__main__":
    main()
