"""What tuning tells while it runs."""

import contextlib
import sys
import time

from .. import knobs

_SECONDS_BETWEEN_LINES = 1


def _describe_left(seconds):
    if seconds < 1:
        return "less than 1 s left"
    return f"about {seconds:.0f} s left" if seconds < 120 else f"about {seconds / 60:.0f} min left"


class Progress:
    """The progress of tuning on stderr: a line that is rewritten, on a terminal; elsewhere nothing, or, on request, a line
    now and then (`TILERUN_AUTOTUNE_PROGRESS`) or one for each configuration (`TRITON_PRINT_AUTOTUNING`)."""

    def __init__(self, name, configs):
        self.name, self.configs, self.count = name, configs, len(configs)
        self.times, self.failures, self.given = {}, {}, {}
        self._begin = self._due = time.monotonic()
        # There may be no stderr, or one that is closed.
        with contextlib.suppress(ValueError, OSError):
            self.is_terminal = sys.stderr is not None and sys.stderr.isatty()

    is_terminal = False

    def __call__(self, index, count, best, status, rough, milliseconds, message, done=0, compiled=0, left=None):
        """What the library tells of a configuration, or, without an index, while it waits for compilations."""
        if index is None:
            if not knobs.autotuning.print:
                self._show(compiled, left)
            return
        config = self.configs[index]
        if status:
            self.failures[config] = message
        else:
            self.times[config] = milliseconds
        if left is None:  # A bench of the caller's.
            tried = len(self.times) + len(self.failures)
            left = (time.monotonic() - self._begin) / tried * (self.count - tried)
        if knobs.autotuning.print:
            what = f"failed: {message.splitlines()[0] if message else status}" if status else f"{milliseconds:.4f} ms"
            self._clear()
            self._write(f"tilerun: {self.name}: {config}: {what} ({self._count(compiled, left)})\n")
        else:
            self._show(compiled, left)

    def _count(self, compiled, left):
        done = len(self.times) + len(self.failures)
        text = f"{done} of {self.count}" if done or not compiled else f"0 of {self.count}, {compiled} compiled"
        return text + (f", {_describe_left(left)}" if left >= 0 and done < self.count else "")

    def _show(self, compiled, left):
        is_last = len(self.times) + len(self.failures) == self.count
        if not self.is_terminal and not (knobs.autotuning.progress and (is_last or time.monotonic() >= self._due)):
            return
        self._due = time.monotonic() + _SECONDS_BETWEEN_LINES
        text = f"tilerun: tuning {self.name}: {self._count(compiled, left)}"
        if self.times:
            config = min(self.times, key=self.times.get)
            text += f", best {self.times[config]:.4f} ms ({config})"
        elif self.failures:
            text += ", none works so far"
        self._clear()
        self._write(text[:self._columns() - 1] if self.is_terminal else text + "\n")

    @staticmethod
    def _columns():
        """A line that wraps could not be rewritten."""
        import os
        try:
            return os.get_terminal_size(sys.stderr.fileno()).columns or 80
        except (AttributeError, ValueError, OSError):
            return 80

    def _write(self, text):
        with contextlib.suppress(ValueError, OSError):
            if sys.stderr is not None:
                sys.stderr.write(text)
                sys.stderr.flush()

    def _clear(self):
        if self.is_terminal:
            self._write("\r\x1b[K")

    def finish(self):
        if self.is_terminal and not knobs.autotuning.print:
            self._clear()
        if self.failures and not self.times:
            return
        for config, message in self.failures.items():
            first = (message or "unknown").strip().splitlines()[0]
            self._write(f"tilerun: {self.name}: configuration skipped ({config}): {first}\n")
