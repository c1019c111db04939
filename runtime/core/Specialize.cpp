// Kernels with bound constants, and the specialization of kernels: a signature, its code from the
// program, and where each argument goes. Separate from the launch, all of whose code is hot.
#include "runtime/core/Kernel.h"

#include "runtime/core/PointerCheck.h"

#include <algorithm>
#include <utility>

using namespace tilerun;
using namespace tilerun::core;

// The parameter that an entry of a signature belongs to: "t.0" is an element of a tuple, "t".
static std::string getParameterOf(const SignatureEntry &entry) {
  return entry.name.substr(0, entry.name.find('.'));
}

static std::string join(const std::string &a, const std::string &b) {
  return a.empty() ? b : b.empty() ? a : a + ", " + b;
}

Status Kernel::bind(const std::string &constants, std::shared_ptr<Kernel> &kernel) const {
  std::vector<SignatureEntry> entries;
  TILERUN_TRY(program->parseSignature(constants, entries));
  std::vector<SourceParameter> open = parameters;
  for (const SignatureEntry &entry : entries) {
    auto it = std::find_if(open.begin(), open.end(), [&](const SourceParameter &p) {
      return p.name == getParameterOf(entry);
    });
    if (!entry.isConstant)
      return Status::invalid("kernel '" + getName() + "': parameter '" + entry.name +
                             "' can only be bound to a constant, not to a type");
    if (it == open.end())
      TILERUN_TRY(program->checkGlobal(entry.name));
    else
      open.erase(it);
  }
  kernel = std::make_shared<Kernel>(program, join(bound, constants), open);
  return {};
}

Status Kernel::emit(const plugin::Plugin &plugin, const std::string &target,
                    const std::string &signature, const TilerunCompileOptions &options,
                    const std::string &stage, const Program::TakeArtifact &take) const {
  return program->emit(plugin, target, join(signature, bound), options, stage, take);
}

std::string Kernel::getSignature(Device *device, const Passed &passed) const {
  std::string signature;
  for (uint32_t i = 0; i < passed.count; ++i) {
    const TilerunArgument &argument = passed.arguments[i];
    const bool isSmall = device && device->usesSmall() && mayBeSmall(parameters[i], argument) &&
                         PointerCheck(*device).isSmall(argument.value.address,
                                                       passed.ranges ? &passed.ranges[i] : nullptr);
    signature = join(signature, parameters[i].name + "=" + getSpecText(parameters[i], argument) +
                                    (isSmall ? ":small" : ""));
  }
  return signature;
}

// The type of a scalar without one in the signature: the type that the plugin requires.
static uint16_t getPlainType(const Executable::Parameter &parameter) {
  if (parameter.kind != TILERUN_ARGUMENT_FLOAT)
    return TILERUN_DTYPE_AUTO;
  return parameter.bits == 16   ? TILERUN_DTYPE_FP16
         : parameter.bits == 32 ? TILERUN_DTYPE_FP32
                                : TILERUN_DTYPE_FP64;
}

static bool isOfKind(const SignatureEntry &entry, uint16_t kind) {
  if (entry.isPointer)
    return kind == TILERUN_ARGUMENT_POINTER;
  return kind == (isFloatType(entry.dtype) ? TILERUN_ARGUMENT_FLOAT : TILERUN_ARGUMENT_INTEGER);
}

Executable::MakeGeneral Kernel::makeGeneral(Device &device, const std::string &signature,
                                            const TilerunCompileOptions &options) const {
  // The caller's options live as long as its call.
  std::vector<std::pair<std::string, std::string>> kept;
  for (uint32_t i = 0; i < options.num_options; ++i)
    if (options.options[i].name != std::string_view("tma"))
      kept.emplace_back(options.options[i].name, options.options[i].value);
  kept.emplace_back("tma", "off");
  return [program = program, &device, signature, plain = options,
          kept = std::move(kept)](std::shared_ptr<Executable> &executable) -> Status {
    std::vector<TilerunPluginOption> list;
    for (const auto &[name, value] : kept)
      list.push_back({name.c_str(), value.c_str()});
    TilerunCompileOptions options = plain;
    options.num_options = static_cast<uint32_t>(list.size());
    options.options = list.data();
    CompiledArtifact compiled;
    TILERUN_TRY(program->compile(device, signature, options, compiled));
    return Executable::load(device, *compiled.artifact, program->getName(), executable);
  };
}

