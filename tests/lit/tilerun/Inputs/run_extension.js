// Runs the VS Code extension in a stand-in for the editor, and starts what it would start. Arguments: the extension's
// folder, the command.
"use strict";

const assert = require("assert");
const { spawnSync } = require("child_process");
const Module = require("module");
const path = require("path");

const [folder, command] = process.argv.slice(2);
const manifest = require(path.join(folder, "package.json"));
const commands = {}, factories = {}, errors = [], clients = [];
let changed, fails = false;

class LanguageClient {
  constructor(id, name, server, options) {
    Object.assign(this, { id, name, server, options, running: false });
    clients.push(this);
  }
  async start() {
    if (fails) throw new Error("nothing there");
    this.running = true;
  }
  async stop() {
    assert(this.running);
    this.running = false;
  }
  isRunning() {
    return this.running;
  }
}
const settings = { path: command };
const vscode = {
  workspace: {
    getConfiguration: (section) => ({
      get: (name) => {
        const setting = manifest.contributes.configuration.properties[`${section}.${name}`];
        assert(setting, name);
        return settings[name] ?? setting.default;
      },
    }),
    onDidChangeConfiguration: (listener) => (changed = listener),
  },
  commands: { registerCommand: (name, run) => (commands[name] = run) },
  window: { showErrorMessage: (text) => errors.push(text) },
  debug: { registerDebugAdapterDescriptorFactory: (type, factory) => (factories[type] = factory) },
  DebugAdapterExecutable: class {
    constructor(executable, args, options) {
      Object.assign(this, { command: executable, args, options });
    }
  },
};
const load = Module._load;
Module._load = (name, ...rest) =>
  name === "vscode" ? vscode : name === "vscode-languageclient/node" ? { LanguageClient } : load(name, ...rest);

// What a server answers to its first request.
function ask({ command, args }, request) {
  const text = JSON.stringify(request);
  const result = spawnSync(command, args, { input: `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}` });
  return JSON.parse(result.stdout.toString().split("\r\n\r\n")[1].split("Content-Length")[0]);
}

async function main() {
  const extension = require(path.join(folder, manifest.main));
  const context = { subscriptions: [] };
  await extension.activate(context);
  assert.strictEqual(context.subscriptions.length, 3);
  assert(clients.length === 1 && clients[0].running);
  assert.deepStrictEqual(clients[0].options.documentSelector, [{ scheme: "file", language: "python" }]);
  const parameters = { capabilities: {}, initializationOptions: clients[0].options.initializationOptions ?? null };
  assert.deepStrictEqual(clients[0].options.initializationOptions, { target: "cuda:sm_90a" });
  const served = ask(clients[0].server, { jsonrpc: "2.0", id: 1, method: "initialize", params: parameters });
  assert(served.result.capabilities.hoverProvider, JSON.stringify(served));

  const factory = factories[manifest.contributes.debuggers[0].type];
  const adapter = factory.createDebugAdapterDescriptor({ workspaceFolder: { uri: { fsPath: "/folder" } } });
  assert.strictEqual(adapter.options.cwd, "/folder");
  assert.strictEqual(factory.createDebugAdapterDescriptor({}).options.cwd, undefined);
  const debugged = ask(adapter, { seq: 1, type: "request", command: "initialize", arguments: {} });
  assert(debugged.success && debugged.body.supportsStepBack, JSON.stringify(debugged));

  // A change of a setting, and the command, start it again; one that does not start says so.
  await changed({ affectsConfiguration: (section) => section === "other" });
  assert.strictEqual(clients.length, 1);
  await changed({ affectsConfiguration: (section) => section === "tilerun" });
  assert(clients.length === 2 && !clients[0].running && clients[1].running);
  fails = true;
  await commands["tilerun.restart"]();
  assert(clients.length === 3 && errors.length === 1 && errors[0].includes("nothing there") && errors[0].includes("tilerun.path"));
  fails = false;
  await commands["tilerun.restart"]();
  await extension.deactivate();
  assert(clients.length === 4 && clients.every((client) => !client.running));
  console.log("the extension is right");
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
