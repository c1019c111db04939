"""`python -m tilerun [options] script.py args…`: runs a script with `import triton` meaning Tilerun, as it is."""

import argparse
import difflib
import linecache
import os
import runpy
import sys
import types

from . import __version__, _report, install


def _run_text(text, path, arguments):
    """Runs code that is in no file; kernels find their source all the same."""
    linecache.cache[path] = len(text), None, text.splitlines(True), path
    module = sys.modules["__main__"] = types.ModuleType("__main__")
    sys.argv, sys.path[0] = arguments, ""
    exec(compile(text, path, "exec"), vars(module))


class _Parser(argparse.ArgumentParser):
    def error(self, message):
        """With the nearest option behind one that is unknown."""
        unknown = message.removeprefix("unrecognized arguments: ")
        if unknown != message:
            word = unknown.split()[0].split("=")[0]
            near = difflib.get_close_matches(word, self._option_string_actions, 1)
            message = f"unknown option '{word}'" + (f"; did you mean '{near[0]}'?" if near else "")
        super().error(message)


def main(argv=None):
    parser = _Parser(
        prog="python -m tilerun", description="Runs a Triton script on Tilerun, unchanged.",
        epilog="Everything after the script's name belongs to the script.")
    parser.add_argument("--version", action="version", version=f"tilerun {__version__}")
    parser.add_argument("--cpu", action="store_true",
                        help="on the interpreter: tensors that the script makes on 'cuda' are on the CPU, and report that they "
                        "are on a GPU")
    parser.add_argument("--no-pretend", dest="pretend", action="store_false",
                        help="with --cpu or --checks: tensors and torch.cuda report that no GPU is present")
    parser.add_argument("--checks", action="store_true",
                        help="on the interpreter, with checks of bounds, uninitialized reads, races and overflow")
    parser.add_argument("--device", metavar="DEVICE",
                        help="send every launch to a device, such as hip:0 or vulkan:0: memory is copied there and back; tensors "
                        "that the script makes on 'cuda' are on the CPU, as with --cpu, unless torch has such devices itself")
    parser.add_argument("--emulate", metavar="hip:ARCH",
                        help="--device hip:0 on an emulated AMD GPU, such as hip:gfx942; several architectures: hip:0, hip:1, …")
    parser.add_argument("-m", dest="module", metavar="MODULE", help="run a module, as python -m does")
    parser.add_argument("-c", dest="code", metavar="CODE", help="run code, as python -c does")
    parser.add_argument("script", nargs="?", help="a Python file; '-' for standard input")
    # As for Python itself: arguments after the script, the module or the text are not interpreted.
    argv = list(sys.argv[1:] if argv is None else argv)
    end = 0
    while end < len(argv) and argv[end].startswith("-") and argv[end] != "-" and argv[end][:2] not in ("-m", "-c"):
        end += 2 if argv[end] in ("--device", "--emulate") else 1
    if argv[end:end + 1] in (["-m"], ["-c"]) and end + 1 < len(argv):
        argv[end:end + 2] = [argv[end] + argv[end + 1]]
    end += 1
    options = parser.parse_args(argv[:end])
    arguments = argv[end:]
    if options.module is None and options.code is None and options.script is None:
        parser.error("a script is expected")
    _choose_device(parser, options)
    if not options.pretend and not (options.cpu or options.checks or options.device):
        parser.error("--no-pretend needs --cpu, --checks or --device")
    if options.checks:
        os.environ["TRITON_INTERPRET"] = os.environ["TILERUN_CHECKS"] = "1"
    install()
    if options.device and not options.cpu:
        _open_device(parser, options)
    if options.cpu or options.checks:
        from . import _on_cpu
        _on_cpu.redirect(options.pretend)
    _report.install(argv[end - 1:])
    try:
        _run(parser, options, arguments)
    except SystemExit as error:
        advice = error.code not in (None, 0) and _report.find_advice(error, argv[end - 1:])
        if not advice:
            raise
        # As Python ends: with the number, or the text and 1.
        is_number = isinstance(error.code, int)
        print(*(() if is_number else (error.code, )), advice, sep="\n", file=sys.stderr)
        sys.exit(error.code if is_number else 1)


def _choose_device(parser, options):
    """Settles which of the options say where launches go, and tells the processes that the script starts."""
    if options.emulate is not None:
        kind, _, archs = options.emulate.partition(":")
        if kind != "hip" or not archs:
            parser.error(f"--emulate: '{options.emulate}' is not hip:ARCH, such as hip:gfx942")
        os.environ["TILERUN_AMDSIM"] = archs.replace("hip:", "")
        os.environ.pop("TILERUN_HIP_DRIVER", None)  # It would come first.
        options.device = options.device or "hip:0"
    if options.device is None:
        if options.cpu or options.checks:
            os.environ.pop("TILERUN_DEVICE", None)
        return
    if options.cpu or options.checks:
        parser.error(f"--{'cpu' if options.cpu else 'checks'} runs on the interpreter, and --device elsewhere")
    if options.device == "cpu":
        options.cpu = True
        os.environ.pop("TILERUN_DEVICE", None)
    else:
        os.environ["TILERUN_DEVICE"] = options.device


def _open_device(parser, options):
    """Opens the device. Where torch does not have it, tensors are on the CPU (`options.cpu`)."""
    from . import _devices, _memory, use
    from .errors import UnavailableError
    try:
        use(options.device)
    except (UnavailableError, ValueError) as error:
        parser.error(f"--device: {error}")
    try:
        import torch
        has_gpus = torch.cuda.is_available()
    except ImportError:
        has_gpus = False
    options.cpu = not has_gpus or _devices.parse(options.device)[0] != _memory.get_torch_kind()


def _run(parser, options, arguments):
    if options.module is not None:
        sys.argv = [options.module] + arguments
        runpy.run_module(options.module, run_name="__main__", alter_sys=True)
    elif options.code is not None:
        _run_text(options.code, "<string>", ["-c"] + arguments)
    elif options.script == "-":
        _run_text(sys.stdin.read(), "<stdin>", ["-"] + arguments)
    elif not os.path.exists(options.script):
        parser.error(f"'{options.script}' was not found")
    else:
        sys.argv = [options.script] + arguments
        sys.path[0] = os.path.dirname(os.path.abspath(options.script))
        runpy.run_path(options.script, run_name="__main__")


if __name__ == "__main__":
    main()
