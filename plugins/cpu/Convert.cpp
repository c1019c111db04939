// Field by field, so that neither side depends on how the other's types are laid out.
#include "plugins/cpu/Convert.h"

#include "backends/interpreter/Error.h"
#include "plugins/cpu/Host.h"

#include "llvm/Support/ErrorHandling.h"

using namespace tilerun;

static interp::LaunchArgument::Kind toInterpreter(LaunchArgument::Kind kind) {
  switch (kind) {
  case LaunchArgument::Kind::Pointer:
    return interp::LaunchArgument::Kind::Pointer;
  case LaunchArgument::Kind::Integer:
    return interp::LaunchArgument::Kind::Integer;
  case LaunchArgument::Kind::Float:
    return interp::LaunchArgument::Kind::Float;
  }
  llvm_unreachable("unknown argument kind");
}

static CheckReport::Kind toDevice(interp::CheckReport::Kind kind) {
  switch (kind) {
#define TILERUN_CHECK_KIND(name, word)                                                             \
  case interp::CheckReport::Kind::name:                                                            \
    return CheckReport::Kind::name;
#include "ir/tile/CheckKinds.def"
  }
  llvm_unreachable("unknown check kind");
}

static DeviceErrorKind toDevice(interp::ErrorKind kind) {
  switch (kind) {
  case interp::ErrorKind::InvalidArgument:
    return DeviceErrorKind::InvalidArgument;
  case interp::ErrorKind::OutOfMemory:
    return DeviceErrorKind::OutOfMemory;
  case interp::ErrorKind::Compile:
    return DeviceErrorKind::Compile;
  case interp::ErrorKind::Fault:
    return DeviceErrorKind::Fault;
  }
  llvm_unreachable("unknown error kind");
}

static SourcePosition toDevice(interp::SourcePosition position) {
  return {std::move(position.file), position.line, position.column};
}

static CheckReport toDevice(interp::CheckReport from) {
  CheckReport to;
  to.kind = toDevice(from.kind);
  to.kernel = std::move(from.kernel);
  to.program = from.program;
  to.element = std::move(from.element);
  to.address = from.address;
  to.message = std::move(from.message);
  to.position = toDevice(std::move(from.position));
  for (interp::SourcePosition &caller : from.callStack)
    to.callStack.push_back(toDevice(std::move(caller)));
  to.other = toDevice(std::move(from.other));
  to.count = from.count;
  return to;
}

interp::LaunchArgument cpu::toInterpreter(const LaunchArgument &argument) {
  interp::LaunchArgument to{::toInterpreter(argument.kind), argument.bits};
  to.memory.hasShape = argument.shape.has_value();
  if (argument.shape) {
    to.memory.shape = argument.shape->sizes;
    to.memory.strides = argument.shape->strides;
  }
  return to;
}

interp::LaunchOptions cpu::toInterpreter(const LaunchOptions &from) {
  interp::LaunchOptions to;
  to.grid = from.grid;
  to.numThreads = from.numThreads;
  to.checks.bounds = from.checks.bounds;
  to.checks.uninitialized = from.checks.uninitialized;
  to.checks.races = from.checks.races;
  to.checks.integerOverflow = from.checks.integerOverflow;
  to.checks.nanInf = from.checks.nanInf;
  to.checks.unwritten = from.checks.unwritten;
  to.checks.maskedValues = from.checks.maskedValues;
  to.debug = from.debug;
  to.bounds = from.bounds && areBoundsChecked();
  return to;
}

LaunchResult cpu::toDevice(interp::LaunchResult from) {
  LaunchResult to;
  for (interp::CheckReport &report : from.reports)
    to.reports.push_back(::toDevice(std::move(report)));
  to.printed = std::move(from.printed);
  to.seconds = from.seconds;
  return to;
}

llvm::Error cpu::toDevice(llvm::Error error) {
  return llvm::handleErrors(std::move(error), [](const interp::InterpreterError &e) {
    return makeDeviceError(::toDevice(e.getKind()), e.getMessage());
  });
}
