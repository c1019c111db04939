"""Makes `import triton` mean `tilerun.triton`, with all its submodules, in this process and in those that it starts."""

import importlib
import importlib.abc
import importlib.machinery
import multiprocessing.spawn
import os
import pathlib
import sys

_OURS = "tilerun.triton"


class _Alias(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds `triton` and `triton.X` as `tilerun.triton` and `tilerun.triton.X`: the same module objects."""

    def find_distributions(self, context=None):
        """The metadata of `triton` for `importlib.metadata`."""
        if (getattr(context, "name", None) or "triton").lower() == "triton":
            yield _make_distribution()

    def find_spec(self, name, path=None, target=None):
        if name != "triton" and not name.startswith("triton."):
            return None
        ours = _OURS + name[len("triton"):]
        reason = _find_missing(name)
        if reason is not None:
            raise ModuleNotFoundError(f"'{name}' is not in Tilerun: {reason}", name=name)
        try:
            module = importlib.import_module(ours)
        except ModuleNotFoundError as error:
            if error.name and ours.startswith(error.name):
                return None
            raise
        spec = importlib.machinery.ModuleSpec(name, self, origin=getattr(module, "__file__", None),
                                              is_package=hasattr(module, "__path__"))
        spec.loader_state = module, module.__spec__
        return spec

    def create_module(self, spec):
        return spec.loader_state[0]

    def exec_module(self, module):
        # The import system has put the alias's spec on the module; it keeps its own.
        module.__spec__ = module.__spec__.loader_state[1]

    def get_code(self, name):
        """For `python -m triton.X`."""
        ours = _OURS + name[len("triton"):]
        return sys.modules[ours].__spec__.loader.get_code(ours)


def _make_distribution():
    import importlib.metadata  # Not at the top: it takes longer to import than all of this.
    package = importlib.import_module(_OURS)

    class Distribution(importlib.metadata.Distribution):
        def read_text(self, filename):
            return (f"Metadata-Version: 2.1\nName: triton\nVersion: {package.__version__}\nSummary: Tilerun in the place of "
                    "Triton\n") if filename == "METADATA" else None

        def locate_file(self, path):
            return pathlib.Path(package.__path__[0]) / path

    return Distribution()


def _find_missing(name):
    # Not at the top: the package's modules are imported when they are needed.
    from .triton import _missing
    return _missing.find_module(name)


_finder = _Alias()
# A folder with a package `triton` that does what `install` does, and its metadata: for Python programs that this one starts as
# commands, which inherit PYTHONPATH, or get `sys.path` in its place (the compile workers of PyTorch).
DROP_IN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "dropin")


def _put_on_paths():
    if DROP_IN not in sys.path:
        sys.path.insert(1, DROP_IN)  # The first one is the script's.
    inherited = os.environ.get("PYTHONPATH")
    if DROP_IN not in (inherited or "").split(os.pathsep):
        os.environ["PYTHONPATH"] = DROP_IN + (os.pathsep + inherited if inherited else "")


def _take_off_paths():
    sys.path[:] = [path for path in sys.path if path != DROP_IN]
    inherited = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path and path != DROP_IN]
    os.environ.pop("PYTHONPATH", None)
    if inherited:
        os.environ["PYTHONPATH"] = os.pathsep.join(inherited)


class _ForChildren:
    """Unpickled by a fresh process of multiprocessing before it imports the script: installs there as well."""

    def __reduce__(self):
        from . import _on_cpu
        from .triton import knobs
        # By name: a server of processes may have begun before the device was chosen.
        redirect = f"from tilerun import _on_cpu\n_on_cpu.redirect({_on_cpu.is_pretending})\n"
        return exec, ("import sys\n"
                      f"sys.path[:0] = [p for p in {sys.path!r} if p not in sys.path]\n"
                      "import tilerun\n"
                      "tilerun.install()\n"
                      f"tilerun.triton.knobs.runtime.device = {knobs.runtime.device!r}\n" +
                      (redirect if _on_cpu.is_redirected else ""), )


_prepare = multiprocessing.spawn.get_preparation_data


def _prepare_with_us(name):
    return {"tilerun": _ForChildren(), **_prepare(name)} if _finder in sys.meta_path else _prepare(name)


def install():
    """From now on `import triton` gives `tilerun.triton`. Refused where another `triton` is imported already."""
    other = sys.modules.get("triton")
    if other is not None and other.__name__ != _OURS:
        raise ImportError("another 'triton' is imported already (torch.compile imports it, for example): call "
                          "tilerun.install() before, or run the script by 'python -m tilerun'")
    if _finder not in sys.meta_path:
        sys.meta_path.insert(0, _finder)
    if multiprocessing.spawn.get_preparation_data is _prepare:
        multiprocessing.spawn.get_preparation_data = _prepare_with_us
    _put_on_paths()
    importlib.import_module("triton")


def uninstall():
    """Restores the meaning of `import triton`, here and for processes to come; modules that were imported keep their objects."""
    if _finder in sys.meta_path:
        sys.meta_path.remove(_finder)
    _take_off_paths()
    for name, module in list(sys.modules.items()):
        if (name == "triton" or name.startswith("triton.")) and module.__name__.startswith(_OURS):
            del sys.modules[name]
