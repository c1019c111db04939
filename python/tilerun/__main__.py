"""`python -m tilerun [options] script.py args…`: runs a script with `import triton` meaning Tilerun, as it is."""

import argparse
import linecache
import os
import runpy
import sys
import types

from . import __version__, install


def _run_text(text, path, arguments):
    """Runs code that is in no file; kernels find their source all the same."""
    linecache.cache[path] = len(text), None, text.splitlines(True), path
    module = sys.modules["__main__"] = types.ModuleType("__main__")
    sys.argv, sys.path[0] = arguments, ""
    exec(compile(text, path, "exec"), vars(module))


def main(argv=None):
    parser = argparse.ArgumentParser(
        prog="python -m tilerun", description="Runs a Triton script on Tilerun, with not one line changed.",
        epilog="Everything behind the script's name belongs to the script.")
    parser.add_argument("--version", action="version", version=f"tilerun {__version__}")
    parser.add_argument("--cpu", action="store_true",
                        help="on the interpreter: tensors that the script makes on 'cuda' are made on the CPU")
    parser.add_argument("--checks", action="store_true",
                        help="on the interpreter, with checks of bounds, uninitialized reads, races and overflow")
    parser.add_argument("-m", dest="module", metavar="MODULE", help="run a module, as python -m does")
    parser.add_argument("-c", dest="code", metavar="CODE", help="run a text, as python -c does")
    parser.add_argument("script", nargs="?", help="a Python file; '-' for the standard input")
    # As for Python itself: what follows the script, the module or the text is not looked at.
    argv = list(sys.argv[1:] if argv is None else argv)
    end = 0
    while end < len(argv) and argv[end].startswith("-") and argv[end] != "-" and argv[end][:2] not in ("-m", "-c"):
        end += 1
    if argv[end:end + 1] in (["-m"], ["-c"]) and end + 1 < len(argv):
        argv[end:end + 2] = [argv[end] + argv[end + 1]]
    end += 1
    options = parser.parse_args(argv[:end])
    arguments = argv[end:]
    if options.module is None and options.code is None and options.script is None:
        parser.error("a script is expected")
    if options.checks:
        os.environ["TRITON_INTERPRET"] = os.environ["TILERUN_CHECKS"] = "1"
    install()
    if options.cpu or options.checks:
        from . import _on_cpu
        _on_cpu.redirect()
    if options.module is not None:
        sys.argv = [options.module] + arguments
        runpy.run_module(options.module, run_name="__main__", alter_sys=True)
        return
    if options.code is not None:
        return _run_text(options.code, "<string>", ["-c"] + arguments)
    if options.script == "-":
        return _run_text(sys.stdin.read(), "<stdin>", ["-"] + arguments)
    if not os.path.exists(options.script):
        parser.error(f"there is no file '{options.script}'")
    sys.argv = [options.script] + arguments
    sys.path[0] = os.path.dirname(os.path.abspath(options.script))
    runpy.run_path(options.script, run_name="__main__")


if __name__ == "__main__":
    main()
