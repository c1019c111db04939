"""Pictures of launches and kernels, by the command `tilerun`: what `tilerun show` and `tilerun explain` write, of a kernel with its Python
arguments, as objects that notebooks show inline. The command gets the kernel's sources as the library does, and copies of its tensors."""

import html
import json
import pathlib
import subprocess
import tempfile

from . import _memory
from ._command import find_command
from .errors import TilerunError

_FRAME = '<iframe srcdoc="{page}" sandbox="allow-scripts" style="width:100%;height:{height}px;border:1px solid #888" title="{title}"></iframe>'


class Page:
    """What the command wrote: `html`, a page that needs nothing else; `svg`, the same as an image (None of explain); `data`, as numbers
    and texts (docs/show.md); `text`, the line that the command printed."""

    def __init__(self, title, text, page, svg, data, height):
        self.title, self.text, self.html, self.svg, self.data, self._height = title, text, page, svg, data, height

    def save(self, path):
        """Writes FILE.html or FILE.svg."""
        content = {".html": self.html, ".svg": self.svg}.get(pathlib.Path(path).suffix)
        if content is None:
            raise ValueError(f"'{path}': a page is written as .html" + (" or .svg" if self.svg else ""))
        pathlib.Path(path).write_text(content, encoding="utf-8")

    def _repr_html_(self):
        """In a frame of its own, so that its styles and scripts are its own, too."""
        return _FRAME.format(page=html.escape(self.html), height=self._height, title=html.escape(self.title))

    def __repr__(self):
        return f"<{self.title}: {self.text}; save('FILE.html') writes it, notebooks show it>"


def _unwrap(kernel, args, kwargs):
    """(jit function, arguments by name) below @triton.autotune, whose first configuration counts, and @triton.heuristics."""
    while hasattr(kernel, "fn") and not hasattr(kernel, "_ensure_loaded"):
        if getattr(kernel, "configs", None):
            kwargs = {**kernel.configs[0].all_kwargs(), **kwargs}
        elif isinstance(getattr(kernel, "values", None), dict):
            for name, function in kernel.values.items():
                kwargs[name] = function({**dict(zip(kernel.arg_names, args)), **kwargs})
        kernel = kernel.fn
    if not hasattr(kernel, "_ensure_loaded"):
        raise TypeError(f"{_memory.show(kernel)} is not a kernel; a function with @triton.jit is")
    return kernel, kwargs


def _write_sources(kernel, folder):
    """The kernel's file, under its own name, and those of what it reaches. Its lines are those of the original."""
    kernel._ensure_loaded()
    (_, path, text), *others = kernel._sources
    name = pathlib.Path(path).name
    name = name if name.endswith(".py") and name.isascii() and not name.startswith("__f") else "cell.py"
    pathlib.Path(folder, name).write_text(text, encoding="utf-8")
    for module, _, text in others:
        pathlib.Path(folder, f"{module}.py").write_text(text, encoding="utf-8")
    return name


def _copy_to_host(value):
    """(array, strides in elements) of a tensor or array; elements that numpy lacks are bytes."""
    import numpy
    if _memory.torch_is_loaded() and hasattr(value, "detach"):
        import torch
        tensor = value.detach().cpu()
        strides = tensor.stride()
        tensor = tensor.contiguous()
        if str(tensor.dtype).rpartition(".")[2] in ("bfloat16", ) or tensor.element_size() == 1 and tensor.dtype.is_floating_point:
            size = tensor.element_size()
            array = tensor.view(torch.int16 if size == 2 else torch.uint8).numpy().view(f"V{size}")
            return array, strides
        return tensor.numpy(), strides
    array = numpy.asarray(value)
    if any(stride % array.itemsize or stride < 0 for stride in array.strides):
        raise TypeError("an array with negative or uneven strides cannot be drawn; numpy.ascontiguousarray(x) copies it")
    strides = tuple(stride // array.itemsize for stride in array.strides)
    array = numpy.ascontiguousarray(array)
    return (array if array.dtype.kind in "biuf" else array.view(f"V{array.itemsize}")), strides


def _format_tensor(name, value, folder, is_filled):
    dtype = _memory.DTYPE_NAMES[_memory.find_dtype(value.dtype)]
    if not dtype:
        raise TypeError(f"parameter '{name}': elements of {value.dtype} are not the language's")
    array, strides = _copy_to_host(value)
    text = f"{dtype}[{','.join(map(str, array.shape or (1, )))}]"
    dense = []
    for size in reversed(array.shape):
        dense.insert(0, dense[0] * last if dense else 1)
        last = size
    if any(size > 1 and stride != own for size, stride, own in zip(array.shape, strides, dense)):
        text += "{" + ",".join(map(str, strides)) + "}"
    if not is_filled:
        return text + ":empty"
    import numpy
    numpy.save(pathlib.Path(folder, f"{name}.npy"), array.reshape(array.shape or (1, )))
    return f"{text}:@{name}.npy"


def _format(name, value, folder, is_filled):
    """A value as the command takes it."""
    from .triton.language import constexpr
    from .triton.language import dtype as language_dtype
    if isinstance(value, constexpr):
        value = value.value
    if value is None or isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, language_dtype):
        return f"tl.{value}"
    if isinstance(value, (tuple, list)) and not any(hasattr(part, "dtype") for part in value):
        return "(" + "".join(_format(name, part, folder, is_filled) + ", " for part in value) + ")"
    if hasattr(value, "dtype") and hasattr(value, "shape"):
        return _format_tensor(name, value, folder, is_filled)
    raise TypeError(f"parameter '{name}': {_memory.show(value)} cannot be given to the command; it takes tensors, arrays, numbers, texts, "
                    "dtypes, None and tuples of these")


