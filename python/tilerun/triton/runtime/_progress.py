"""What tuning tells while it runs."""

import contextlib
import sys

from .. import knobs


class Progress:
    """A progress line for tuning, on a terminal; nothing elsewhere."""

    def __init__(self, name, configs):
        self.name, self.configs, self.count = name, configs, len(configs)
        self.times, self.failures = {}, {}
        # There may be no stderr, or one that is closed.
        with contextlib.suppress(ValueError, OSError):
            self.is_terminal = sys.stderr is not None and sys.stderr.isatty()

    is_terminal = False

    def __call__(self, index, count, best, status, rough, milliseconds, message):
        config = self.configs[index]
        if status:
            self.failures[config] = message
        else:
            self.times[config] = milliseconds
        if knobs.autotuning.print:
            what = f"failed: {message.splitlines()[0] if message else status}" if status else f"{milliseconds:.4f} ms"
            self._clear()
            self._write(f"tilerun: {self.name}: {config}: {what}\n")
        elif self.is_terminal:
            shown = f"best {min(self.times.values()):.4f} ms" if self.times else "none works so far"
            self._clear()
            self._write(f"tilerun: tuning {self.name}: {len(self.times) + len(self.failures)}/{self.count}, {shown}")

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
