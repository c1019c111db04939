#!/usr/bin/env python3
"""Makes a page, with figures, of what compare.py and libraries.py measured.

Usage: page.py [--out docs/results/h200.md] FILE.json...
Several files are merged: of a row that several have, the latest counts. Figures go to a folder of the page's name beside it.
Needs matplotlib."""

import argparse
import os
import sys

import goals
import results

HERE = os.path.dirname(os.path.abspath(__file__))
PAGE = os.path.join(HERE, "..", "..", "docs", "results", "h200.md")


def cell(text):
    return str(text).replace("|", "\\|")


def table(head, lines):
    return ["| " + " | ".join(head) + " |", "|" + "---|" * len(head),
            *("| " + " | ".join(map(cell, line)) + " |" for line in lines), ""]


def number(value):
    return "–" if value is None else f"{value:.4f}" if value < 1 else f"{value:.3f}" if value < 10 else f"{value:.1f}"


def ratio_text(ratio):
    return f"{ratio['median']:.3f} ({ratio['low']:.3f} to {ratio['high']:.3f})" if ratio else "–"


def percent_text(ratio):
    return f"{100 * ratio['median']:.1f} % ({100 * ratio['low']:.1f} to {100 * ratio['high']:.1f})" if ratio else "–"


def runs_table(found):
    all_rows = [*found.rows, *found.libraries, *found.models]
    lines = []
    for index, run in enumerate(found.runs):
        versions = ", ".join(f"{name} {version}" for name, version in run["versions"].items())
        lines.append([index + 1, run["gpu"], run["driver"], run["date"], versions, f"`{run['command']}`",
                      sum(row.run == index for row in all_rows)])
    return table(["run", "GPU", "driver", "begun", "versions", "command", "rows"], lines)


def goals_table(found):
    lines, missed = [], []
    for outcome in goals.outcomes(found.rows):
        goal, reached = outcome.goal, "–"
        text = percent_text if goal.peer == "copy" else ratio_text
        if outcome.reached:
            name, ratio = outcome.worst()
            reached = f"{len(outcome.reached) - len(outcome.missed)} of {len(outcome.reached)} rows; the lowest is {name}: {text(ratio)}"
        lines.append([goal.what, goal.text(), reached, outcome.verdict()])
        missed += [[goal.what, name, text(ratio), "yes" if ratio["high"] >= goal.least else "no"] for name, ratio in outcome.missed]
    mean, count = goals.mean_ratio(found.rows, "triton")
    lines.insert(1, ["geometric mean over all", f"≥ {goals.MEAN_OF_ALL:.2f}× Triton",
                     f"{mean:.3f} over {count} rows" if count else "–",
                     "not measured" if not count else "met" if mean >= goals.MEAN_OF_ALL else "missed"])
    seconds, verdict = goals.first_call(found.libraries)
    lines.append([f"first call of {goals.FIRST_CALL[0]}", f"≤ {goals.FIRST_CALL[1]:.0f} s", "–" if seconds is None else f"{seconds:.1f} s", verdict])
    text = table(["what", "goal", "reached", ""], lines)
    if missed:
        text += ["Rows that miss a goal:", "", *table(["goal", "row", "reached", "its interval includes the goal"], missed)]
    return text


def rows_table(rows):
    has_copy, has_before = (any(who in row.turns for row in rows) for who in ("copy", "before"))
    head = ["work", "Tilerun", "Triton", "vendor", "unit", "to Triton", "to the vendor"]
    head += ["of a copy"] * has_copy + ["to before"] * has_before + ["configurations: Tilerun; Triton"]
    lines = []
    for row in rows:
        vendor = f"{number(row.figure(row.vendor))} {row.vendor}" if row.vendor else "–"
        line = [row.name, number(row.figure("tilerun")), number(row.figure("triton")), vendor, row.unit,
                ratio_text(row.ratio("triton")), ratio_text(row.ratio("vendor"))]
        line += [percent_text(row.ratio("copy"))] * has_copy + [ratio_text(row.ratio("before"))] * has_before
        line.append("; ".join(", ".join(row.configurations.get(who, "–")) for who in ("tilerun", "triton")))
        lines.append(line)
    return table(head, lines)


