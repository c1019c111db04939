# Reads a .vsix back: what VS Code looks for is there, names what is in it, and needs nothing that is not. It is unpacked into a folder. Arguments: the
# script that packs, an empty folder.
import json
import os
import re
import subprocess
import sys
import zipfile
from xml.etree import ElementTree

script, folder = sys.argv[1:]
SPACES = {"m": "http://schemas.microsoft.com/developer/vsx-schema/2011", "t": "http://schemas.openxmlformats.org/package/2006/content-types"}


def pack(name):
    return subprocess.run([script, os.path.join(folder, name)], capture_output=True, text=True, check=True).stdout.strip()


first, second = pack("one"), pack("two")
assert open(first, "rb").read() == open(second, "rb").read(), "packages of the same files differ"
with zipfile.ZipFile(first) as archive:
    assert archive.testzip() is None
    parts = {name: archive.read(name) for name in archive.namelist()}
    archive.extractall(os.path.join(folder, "unpacked"))

manifest = ElementTree.fromstring(parts["extension.vsixmanifest"])
package = json.loads(parts["extension/package.json"])
identity = manifest.find("m:Metadata/m:Identity", SPACES).attrib
assert (identity["Id"], identity["Version"], identity["Publisher"]) == (package["name"], package["version"], package["publisher"]), identity
assert os.path.basename(first) == f"{package['name']}-{package['version']}.vsix"
engine = manifest.find("m:Metadata/m:Properties/m:Property[@Id='Microsoft.VisualStudio.Code.Engine']", SPACES)
assert engine.get("Value") == package["engines"]["vscode"]
assert manifest.find("m:Installation/m:InstallationTarget", SPACES).get("Id") == "Microsoft.VisualStudio.Code"
assets = {asset.get("Type"): asset.get("Path") for asset in manifest.findall("m:Assets/m:Asset", SPACES)}
assert assets["Microsoft.VisualStudio.Code.Manifest"] == "extension/package.json"
paths = [*assets.values(), manifest.find("m:Metadata/m:License", SPACES).text]
assert all(path in parts for path in paths), paths

# Each part but the list of types has a type.
types = {each.get("Extension"): each.get("ContentType") for each in ElementTree.fromstring(parts["[Content_Types].xml"]).findall("t:Default", SPACES)}
untyped = [name for name in parts if os.path.splitext(name)[1] not in types and name != "[Content_Types].xml"]
assert not untyped, untyped

# What the code requires is packed, or the editor's and node's own.
for name, content in parts.items():
    for module in re.findall(r'require\("([^"]+)"\)', content.decode() if name.endswith(".js") else ""):
        own = module in ("vscode", "child_process")
        assert own or os.path.normpath(f"extension/{module}.js") in parts, (name, module)
assert os.path.normpath(os.path.join("extension", package["main"])) in parts
assert b"](../" not in parts["extension/README.md"], "links that lead out of the package"
print("the package is right")
