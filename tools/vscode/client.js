// A client of the Language Server Protocol for the one server that the extension starts, as far as `tilerun lsp` goes: whole texts to the
// server; diagnostics, hover, definitions, outline and inlay hints from it. It is here, instead of Microsoft's library from npm, so that
// the extension installs from a clone without a network and can be tested as it is shipped.
"use strict";

const { spawn } = require("child_process");
const vscode = require("vscode");
const { Connection } = require("./connection");

const SELECTOR = { scheme: "file", language: "python" };

const toPosition = ({ line, character }) => new vscode.Position(line, character);
const toRange = ({ start, end }) => new vscode.Range(toPosition(start), toPosition(end));
const toLocation = ({ uri, range }) => new vscode.Location(vscode.Uri.parse(uri), toRange(range));

function toDiagnostic({ range, message, severity, source, relatedInformation }) {
  // The protocol counts severities from 1, the editor from 0.
  const diagnostic = new vscode.Diagnostic(toRange(range), message, (severity ?? 1) - 1);
  diagnostic.source = source ?? "tilerun";
  diagnostic.relatedInformation = (relatedInformation ?? []).map(
    (each) => new vscode.DiagnosticRelatedInformation(toLocation(each.location), each.message),
  );
  return diagnostic;
}

function toSymbol({ name, detail, kind, range, selectionRange, children }) {
  const symbol = new vscode.DocumentSymbol(name, detail ?? "", kind - 1, toRange(range), toRange(selectionRange));
  symbol.children = (children ?? []).map(toSymbol);
  return symbol;
}

const toText = (markup) => (typeof markup === "string" ? markup : new vscode.MarkdownString(markup.value));

function toInlay({ position, label, kind, tooltip }) {
  const hint = new vscode.InlayHint(toPosition(position), label, kind);
  if (tooltip) hint.tooltip = toText(tooltip);
  return hint;
}

class Client {
  /// What the server logs goes to `log`, what the user should see to `report`, as texts.
  constructor(command, target, log, report) {
    Object.assign(this, { command, target, log, report, subscriptions: [], isStopping: false });
    this.diagnostics = vscode.languages.createDiagnosticCollection("tilerun");
    this.subscriptions.push(this.diagnostics);
  }

  isRunning() {
    return Boolean(this.connection);
  }

  /// Resolves once the server has answered; rejects with the reason if it did not start.
  async start() {
    const server = spawn(this.command, ["lsp"]);
    server.stderr.on("data", (bytes) => this.log(bytes.toString()));
    const connection = new Connection(server.stdout, server.stdin, (method, params) => this.onNotification(method, params));
    const end = (error) => {
      connection.refuseAll(error);
      this.onEnd(error);
    };
    server.on("error", end);
    server.on("exit", (code, signal) => end(new Error(`it ended with ${signal ?? `exit code ${code}`}`)));
    this.exited = new Promise((resolve) => server.on("close", resolve));
    await connection.request("initialize", { processId: process.pid, rootUri: null, capabilities: {}, initializationOptions: { target: this.target } });
    connection.notify("initialized", {});
    this.connection = connection;
    this.register();
  }

  async stop() {
    this.isStopping = true;
    this.subscriptions.forEach((each) => each.dispose());
    if (!this.connection) return;
    const connection = this.connection;
    this.connection = undefined;
    await connection.request("shutdown").catch(() => {}); // One that has ended is shut down, too.
    connection.notify("exit");
    await this.exited;
  }

  onEnd(error) {
    const wasRunning = this.isRunning();
    this.connection = undefined;
    this.diagnostics.clear();
    if (wasRunning && !this.isStopping) this.report(`the language server ended: ${error.message}. 'Tilerun: Restart the language server' starts it again.`);
  }

  onNotification(method, params) {
    if (method === "window/showMessage") return this.report(params.message);
    if (method !== "textDocument/publishDiagnostics") return;
    const uri = vscode.Uri.parse(params.uri);
    const open = vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
    // Those of a text that has changed since are on their way.
    if (open && params.version !== undefined && params.version !== open.version) return;
    this.diagnostics.set(uri, params.diagnostics.map(toDiagnostic));
  }

  register() {
    const { workspace, languages } = vscode;
    const isServed = ({ uri, languageId }) => uri.scheme === SELECTOR.scheme && languageId === SELECTOR.language;
    const open = (document) =>
      isServed(document) &&
      this.notify("textDocument/didOpen", {
        textDocument: { uri: document.uri.toString(), languageId: document.languageId, version: document.version, text: document.getText() },
      });
    this.subscriptions.push(
      workspace.onDidOpenTextDocument(open),
      workspace.onDidCloseTextDocument((document) => isServed(document) && this.notify("textDocument/didClose", { textDocument: { uri: document.uri.toString() } })),
      workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (!isServed(document) || !contentChanges.length) return;
        const textDocument = { uri: document.uri.toString(), version: document.version };
        this.notify("textDocument/didChange", { textDocument, contentChanges: [{ text: document.getText() }] });
      }),
      languages.registerHoverProvider(SELECTOR, {
        provideHover: (document, position) =>
          this.ask("hover", document, { position }, ({ contents, range }) => new vscode.Hover(toText(contents), range && toRange(range))),
      }),
      languages.registerDefinitionProvider(SELECTOR, {
        provideDefinition: (document, position) => this.ask("definition", document, { position }, (found) => [found].flat().map(toLocation)),
      }),
      languages.registerDocumentSymbolProvider(SELECTOR, {
        provideDocumentSymbols: (document) => this.ask("documentSymbol", document, {}, (symbols) => symbols.map(toSymbol)),
      }),
      languages.registerInlayHintsProvider(SELECTOR, {
        provideInlayHints: (document, { start, end }) => this.ask("inlayHint", document, { range: { start, end } }, (hints) => hints.map(toInlay)),
      }),
    );
    workspace.textDocuments.forEach(open);
  }

  notify(method, params) {
    this.connection?.notify(method, params);
  }

  /// What the server says of a text, in the editor's terms; undefined if it says nothing.
  async ask(what, document, params, convert) {
    if (!this.connection) return undefined;
    const result = await this.connection.request(`textDocument/${what}`, { textDocument: { uri: document.uri.toString() }, ...params });
    return result === null ? undefined : convert(result);
  }
}

module.exports = { Client };
