"""`triton.profiler.viewer`: prints the file of a session as a tree; `python -m triton.profiler.viewer -m time/ms FILE`."""

import argparse
import json

# Units of metrics, by what they divide.
_TIMES = {"s": 1e9, "ms": 1e6, "us": 1e3, "ns": 1.0}
_SCALES = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12}


class Node:
    """A frame with the sums of its launches' metrics."""

    def __init__(self, raw):
        self.name = raw["frame"]["name"]
        self.children = [Node(child) for child in raw["children"]]
        self.metrics = dict(raw["metrics"])
        for child in self.children:
            for name, value in child.metrics.items():
                self.metrics[name] = self.metrics.get(name, 0) + value


def _evaluate(metric, metrics):
    """The value of a metric such as "time/ms", "tflop16/s", "gbyte/s", "count"; None where it is not known."""
    word, _, unit = metric.partition("/")
    nanoseconds = metrics.get("time (ns)")
    if word in ("time", "avg_time", "cpu_time", "avg_cpu_time"):
        total = metrics.get("cpu_time (ns)" if "cpu" in word else "time (ns)")
        if total is None or unit not in _TIMES:
            return None
        return total / _TIMES[unit] / (max(metrics.get("count", 1), 1) if word.startswith("avg") else 1)
    for suffix, known in (("byte", "bytes"), *((f"flop{width}", f"flops{width}") for width in ("8", "16", "32", "64", ""))):
        prefix = word.removesuffix(suffix)
        if word.endswith(suffix) and prefix in _SCALES and unit in _TIMES:
            if known not in metrics or not nanoseconds:
                return None
            return metrics[known] / _SCALES[prefix] / (nanoseconds / _TIMES[unit])
    return metrics.get(word)


def read(filename):
    """The tree of a file, with sums."""
    with open(filename) as file:
        return Node(json.load(file)[0])


def parse(metrics, filename, include=None, exclude=None, threshold=None):
    """(tree, metrics as a list): what print_tree takes."""
    return read(filename), [metrics] if isinstance(metrics, str) else list(metrics)


def print_tree(tree, metrics, depth=100, format=None, print_sorted=False):
    """One line for each frame: its metrics and its name, below its parent."""

    def show(node, level):
        values = [_evaluate(metric, node.metrics) for metric in metrics]
        print("  " * level + " ".join("-" if v is None else f"{v:.3f}" for v in values), node.name)
        children = node.children
        if print_sorted:
            children = sorted(children, key=lambda child: -(_evaluate(metrics[0], child.metrics) or 0))
        if level < depth:
            for child in children:
                show(child, level + 1)

    show(tree, 0)


def show_metrics(file_name):
    """Prints the names of the metrics in a file."""
    print("metrics: " + ", ".join(sorted(read(file_name).metrics)))


def main(argv=None):
    parser = argparse.ArgumentParser(description="Prints a profile as a tree.")
    parser.add_argument("-l", "--list", action="store_true", help="list the metrics of the file")
    parser.add_argument("-m", "--metrics", default="time/ms", help="metrics, with commas between: time/ms,tflop16/s,count")
    parser.add_argument("-d", "--depth", type=int, default=100)
    parser.add_argument("--print-sorted", action="store_true", help="the largest first")
    parser.add_argument("file")
    options = parser.parse_args(argv)
    if options.list:
        show_metrics(options.file)
        return
    tree, metrics = parse(options.metrics.split(","), options.file)
    print_tree(tree, metrics, options.depth, print_sorted=options.print_sorted)


if __name__ == "__main__":
    main()
