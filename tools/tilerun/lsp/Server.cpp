// See Server.h: the life of a session and of its texts.
#include "tools/tilerun/lsp/Server.h"

#include "tools/tilerun/lsp/Hover.h"
#include "tools/tilerun/lsp/Inlay.h"
#include "tools/tilerun/lsp/Symbols.h"

#include "llvm/Support/Errno.h"

#include <poll.h>

using namespace tilerun;
using namespace tilerun::lsp;
using llvm::json::Object;
using llvm::lsp::ErrorCode;
using llvm::lsp::LSPError;

/// What is known so far is shown after this time, and again.
static constexpr std::chrono::milliseconds kShowAfter{500};

namespace {

/// Messages of a file, between which something is done. Anything else is left out, and told
/// of.
class WorkingInput final : public llvm::lsp::JSONTransportInput {
public:
  WorkingInput(std::FILE *in, std::function<bool()> work, std::function<void(llvm::Error)> refuse)
      : in(in), messages(in), work(std::move(work)), refuse(std::move(refuse)) {}
  bool hasError() const override { return messages.hasError(); }
  bool isEndOfInput() const override { return messages.isEndOfInput(); }
  llvm::LogicalResult readStandardMessage(std::string &json) override {
    while (!isPending() && work())
      ;
    if (failed(messages.readStandardMessage(json)))
      return llvm::failure();
    llvm::Expected<llvm::json::Value> value = llvm::json::parse(json);
    if (value && isMessage(*value))
      return llvm::success();
    refuse(value ? llvm::make_error<LSPError>("a message is an object with \"jsonrpc\": \"2.0\"",
                                              ErrorCode::InvalidRequest)
                 : llvm::make_error<LSPError>(llvm::toString(value.takeError()),
                                              ErrorCode::ParseError));
    return llvm::failure();
  }
  llvm::LogicalResult readDelimitedMessage(std::string &json) override {
    return messages.readDelimitedMessage(json);
  }

private:
  // The transport ends the session where these do not hold.
  static bool isMessage(const llvm::json::Value &value) {
    const Object *object = value.getAsObject();
    return object && object->getString("jsonrpc") == "2.0" &&
           (object->getString("method") || object->get("id"));
  }
  bool isPending() const {
    pollfd entry{fileno(in), POLLIN, 0};
    return poll(&entry, 1, /*timeout=*/0) != 0;
  }
  std::FILE *in;
  llvm::lsp::JSONTransportInputOverFile messages;
  std::function<bool()> work;
  std::function<void(llvm::Error)> refuse;
};

} // namespace

/// Without a buffer, `poll` knows whether a message waits.
static std::FILE *removeBuffer(std::FILE *in) {
  std::setvbuf(in, nullptr, _IONBF, 0);
  return in;
}

Server::Server(std::FILE *in, llvm::raw_ostream &out, LayoutSource &layouts)
    : in(removeBuffer(in)), layouts(layouts),
      transport(std::make_unique<WorkingInput>(
                    in, [this] { return work(); },
                    [this](llvm::Error error) { transport.reply(nullptr, std::move(error)); }),
                out),
      handler(transport),
      sendDiagnostics(handler.outgoingNotification<llvm::lsp::PublishDiagnosticsParams>(
          "textDocument/publishDiagnostics")),
      showMessage(
          handler.outgoingNotification<llvm::lsp::ShowMessageParams>("window/showMessage")) {
  handler.method("initialize", this, &Server::onInitialize);
  handler.method("shutdown", this, &Server::onShutdown);
  handler.method("textDocument/documentSymbol", this, &Server::onSymbols);
  handler.method("textDocument/hover", this, &Server::onHover);
  handler.method("textDocument/definition", this, &Server::onDefinition);
  handler.method("textDocument/inlayHint", this, &Server::onInlays);
  // For programs that ask. It is not among the capabilities: editors would show everything twice.
  handler.method("textDocument/diagnostic", this, &Server::onDiagnostics);
  handler.notification("textDocument/didOpen", this, &Server::onOpen);
  handler.notification("textDocument/didChange", this, &Server::onChange);
  handler.notification("textDocument/didClose", this, &Server::onClose);
  handler.notification("initialized", this, &Server::onIgnored);
  handler.notification("textDocument/didSave", this, &Server::onIgnored);
  // A request is answered before the next message is read, so that none is left to cancel.
  handler.notification("$/cancelRequest", this, &Server::onIgnored);
  handler.notification("$/setTrace", this, &Server::onIgnored);
}

