// Artifacts compiled to the end: the driver's linker makes a binary of PTX, which a cache can keep.
#include "plugins/cuda/Artifact.h"
#include "plugins/cuda/Device.h"
#include "plugins/cuda/Jit.h"
#include "plugins/support/PtxLines.h"

#include <cstring>

using namespace cuda;

JitOptions::JitOptions(const std::string &image, bool binary) : log(16 << 10) {
  auto add = [&](int name, uintptr_t value) {
    names.push_back(name);
    values.push_back(reinterpret_cast<void *>(value));
  };
  add(kJitErrorLog, reinterpret_cast<uintptr_t>(log.data()));
  add(kJitErrorLogSize, log.size() - 1);
  if (!binary && image.find(".loc") != std::string::npos)
    add(kJitLineInfo, 1);
}

std::string JitOptions::describeLog(const std::string &ptx) const {
  // Its end is never written to.
  std::string text = log.data();
  if (text.empty())
    return "the driver's log is empty";
  while (text.back() == '\n')
    text.pop_back();
  return "the driver's log:\n" + text + tilerun::plugin_support::explainPtxLines(text, ptx);
}

void cuda::releaseArtifact(const TilerunPluginArtifact *artifact) {
  auto *given = reinterpret_cast<GivenArtifact *>(const_cast<TilerunPluginArtifact *>(artifact));
  if (given && given->destroy)
    given->destroy(given);
}

namespace {

// A binary with the kernels of the artifact that it was made from.
struct Binary : GivenArtifact {
  std::vector<uint8_t> bytes;
  std::string compatibility;
  struct Kernel {
    std::string name;
    std::vector<std::string> parameterNames;
    std::vector<TilerunPluginParameter> parameters;
  };
  std::vector<Kernel> kernels;
  std::vector<TilerunPluginKernelInfo> infos;

  Binary(const TilerunPluginArtifact &from, std::vector<uint8_t> code, std::string name)
      : bytes(std::move(code)), compatibility(std::move(name)), kernels(from.num_kernels) {
    for (uint32_t i = 0; i < from.num_kernels; ++i) {
      const TilerunPluginKernelInfo &info = from.kernels[i];
      Kernel &kernel = kernels[i];
      kernel.name = info.name;
      kernel.parameters.assign(info.parameters, info.parameters + info.num_parameters);
      kernel.parameterNames.resize(info.num_parameters);
      for (uint32_t p = 0; p < info.num_parameters; ++p) {
        kernel.parameterNames[p] = info.parameters[p].name ? info.parameters[p].name : "";
        kernel.parameters[p].name = kernel.parameterNames[p].c_str();
      }
      infos.push_back(info);
      infos.back().name = kernel.name.c_str();
      infos.back().parameters = kernel.parameters.data();
    }
    artifact = {sizeof(artifact),      from.num_kernels, bytes.data(), bytes.size(),
                compatibility.c_str(), infos.data(),     nullptr};
    destroy = [](GivenArtifact *given) { delete static_cast<Binary *>(given); };
  }
};

// A linker of the driver's, which owns the binary that it makes.
struct Linker {
  TilerunPluginDevice *device;
  CUlinkState state = nullptr;
  explicit Linker(TilerunPluginDevice *device) : device(device) {}
  ~Linker() {
    if (state)
      device->driver.cuLinkDestroy(state);
  }
  Linker(const Linker &) = delete;
  Linker &operator=(const Linker &) = delete;
};

TilerunStatus link(TilerunPluginDevice *device, const TilerunPluginArtifact &artifact,
                   std::vector<uint8_t> &binary, const TilerunErrorSink *sink) {
  // The driver reads PTX up to a NUL, which counts as one of its bytes.
  std::string ptx(reinterpret_cast<const char *>(artifact.bytes), artifact.num_bytes);
  JitOptions options(ptx, /*binary=*/false);
  Linker linker(device);
  void *image = nullptr;
  size_t bytes = 0;
  CU_TRY(device, sink,
         cuLinkCreate(options.getCount(), options.getNames(), options.getValues(), &linker.state));
  if (CUresult error = device->driver.cuLinkAddData(linker.state, kJitPtx, ptx.data(),
                                                    ptx.size() + 1, "kernel", 0, nullptr, nullptr))
    return failDriver(sink, device, "cuLinkAddData(state, PTX, …)", error,
                      options.describeLog(ptx));
  if (CUresult error = device->driver.cuLinkComplete(linker.state, &image, &bytes))
    return failDriver(sink, device, "cuLinkComplete(state, &image, &bytes)", error,
                      options.describeLog(ptx));
  binary.assign(static_cast<uint8_t *>(image), static_cast<uint8_t *>(image) + bytes);
  return TILERUN_STATUS_OK;
}

TilerunStatus finalizeArtifact(TilerunPluginDevice *device, const TilerunPluginArtifact *artifact,
                               const TilerunPluginArtifact **out, const TilerunErrorSink *sink) {
  CU_ENTER(device, sink, "finalize_artifact");
  if (TilerunStatus status = checkCompatibility(device, artifact->compatibility, sink))
    return status;
  if (!artifact->num_bytes)
    return fail(sink, TILERUN_STATUS_COMPILE, "finalize_artifact", device, "the artifact is empty");
  if (TilerunStatus status = checkKernels(device, *artifact, "finalize_artifact", sink))
    return status;
  std::vector<uint8_t> bytes;
  std::string compatibility = artifact->compatibility;
  if (isBinary(artifact->compatibility)) {
    bytes.assign(artifact->bytes, artifact->bytes + artifact->num_bytes);
  } else {
    if (TilerunStatus status = link(device, *artifact, bytes, sink))
      return status;
    compatibility = device->binaryCompatibility;
  }
  *out = &(new Binary(*artifact, std::move(bytes), std::move(compatibility)))->artifact;
  return TILERUN_STATUS_OK;
}

} // namespace

void cuda::addLinkEntries(TilerunPlugin &table) {
  table.finalize_artifact = finalizeArtifact;
  table.release_artifact = releaseArtifact;
}
