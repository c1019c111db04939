// The language server for editors: messages of the Language Server Protocol on two streams.
// https://microsoft.github.io/language-server-protocol/specification
//
// Requests are answered in order, on one thread. Kernels are checked while no message waits, so
// that a burst of changes costs one check; a request checks what it needs first.
#pragma once

#include "tools/tilerun/lsp/Analysis.h"

#include "llvm/Support/LSP/Transport.h"

#include <chrono>
#include <cstdio>
#include <map>

namespace tilerun::lsp {

/// The parameters of `initialize` that matter here.
struct Initialization {
  std::optional<std::string> target; ///< `initializationOptions.target`.
};
bool fromJSON(const llvm::json::Value &value, Initialization &result, llvm::json::Path path);

class Server {
public:
  /// `in` loses its buffer. `layouts` outlives the server.
  Server(std::FILE *in, llvm::raw_ostream &out, LayoutSource &layouts);

  /// Until the client says `exit`, or the stream ends: whether it said `shutdown` before, as it has
  /// to. An error is one of the transport.
  llvm::Expected<bool> serve();

private:
  using Json = llvm::json::Value;
  using Reply = llvm::lsp::Callback<Json>;
  struct Document {
    llvm::lsp::URIForFile uri;
    int64_t version = 0;
    OpenText text;
    std::unique_ptr<Analysis> analysis; ///< Null until this version is analyzed.
    bool isPublished = false;           ///< All that is to be said of this version.
    std::chrono::steady_clock::time_point lastPublished;
    /// Of the last version that could be read: while a line is typed, most cannot.
    std::vector<llvm::lsp::DocumentSymbol> symbols;
  };

  /// Does a part of what is left to do; false: nothing is.
  bool work();
  bool workOn(Document &document);
  void publish(Document &document);
  void change(Document &document, int64_t version, std::string text);
  void forget(Document &document); ///< Its analysis.
  Analysis &analyze(Document &document);

  /// Replies with the error that holds for every request in the server's state; false: none does.
  bool refuses(Reply &reply);
  /// The analysis of an open text; null after an error was replied.
  Document *find(const llvm::lsp::URIForFile &uri, Reply &reply);

  void onInitialize(const Initialization &params, Reply reply);
  void onShutdown(const llvm::lsp::NoParams &, Reply reply);
  void onIgnored(const llvm::lsp::NoParams &) {}
  void onOpen(const llvm::lsp::DidOpenTextDocumentParams &params);
  void onChange(const llvm::lsp::DidChangeTextDocumentParams &params);
  void onClose(const llvm::lsp::DidCloseTextDocumentParams &params);
  void onDiagnostics(const llvm::lsp::DocumentSymbolParams &params, Reply reply);
  void onHover(const llvm::lsp::TextDocumentPositionParams &params, Reply reply);
  void onDefinition(const llvm::lsp::TextDocumentPositionParams &params, Reply reply);
  void onInlays(const llvm::lsp::InlayHintsParams &params, Reply reply);
  void onSymbols(const llvm::lsp::DocumentSymbolParams &params, Reply reply);

  std::FILE *in;
  LayoutSource &layouts;
  llvm::lsp::JSONTransport transport;
  llvm::lsp::MessageHandler handler;
  llvm::lsp::OutgoingNotification<llvm::lsp::PublishDiagnosticsParams> sendDiagnostics;
  llvm::lsp::OutgoingNotification<llvm::lsp::ShowMessageParams> showMessage;
  std::map<std::string, Document> documents; ///< By path.
  bool isInitialized = false, isShutDown = false;
};

} // namespace tilerun::lsp
