// Copying, storing and reading artifacts.
#include "runtime/cache/Artifact.h"

#include "runtime/cache/Bytes.h"
#include "runtime/plugin/LaunchPlan.h"

using namespace tilerun::cache;

static std::string getText(const char *text) { return text ? text : ""; }

void Artifact::Details::link() {
  derived.clear();
  pointers.clear();
  for (auto [form, list] : llvm::zip_equal(forms, steps)) {
    uint32_t words = 0;
    for (const TilerunPluginStep &step : list)
      words += step.operation == TILERUN_STEP_WORD;
    derived.push_back({sizeof(TilerunPluginDerived), words, form.c_str(), list.data(),
                       static_cast<uint32_t>(list.size()), 0});
  }
  for (const TilerunPluginDerived &parameter : derived)
    pointers.push_back(&parameter);
  given.struct_size = sizeof(given);
  given.num_derived = static_cast<uint32_t>(pointers.size());
  given.derived = pointers.data();
}

void Artifact::link() {
  infos.clear();
  details.clear();
  for (Kernel &kernel : kernels) {
    for (auto [parameter, name] : llvm::zip_equal(kernel.parameters, kernel.parameterNames))
      parameter.name = name.c_str();
    infos.push_back({sizeof(TilerunPluginKernelInfo),
                     static_cast<uint32_t>(kernel.parameters.size()), kernel.name.c_str(),
                     kernel.parameters.data(), kernel.threads, kernel.sharedBytes});
    if (kernel.details)
      kernel.details->link();
    details.push_back(kernel.details ? &kernel.details->given : nullptr);
  }
  artifact = {sizeof(TilerunPluginArtifact),
              static_cast<uint32_t>(infos.size()),
              bytes.data(),
              bytes.size(),
              compatibility.c_str(),
              infos.data(),
              details.data()};
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
    const TilerunPluginKernelDetails *given = tilerun::plugin::getDetails(from, i);
    if (!given)
      continue;
    Details &details = kernel.details.emplace();
    details.given = *given;
    for (const TilerunPluginDerived *derived : llvm::ArrayRef(given->derived, given->num_derived)) {
      details.forms.push_back(derived->form);
      details.steps.emplace_back(derived->steps, derived->steps + derived->num_steps);
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

void Artifact::writeDetails(ByteWriter &writer, const Kernel &kernel) {
  writer.add<uint8_t>(kernel.details.has_value());
  if (!kernel.details)
    return;
  const TilerunPluginKernelDetails &given = kernel.details->given;
  for (uint32_t number : {given.lanes, given.cluster[0], given.cluster[1], given.cluster[2],
                          given.grid_policy, given.programs_per_unit})
    writer.add<uint32_t>(number);
  writer.add<uint32_t>(kernel.details->forms.size());
  for (auto [form, list] : llvm::zip_equal(kernel.details->forms, kernel.details->steps)) {
    writer.addText(form);
    writer.add<uint32_t>(list.size());
    for (const TilerunPluginStep &step : list) {
      writer.add<uint32_t>(step.operation);
      writer.add<int64_t>(step.value);
    }
  }
}

bool Artifact::readDetails(ByteReader &reader, Kernel &kernel) {
  const uint8_t count = reader.get<uint8_t>();
  if (count > 1)
    reader.fail();
  if (count != 1)
    return false;
  Details &details = kernel.details.emplace();
  TilerunPluginKernelDetails &given = details.given;
  for (uint32_t *number : {&given.lanes, &given.cluster[0], &given.cluster[1], &given.cluster[2],
                           &given.grid_policy, &given.programs_per_unit})
    *number = reader.get<uint32_t>();
  uint32_t numDerived = reader.getCount(12);
  for (uint32_t d = 0; d < numDerived && !reader.failed(); ++d) {
    details.forms.push_back(reader.getText());
    std::vector<TilerunPluginStep> &steps = details.steps.emplace_back();
    uint32_t numSteps = reader.getCount(12);
    for (uint32_t s = 0; s < numSteps && !reader.failed(); ++s) {
      uint32_t operation = reader.get<uint32_t>();
      steps.push_back({operation, 0, reader.get<int64_t>()});
    }
  }
  return true;
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
  // Behind all that earlier versions wrote, which read and write artifacts without any.
  if (llvm::any_of(kernels, [](const Kernel &kernel) { return kernel.details.has_value(); }))
    for (const Kernel &kernel : kernels)
      writeDetails(writer, kernel);
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
  const bool hasMore = !reader.finished();
  bool hasDetails = false;
  if (hasMore)
    for (Kernel &kernel : out->kernels)
      hasDetails |= readDetails(reader, kernel);
  if (!reader.finished() || hasMore != hasDetails)
    return nullptr;
  out->link();
  for (auto [info, details] : llvm::zip_equal(out->infos, out->details))
    if (!tilerun::plugin::checkDetails(info, details).empty())
      return nullptr;
  return out;
}

const TilerunPluginKernelInfo *Artifact::findKernel(llvm::StringRef name) const {
  for (const TilerunPluginKernelInfo &info : infos)
    if (name == info.name)
      return &info;
  return nullptr;
}
