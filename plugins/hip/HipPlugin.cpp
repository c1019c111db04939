// The plugin for AMD GPUs: its table and its entry. Everything that it shares with other drivers is
// in plugins/stream_driver, over Device.h; Compile.cpp joins the AMDGPU backend, and NoCompile.cpp
// takes its place in a build that only drives devices.
#include "plugins/hip/Compile.h"
#include "plugins/hip/Device.h"

const TilerunPlugin *tilerunPluginEntry(const TilerunPluginHost *host) {
  static const TilerunPlugin table = [] {
    TilerunPlugin made = hip::makeTable<hip::Device>("0.1.0", "AMD GPUs through the HIP runtime");
    hip::addCompileEntries(made);
    hip::addSelfTestEntries(made);
    return made;
  }();
  return tilerun::plugin_support::giveTable(host, table);
}
