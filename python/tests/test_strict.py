"""Variables that the library reads for every program: strict mode and traces, from Python."""

import json
import pathlib
import sys
import textwrap

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests/tools/traces"))
import trace_events  # noqa: E402

SCRIPT = """
    import numpy as np
    import triton
    import triton.language as tl

    @triton.jit
    def count(out, n):
        for i in range(n):
            if i == 3:
                break
            tl.store(out, i)

    out = np.zeros(1, np.int32)
    count[(1, )](out, 8)
    print(out[0])
    """


def test_strict_mode_names_the_rule(run_text):
    assert run_text(SCRIPT, TILERUN_STRICT="0").stdout == "2\n"
    # What is cached by now was compiled without it.
    done = run_text(SCRIPT, fails=True, TILERUN_STRICT="1")
    assert "UnsupportedLanguageConstruct" in done.stderr
    assert "script.py:10:13: error: 'break' goes beyond Triton (rule C12); use 'while' with a condition" in done.stderr
    allowed = SCRIPT.replace("if i == 3:", "if i < 3:").replace("break", "tl.store(out, i)").replace("            tl.store(out, i)\n\n", "\n")
    assert "break" not in allowed
    assert run_text(allowed, TILERUN_STRICT="1").stdout == "2\n"


def test_the_environment_asks_for_a_trace(run_text, tmp_path):
    run_text(SCRIPT, TILERUN_TRACE=str(tmp_path / "trace-%p.json"))
    (path, ) = tmp_path.glob("trace-*.json")
    trace = json.loads(path.read_text())
    assert trace_events.find_problems(trace) == []
    events = [event for event in trace["traceEvents"] if event["ph"] == "X"]
    launches = [event for event in events if event["cat"] == "launch"]
    assert [(event["name"], event["args"]["grid"]) for event in launches] == [("count", "1 x 1 x 1")]
    assert "compile count" in {event["name"] for event in events}


GLOBALS = """
    import numpy as np
    import triton
    import triton.language as tl

    SIZE = 4
    MARKED = tl.constexpr(4)
    NOTED: tl.constexpr = 4

    def make():
        captured = 5

        @triton.jit
        def uses_captured(out):
            tl.store(out, captured)

        return uses_captured

    @triton.jit
    def uses_global(out):
        i = tl.arange(0, SIZE)
        tl.store(out + i, i)

    @triton.jit
    def allowed(out, n=SIZE):
        tl.store(out, MARKED + NOTED + n)

    out = np.zeros(4, np.int32)
    for kernel in (allowed, uses_global, make()):
        try:
            kernel[(1, )](out)
            print("runs")
        except triton.CompilationError as error:
            print(str(error).splitlines()[0].partition("script.py:")[2])
            print(type(error.__cause__).__name__, str(error.__cause__).partition('.')[0])
    """


def test_strict_mode_refuses_globals_that_are_not_constants(run_text):
    assert run_text(GLOBALS).stdout == "runs\n" * 3
    assert run_text(GLOBALS, TILERUN_STRICT="1", TRITON_ALLOW_NON_CONSTEXPR_GLOBALS="1").stdout == "runs\n" * 3
    knob = "import triton\ntriton.knobs.compilation.allow_non_constexpr_globals = True\n" + textwrap.dedent(GLOBALS)
    assert run_text(knob, TILERUN_STRICT="1").stdout == "runs\n" * 3
    assert run_text(GLOBALS, TILERUN_STRICT="1").stdout.splitlines() == [
        "runs",
        "21:22: error: global variable 'SIZE' is not a tl.constexpr, which goes beyond Triton; write SIZE = tl.constexpr(…)",
        "NameError Cannot access global variable SIZE from within @jit'ed function",
        "15:23: error: global variable 'captured' is not a tl.constexpr, which goes beyond Triton; write captured = tl.constexpr(…)",
        "NameError Cannot access global variable captured from within @jit'ed function"]