Status Kernel::specialize(Device &device, const std::string &signature,
                          const TilerunCompileOptions &options,
                          std::shared_ptr<Specialization> &out) const {
  std::string whole = join(signature, bound);
  std::vector<SignatureEntry> entries;
  if (const std::vector<SignatureEntry> *fixed = program->getFixedSignature())
    entries = *fixed;
  else
    TILERUN_TRY(program->parseSignature(whole, entries));
  auto specialization = std::make_shared<Specialization>();
  specialization->signature = whole;
  specialization->open = signature;
  for (bool again = true;;) {
    CompiledArtifact compiled;
    TILERUN_TRY(program->compile(device, whole, options, compiled));
    Status loaded =
        Executable::load(device, *compiled.artifact, getName(), specialization->executable);
    if (loaded.isOk())
      break;
    if (loaded.getCode() != TILERUN_STATUS_COMPILE &&
        loaded.getCode() != TILERUN_STATUS_INCOMPATIBLE)
      return loaded;
    program->refuse(device, whole, options);
    // A cached artifact may be for another driver: compile again, from the source.
    if (!compiled.fromCache || !std::exchange(again, false))
      return loaded;
  }

  if (specialization->executable->hasRequirements())
    specialization->executable->setGeneral(makeGeneral(device, whole, options));

  const std::vector<SourceParameter> &source = program->getParameters();
  std::vector<const SignatureEntry *> typed;
  for (const SourceParameter &parameter : source)
    for (const SignatureEntry &entry : entries)
      if (getParameterOf(entry) == parameter.name && !entry.isConstant)
        typed.push_back(&entry);
  const auto &wanted = specialization->executable->getParameters();
  for (size_t i = 0; i < wanted.size(); ++i) {
    // By name, or by place where the plugin knows no names.
    const SignatureEntry *entry = nullptr;
    for (const SignatureEntry *candidate : typed)
      if (candidate->name == wanted[i].name)
        entry = candidate;
    if (wanted[i].name.empty() && wanted.size() == typed.size())
      entry = typed[i];
    if (!entry)
      return Status(TILERUN_STATUS_INTERNAL, "the code of kernel '" + getName() + "' for " +
                                                 device.getId() + " needs a parameter '" +
                                                 wanted[i].name +
                                                 "' that its signature does not have");
    Specialization::Place place = {wanted[i].kind, entry->dtype,
                                   static_cast<uint16_t>(wanted[i].offset),
                                   static_cast<uint16_t>(wanted[i].bytes), 0};
    const std::string name = getParameterOf(*entry);
    auto declared = std::find_if(source.begin(), source.end(),
                                 [&](const SourceParameter &p) { return p.name == name; });
    if (!entry->isPointer && name == entry->name && declared->annotation &&
        isFloatType(declared->annotation) == isFloatType(entry->dtype))
      place.dtype = declared->annotation;
    if (!isOfKind(*entry, wanted[i].kind))
      return Status(TILERUN_STATUS_INTERNAL,
                    "the code of kernel '" + getName() + "' for " + device.getId() + " needs " +
                        getKindName(wanted[i].kind) + " for parameter '" + entry->name +
                        "', the signature has " + getTypeName(entry->dtype));
    if (!entry->isPointer && !place.dtype)
      place.dtype = getPlainType(wanted[i]);
    auto open = std::find_if(parameters.begin(), parameters.end(),
                             [&](const SourceParameter &p) { return p.name == name; });
    place.argument = static_cast<uint32_t>(open - parameters.begin());
    specialization->places.push_back(place);
    specialization->parameters.push_back({entry->name, entry->divisibility, entry->isSmall});
  }
  out = std::move(specialization);
  return {};
}

Status Kernel::specializeFor(Device &device, const TilerunCompileOptions &options,
                             const Passed &passed,
                             std::shared_ptr<const Specialization> &out) const {
  std::string signature = getSignature(&device, passed);
  std::shared_ptr<Specialization> specialization;
  TILERUN_TRY(specialize(device, signature, options, specialization));
  for (size_t i = 0; i < specialization->places.size(); ++i)
    if (!isFixed && specialization->places[i].argument >= passed.count)
      return Status(TILERUN_STATUS_INTERNAL, "kernel '" + getName() + "' for " + device.getId() +
                                                 " needs a run-time value for '" +
                                                 specialization->parameters[i].name +
                                                 "', which was not passed");
  out = std::move(specialization);
  return {};
}

Status Kernel::specializeOnce(Device &device, const SpecializationKey &key,
                              const TilerunCompileOptions &options, const Passed &passed,
                              const Specialization *&out) {
  std::vector<uint64_t> words(key.getWords(), key.getWords() + key.getSize());
  std::shared_ptr<Flight> flight;
  bool first = false;
  {
    std::lock_guard lock(mutex);
    // Another thread may have finished since the caller looked.
    out = table.find(key);
    if (out)
      return {};
    auto [it, inserted] = flights.try_emplace(words, nullptr);
    first = inserted;
    if (first) {
      it->second = std::make_shared<Flight>();
      it->second->pilot = std::this_thread::get_id();
    }
    flight = it->second;
  }
  if (!first) {
    if (flight->pilot == std::this_thread::get_id())
      return Status::invalid(
          "kernel '" + getName() +
          "' is launched from a callback of its own compilation (the runtime's log)");
    std::unique_lock lock(flight->mutex);
    flight->landed.wait(lock, [&] { return flight->done; });
    out = flight->value;
    return flight->status;
  }
  std::shared_ptr<const Specialization> value;
  Status status;
  // Waiting threads are notified even if the compilation ends with an exception.
  struct Landing {
    Kernel &kernel;
    Flight &flight;
    const std::vector<uint64_t> &words;
    ~Landing() {
      {
        std::lock_guard lock(kernel.mutex);
        kernel.flights.erase(words); // A failure is forgotten: the next launch tries again.
      }
      std::lock_guard lock(flight.mutex);
      flight.done = true;
      flight.landed.notify_all();
    }
  } landing{*this, *flight, words};
  flight->status = Status(TILERUN_STATUS_OUT_OF_MEMORY, "the host is out of memory");
  status = specializeFor(device, options, passed, value);
  if (status.isOk()) {
    std::lock_guard lock(mutex);
    table.insert(key, value);
  }
  std::lock_guard lock(flight->mutex);
  flight->status = status;
  flight->value = out = value.get();
  return status;
}