llvm::Expected<bool> Server::serve() {
  llvm::Error error = transport.run(handler);
  if (std::ferror(in))
    return std::move(error);
  // The end of the stream is an error to the transport; a client that is gone ends the session.
  llvm::consumeError(std::move(error));
  return isShutDown;
}

//===----------------------------------------------------------------------===//
// The session
//===----------------------------------------------------------------------===//

bool Server::refuses(Reply &reply) {
  if (isInitialized && !isShutDown)
    return false;
  reply(isShutDown ? llvm::make_error<LSPError>("the server is shut down; only 'exit' may follow",
                                                ErrorCode::InvalidRequest)
                   : llvm::make_error<LSPError>("send 'initialize' first",
                                                ErrorCode::ServerNotInitialized));
  return true;
}

bool lsp::fromJSON(const llvm::json::Value &value, Initialization &result, llvm::json::Path path) {
  llvm::json::ObjectMapper mapper(value, path);
  if (!mapper)
    return false;
  const Object *options = value.getAsObject()->getObject("initializationOptions");
  if (!options)
    return true;
  llvm::json::ObjectMapper mapped(*value.getAsObject()->get("initializationOptions"),
                                  path.field("initializationOptions"));
  return mapped && mapped.mapOptional("target", result.target);
}

void Server::onInitialize(const Initialization &params, Reply reply) {
  if (isInitialized)
    return reply(
        llvm::make_error<LSPError>("the server is initialized already", ErrorCode::InvalidRequest));
  isInitialized = true;
  reply(Object{
      {"serverInfo", Object{{"name", "tilerun"}}},
      {"capabilities", Object{{"positionEncoding", "utf-16"},
                              {"textDocumentSync", Object{{"openClose", true}, {"change", 1}}},
                              {"documentSymbolProvider", true},
                              {"hoverProvider", true},
                              {"definitionProvider", true},
                              {"inlayHintProvider", true}}}});
  if (llvm::Error error =
          params.target ? layouts.chooseTarget(*params.target) : llvm::Error::success())
    showMessage(llvm::lsp::ShowMessageParams(llvm::lsp::MessageType::Warning,
                                             "tilerun shows no layouts: " +
                                                 llvm::toString(std::move(error))));
}

void Server::onShutdown(const llvm::lsp::NoParams &, Reply reply) {
  if (refuses(reply))
    return;
  isShutDown = true;
  documents.clear();
  reply(nullptr);
}

//===----------------------------------------------------------------------===//
// Texts
//===----------------------------------------------------------------------===//

void Server::forget(Document &document) {
  document.analysis.reset();
  document.isPublished = false;
}

void Server::change(Document &document, int64_t version, std::string text) {
  document.version = version;
  document.text.text = std::move(text);
  forget(document);
  for (auto &[path, other] : documents)
    if (other.analysis && other.analysis->reads(document.text.path))
      forget(other);
}

void Server::onOpen(const llvm::lsp::DidOpenTextDocumentParams &params) {
  if (!isInitialized || isShutDown)
    return;
  const llvm::lsp::TextDocumentItem &item = params.textDocument;
  Document &document = documents[item.uri.file().str()];
  document.uri = item.uri;
  document.text.path = item.uri.file().str();
  change(document, item.version, item.text);
}

void Server::onChange(const llvm::lsp::DidChangeTextDocumentParams &params) {
  auto it = documents.find(params.textDocument.uri.file().str());
  if (it == documents.end())
    return llvm::lsp::Logger::error("a text changed that is not open: {0}",
                                    params.textDocument.uri.file());
  std::string text = it->second.text.text;
  if (failed(llvm::lsp::TextDocumentContentChangeEvent::applyTo(params.contentChanges, text)))
    return llvm::lsp::Logger::error("a change is not inside of its text: {0}",
                                    params.textDocument.uri.file());
  change(it->second, params.textDocument.version, std::move(text));
}

