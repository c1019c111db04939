// Runs the VS Code extension in a stand-in for the editor, with the servers that it starts. Arguments: the extension's folder, the command.
"use strict";

const assert = require("assert");
const childProcess = require("child_process");
const { spawnSync } = childProcess;
const Module = require("module");
const path = require("path");
const { makeEditor, Document } = require("./vscode_stand_in");

const [folder, command] = process.argv.slice(2);
const manifest = require(path.join(folder, "package.json"));
const settings = { path: command };
const editor = makeEditor(settings, manifest);
const { workspace } = editor.vscode;
// The servers that run.
const servers = [];
const { spawn } = childProcess;
childProcess.spawn = (...words) => {
  servers.push(spawn(...words));
  return servers.at(-1);
};
const load = Module._load;
Module._load = (name, ...rest) => (name === "vscode" ? editor.vscode : load(name, ...rest));

const TEXT = `import triton
import triton.language as tl


# tilerun: x_ptr=*fp32:16, BLOCK=128
@triton.jit
def scale(x_ptr, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets)
    tl.store(x_ptr + offsets, 2 * x)
`;
const URI = "file:///folder/über.py"; // A character of two bytes, as lengths count bytes.

async function until(holds, what) {
  for (let left = 500; !holds(); left--) {
    assert(left, `${what} did not happen; log: ${editor.log}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function replaceText(document, text) {
  document.text = text;
  document.version += 1;
  workspace.onDidChangeTextDocument.fire({ document, contentChanges: [{ text }] });
}

async function checkDiagnostics(document) {
  await until(() => editor.diagnostics.get(URI)?.length === 0, "the check of a right text");
  replaceText(document, TEXT.replace("tl.load(", "tl.laod("));
  await until(() => editor.diagnostics.get(URI)?.length, "an error");
  const [error] = editor.diagnostics.get(URI);
  assert(error.message.includes("did you mean 'load'") && error.severity === 0 && error.source === "tilerun", JSON.stringify(error));
  assert.strictEqual(error.range.start.line, 8);
  replaceText(document, TEXT);
  await until(() => editor.diagnostics.get(URI)?.length === 0, "the end of an error");
}

async function checkQuestions(document) {
  const { hover, definition, symbols, inlay } = editor.providers;
  const at = { line: 9, character: TEXT.split("\n")[9].lastIndexOf("x") };
  const shown = await hover.provideHover(document, at);
  assert(shown.contents.value.includes("tensor<128xf32>") && shown.range.start.line === 9, JSON.stringify(shown));
  const [place] = await definition.provideDefinition(document, at);
  assert(place.uri.toString() === encodeURI(URI) || place.uri.toString() === URI, place.uri.toString());
  assert.strictEqual(place.range.start.line, 8);
  const [symbol] = await symbols.provideDocumentSymbols(document);
  assert(symbol.name === "scale" && symbol.kind === 11 && symbol.selectionRange.start.line === 6, JSON.stringify(symbol));
  const hints = await inlay.provideInlayHints(document, { start: { line: 0, character: 0 }, end: { line: 10, character: 0 } });
  const hint = hints.find((each) => each.position.line === 8);
  assert(/^: 128xf32 \[/.test(hint.label) && hint.tooltip.includes("cuda:sm_90a"), JSON.stringify(hints));
  assert.strictEqual(await hover.provideHover(document, { line: 2, character: 0 }), undefined);
}

// What a server answers to its first request.
function ask({ command, args }, request) {
  const text = JSON.stringify(request);
  const result = spawnSync(command, args, { input: `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}` });
  return JSON.parse(result.stdout.toString().split("\r\n\r\n")[1].split("Content-Length")[0]);
}

function checkDebugger() {
  const factory = editor.factories[manifest.contributes.debuggers[0].type];
  const adapter = factory.createDebugAdapterDescriptor({ workspaceFolder: { uri: { fsPath: "/folder" } } });
  assert.strictEqual(adapter.options.cwd, "/folder");
  assert.strictEqual(factory.createDebugAdapterDescriptor({}).options.cwd, undefined);
  const debugged = ask(adapter, { seq: 1, type: "request", command: "initialize", arguments: {} });
  assert(debugged.success && debugged.body.supportsStepBack, JSON.stringify(debugged));
}

// A change of a setting, and the command, start the server again; one that does not start, or ends, says so.
async function checkRestarts() {
  const change = (name) => Promise.all(workspace.onDidChangeConfiguration.fire({ affectsConfiguration: (section) => section === name }));
  const before = editor.providers.hover;
  await change("other");
  assert.strictEqual(editor.providers.hover, before);
  settings.target = "nothing:1";
  await change("tilerun");
  assert(editor.providers.hover !== before && workspace.onDidOpenTextDocument.listeners.size === 1);
  await until(() => editor.messages.some((text) => text.includes("shows no layouts")), "a warning");
  settings.path = "/nothing/there";
  await editor.commands["tilerun.restart"]();
  assert(/did not start: .*ENOENT.*tilerun\.path/.test(editor.messages.at(-1)), editor.messages.at(-1));
  assert(!editor.providers.hover && !workspace.onDidChangeTextDocument.listeners.size);
  settings.path = process.execPath; // A command that ends without an answer.
  await editor.commands["tilerun.restart"]();
  assert(/did not start: it ended with exit code 1/.test(editor.messages.at(-1)), editor.messages.at(-1));
  Object.assign(settings, { path: command, target: undefined });
  await editor.commands["tilerun.restart"]();
  await until(() => editor.diagnostics.has(URI), "the check of an open text");
}

// A server that is killed is reported once, and what it said is gone.
async function checkEnd() {
  const count = editor.messages.length;
  spawnSync("kill", ["-9", String(servers.at(-1).pid)]);
  await until(() => editor.messages.length > count, "a message about the end");
  assert(/the language server ended: it ended with SIGKILL.*Restart/.test(editor.messages.at(-1)), editor.messages.at(-1));
  assert.strictEqual(editor.diagnostics.size, 0);
  assert.strictEqual(await editor.providers.hover.provideHover(workspace.textDocuments[0], { line: 9, character: 4 }), undefined);
  await editor.commands["tilerun.restart"]();
  await until(() => editor.diagnostics.has(URI), "the check after a restart");
  assert.strictEqual(editor.messages.length, count + 1);
}

async function main() {
  const document = new Document(URI, TEXT);
  workspace.textDocuments.push(document, new Document("file:///folder/other.txt", "?", "plaintext"));
  const extension = require(path.join(folder, manifest.main));
  const context = { subscriptions: [] };
  await extension.activate(context);
  assert(context.subscriptions.every((each) => each.dispose));
  await checkDiagnostics(document);
  await checkQuestions(document);
  checkDebugger();
  await checkRestarts();
  await checkEnd();
  workspace.onDidCloseTextDocument.fire(document);
  await until(() => !editor.diagnostics.get(URI)?.length, "the end of diagnostics");
  await extension.deactivate();
  assert(!Object.keys(editor.providers).length && !workspace.onDidOpenTextDocument.listeners.size);
  console.log("the extension is right");
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
