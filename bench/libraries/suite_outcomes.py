"""A plugin of pytest for suites.py: writes a line of JSON for each test that begins, [name, "begun", 0, ""], and one for each that ends, [name, outcome,
seconds, the first line of its error], so that nothing is lost where the process is ended. Ends a test that takes longer than a number of seconds, its fixtures
included. Environment: SUITE_OUTCOMES, the file; SUITE_SECONDS."""

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


def _tell(test, outcome, seconds=0, why=""):
    OUTCOMES.write(json.dumps([test, outcome, round(seconds, 3), why[:200]]) + "\n")


def _first_error(text):
    return next((line[1:].strip() for line in text.splitlines() if line.startswith("E  ")), "")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item):
    _tell(item.nodeid, "begun")
    signal.alarm(SECONDS)
    yield
    signal.alarm(0)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    report = (yield).get_result()
    if call.excinfo is not None and call.excinfo.errisinstance(OutOfTime):
        report.outcome, report.out_of_time = "failed", True


_reports = {}


def pytest_runtest_logreport(report):
    _reports.setdefault(report.nodeid, []).append(report)


def pytest_runtest_logfinish(nodeid):
    # Of setup, call and teardown the first that did not pass says what became of the test.
    reports = _reports.pop(nodeid, [])
    report = next((report for report in reports if report.outcome != "passed"), next((report for report in reports if report.when == "call"), None))
    if report is None:
        return
    expected = next((report.outcome for report in reports if hasattr(report, "wasxfail")), "")
    outcome = ("time" if getattr(report, "out_of_time", False) else "xpassed" if expected == "passed" else "xfailed" if expected else report.outcome)
    _tell(nodeid, outcome, sum(report.duration for report in reports), _first_error(getattr(report, "longreprtext", "")))


def pytest_collectreport(report):
    if report.outcome == "failed":
        lines = [line for line in report.longreprtext.splitlines() if line.startswith("E  ")]
        _tell(report.nodeid, "not collected", 0, lines[-1][1:].strip() if lines else "")
