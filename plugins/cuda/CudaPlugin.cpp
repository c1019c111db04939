// The plugin for NVIDIA GPUs: its table and its entry. Everything that it shares with other drivers
// is in plugins/stream_driver, over Device.h; Compile.cpp joins the NVPTX backend,
// and NoCompile.cpp takes its place in a build that only drives devices.
#include "plugins/cuda/Device.h"

const TilerunPlugin *tilerunPluginEntry(const TilerunPluginHost *host) {
  static const TilerunPlugin table = [] {
    TilerunPlugin made =
        cuda::makeTable<cuda::Device>("0.1.0", "NVIDIA GPUs through the CUDA driver");
    cuda::addCompileEntries(made);
    cuda::addSelfTestEntries(made);
    made.get_native_context = [](TilerunPluginDevice *device, uint64_t *context,
                                 const TilerunErrorSink *) -> TilerunStatus {
      *context = reinterpret_cast<uint64_t>(cuda::get<cuda::Device>(device)->context);
      return TILERUN_STATUS_OK;
    };
    return made;
  }();
  return tilerun::plugin_support::giveTable(host, table);
}
