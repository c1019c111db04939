// The plugin for NVIDIA GPUs: its table and its entry. Devices, memory, streams and modules have a
// file each; Compile.cpp joins the NVPTX backend, and NoCompile.cpp takes its place in a build that
// only drives devices.
#include "plugins/cuda/Device.h"

static const TilerunPlugin &getTable() {
  static const TilerunPlugin table = [] {
    TilerunPlugin made = {};
    made.struct_size = sizeof(TilerunPlugin);
    made.abi_major = TILERUN_PLUGIN_ABI_MAJOR;
    made.abi_minor = TILERUN_PLUGIN_ABI_MINOR;
    made.name = "cuda";
    made.version = "0.1.0";
    made.description = "NVIDIA GPUs through the CUDA driver";
    cuda::addCompileEntries(made);
    cuda::addSelfTestEntries(made);
    cuda::addDeviceEntries(made);
    cuda::addMemoryEntries(made);
    cuda::addStreamEntries(made);
    cuda::addModuleEntries(made);
    cuda::addLinkEntries(made);
    return made;
  }();
  return table;
}

const TilerunPlugin *tilerunPluginEntry(const TilerunPluginHost *host) {
  return host && host->abi_major == TILERUN_PLUGIN_ABI_MAJOR ? &getTable() : nullptr;
}