def libraries_table(rows):
    return table(["function", "package", "Tilerun, ms", "Triton, ms", "to Triton", "first call: Tilerun / Triton"],
                 [[row.name, row.version, number(row.figure("tilerun")), number(row.figure("triton")), ratio_text(row.ratio("triton")),
                   " / ".join(f"{row.first_call[who]:.1f} s" if who in row.first_call else "–" for who in ("tilerun", "triton"))] for row in rows])


def notes_of(rows):
    return [f"- {row.name}: {note}" for row in rows for note in row.notes]


def write_lines(path, lines, rows, failures):
    """The page, with the notes of its rows and of what failed below."""
    notes = notes_of(rows) + [f"- {name}: {note}" for name, notes in failures.items() for note in notes]
    if notes:
        lines = [*lines, "## Notes", "", *notes, ""]
    with open(path, "w") as file:
        file.write("\n".join(lines).rstrip() + "\n")


def parse_files(description, out):
    """The options of a page's script, and the results of its files."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="FILE.json")
    parser.add_argument("--out", default=out, metavar="FILE.md")
    options = parser.parse_args()
    try:
        return options, results.load(options.files)
    except (OSError, ValueError) as problem:
        sys.exit(f"{os.path.basename(sys.argv[0])}: {problem}")


def write_page(found, figures, path):
    vendor, count = goals.mean_ratio(found.rows, "vendor")
    lines = ["# An NVIDIA GPU: kernels beside Triton and the vendor's libraries", "",
             "Generated by `bench/gpu/page.py` from the results of `bench/gpu/compare.py` and `bench/gpu/libraries.py`; edit these instead. What is "
             "measured and how: [measuring](../guides/measuring.md#beside-triton-on-a-gpu).", "",
             "Programs take turns in random order in one process (libraries: in two). A ratio is the median of the ratios of pairs of one turn: above 1, "
             "Tilerun is faster. In brackets is its bootstrap interval of 95 %. Absolute figures move with the power state of the GPU; compare "
             "those of one row only.", "", "## Runs", "", *runs_table(found)]
    if found.not_measured:
        lines += [f"Not measured: {', '.join(found.not_measured)}.", ""]
    if found.rows or found.libraries:
        lines += ["## Goals", "", *goals_table(found),
                  "Other commands measure the host's cost of a launch (`bench/gpu/check BUNDLE launch`), cold compilations (`bench/gpu/cold.py`), Vulkan on the same "
                  "GPU (`bench/gpu/devices.py`) and the interpreter (`scripts/bench`): [benchmarks](../benchmarks.md).", ""]
        if count:
            lines += [f"Geometric mean of the ratios to the vendor's libraries: {vendor:.3f} over {count} rows.", ""]
    if figures:
        lines += ["## Figures", ""]
        for file, text in figures:
            lines += [f"![{text}]({os.path.relpath(file, os.path.dirname(os.path.abspath(path)))})", ""]
    for title, rows in found.families():
        lines += [f"## {title}", "", *rows_table(rows)]
    if found.libraries:
        lines += ["## Libraries", "", "Functions of packages, by their own host code, in two processes that take turns. Times include what the host "
                  "needs, where the GPU waits for it; the first call is with empty caches, and compiles and tunes.", "", *libraries_table(found.libraries)]
    write_lines(path, lines, [*found.rows, *found.libraries], found.failures)


def main():
    options, found = parse_files(__doc__, PAGE)
    try:
        import plots
    except ImportError as problem:
        sys.exit(f"page.py: {problem}; figures need matplotlib (Debian's python3-matplotlib)")
    path = os.path.abspath(options.out)
    figures = plots.make(found, path.removesuffix(".md"))
    write_page(found, figures, path)
    print(f"{path}: {len(found.rows)} rows, {len(found.libraries)} of libraries, {len(figures)} figures")


if __name__ == "__main__":
    main()