def _run(command, kernel, args, kwargs, extra, formats, is_filled):
    """{format: content} and what was printed. `extra` makes further words from the values by name."""
    kernel, kwargs = _unwrap(kernel, args, dict(kwargs))
    values, options = kernel._bind(args, kwargs)
    program = find_command()
    with tempfile.TemporaryDirectory() as folder:
        words = [program, command, f"{_write_sources(kernel, folder)}::{kernel.__name__}"]
        words += [f"{name}={_format(name, value, folder, is_filled)}" for name, value in values.items()]
        words += [f"--{name.replace('_', '-')}={options[name]}" for name in ("num_warps", "num_stages", "num_ctas", "maxnreg") if options[name]]
        words += extra(values)
        for form in formats:
            words += ["-o", f"picture.{form}"]
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode:
            raise TilerunError(done.stderr.strip().removeprefix("tilerun: error: "))
        contents = {form: pathlib.Path(folder, f"picture.{form}").read_text(encoding="utf-8") for form in formats}
    return contents, done.stdout.strip().partition(": ")[2]


def show(kernel, grid, *args, program=None, **kwargs):
    """Which program of a launch reads and writes what, races, masks and coalescing, from the interpreter, as a Page. The launch works on copies:
    the tensors keep their contents. `program` (a number or a tuple of up to three) shows one program with its masks."""
    def add(values):
        shape = grid(values) if callable(grid) else grid
        shape = shape if isinstance(shape, (tuple, list)) else (shape, )
        number = () if program is None else program if isinstance(program, (tuple, list)) else (program, )
        return ["--grid", ",".join(map(str, shape))] + (["--program", ",".join(map(str, number))] if number else [])

    contents, text = _run("show", kernel, args, kwargs, add, ("html", "svg", "json"), True)
    return Page("tilerun show", text, contents["html"], contents["svg"], json.loads(contents["json"]), 480)


def explain(kernel, *args, target="cuda:sm_90a", **kwargs):
    """The kernel at each level of a target's compiler, side by side, as a Page. No device is needed; tensors count by their types, shapes and strides."""
    contents, text = _run("explain", kernel, args, kwargs, lambda values: ["--target", target], ("html", ), False)
    return Page(f"tilerun explain for {target}", text, contents["html"], None, None, 800)


def describe(kernel):
    """A kernel as HTML: its name, place, parameters and documentation."""
    rows = "".join(f"<tr><td><code>{html.escape(p.name)}</code></td><td>{'tl.constexpr' if p.is_constexpr else ''}</td>"
                   f"<td>{html.escape(repr(p.default)) if p.has_default else ''}</td></tr>" for p in kernel.params)
    place = f"{kernel.fn.__code__.co_filename}:{kernel.fn.__code__.co_firstlineno}" if kernel.fn is not None else kernel.module
    text = f"<p>{html.escape(kernel.__doc__.strip())}</p>" if kernel.__doc__ else ""
    return (f"<div><b>kernel <code>{html.escape(kernel.__qualname__)}</code></b> <small>{html.escape(str(place))}</small>{text}"
            f"<table><thead><tr><th>parameter</th><th></th><th>default</th></tr></thead><tbody>{rows}</tbody></table></div>")
