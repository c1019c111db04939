"""A plugin of pytest for suites.py: writes a line of JSON for each test that ends, [name, outcome, seconds, the last line of its error], so that nothing is lost
where the process is ended, and ends a test that takes longer than a number of seconds. Environment: SUITE_OUTCOMES, the file; SUITE_SECONDS."""

import json
import os
import signal

import pytest

OUTCOMES = open(os.environ["SUITE_OUTCOMES"], "a", buffering=1)
SECONDS = int(os.environ["SUITE_SECONDS"])


class OutOfTime(BaseException):
    """Not an Exception, which tests may expect."""


def _stop(*_):
    raise OutOfTime(f"not after {SECONDS} s")


signal.signal(signal.SIGALRM, _stop)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item):
    signal.alarm(SECONDS)
    yield
    signal.alarm(0)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    report = (yield).get_result()
    if call.excinfo is not None and call.excinfo.errisinstance(OutOfTime):
        report.outcome, report.out_of_time = "failed", True


def pytest_runtest_logreport(report):
    # A test that passes has three reports; of others the first that says so counts.
    if report.when != "call" and report.outcome == "passed":
        return
    outcome = "time" if getattr(report, "out_of_time", False) else "xfailed" if hasattr(report, "wasxfail") else report.outcome
    lines = [line for line in getattr(report, "longreprtext", "").splitlines() if line.startswith("E  ")]
    OUTCOMES.write(json.dumps([report.nodeid, outcome, round(report.duration, 3), lines[0][1:].strip()[:200] if lines else ""]) + "\n")


def pytest_collectreport(report):
    if report.outcome == "failed":
        lines = [line for line in report.longreprtext.splitlines() if line.startswith("E  ")]
        OUTCOMES.write(json.dumps([report.nodeid, "not collected", 0, lines[-1][1:].strip()[:200] if lines else ""]) + "\n")
