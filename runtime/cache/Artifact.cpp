// Copying, storing and reading artifacts.
#include "runtime/cache/Artifact.h"

#include "plugins/support/Bytes.h"
#include "runtime/plugin/LaunchPlan.h"

#include "llvm/ADT/STLExtras.h"

using namespace tilerun::cache;
using tilerun::plugin_support::OwnedArtifact;
using ByteWriter = tilerun::plugin_support::ByteWriter<uint64_t>;
using ByteReader = tilerun::plugin_support::ByteReader<uint64_t>;

std::shared_ptr<const Artifact> Artifact::copy(const TilerunPluginArtifact &from,
                                               std::string note) {
  std::shared_ptr<Artifact> out(new Artifact(from.compatibility ? from.compatibility : ""));
  if (from.num_bytes)
    out->owned.setBytes({from.bytes, from.bytes + from.num_bytes});
  out->owned.addKernels(from);
  out->artifact = &out->owned.get();
  out->note = std::move(note);
  return out;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static void writeDetails(ByteWriter &writer, const TilerunPluginKernelDetails *details) {
  writer.add<uint8_t>(details != nullptr);
  if (!details)
    return;
  for (uint32_t number : {details->lanes, details->cluster[0], details->cluster[1],
                          details->cluster[2], details->grid_policy, details->programs_per_unit})
    writer.add<uint32_t>(number);
  writer.add<uint32_t>(details->num_derived);
  for (const TilerunPluginDerived *derived :
       llvm::ArrayRef(details->derived, details->num_derived)) {
    writer.addText(derived->form);
    writer.add<uint32_t>(derived->num_steps);
    for (const TilerunPluginStep &step : llvm::ArrayRef(derived->steps, derived->num_steps)) {
      writer.add<uint32_t>(step.operation);
      writer.add<int64_t>(step.value);
    }
  }
}

std::vector<uint8_t> Artifact::serialize() const {
  ByteWriter writer;
  writer.addText(artifact->compatibility);
  writer.add<uint32_t>(artifact->num_kernels);
  for (const TilerunPluginKernelInfo &kernel : getKernels()) {
    writer.addText(kernel.name);
    writer.add<uint32_t>(kernel.threads);
    writer.add<uint32_t>(kernel.shared_bytes);
    writer.add<uint32_t>(kernel.num_parameters);
    for (const TilerunPluginParameter &parameter :
         llvm::ArrayRef(kernel.parameters, kernel.num_parameters)) {
      writer.add<uint16_t>(parameter.kind);
      writer.add<uint16_t>(parameter.bits);
      writer.addText(parameter.name);
    }
  }
  writer.addText(note);
  writer.addBytes({artifact->bytes, size_t(artifact->num_bytes)});
  // After everything that earlier versions wrote, which read and write artifacts without details.
  llvm::ArrayRef details(artifact->details, artifact->num_kernels);
  if (llvm::any_of(details, [](const auto *given) { return given != nullptr; }))
    for (const TilerunPluginKernelDetails *given : details)
      writeDetails(writer, given);
  return writer.take();
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static void readKernel(ByteReader &reader, OwnedArtifact &out) {
  const std::string name = reader.getText();
  const uint32_t threads = reader.get<uint32_t>(), sharedBytes = reader.get<uint32_t>();
  std::vector<TilerunPluginParameter> parameters(reader.getCount(12));
  std::vector<std::string> names(parameters.size());
  for (auto [parameter, own] : llvm::zip_equal(parameters, names)) {
    const uint16_t kind = reader.get<uint16_t>(), bits = reader.get<uint16_t>();
    own = reader.getText();
    parameter = {sizeof(parameter), kind, bits, own.c_str()};
  }
  out.addKernel({sizeof(TilerunPluginKernelInfo), static_cast<uint32_t>(parameters.size()),
                 name.c_str(), parameters.data(), threads, sharedBytes});
}

// Whether the kernel has some.
static bool readDetails(ByteReader &reader, OwnedArtifact &out, uint32_t kernel) {
  const uint8_t count = reader.get<uint8_t>();
  if (count > 1)
    reader.fail();
  if (count != 1)
    return false;
  TilerunPluginKernelDetails details = {};
  for (uint32_t *number : {&details.lanes, &details.cluster[0], &details.cluster[1],
                           &details.cluster[2], &details.grid_policy, &details.programs_per_unit})
    *number = reader.get<uint32_t>();
  out.addDetails(kernel, details);
  for (uint32_t numDerived = reader.getCount(12); numDerived && !reader.failed(); --numDerived) {
    const std::string form = reader.getText();
    std::vector<TilerunPluginStep> steps(reader.getCount(12));
    for (TilerunPluginStep &step : steps) {
      step.operation = reader.get<uint32_t>();
      step.value = reader.get<int64_t>();
    }
    out.addDerived(form, std::move(steps));
  }
  return true;
}

std::shared_ptr<const Artifact> Artifact::parse(llvm::ArrayRef<uint8_t> stored) {
  ByteReader reader(stored);
  std::shared_ptr<Artifact> out(new Artifact(reader.getText()));
  const uint32_t numKernels = reader.getCount(20);
  for (uint32_t i = 0; i < numKernels && !reader.failed(); ++i)
    readKernel(reader, out->owned);
  const auto note = reader.getBytes(), bytes = reader.getBytes();
  out->note.assign(note.begin(), note.end());
  out->owned.setBytes({bytes.begin(), bytes.end()});
  const bool hasMore = !reader.finished();
  bool hasDetails = false;
  for (uint32_t i = 0; i < numKernels && hasMore && !reader.failed(); ++i)
    hasDetails |= readDetails(reader, out->owned, i);
  if (!reader.finished() || hasMore != hasDetails)
    return nullptr;
  out->artifact = &out->owned.get();
  for (uint32_t i = 0; i < numKernels; ++i)
    if (!plugin::checkDetails(out->artifact->kernels[i], out->artifact->details[i]).empty())
      return nullptr;
  return out;
}
