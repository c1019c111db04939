// Specialization and launch of kernels.
#include "runtime/core/Kernel.h"

#include "runtime/core/PointerCheck.h"

#include <algorithm>
#include <tuple>
#include <utility>

using namespace tilerun;
using namespace tilerun::core;

static Status makeArgumentError(const std::string &kernel, const std::string &parameter,
                                const TilerunArgument &argument, const std::string &what) {
  return Status(TILERUN_STATUS_INVALID_ARGUMENT, "kernel '" + kernel + "': parameter '" +
                                                     parameter + "' is " + what + "; " +
                                                     describeArgument(argument) + " was passed");
}

static std::string formatAddress(TilerunAddress address) {
  char text[32];
  std::snprintf(text, sizeof(text), "0x%llx", static_cast<unsigned long long>(address));
  return text;
}

Kernel::Kernel(std::shared_ptr<Program> program, std::string bound,
               const std::vector<SourceParameter> &open)
    : program(std::move(program)), bound(std::move(bound)),
      parameters(this->bound.empty() ? this->program->getParameters() : open),
      facts(parameters.begin(), parameters.end()),
      isFixed(this->program->getFixedSignature() != nullptr) {}

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
      return Status(TILERUN_STATUS_INVALID_ARGUMENT,
                    "kernel '" + getName() + "': parameter '" + entry.name +
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

//===----------------------------------------------------------------------===//
// Specialization
//===----------------------------------------------------------------------===//

static const char *getKindName(uint16_t kind) {
  return kind == TILERUN_ARGUMENT_POINTER ? "a pointer"
         : kind == TILERUN_ARGUMENT_FLOAT ? "a floating-point number"
                                          : "an integer";
}

// The type of a scalar, where the signature says none: by what the plugin wants.
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
    // What was kept from an earlier process may be for another driver: once more, from the source.
    if (!compiled.fromCache || !std::exchange(again, false))
      return loaded;
  }

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
                                                 device.getId() + " wants a parameter '" +
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
                    "the code of kernel '" + getName() + "' for " + device.getId() + " wants " +
                        getKindName(wanted[i].kind) + " for parameter '" + entry->name +
                        "', the signature has " + getTypeName(entry->dtype));
    if (!entry->isPointer && !place.dtype)
      place.dtype = getPlainType(wanted[i]);
    auto open = std::find_if(parameters.begin(), parameters.end(),
                             [&](const SourceParameter &p) { return p.name == name; });
    place.argument = static_cast<uint32_t>(open - parameters.begin());
    specialization->places.push_back(place);
    specialization->parameters.push_back({entry->name, entry->divisibility});
  }
  out = std::move(specialization);
  return {};
}

[[gnu::always_inline]] inline Status Kernel::makeKey(SpecializationKey &key,
                                                     const TilerunArgument *arguments,
                                                     uint32_t numArguments) const {
  if (numArguments > facts.size()) [[unlikely]]
    return checkDefaults(numArguments);
  for (uint32_t i = 0; i < numArguments; ++i)
    if (!addToKey(key, facts[i], arguments[i])) [[unlikely]]
      return makeArgumentError(getName(), parameters[i].name, arguments[i],
                               makeKeyError(facts[i], arguments[i]).getMessage());
  if (numArguments == facts.size()) [[likely]]
    return {};
  return checkDefaults(numArguments);
}

Status Kernel::checkDefaults(uint32_t numArguments) const {
  if (numArguments > facts.size())
    return Status(TILERUN_STATUS_INVALID_ARGUMENT,
                  "kernel '" + getName() + "' takes " + std::to_string(parameters.size()) +
                      " arguments, " + std::to_string(numArguments) + " were passed");
  std::string missing;
  for (size_t i = numArguments; i < parameters.size(); ++i)
    if (!parameters[i].hasDefault)
      missing += (missing.empty() ? "'" : ", '") + parameters[i].name + "'" +
                 (parameters[i].isConstexpr ? " (tl.constexpr)" : "");
  if (!missing.empty())
    return Status(TILERUN_STATUS_INVALID_ARGUMENT,
                  "kernel '" + getName() + "': " + std::to_string(numArguments) +
                      " arguments were passed; missing " + missing);
  return {};
}

std::string Kernel::getSignature(const TilerunArgument *arguments, uint32_t numArguments) const {
  std::string signature;
  for (uint32_t i = 0; i < numArguments; ++i)
    signature =
        join(signature, parameters[i].name + "=" + getSpecText(parameters[i], arguments[i]));
  return signature;
}

Status Kernel::describe(const TilerunArgument *arguments, uint32_t numArguments,
                        std::string &signature) const {
  if (isFixed)
    return {};
  SpecializationKey key(0, numArguments, {});
  TILERUN_TRY(makeKey(key, arguments, numArguments));
  signature = getSignature(arguments, numArguments);
  return {};
}

