// The VS Code extension: starts `tilerun lsp` for Python files, and `tilerun debug --dap` for launches of the
// type `tilerun`. All that it knows of kernels is in those.
"use strict";

const vscode = require("vscode");
const { Client } = require("./client");

let client, output;

function getCommand() {
  return vscode.workspace.getConfiguration("tilerun").get("path");
}

function getTarget() {
  return vscode.workspace.getConfiguration("tilerun").get("target");
}

async function start() {
  client = new Client(
    getCommand(),
    getTarget(),
    (text) => output.append(text),
    (text) => vscode.window.showWarningMessage(text),
  );
  try {
    await client.start();
  } catch (error) {
    vscode.window.showErrorMessage(`'${getCommand()} lsp' did not start: ${error.message}. The setting tilerun.path names the command.`);
  }
}

async function stop() {
  const old = client;
  client = undefined;
  await old?.stop();
}

async function restart() {
  await stop();
  await start();
}

async function activate(context) {
  output = vscode.window.createOutputChannel("Tilerun");
  context.subscriptions.push(
    output,
    vscode.commands.registerCommand("tilerun.restart", restart),
    vscode.workspace.onDidChangeConfiguration((event) => (event.affectsConfiguration("tilerun") ? restart() : undefined)),
    vscode.debug.registerDebugAdapterDescriptorFactory("tilerun", {
      createDebugAdapterDescriptor: (session) =>
        new vscode.DebugAdapterExecutable(getCommand(), ["debug", "--dap"], {
          cwd: session.workspaceFolder ? session.workspaceFolder.uri.fsPath : undefined,
        }),
    }),
  );
  await start();
}

module.exports = { activate, deactivate: stop };
