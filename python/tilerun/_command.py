"""The command `tilerun` of a wheel: the program inside of the package takes this process's place."""

import os
import pathlib
import shutil
import sys

from .errors import TilerunError


def find_command():
    """The program `tilerun`: of the package, of the build tree or the bundle that the package is in, or on the path."""
    package = pathlib.Path(__file__).parent
    for folder in (package, package.parents[1], package.parents[3]):
        path = folder / "bin/tilerun"
        # In an environment, the last is the script that runs this.
        if os.access(path, os.X_OK) and os.path.realpath(path) != os.path.realpath(sys.argv[0]):
            return str(path)
    if (found := shutil.which("tilerun")) and os.path.realpath(found) != os.path.realpath(sys.argv[0]):
        return found
    raise TilerunError("the program 'tilerun' was not found: neither in the package nor on PATH")


def main():
    try:
        program = find_command()
    except TilerunError as error:
        sys.exit(f"tilerun: error: {error}")
    os.execv(program, [program, *sys.argv[1:]])
