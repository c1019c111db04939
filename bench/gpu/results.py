"""Reads what compare.py, libraries.py and torch_models.py wrote, and merges several runs: of a row that several measured, the latest counts.
Needs nothing but Python."""

import json
import re
import statistics

import ratios

FAMILIES = [  # Title, pattern of its rows' names.
    ("Elementwise, examples and graphs' kernels", r"vector add|softmax f16|softmaxes|layer norm f16|norm \+|GELU|sort|randn"),
    ("Rows of all lengths", r".* rows "),
    ("Products", r"matmul"),
    ("Decoding", r"decode"),
    ("Attention", r"attention"),
]


class Row:
    """A measured row: `ratios` of Tilerun to each other program, by turns."""

    def __init__(self, data, run):
        self.name, self.unit, self.run, self.notes = data["name"], data["unit"], run, data.get("notes", [])
        self.turns, self.vendor = data["turns"], data.get("vendor")
        self.configurations = data.get("configurations", {})
        self.amount = data.get("amount")
        self.first_call, self.version = data.get("first call", {}), data.get("version", "")
        self.device_ratios, self.errors = ratios.ratios_of_turns(data.get("device turns", {})), data.get("errors", {})
        self.parameters, self.phases = data.get("parameters", 0), data.get("phases", {})
        self.ratios = ratios.ratios_of_turns(self.turns)

    def ratio(self, who):
        """Of "vendor", too, whose name rows tell."""
        return self.ratios.get(self.vendor if who == "vendor" else who)

    def milliseconds(self, who):
        return statistics.median(self.turns[who]) if who in self.turns else None

    def figure(self, who):
        """In the row's unit, or None."""
        time = self.milliseconds(who)
        if time is None:
            return None
        return time if self.unit == "ms" else self.amount / time / (1e6 if self.unit == "GB/s" else 1e9)

    def share_of_copy(self, who):
        if who not in self.turns or "copy" not in self.turns:
            return None
        return ratios.ratio_of_pairs(self.turns[who], self.turns["copy"])


class Results:
    """`rows` in the order of the first run that had each, `runs` of which a row is left."""

    def __init__(self, documents):
        merged, order = {}, []
        documents = sorted(documents, key=lambda document: document["run"]["date"])
        for document in documents:
            for data in document["rows"]:
                key = document.get("kind", "kernels"), data["name"]
                if key not in merged:
                    order.append(key)
                merged[key] = data, document["run"]
        self.runs = []
        for key in order:
            if merged[key][1] not in self.runs:
                self.runs.append(merged[key][1])
        found = [(kind, Row(data, self.runs.index(run))) for (kind, _), (data, run) in ((key, merged[key]) for key in order)]
        self.rows = [row for kind, row in found if kind == "kernels"]
        self.libraries = [row for kind, row in found if kind == "libraries"]
        self.models = [row for kind, row in found if kind == "models"]
        self.not_measured = missing(documents, {key[1] for key in order})
        self.failures = {name: notes for document in documents for name, notes in document.get("failures", {}).items()
                         if name in self.not_measured}

    def families(self):
        """(title, rows) in order; rows of none come last."""
        left, found = list(self.rows), []
        for title, pattern in FAMILIES:
            mine = [row for row in left if re.match(pattern, row.name)]
            left = [row for row in left if row not in mine]
            found.append((title, mine))
        return [(title, rows) for title, rows in [*found, ("Others", left)] if rows]


def missing(documents, measured):
    names = [name for document in documents for name in document.get("not measured", [])]
    return [name for name in dict.fromkeys(names) if name not in measured]


def load(paths):
    documents = []
    for path in paths:
        with open(path) as file:
            try:
                document = json.load(file)
            except ValueError as problem:
                raise ValueError(f"{path}: not JSON: {problem}") from problem
        if not isinstance(document, dict) or "date" not in document.get("run", ()) or "rows" not in document:
            raise ValueError(f"{path}: expected a file of compare.py, libraries.py or torch_models.py, with 'run' and 'rows'")
        documents.append(document)
    return Results(documents)
