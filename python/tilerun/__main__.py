"""`python -m tilerun [options] script.py args…`: runs a script with `import triton` meaning Tilerun, as it is."""

import argparse
import os
import runpy
import sys

from . import __version__, install


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
    parser.add_argument("script", nargs="?", help="a Python file")
    # As for Python itself: what follows the script or the module is not looked at.
    argv = list(sys.argv[1:] if argv is None else argv)
    end = 0
    while end < len(argv) and argv[end].startswith("-") and argv[end] != "-m":
        end += 1
    end += 2 if end < len(argv) and argv[end] == "-m" else 1
    options = parser.parse_args(argv[:end])
    arguments = argv[end:]
    if options.module is None and options.script is None:
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
    if not os.path.exists(options.script):
        parser.error(f"there is no file '{options.script}'")
    sys.argv = [options.script] + arguments
    sys.path[0] = os.path.dirname(os.path.abspath(options.script))
    runpy.run_path(options.script, run_name="__main__")


if __name__ == "__main__":
    main()
