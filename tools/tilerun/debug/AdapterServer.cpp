// See AdapterServer.h.
#include "tools/tilerun/debug/AdapterServer.h"

#include "tools/tilerun/debug/Show.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace tilerun;
using namespace tilerun::debug;
using llvm::json::Array;
using llvm::json::Object;
using Direction = Debugger::Direction;

/// A message is not larger.
static constexpr size_t kMaxMessage = size_t(64) << 20;

//===----------------------------------------------------------------------===//
// Transport
//===----------------------------------------------------------------------===//

/// A header of lines, an empty one, and as many bytes of JSON as the header says. None at the end
/// of the stream.
llvm::Expected<std::optional<Object>> AdapterServer::read() {
  size_t length = 0;
  char line[256];
  for (bool isFirst = true;; isFirst = false) {
    if (!std::fgets(line, sizeof(line), in)) {
      if (isFirst)
        return std::nullopt;
      return host::makeError("the stream ends within the header of a message");
    }
    llvm::StringRef text = llvm::StringRef(line).rtrim("\r\n");
    if (text.empty())
      break;
    if (text.consume_front_insensitive("content-length:") &&
        (text.trim().getAsInteger(10, length) || length > kMaxMessage))
      return host::makeError("a message has the length '" + text.trim() + "'");
  }
  if (length == 0)
    return host::makeError("a message has no Content-Length in its header");
  std::string content(length, '\0');
  if (std::fread(content.data(), 1, length, in) != length)
    return host::makeError("the stream ends within a message");
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(content);
  if (!value)
    return value.takeError();
  Object *object = value->getAsObject();
  if (!object)
    return host::makeError("a message is not an object of JSON");
  return std::move(*object);
}

void AdapterServer::send(Object message) {
  message["seq"] = ++sequence;
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(message));
  out << "Content-Length: " << text.size() << "\r\n\r\n" << text;
  out.flush();
}

void AdapterServer::sendEvent(llvm::StringRef event, Object body) {
  send(Object{{"type", "event"}, {"event", event}, {"body", std::move(body)}});
}