Status Kernel::specializeFor(Device &device, const TilerunCompileOptions &options,
                             const TilerunArgument *arguments, uint32_t numArguments,
                             std::shared_ptr<const Specialization> &out) const {
  std::string signature = getSignature(arguments, numArguments);
  std::shared_ptr<Specialization> specialization;
  TILERUN_TRY(specialize(device, signature, options, specialization));
  for (size_t i = 0; i < specialization->places.size(); ++i)
    if (!isFixed && specialization->places[i].argument >= numArguments)
      return Status(TILERUN_STATUS_INTERNAL, "kernel '" + getName() + "' for " + device.getId() +
                                                 " wants a run-time value for '" +
                                                 specialization->parameters[i].name +
                                                 "', which was not passed");
  out = std::move(specialization);
  return {};
}

Status Kernel::specializeOnce(Device &device, const SpecializationKey &key,
                              const TilerunCompileOptions &options,
                              const TilerunArgument *arguments, uint32_t numArguments,
                              const Specialization *&out) {
  std::vector<uint64_t> words(key.getWords(), key.getWords() + key.getSize());
  std::shared_ptr<Flight> flight;
  bool first = false;
  {
    std::lock_guard lock(mutex);
    // Somebody may have landed since the caller looked.
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
      return Status(TILERUN_STATUS_INVALID_ARGUMENT,
                    "kernel '" + getName() +
                        "' is launched by what its own compilation calls (the runtime's log)");
    std::unique_lock lock(flight->mutex);
    flight->landed.wait(lock, [&] { return flight->done; });
    out = flight->value;
    return flight->status;
  }
  std::shared_ptr<const Specialization> value;
  Status status;
  // Those who wait are told also where the compilation is left by an exception.
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
  flight->status = Status(TILERUN_STATUS_OUT_OF_MEMORY, "the host has no more memory");
  status = specializeFor(device, options, arguments, numArguments, value);
  if (status.isOk()) {
    std::lock_guard lock(mutex);
    table.insert(key, value);
  }
  std::lock_guard lock(flight->mutex);
  flight->status = status;
  flight->value = out = value.get();
  return status;
}

//===----------------------------------------------------------------------===//
// Launch
//===----------------------------------------------------------------------===//

// Puts the bytes of an argument, whose kind is checked, in their place. False for a pointer of
// which the thread remembers nothing.
static inline bool pack(const Specialization::Place &place, const TilerunArgument &argument,
                        const PointerCheck &pointers, uint8_t *packed) {
  uint64_t bits = getArgumentBits(argument, place.dtype);
  uint8_t *to = packed + place.offset;
  switch (place.bytes) { // Little-endian, as every host and device here.
  case 8:
    std::memcpy(to, &bits, 8);
    break;
  case 4:
    std::memcpy(to, &bits, 4);
    break;
  case 2:
    std::memcpy(to, &bits, 2);
    break;
  default:
    *to = static_cast<uint8_t>(bits);
  }
  return place.kind != TILERUN_ARGUMENT_POINTER || pointers.isKnown(bits);
}

static Status checkPointer(const PointerCheck &pointers, const TilerunArgument &argument,
                           const std::string &parameter, const std::string &kernel) {
  Status status = pointers.check(argument.value.address);
  if (status.getCode() != TILERUN_STATUS_INVALID_ARGUMENT)
    return status;
  return makeArgumentError(kernel, parameter, argument,
                           "at " + formatAddress(argument.value.address) + ", which is " +
                               status.getMessage());
}

// Tells the memory behind each pointer: what the host says, or the pool's allocation. A driver's
// own allocations the plugin knows.
static Status launchInBounds(const Specialization &specialization, const Stream &stream,
                             const uint32_t grid[3], const uint8_t *packed, uint32_t flags,
                             const TilerunMemoryRange *given, bool givenByPlace) {
  Device &device = stream.getDevice();
  TilerunMemoryRange ranges[kMaxParameters];
  TilerunMemoryRange *range = ranges;
  for (const Specialization::Place &place : specialization.places) {
    *range = given ? given[givenByPlace ? range - ranges : place.argument] : TilerunMemoryRange{};
    if (place.kind == TILERUN_ARGUMENT_POINTER && !range->begin) {
      TilerunAddress address = 0;
      std::memcpy(&address, packed + place.offset, sizeof(address));
      const MemoryPool::Place found = device.getPool().find(address);
      if (found.block && found.generation % 2)
        std::tie(range->begin, range->num_bytes) = std::tie(found.begin, found.bytes);
    }
    ++range;
  }
  if (device.usesHostMemory())
    flags |= TILERUN_LAUNCH_HOST_MEMORY;
  return specialization.executable->launch(stream, grid, packed, flags, ranges);
}

