// The debugger for editors: a server of the Debug Adapter Protocol, with messages on two streams.
// https://microsoft.github.io/debug-adapter-protocol/specification
//
// Threads are programs, of which one at a time is at hand. Requests are answered in order, and
// every move ends before the next request is read.
#pragma once

#include "tools/tilerun/debug/Debugger.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdio>
#include <functional>

namespace tilerun::debug {

/// A launch that is ready to be debugged.
struct Launched {
  std::shared_ptr<void> owner; ///< Of what the others refer to.
  Debuggee *debuggee;
  SourceManager *sources;
  host::Evaluator::Names names; ///< For expressions.
  uint64_t program;             ///< To begin with.
};

class AdapterServer {
public:
  /// Gets the arguments of the request `launch`.
  using Launch = std::function<llvm::Expected<Launched>(const llvm::json::Object &arguments)>;

  AdapterServer(std::FILE *in, llvm::raw_ostream &out, Launch launch)
      : in(in), out(out), launch(std::move(launch)) {}

  /// Until the client disconnects, or the stream ends. An error is one of the transport.
  llvm::Error serve();

private:
  using Object = llvm::json::Object;
  llvm::Expected<std::optional<Object>> read();
  void send(Object message);
  void sendEvent(llvm::StringRef event, Object body = {});
  void sendStop(const Stop &stop);
  /// The body of the response.
  llvm::Expected<Object> answer(llvm::StringRef command, const Object &arguments);
  llvm::Error requireLaunch() const;

  llvm::Expected<Object> launchKernel(const Object &arguments);
  llvm::Expected<Object> setBreakpoints(const Object &arguments);
  llvm::Expected<Object> setDataBreakpoints(const Object &arguments);
  llvm::Expected<Object> describeData(const Object &arguments);
  llvm::Expected<Object> listThreads();
  llvm::Expected<Object> listFrames();
  llvm::Expected<Object> listScopes(const Object &arguments);
  llvm::Expected<Object> listVariables(const Object &arguments);
  llvm::Expected<Object> evaluate(const Object &arguments);
  llvm::Expected<Object> findBirth(bool isNan);
  /// The move happens once the response is sent.
  llvm::Expected<Object> move(std::function<llvm::Expected<Stop>()> step);

  std::FILE *in;
  llvm::raw_ostream &out;
  Launch launch;
  std::optional<Launched> launched;
  std::unique_ptr<Debugger> debugger;
  bool stopsOnEntry = false;
  int64_t sequence = 0;
  std::function<llvm::Expected<Stop>()> pending;
  std::vector<std::pair<std::string, Object>> pendingEvents;
  bool done = false;
};

} // namespace tilerun::debug
