"""The page's figures as SVG files, by matplotlib. Series differ by hatching, marker and dash, so that they can be told apart
without colours. The same results give the same bytes: salt and fonts are fixed, and nothing has a date."""

import math
import os
import re

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams.update({"svg.hashsalt": "tilerun", "svg.fonttype": "none", "font.family": "sans-serif", "font.size": 9,
                            "axes.spines.top": False, "axes.spines.right": False, "hatch.linewidth": 0.6})

import matplotlib.pyplot as pyplot

DARK, LIGHT, MIDDLE = "#1f4e79", "#f2c083", "#6b8e5a"
BARS = [("triton", "to Triton", {"color": DARK}), ("vendor", "to the vendor's library", {"color": LIGHT, "hatch": "////"})]
LINES = [("tilerun", "Tilerun", {"color": DARK, "marker": "o", "linestyle": "-"}),
         ("triton", "Triton", {"color": MIDDLE, "marker": "s", "linestyle": "--", "markerfacecolor": "white"}),
         ("vendor", "the vendor's library", {"color": "#a8631a", "marker": "^", "linestyle": ":", "markerfacecolor": "white"})]


def save(figure, folder, name):
    path = os.path.join(folder, name + ".svg")
    figure.savefig(path, format="svg", bbox_inches="tight", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    pyplot.close(figure)
    return path


def slug(title):
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def ratio_bars(rows, title, folder):
    """Two bars a row, with intervals; the axis is logarithmic, so that 2 and 1/2 are as far from 1."""
    height = 0.36
    figure, axes = pyplot.subplots(figsize=(8, 0.9 + 0.34 * len(rows)))
    for number, (peer, name, style) in enumerate(BARS):
        found = [(place, row.ratio(peer)) for place, row in enumerate(rows) if row.ratio(peer)]
        places = [place + (number - 0.5) * height for place, _ in found]
        medians = [ratio["median"] for _, ratio in found]
        axes.barh(places, [m - 1 for m in medians], height, left=1, label=name, edgecolor="black", linewidth=0.5, **style)
        errors = [[r["median"] - r["low"] for _, r in found], [r["high"] - r["median"] for _, r in found]]
        axes.errorbar(medians, places, xerr=errors, fmt="none", ecolor="black", elinewidth=0.8, capsize=2)
    axes.set_xscale("log")
    low, high = axes.get_xlim()
    ticks = [t for t in (0.1, 0.2, 0.33, 0.5, 0.7, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 2, 3, 5, 10, 20) if low <= t <= high]
    axes.set_xticks(ticks, [f"{t:g}" for t in ticks])
    axes.minorticks_off()
    axes.axvline(1, color="black", linewidth=1)
    axes.set_yticks(range(len(rows)), [row.name for row in rows])
    axes.invert_yaxis()
    axes.set_title(f"{title}: times as fast", loc="left")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.02 + 0.25 / len(rows)), ncols=2, frameon=False)
    return save(figure, folder, "ratios-" + slug(title))


def panels(count, across=3):
    down = math.ceil(count / across)
    figure, grid = pyplot.subplots(down, across, figsize=(3.1 * across, 2.7 * down), squeeze=False)
    flat = [axes for line in grid for axes in line]
    for axes in flat[count:]:
        axes.set_visible(False)
    return figure, flat[:count]


def legend_of(figure, panels_of_it):
    """One legend, of all series in any panel."""
    found = {}
    for axes in panels_of_it:
        for handle, name in zip(*axes.get_legend_handles_labels()):
            found.setdefault(name, handle)
    figure.tight_layout()
    figure.legend(found.values(), found.keys(), loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=4, frameon=False)


def columns_of(name):
    text = name.rsplit(" ", 1)[1]
    return int(text.removesuffix("k")) * 1024


def share_of_copy(rows, folder):
    """Over the columns, a panel for each kernel and type."""
    kinds = {}
    for row in rows:
        if re.fullmatch(r".* rows b?f16 \d+k", row.name):
            kinds.setdefault(row.name.rsplit(" ", 1)[0], []).append(row)
    kinds = {kind: found for kind, found in kinds.items() if len(found) > 2}
    if not kinds:
        return None
    figure, flat = panels(len(kinds))
    for axes, (kind, found) in zip(flat, kinds.items()):
        found = sorted(found, key=lambda row: columns_of(row.name))
        for who, name, style in LINES:
            points = [(columns_of(row.name), row.share_of_copy(row.vendor if who == "vendor" else who)) for row in found]
            points = [(x, share) for x, share in points if share]
            axes.errorbar([x for x, _ in points], [100 * s["median"] for _, s in points],
                          yerr=[[100 * (s["median"] - s["low"]) for _, s in points],
                                [100 * (s["high"] - s["median"]) for _, s in points]], label=name, capsize=2, markersize=4, **style)
        axes.axhline(90, color="black", linewidth=0.8, linestyle=(0, (1, 3)), label="the goal, 90 %")
        axes.set_xscale("log", base=2)
        places = [columns_of(row.name) for row in found]
        axes.set_xticks(places, [f"{x // 1024}k" for x in places], rotation=45)
        axes.minorticks_off()
        axes.set_ylim(bottom=0)
        axes.set_title(kind.replace(" rows ", ", "), loc="left")
        axes.set_ylabel("% of a copy's rate")
    legend_of(figure, flat)
    return save(figure, folder, "share-of-copy")


SIZES = [("products of f16, n³", r"matmul f16 (\d+)\^3"), ("attention by head", r"attention f16 4096x(\d+)"),
         ("causal attention by head", r"attention f16 4096x(\d+) causal"), ("its backward pass", r"attention backward f16 4096x(\d+)"),
         ("causal, backward pass", r"attention backward f16 4096x(\d+) causal")]


def rates_over_sizes(rows, folder):
    found = [(title, sorted((int(match[1]), row) for row in rows if (match := re.fullmatch(pattern, row.name))))
             for title, pattern in SIZES]
    found = [(title, points) for title, points in found if len(points) > 1]
    if not found:
        return None
    figure, flat = panels(len(found))
    for axes, (title, points) in zip(flat, found):
        for who, name, style in LINES:
            values = [(size, row.figure(row.vendor if who == "vendor" else who)) for size, row in points]
            values = [(size, value) for size, value in values if value is not None]
            axes.plot([size for size, _ in values], [value for _, value in values], label=name, markersize=4, **style)
        axes.set_xscale("log", base=2)
        axes.set_xticks([size for size, _ in points], [str(size) for size, _ in points])
        axes.minorticks_off()
        axes.set_ylim(bottom=0)
        axes.set_title(title, loc="left")
        axes.set_ylabel("TFLOP/s")
    legend_of(figure, flat)
    return save(figure, folder, "tflops")


def make(results, folder):
    """[(file, what it shows)] of the figures for which there are results."""
    os.makedirs(folder, exist_ok=True)
    figures = [(ratio_bars(rows, title, folder), f"{title}: how many times as fast as the others, with intervals of 95 %")
               for title, rows in results.families()]
    figures.append((share_of_copy(results.rows, folder), "Share of the rate of a copy of the same bytes, over the columns of a row"))
    figures.append((rates_over_sizes(results.rows, folder), "TFLOP/s over sizes"))
    return [(path, text) for path, text in figures if path]
