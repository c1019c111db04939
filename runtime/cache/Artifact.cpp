// Copying, storing and reading artifacts.
#include "runtime/cache/Artifact.h"

#include "runtime/cache/Bytes.h"

using namespace tilerun::cache;

static std::string getText(const char *text) { return text ? text : ""; }

void Artifact::link() {
  infos.clear();
  for (Kernel &kernel : kernels) {
    for (auto [parameter, name] : llvm::zip_equal(kernel.parameters, kernel.parameterNames))
      parameter.name = name.c_str();
    infos.push_back({sizeof(TilerunPluginKernelInfo),
                     static_cast<uint32_t>(kernel.parameters.size()), kernel.name.c_str(),
                     kernel.parameters.data(), kernel.threads, kernel.sharedBytes});
  }
  artifact = {sizeof(TilerunPluginArtifact),
              static_cast<uint32_t>(infos.size()),
              bytes.data(),
              bytes.size(),
              compatibility.c_str(),
              infos.data()};
}

std::shared_ptr<const Artifact> Artifact::copy(const TilerunPluginArtifact &from) {
  std::shared_ptr<Artifact> out(new Artifact);
  if (from.num_bytes)
    out->bytes.assign(from.bytes, from.bytes + from.num_bytes);
  out->compatibility = getText(from.compatibility);
  for (uint32_t i = 0; i < from.num_kernels; ++i) {
    const TilerunPluginKernelInfo &info = from.kernels[i];
    Kernel &kernel = out->kernels.emplace_back();
    kernel.name = getText(info.name);
    kernel.threads = info.threads;
    kernel.sharedBytes = info.shared_bytes;
    for (uint32_t p = 0; p < info.num_parameters; ++p) {
      kernel.parameterNames.push_back(getText(info.parameters[p].name));
      kernel.parameters.push_back({sizeof(TilerunPluginParameter), info.parameters[p].kind,
                                   info.parameters[p].bits, nullptr});
    }
  }
  out->link();
  return out;
}

std::shared_ptr<const Artifact> Artifact::withNote(std::string text) const {
  std::shared_ptr<Artifact> out(new Artifact);
  out->bytes = bytes;
  out->compatibility = compatibility;
  out->note = std::move(text);
  out->kernels = kernels;
  out->link();
  return out;
}

std::vector<uint8_t> Artifact::serialize() const {
  ByteWriter writer;
  writer.addText(compatibility);
  writer.add<uint32_t>(kernels.size());
  for (const Kernel &kernel : kernels) {
    writer.addText(kernel.name);
    writer.add<uint32_t>(kernel.threads);
    writer.add<uint32_t>(kernel.sharedBytes);
    writer.add<uint32_t>(kernel.parameters.size());
    for (auto [parameter, name] : llvm::zip_equal(kernel.parameters, kernel.parameterNames)) {
      writer.add<uint16_t>(parameter.kind);
      writer.add<uint16_t>(parameter.bits);
      writer.addText(name);
    }
  }
  writer.addText(note);
  writer.addBytes(bytes);
  return writer.take();
}

std::shared_ptr<const Artifact> Artifact::parse(llvm::ArrayRef<uint8_t> stored) {
  ByteReader reader(stored);
  std::shared_ptr<Artifact> out(new Artifact);
  out->compatibility = reader.getText();
  uint32_t numKernels = reader.getCount(20);
  for (uint32_t i = 0; i < numKernels && !reader.failed(); ++i) {
    Kernel &kernel = out->kernels.emplace_back();
    kernel.name = reader.getText();
    kernel.threads = reader.get<uint32_t>();
    kernel.sharedBytes = reader.get<uint32_t>();
    uint32_t numParameters = reader.getCount(12);
    for (uint32_t p = 0; p < numParameters && !reader.failed(); ++p) {
      TilerunPluginParameter parameter = {sizeof(TilerunPluginParameter), 0, 0, nullptr};
      parameter.kind = reader.get<uint16_t>();
      parameter.bits = reader.get<uint16_t>();
      kernel.parameters.push_back(parameter);
      kernel.parameterNames.push_back(reader.getText());
    }
  }
  out->note = reader.getText();
  out->bytes = reader.getBytes().vec();
  if (!reader.finished())
    return nullptr;
  out->link();
  return out;
}

const TilerunPluginKernelInfo *Artifact::findKernel(llvm::StringRef name) const {
  for (const TilerunPluginKernelInfo &info : infos)
    if (name == info.name)
      return &info;
  return nullptr;
}
