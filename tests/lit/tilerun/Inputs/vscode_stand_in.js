// What the VS Code extension uses of the editor: registrations are kept, so that a test can call them, and values are plain objects.
"use strict";

const assert = require("assert");

class Value {
  constructor(names, values) {
    names.forEach((name, i) => values[i] !== undefined && (this[name] = values[i]));
  }
}
const makeClass = (...names) =>
  class extends Value {
    constructor(...values) {
      super(names, values);
    }
  };

function makeEvent() {
  const listeners = new Set();
  const event = (listener) => (listeners.add(listener), { dispose: () => listeners.delete(listener) });
  event.fire = (argument) => [...listeners].map((listener) => listener(argument));
  event.listeners = listeners;
  return event;
}

class Uri {
  constructor(text) {
    Object.assign(this, { text, scheme: text.split(":")[0], fsPath: text.replace("file://", "") });
  }
  static parse(text) {
    return new Uri(text);
  }
  toString() {
    return this.text;
  }
}

/// An editor with the settings and the manifest of the extension.
function makeEditor(settings, manifest) {
  const editor = { commands: {}, factories: {}, providers: {}, messages: [], diagnostics: new Map(), log: "" };
  const provide = (name) => (selector, provider) => {
    assert.deepStrictEqual(selector, { scheme: "file", language: "python" });
    editor.providers[name] = provider;
    return { dispose: () => delete editor.providers[name] };
  };
  const disposable = { dispose() {} };
  editor.vscode = {
    Uri,
    Position: makeClass("line", "character"),
    Range: makeClass("start", "end"),
    Location: makeClass("uri", "range"),
    Diagnostic: makeClass("range", "message", "severity"),
    DiagnosticRelatedInformation: makeClass("location", "message"),
    DocumentSymbol: makeClass("name", "detail", "kind", "range", "selectionRange"),
    MarkdownString: makeClass("value"),
    Hover: makeClass("contents", "range"),
    InlayHint: makeClass("position", "label", "kind"),
    DebugAdapterExecutable: makeClass("command", "args", "options"),
    workspace: {
      textDocuments: [],
      getConfiguration: (section) => ({
        get: (name) => {
          const setting = manifest.contributes.configuration.properties[`${section}.${name}`];
          assert(setting, name);
          return settings[name] ?? setting.default;
        },
      }),
      onDidChangeConfiguration: makeEvent(),
      onDidOpenTextDocument: makeEvent(),
      onDidCloseTextDocument: makeEvent(),
      onDidChangeTextDocument: makeEvent(),
    },
    languages: {
      createDiagnosticCollection: () => ({
        set: (uri, diagnostics) => editor.diagnostics.set(uri.toString(), diagnostics),
        clear: () => editor.diagnostics.clear(),
        dispose: () => editor.diagnostics.clear(),
      }),
      registerHoverProvider: provide("hover"),
      registerDefinitionProvider: provide("definition"),
      registerDocumentSymbolProvider: provide("symbols"),
      registerInlayHintsProvider: provide("inlay"),
    },
    commands: { registerCommand: (name, run) => ((editor.commands[name] = run), disposable) },
    window: {
      showErrorMessage: (text) => editor.messages.push(text),
      showWarningMessage: (text) => editor.messages.push(text),
      createOutputChannel: () => ({ append: (text) => (editor.log += text), dispose() {} }),
    },
    debug: { registerDebugAdapterDescriptorFactory: (type, factory) => ((editor.factories[type] = factory), disposable) },
  };
  return editor;
}

class Document {
  constructor(uri, text, languageId = "python") {
    Object.assign(this, { uri: Uri.parse(uri), text, languageId, version: 1 });
  }
  getText() {
    return this.text;
  }
}

module.exports = { makeEditor, Document };