Status Kernel::launch(const Stream &stream, const uint32_t grid[3],
                      const TilerunCompileOptions &options, const TilerunArgument *arguments,
                      uint32_t numArguments, uint32_t flags, const TilerunMemoryRange *ranges,
                      const Specialization **used) {
  Device &device = stream.getDevice();
  SpecializationKey key(device.getSerial(), isFixed ? 0 : numArguments, options);
  if (!isFixed) [[likely]]
    TILERUN_TRY(makeKey(key, arguments, numArguments));
  const Specialization *specialization = table.find(key);
  if (!specialization) [[unlikely]]
    TILERUN_TRY(specializeOnce(device, key, options, arguments, isFixed ? 0 : numArguments,
                               specialization));
  if (used)
    *used = specialization;
  if (isFixed) [[unlikely]]
    return launchSpecialized(*specialization, stream, grid, arguments, numArguments, flags, ranges);
  const Executable &executable = *specialization->executable;
  TILERUN_TRY(executable.checkGrid(grid));
  alignas(8) uint8_t packed[kMaxPackedBytes];
  PointerCheck pointers(device);
  for (const Specialization::Place &place : specialization->places)
    if (!pack(place, arguments[place.argument], pointers, packed)) [[unlikely]]
      TILERUN_TRY(checkPointer(
          pointers, arguments[place.argument],
          specialization->parameters[&place - specialization->places.data()].name, getName()));
  if (device.checksBounds()) [[unlikely]]
    return launchInBounds(*specialization, stream, grid, packed, flags, ranges, false);
  return executable.launch(stream, grid, packed, flags);
}

// Whether an argument has the type and the facts of a parameter.
static Status checkFacts(const Specialization::Place &place, int64_t divisibility,
                         const TilerunArgument &argument) {
  auto refuse = [](std::string what) {
    return Status(TILERUN_STATUS_INVALID_ARGUMENT, std::move(what));
  };
  auto type = [&] { return std::string(getTypeName(place.dtype)); };
  if (argument.reserved)
    return refuse(describeReserved(argument));
  bool isInteger = argument.kind == TILERUN_ARGUMENT_INTEGER ||
                   argument.kind == TILERUN_ARGUMENT_NATURAL ||
                   argument.kind == TILERUN_ARGUMENT_BOOL;
  uint16_t kind = isInteger ? uint16_t(TILERUN_ARGUMENT_INTEGER) : argument.kind;
  if (kind != place.kind)
    return refuse(getKindName(place.kind));
  if (kind == TILERUN_ARGUMENT_POINTER && place.dtype && argument.dtype != place.dtype)
    return refuse("a pointer to " + type());
  if (kind != TILERUN_ARGUMENT_POINTER && argument.dtype && place.dtype &&
      argument.dtype != place.dtype)
    return refuse("of type " + type());
  if (kind == TILERUN_ARGUMENT_FLOAT)
    return {};
  if (isInteger) {
    IntegerValue value = getInteger(argument);
    // Without a dtype the parameter's sign is not known: either reading may fit.
    uint32_t bits = place.bytes * 8;
    bool fits = place.dtype      ? fitsType(value, place.dtype)
                : bits == 64     ? true
                : value.negative ? static_cast<int64_t>(value.bits) >= -(int64_t(1) << (bits - 1))
                                 : value.bits >> bits == 0;
    if (!fits)
      return refuse("of type " + (place.dtype ? type() : "i" + std::to_string(bits)) +
                    ", which cannot hold it");
  }
  if (!isTruthValid(argument))
    return refuse("given a truth value that is neither 0 nor 1");
  uint64_t bits = argument.value.natural;
  if (divisibility > 1 && bits % static_cast<uint64_t>(divisibility) != 0)
    return refuse("compiled for multiples of " + std::to_string(divisibility) + ", which " +
                  (isInteger ? std::to_string(bits) : formatAddress(bits)) + " is not");
  return {};
}

Status Kernel::launchSpecialized(const Specialization &specialization, const Stream &stream,
                                 const uint32_t grid[3], const TilerunArgument *arguments,
                                 uint32_t numArguments, uint32_t flags,
                                 const TilerunMemoryRange *ranges) {
  const Executable &executable = *specialization.executable;
  const std::string &name = executable.getName();
  if (executable.getDeviceSerial() != stream.getDevice().getSerial())
    return Status(TILERUN_STATUS_INVALID_ARGUMENT,
                  "kernel '" + name + "' was specialized for another device than " +
                      stream.getDevice().getId() + ", or for another opening of it");
  if (numArguments != specialization.parameters.size())
    return Status(TILERUN_STATUS_INVALID_ARGUMENT,
                  "kernel '" + name + "' takes " +
                      std::to_string(specialization.parameters.size()) +
                      " arguments at run time, " + std::to_string(numArguments) + " were passed");
  TILERUN_TRY(executable.checkGrid(grid));
  alignas(8) uint8_t packed[kMaxPackedBytes];
  PointerCheck pointers(stream.getDevice());
  for (uint32_t i = 0; i < numArguments; ++i) {
    const Specialization::Place &place = specialization.places[i];
    const Specialization::Parameter &parameter = specialization.parameters[i];
    if (Status status = checkFacts(place, parameter.divisibility, arguments[i]); !status.isOk())
        [[unlikely]]
      return makeArgumentError(name, parameter.name, arguments[i], status.getMessage());
    if (!pack(place, arguments[i], pointers, packed)) [[unlikely]]
      TILERUN_TRY(checkPointer(pointers, arguments[i], parameter.name, name));
  }
  if (stream.getDevice().checksBounds()) [[unlikely]]
    return launchInBounds(specialization, stream, grid, packed, flags, ranges, true);
  return executable.launch(stream, grid, packed, flags);
}
