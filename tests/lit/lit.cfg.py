# Configuration of the lit suite. By hand: lit --param build=build/dev tests/lit[/AREA[/FILE]].
# Tools may be named in RUN lines as they are: tile-opt, tilerun, FileCheck, not, split-file.
import os
import re
import sys

import lit.formats

here = os.path.dirname(os.path.abspath(__file__))
root = os.path.dirname(os.path.dirname(here))
build = os.path.abspath(lit_config.params.get("build", os.path.join(root, "build", "dev")))
llvm = lit_config.params.get("llvm", "/usr/lib/llvm-22/bin")

config.name = "tilerun"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".py", ".test"]
config.excludes = ["Inputs", "lit.cfg.py", "offers.py", "CMakeLists.txt"]
sys.path.insert(0, here)  # offers.py, for the folders
config.test_source_root = here
config.test_exec_root = os.path.join(build, "tests", "lit")

tools = {
    "tile-opt": os.path.join(build, "bin", "tile-opt"),
    "tile-lsp-server": os.path.join(build, "bin", "tile-lsp-server"),
    "tilerun": os.path.join(build, "bin", "tilerun"),
    "FileCheck": os.path.join(llvm, "FileCheck"),
    "not": os.path.join(llvm, "not"),
    "split-file": os.path.join(llvm, "split-file"),
}
for name, path in tools.items():
    config.substitutions.append((r"(?<![\w./%-])" + re.escape(name) + r"(?![\w./-])", path))
config.substitutions.append(("%examples", os.path.join(root, "examples")))
config.substitutions.append(("%root", root))

config.environment["NO_COLOR"] = "1"
config.environment["FILECHECK_OPTS"] = "--dump-input=fail"
for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS", "HOME", "LLVM_PROFILE_FILE"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