void Server::onClose(const llvm::lsp::DidCloseTextDocumentParams &params) {
  auto it = documents.find(params.textDocument.uri.file().str());
  if (it == documents.end())
    return;
  // Its diagnostics go with it, and the others see what the disk has.
  sendDiagnostics({it->second.uri, it->second.version});
  change(it->second, it->second.version, "");
  documents.erase(it);
}

//===----------------------------------------------------------------------===//
// Work
//===----------------------------------------------------------------------===//

Analysis &Server::analyze(Document &document) {
  if (document.analysis)
    return *document.analysis;
  std::vector<const OpenText *> others;
  for (auto &[path, other] : documents)
    if (&other != &document)
      others.push_back(&other.text);
  document.analysis = std::make_unique<Analysis>(document.text, others);
  document.lastPublished = std::chrono::steady_clock::now();
  if (document.analysis->isRead() || document.analysis->getDiagnostics().empty())
    document.symbols = listSymbols(*document.analysis);
  return *document.analysis;
}

void Server::publish(Document &document) {
  llvm::lsp::PublishDiagnosticsParams params(document.uri, document.version);
  params.diagnostics = document.analysis->getDiagnostics();
  sendDiagnostics(params);
  document.lastPublished = std::chrono::steady_clock::now();
}

bool Server::workOn(Document &document) {
  if (document.isPublished)
    return false;
  // Reading a long text is a part of its own.
  if (!document.analysis) {
    analyze(document);
    return true;
  }
  document.isPublished = !document.analysis->checkNext();
  if (document.isPublished ||
      std::chrono::steady_clock::now() - document.lastPublished > kShowAfter)
    publish(document);
  return true;
}

bool Server::work() {
  for (auto &[path, document] : documents)
    if (workOn(document))
      return true;
  return false;
}

Server::Document *Server::find(const llvm::lsp::URIForFile &uri, Reply &reply) {
  if (refuses(reply))
    return nullptr;
  auto it = documents.find(uri.file().str());
  if (it != documents.end())
    return &it->second;
  reply(llvm::make_error<LSPError>(("'" + uri.file() + "' is not open").str(),
                                   ErrorCode::InvalidParams));
  return nullptr;
}

void Server::onDiagnostics(const llvm::lsp::DocumentSymbolParams &params, Reply reply) {
  Document *document = find(params.textDocument.uri, reply);
  if (!document)
    return;
  Analysis &analysis = analyze(*document);
  while (analysis.checkNext())
    ;
  llvm::json::Array items;
  for (const llvm::lsp::Diagnostic &diagnostic : analysis.getDiagnostics())
    items.push_back(toJSON(diagnostic));
  reply(Object{{"kind", "full"}, {"items", std::move(items)}});
}

void Server::onSymbols(const llvm::lsp::DocumentSymbolParams &params, Reply reply) {
  Document *document = find(params.textDocument.uri, reply);
  if (!document)
    return;
  analyze(*document);
  llvm::json::Array symbols;
  for (const llvm::lsp::DocumentSymbol &symbol : document->symbols)
    symbols.push_back(toJSON(symbol));
  reply(std::move(symbols));
}

void Server::onHover(const llvm::lsp::TextDocumentPositionParams &params, Reply reply) {
  Document *document = find(params.textDocument.uri, reply);
  if (!document)
    return;
  auto hover = findHover(analyze(*document), params.position);
  reply(hover ? toJSON(*hover) : Json(nullptr));
}

void Server::onDefinition(const llvm::lsp::TextDocumentPositionParams &params, Reply reply) {
  Document *document = find(params.textDocument.uri, reply);
  if (!document)
    return;
  auto location = findDefinition(analyze(*document), params.position);
  reply(location ? toJSON(*location) : Json(nullptr));
}

void Server::onInlays(const llvm::lsp::InlayHintsParams &params, Reply reply) {
  if (Document *document = find(params.textDocument.uri, reply))
    reply(listInlays(analyze(*document), params.range, layouts));
}
