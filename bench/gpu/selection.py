"""Which rows a run measures, and when it ends: runs on a GPU that is lent for a while take a part of the rows each."""

import os
import shlex
import sys
import time


def select(rows, only="", part="1/1"):
    """Of (name, …) those whose name contains one of the texts of `only` (separated by |), and of these every n-th, beginning
    with the i-th, for the part "i/n": rows that take long are neighbours, and all parts get some."""
    index, _, count = part.partition("/")
    if not (index.isdigit() and count.isdigit() and 1 <= int(index) <= int(count)):
        raise ValueError(f"a part is I/N with I from 1 to N, not '{part}'")
    found = [row for row in rows if any(text in row[0] for text in only.split("|"))]
    return found[int(index) - 1::int(count)]


def describe_command(script):
    """The command line as a page shows it: without the folders of one machine."""
    return shlex.join([script, *(os.path.basename(word) if os.path.isabs(word) else word for word in sys.argv[1:])])


class Budget:
    """Seconds (None: any number) that have begun. A row is expected to take as long as the slowest so far; the first always
    begins."""

    def __init__(self, seconds, clock=time.monotonic):
        self.seconds, self.clock, self.start, self.slowest, self.begun = seconds, clock, clock(), 0.0, None

    def allows_another(self):
        return self.seconds is None or self.begun is None or self.clock() - self.start + self.slowest <= self.seconds

    def begin_row(self):
        self.begun = self.clock()

    def end_row(self):
        """How long it took."""
        taken = self.clock() - self.begun
        self.slowest = max(self.slowest, taken)
        return taken
