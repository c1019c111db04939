// The plugin `cpu`: the reference interpreter behind the C ABI, its table, its entry and its
// errors. Compiling, devices, memory, streams, modules and findings each have a file.
#include "plugins/cpu/Handles.h"
#include "plugins/cpu/Host.h"

#include "llvm/Config/llvm-config.h"

using namespace tilerun;

interp::Heap &cpu::getHeap() {
  // Never destroyed: threads of the host may still run when the process ends.
  static auto *heap = new interp::Heap(getMemoryBytes());
  return *heap;
}

TilerunStatus cpu::fail(const TilerunErrorSink *sink, TilerunStatus status, const char *call,
                        llvm::StringRef what, const char *driverWord) {
  if (!sink || !TILERUN_HAS(TilerunErrorSink, sink, report))
    return status;
  std::string message = (llvm::Twine(call) + " on " + kDeviceId + ": " + what).str();
  TilerunErrorInfo info = {sizeof(TilerunErrorInfo), status, call, kDeviceId, driverWord,
                           message.c_str()};
  sink->report(sink->user, &info);
  return status;
}

TilerunStatus cpu::fail(const TilerunErrorSink *sink, const char *call, llvm::Error error) {
  TilerunStatus status = TILERUN_STATUS_INTERNAL;
  std::string text;
  llvm::handleAllErrors(
      std::move(error),
      [&](const interp::InterpreterError &e) {
        switch (e.getKind()) {
        case interp::ErrorKind::InvalidArgument:
          status = TILERUN_STATUS_INVALID_ARGUMENT;
          break;
        case interp::ErrorKind::OutOfMemory:
          status = TILERUN_STATUS_OUT_OF_MEMORY;
          break;
        case interp::ErrorKind::Compile:
          status = TILERUN_STATUS_COMPILE;
          break;
        case interp::ErrorKind::Fault:
          status = TILERUN_STATUS_FAULT;
          break;
        }
        // "cpu: free: …" of the interpreter names what the message names already.
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
  std::lock_guard lock(device->mutex);
  if (device->loss.empty())
    return TILERUN_STATUS_OK;
  return fail(sink, TILERUN_STATUS_DEVICE_LOST, call,
              device->loss + "; the device is lost: close it and open it again");
}

static const TilerunPlugin &getTable() {
  static const TilerunPlugin table = [] {
    TilerunPlugin made = {};
    made.struct_size = sizeof(TilerunPlugin);
    made.abi_major = TILERUN_PLUGIN_ABI_MAJOR;
    made.abi_minor = TILERUN_PLUGIN_ABI_MINOR;
    made.name = "cpu";
    made.version = "0.1.0";
    made.description = "the reference interpreter on the host's cores";
    // Which build of it is the plugin's build id, which keys have anyway.
    made.compiler_version = "tilerun-interpreter 0.1.0, LLVM " LLVM_VERSION_STRING;
    cpu::addCompileEntries(made);
    cpu::addSelfTestEntries(made);
    cpu::addDeviceEntries(made);
    cpu::addMemoryEntries(made);
    cpu::addStreamEntries(made);
    cpu::addModuleEntries(made);
    return made;
  }();
  return table;
}

const TilerunPlugin *tilerunPluginEntry(const TilerunPluginHost *host) {
  return host && host->abi_major == TILERUN_PLUGIN_ABI_MAJOR ? &getTable() : nullptr;
}
