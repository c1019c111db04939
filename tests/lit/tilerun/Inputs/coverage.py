"""Fails unless every kernel of every example has an entry in the manifest: coverage.py TILERUN EXAMPLES."""

import json
import pathlib
import subprocess
import sys

tilerun, examples = sys.argv[1], pathlib.Path(sys.argv[2])
covered = {(e["file"], e["kernel"]) for e in json.loads((examples / "manifest.json").read_text())["entries"]}
missing = []
for path in sorted(examples.glob("*.py")):
    listed = subprocess.run([tilerun, "list", str(path), "--json"], check=True, capture_output=True, text=True).stdout
    for function in json.loads(listed)["functions"]:
        if function["name"].endswith("_kernel") and (path.name, function["name"]) not in covered:
            missing.append(f"{path.name}::{function['name']}")
if missing:
    sys.exit(f"no entry in manifest.json for {', '.join(missing)}")
