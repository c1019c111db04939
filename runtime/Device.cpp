// Errors and the registry of the device interface.
#include "runtime/Device.h"

#include <bit>

using namespace tilerun;

char DeviceError::ID = 0;

void DeviceError::log(llvm::raw_ostream &os) const { os << message; }

std::error_code DeviceError::convertToErrorCode() const { return llvm::inconvertibleErrorCode(); }

llvm::Error tilerun::makeDeviceError(DeviceErrorKind kind, const llvm::Twine &message) {
  return llvm::make_error<DeviceError>(kind, message.str());
}

llvm::StringRef tilerun::getCheckKindName(CheckReport::Kind kind) {
  switch (kind) {
#define TILERUN_CHECK_KIND(name, word)                                                             \
  case CheckReport::Kind::name:                                                                    \
    return word;
#include "ir/tile/CheckKinds.def"
  }
  llvm_unreachable("unknown check kind");
}

bool tilerun::isWarning(CheckReport::Kind kind) {
  return kind == CheckReport::Kind::UnwrittenOutput || kind == CheckReport::Kind::MaskedValue;
}

LaunchArgument LaunchArgument::floating(double v) {
  return {Kind::Float, std::bit_cast<uint64_t>(v)};
}

void DeviceRegistry::add(std::string id, Factory factory, std::string uuid) {
  entries.push_back({std::move(id), std::move(uuid), std::move(factory)});
}

void DeviceRegistry::addLater(std::function<void(DeviceRegistry &)> find) {
  finders.push_back(std::move(find));
}

void DeviceRegistry::findAll() const {
  // Into a registry of its own, since this one is const to those who only look.
  for (const auto &find : std::exchange(finders, {})) {
    DeviceRegistry found;
    find(found);
    std::move(found.entries.begin(), found.entries.end(), std::back_inserter(entries));
  }
}

std::vector<std::string> DeviceRegistry::list() const {
  findAll();
  std::vector<std::string> ids;
  ids.reserve(entries.size());
  for (const Entry &entry : entries)
    ids.push_back(entry.id);
  return ids;
}

llvm::Expected<std::unique_ptr<Device>> DeviceRegistry::open(llvm::StringRef id) const {
  auto find = [&]() -> const Factory * {
    for (const Entry &entry : entries)
      if (entry.id == id || (!entry.uuid.empty() && entry.uuid == id))
        return &entry.factory;
    return nullptr;
  };
  const Factory *factory = find();
  if (!factory) {
    findAll();
    factory = find();
  }
  if (factory)
    return (*factory)();
  // "cuda:0" where there is no GPU: the plugin's reason says more than the list.
  llvm::StringRef kind = id.split(':').first;
  for (const Entry &entry : entries)
    if (entry.id == kind)
      return entry.factory();
  return makeDeviceError(DeviceErrorKind::Unavailable,
                         llvm::Twine("no device '") + id +
                             "'; available: " + llvm::join(list(), ", "));
}

llvm::Expected<std::unique_ptr<DeviceKernel>>
Device::loadSource(const KernelSource &source, const LoadOptions &options, std::string &note) {
  llvm::Expected<SourceModule> module = source.make();
  if (!module)
    return module.takeError();
  note = std::move(module->note);
  return loadWith(module->bytecode, source.name, options);
}