llvm::Error AdapterServer::serve() {
  while (!done) {
    TILERUN_TRY_VALUE(message, read());
    if (!message)
      return llvm::Error::success();
    const std::string command = message->getString("command").value_or("").str();
    static const Object kNone;
    const Object *arguments = message->getObject("arguments");
    llvm::Expected<Object> body = answer(command, arguments ? *arguments : kNone);
    Object response{{"type", "response"},
                    {"command", llvm::json::fixUTF8(command)},
                    {"request_seq", message->getInteger("seq").value_or(0)},
                    {"success", bool(body)}};
    if (body) {
      response["body"] = std::move(*body);
    } else {
      const std::string text = llvm::json::fixUTF8(llvm::toString(body.takeError()));
      response["message"] = text;
      response["body"] = Object{{"error", Object{{"id", 1}, {"format", text}}}};
    }
    send(std::move(response));
    for (auto &[event, content] : std::exchange(pendingEvents, {}))
      sendEvent(event, std::move(content));
    if (auto step = std::exchange(pending, nullptr)) {
      llvm::Expected<Stop> stop = step();
      if (stop) {
        sendStop(*stop);
      } else {
        sendEvent("output",
                  Object{{"category", "stderr"},
                         {"output", llvm::json::fixUTF8(llvm::toString(stop.takeError())) + "\n"}});
        sendEvent("terminated");
      }
    }
  }
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Requests
//===----------------------------------------------------------------------===//

llvm::Error AdapterServer::requireLaunch() const {
  return debugger ? llvm::Error::success()
                  : host::makeError("nothing is launched yet; send 'launch' first");
}

llvm::Expected<Object> AdapterServer::answer(llvm::StringRef command, const Object &arguments) {
  if (command == "initialize")
    return Object{
        {"supportsConfigurationDoneRequest", true},
        {"supportsConditionalBreakpoints", true},
        {"supportsDataBreakpoints", true},
        {"supportsStepBack", true},
        {"supportsEvaluateForHovers", true},
        {"supportsTerminateRequest", true},
        {"exceptionBreakpointFilters",
         Array{Object{{"filter", "nan"}, {"label", "NaN appears"}, {"default", false}},
               Object{{"filter", "inf"}, {"label", "An infinity appears"}, {"default", false}}}}};
  if (command == "launch")
    return launchKernel(arguments);
  if (command == "disconnect" || command == "terminate") {
    done = command == "disconnect";
    if (!done)
      pendingEvents.emplace_back("terminated", Object());
    return Object();
  }
  TILERUN_TRY_ERROR(requireLaunch());
  if (command == "configurationDone")
    return move([this] {
      return stopsOnEntry ? debugger->start(launched->program) : debugger->run(launched->program);
    });
  if (command == "setBreakpoints")
    return setBreakpoints(arguments);
  if (command == "setDataBreakpoints")
    return setDataBreakpoints(arguments);
  if (command == "dataBreakpointInfo")
    return describeData(arguments);
  if (command == "setExceptionBreakpoints") {
    const Array *filters = arguments.getArray("filters");
    auto isWanted = [&](llvm::StringRef name) {
      return filters && llvm::is_contained(*filters, llvm::json::Value(name));
    };
    debugger->setCaught(isWanted("nan"), isWanted("inf"));
    return Object();
  }
  if (command == "threads")
    return listThreads();
  if (command == "stackTrace")
    return listFrames();
  if (command == "scopes")
    return listScopes(arguments);
  if (command == "variables")
    return listVariables(arguments);
  if (command == "evaluate")
    return evaluate(arguments);
  if (command == "next")
    return move([this] { return debugger->next(Direction::Forward); });
  if (command == "stepIn")
    return move([this] { return debugger->step(Direction::Forward); });
  if (command == "stepOut")
    return move([this] { return debugger->finish(); });
  if (command == "stepBack")
    return move([this] { return debugger->next(Direction::Back); });
  if (command == "continue")
    return move([this] { return debugger->resume(Direction::Forward); });
  if (command == "reverseContinue")
    return move([this] { return debugger->resume(Direction::Back); });
  return host::makeError("the request '" + command + "' is not supported");
}

llvm::Expected<Object> AdapterServer::launchKernel(const Object &arguments) {
  TILERUN_TRY_VALUE(made, launch(arguments));
  launched = std::move(made);
  debugger = std::make_unique<Debugger>(*launched->debuggee, *launched->sources, launched->names);
  stopsOnEntry = arguments.getBoolean("stopOnEntry").value_or(false);
  // Breakpoints need to know where statements are, so it comes this late.
  pendingEvents.emplace_back("initialized", Object());
  return Object();
}

llvm::Expected<Object> AdapterServer::move(std::function<llvm::Expected<Stop>()> step) {
  pending = std::move(step);
  return Object{{"allThreadsContinued", true}};
}

void AdapterServer::sendStop(const Stop &stop) {
  using Reason = Stop::Reason;
  if (std::string output = debugger->takeOutput(); !output.empty())
    sendEvent("output", Object{{"category", "stdout"}, {"output", llvm::json::fixUTF8(output)}});
  if (stop.reason == Reason::LaunchEnd) {
    sendEvent("exited", Object{{"exitCode", 0}});
    sendEvent("terminated");
    return;
  }
  llvm::StringRef reason = "step";
  switch (stop.reason) {
  case Reason::Breakpoint:
  case Reason::Call:
    reason = "breakpoint";
    break;
  case Reason::Watch:
    reason = "data breakpoint";
    break;
  case Reason::Fault:
  case Reason::Birth:
    reason = "exception";
    break;
  case Reason::Goto:
    reason = "goto";
    break;
  case Reason::ProgramBegin:
    reason = "entry";
    break;
  case Reason::Step:
  case Reason::ProgramEnd:
  case Reason::LaunchEnd:
    break;
  }
  Object body{{"reason", reason},
              {"threadId", static_cast<int64_t>(debugger->getRecording().program) + 1},
              {"allThreadsStopped", true}};
  if (stop.id)
    body["hitBreakpointIds"] = Array{stop.id};
  if (!stop.detail.empty()) {
    body["text"] = llvm::json::fixUTF8(stop.detail);
    body["description"] = llvm::json::fixUTF8(stop.detail);
  }
  sendEvent("stopped", std::move(body));
}

//===----------------------------------------------------------------------===//
// Breakpoints
//===----------------------------------------------------------------------===//

llvm::Expected<Object> AdapterServer::setBreakpoints(const Object &arguments) {
  const Object *source = arguments.getObject("source");
  const std::string path = source ? source->getString("path").value_or("").str() : "";
  // All of a file are set together. The client's path may be another one to the same file.
  const std::string file = debugger->findFile(path);
  debugger->removeBreakpoints(file);
  Array results;
  if (const Array *wanted = arguments.getArray("breakpoints"))
    for (const llvm::json::Value &value : *wanted) {
      const Object *breakpoint = value.getAsObject();
      const int64_t line = breakpoint ? breakpoint->getInteger("line").value_or(0) : 0;
      auto made = debugger->addBreakpoint(
          file, static_cast<unsigned>(line),
          breakpoint ? breakpoint->getString("condition").value_or("") : "", std::nullopt);
      if (made)
        results.push_back(Object{{"verified", true}, {"id", (*made)->id}, {"line", (*made)->line}});
      else
        results.push_back(
            Object{{"verified", false},
                   {"line", line},
                   {"message", llvm::json::fixUTF8(llvm::toString(made.takeError()))}});
    }
  return Object{{"breakpoints", std::move(results)}};
}

llvm::Expected<Object> AdapterServer::describeData(const Object &arguments) {
  const std::string name = arguments.getString("name").value_or("").str();
  auto made = debugger->addWatch(name);
  if (!made)
    return Object{{"dataId", nullptr},
                  {"description", llvm::json::fixUTF8(llvm::toString(made.takeError()))}};
  TILERUN_TRY_ERROR(debugger->removeStop((*made)->id));
  return Object{{"dataId", llvm::json::fixUTF8(name)},
                {"description", llvm::json::fixUTF8(name)},
                {"accessTypes", Array{"write"}}};
}

llvm::Expected<Object> AdapterServer::setDataBreakpoints(const Object &arguments) {
  while (!debugger->getWatches().empty())
    TILERUN_TRY_ERROR(debugger->removeStop(debugger->getWatches().front().id));
  Array results;
  if (const Array *wanted = arguments.getArray("breakpoints"))
    for (const llvm::json::Value &value : *wanted) {
      const Object *breakpoint = value.getAsObject();
      auto made =
          debugger->addWatch(breakpoint ? breakpoint->getString("dataId").value_or("") : "");
      if (made)
        results.push_back(Object{{"verified", true}, {"id", (*made)->id}});
      else
        results.push_back(
            Object{{"verified", false},
                   {"message", llvm::json::fixUTF8(llvm::toString(made.takeError()))}});
    }
  return Object{{"breakpoints", std::move(results)}};
}

//===----------------------------------------------------------------------===//
// What is there
//===----------------------------------------------------------------------===//

llvm::Expected<Object> AdapterServer::listThreads() {
  Array threads;
  const uint64_t program =
      debugger->hasStarted() ? debugger->getRecording().program : launched->program;
  threads.push_back(Object{{"id", static_cast<int64_t>(program) + 1},
                           {"name", debugger->getDebuggee().describeProgram(program)}});
  return Object{{"threads", std::move(threads)}};
}

llvm::Expected<Object> AdapterServer::listFrames() {
  Array frames;
  for (auto [i, frame] : llvm::enumerate(debugger->getStack())) {
    llvm::SmallString<128> path(frame.position.file);
    (void)llvm::sys::fs::make_absolute(path);
    frames.push_back(Object{
        {"id", static_cast<int64_t>(i) + 1},
        {"name",
         llvm::json::fixUTF8(debugger->getRecording().activations[frame.activation].function)},
        {"line", frame.position.line},
        {"column", frame.position.column},
        {"source", Object{{"name", llvm::json::fixUTF8(llvm::sys::path::filename(path))},
                          {"path", llvm::json::fixUTF8(path)}}}});
  }
  const auto total = static_cast<int64_t>(frames.size());
  return Object{{"stackFrames", std::move(frames)}, {"totalFrames", total}};
}

// References: twice the frame's number for its variables, one more for memory.
llvm::Expected<Object> AdapterServer::listScopes(const Object &arguments) {
  const int64_t frame = arguments.getInteger("frameId").value_or(1);
  return Object{{"scopes", Array{Object{{"name", "Locals"},
                                        {"presentationHint", "locals"},
                                        {"variablesReference", 2 * frame},
                                        {"expensive", false}},
                                 Object{{"name", "Memory"},
                                        {"variablesReference", 2 * frame + 1},
                                        {"expensive", false}}}}};
}

llvm::Expected<Object> AdapterServer::listVariables(const Object &arguments) {
  const int64_t reference = arguments.getInteger("variablesReference").value_or(0);
  Array variables;
  auto add = [&](llvm::StringRef name, llvm::StringRef type, llvm::StringRef value) {
    variables.push_back(Object{{"name", llvm::json::fixUTF8(name)},
                               {"type", llvm::json::fixUTF8(type)},
                               {"value", llvm::json::fixUTF8(value)},
                               {"evaluateName", llvm::json::fixUTF8(name)},
                               {"variablesReference", 0}});
  };
  if (reference < 2)
    return host::makeError("variables " + llvm::Twine(reference) + " do not exist");
  if (reference % 2 == 0) {
    for (const interp::Assignment *variable :
         debugger->getLocals(static_cast<unsigned>(reference / 2 - 1)))
      add(variable->getName(), variable->bytes ? variable->getText() : "constexpr",
          describe(debugger->getDebuggee(), *variable));
  } else {
    for (const Debuggee::Argument &argument : debugger->getDebuggee().getArguments()) {
      TILERUN_TRY_VALUE(tensor, debugger->readMemory(argument));
      add(argument.name, tensor.describe(), describe(host::Value(tensor)));
    }
  }
  return Object{{"variables", std::move(variables)}};
}

llvm::Expected<Object> AdapterServer::evaluate(const Object &arguments) {
  const std::string expression =
      llvm::StringRef(arguments.getString("expression").value_or("")).trim().str();
  if (arguments.getString("context").value_or("") == "repl" &&
      (expression == "nan" || expression == "inf"))
    return findBirth(expression == "nan");
  if (std::optional<int64_t> frame = arguments.getInteger("frameId"); frame && *frame > 0)
    TILERUN_TRY_ERROR(debugger->setFrame(static_cast<unsigned>(*frame - 1)));
  std::string text;
  const interp::Assignment *variable = debugger->findVariable(expression);
  if (variable && !debugger->findMemory(expression)) {
    text = describe(debugger->getDebuggee(), *variable);
  } else {
    TILERUN_TRY_VALUE(value, debugger->evaluate(expression));
    text = describe(value);
  }
  return Object{{"result", llvm::json::fixUTF8(text)}, {"variablesReference", 0}};
}

/// In an editor's console, "nan" and "inf" go to where one was made.
llvm::Expected<Object> AdapterServer::findBirth(bool isNan) {
  TILERUN_TRY_VALUE(birth, debugger->findBirth(isNan));
  std::string text;
  if (!birth)
    text = "none is made from here to the end of the launch";
  else
    for (const std::string &line :
         describe(debugger->getDebuggee(), debugger->getRecording(), *birth))
      text += (text.empty() ? "" : "\n") + line;
  if (birth) {
    const Stop stop = debugger->show(*birth);
    pending = [stop]() -> llvm::Expected<Stop> { return stop; };
  }
  return Object{{"result", llvm::json::fixUTF8(text)}, {"variablesReference", 0}};
}
