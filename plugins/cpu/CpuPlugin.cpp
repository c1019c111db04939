// The plugin `cpu`: the reference interpreter behind the C ABI, its table, its entry and its
// errors. Compiling, devices, memory, streams, modules and findings each have a file.
#include "plugins/cpu/Handles.h"
#include "plugins/cpu/Host.h"
#include "plugins/support/Error.h"
#include "plugins/support/Table.h"

#include "llvm/Config/llvm-config.h"

using namespace tilerun;

interp::Heap &cpu::getHeap() {
  // Never destroyed: threads of the host may still run when the process ends.
  static auto *heap = new interp::Heap(getMemoryBytes());
  return *heap;
}

TilerunStatus cpu::fail(const TilerunErrorSink *sink, TilerunStatus status, const char *call,
                        llvm::StringRef what, const char *driverWord) {
  return plugin_support::report(sink, status, call, kDeviceId, driverWord,
                                (llvm::Twine(call) + " on " + kDeviceId + ": " + what).str());
}

static TilerunStatus getStatus(interp::ErrorKind kind) {
  switch (kind) {
  case interp::ErrorKind::InvalidArgument:
    return TILERUN_STATUS_INVALID_ARGUMENT;
  case interp::ErrorKind::OutOfMemory:
    return TILERUN_STATUS_OUT_OF_MEMORY;
  case interp::ErrorKind::Compile:
    return TILERUN_STATUS_COMPILE;
  case interp::ErrorKind::Fault:
    return TILERUN_STATUS_FAULT;
  }
  llvm_unreachable("a kind of errors without a status");
}

TilerunStatus cpu::fail(const TilerunErrorSink *sink, const char *call, llvm::Error error) {
  TilerunStatus status = TILERUN_STATUS_INTERNAL;
  std::string text;
  llvm::handleAllErrors(
      std::move(error),
      [&](const interp::InterpreterError &e) {
        status = getStatus(e.getKind());
        // The interpreter's "cpu: free: …" repeats what the message names already.
        llvm::StringRef message = e.getMessage();
        if (message.consume_front("cpu: "))
          message = message.split(": ").second;
        text = message.str();
      },
      [&](const llvm::ErrorInfoBase &e) { text = e.message(); });
  return fail(sink, status, call, text);
}

TilerunStatus cpu::checkAlive(TilerunPluginDevice *device, const char *call,
                              const TilerunErrorSink *sink) {
  if (!device->loss.isLost())
    return TILERUN_STATUS_OK;
  return fail(sink, TILERUN_STATUS_DEVICE_LOST, call,
              device->loss.getReason() + "; the device is lost: close it and open it again");
}

const TilerunPlugin *tilerunPluginEntry(const TilerunPluginHost *host) {
  static const TilerunPlugin table = [] {
    TilerunPlugin made =
        plugin_support::makeTable("cpu", "0.1.0", "the reference interpreter on the host's cores");
    // The build is identified by the plugin's build id, which keys contain anyway.
    made.compiler_version = "tilerun-interpreter 0.1.0, LLVM " LLVM_VERSION_STRING;
    cpu::addCompileEntries(made);
    cpu::addSelfTestEntries(made);
    cpu::addDeviceEntries(made);
    cpu::addMemoryEntries(made);
    cpu::addStreamEntries(made);
    cpu::addModuleEntries(made);
    return made;
  }();
  return plugin_support::giveTable(host, table);
}
