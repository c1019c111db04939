# The manifest of the VS Code extension agrees with its code, its page and the debugger's launches. Arguments: the
# folder of the extension, the page on the debugger, the command.
import json
import os
import re
import subprocess
import sys

folder, page, command = sys.argv[1:]
manifest = json.load(open(os.path.join(folder, "package.json")))
code = open(os.path.join(folder, "extension.js")).read()
readme = open(os.path.join(folder, "README.md")).read()
contributes = manifest["contributes"]


def same(what, left, right):
    assert sorted(set(left)) == sorted(set(right)) and left, (what, left, right)


same("commands", [c["command"] for c in contributes["commands"]], re.findall(r'registerCommand\("([^"]+)"', code))
settings = contributes["configuration"]["properties"]
sections = re.findall(r'getConfiguration\("([^"]+)"\)\.get\("([^"]+)"\)', code)
same("settings", list(settings), [f"{section}.{name}" for section, name in sections])
same("settings of the page", list(settings), re.findall(r"^\| `(tilerun\.\w+)` \|", readme, re.M))
for name, setting in settings.items():
    assert isinstance(setting["default"], str) and setting["description"], name
same("debuggers", [d["type"] for d in contributes["debuggers"]], re.findall(r'DescriptorFactory\("([^"]+)"', code))
debugger = contributes["debuggers"][0]
launch = debugger["configurationAttributes"]["launch"]["properties"]
fields = re.findall(r"^\| `(\w+)` \|", open(page).read().split("## Editors")[1], re.M)
same("fields of a launch", list(launch), fields)
shown = json.loads(re.search(r"```json\n(.*?)```", readme, re.S).group(1))
for configuration in debugger["initialConfigurations"] + [shown]:
    assert configuration["type"] == debugger["type"] and configuration["request"] == "launch", configuration
    assert set(configuration) - set(launch) == {"type", "request", "name"}, configuration
assert os.path.isfile(os.path.join(folder, manifest["main"])), manifest["main"]
same("files", manifest["files"], [each for each in os.listdir(folder) if each.endswith(".js")])
assert set(e.split(":")[1] for e in manifest["activationEvents"]) <= set(debugger["languages"])
assert f"tilerun-{manifest['version']}.vsix" in readme
version = subprocess.run([command, "version"], capture_output=True, text=True, check=True).stdout.split()[1]
assert manifest["version"] == version, (manifest["version"], version)
print("the manifest is right")
