// The launch of kernels, and the lookup of their code. Specialize.cpp makes the code.
#include "runtime/core/Kernel.h"

#include "runtime/core/PointerCheck.h"

#include <algorithm>
#include <tuple>
#include <utility>

using namespace tilerun;
using namespace tilerun::core;

static Status makeArgumentError(const std::string &kernel, const std::string &parameter,
                                const TilerunArgument &argument, const std::string &what) {
  return Status::invalid("kernel '" + kernel + "': parameter '" + parameter + "' is " + what +
                         "; " + describeArgument(argument) + " was passed");
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

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

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

// One bit for each pointer, whatever the other arguments are. False if the key is full.
bool Kernel::addSmall(Device &device, SpecializationKey &key, const Passed &passed) const {
  PointerCheck pointers(device);
  uint64_t word = 0;
  for (uint32_t i = 0; i < passed.count; ++i) {
    const TilerunArgument &argument = passed.arguments[i];
    if (mayBeSmall(facts[i], argument) &&
        pointers.isSmall(argument.value.address, passed.ranges ? &passed.ranges[i] : nullptr))
      word |= uint64_t(1) << i % 64;
    if ((i % 64 == 63 || i + 1 == passed.count) && !key.add(std::exchange(word, 0)))
      return false;
  }
  return true;
}

[[gnu::always_inline]] inline Status Kernel::makeKeyFor(Device &device, SpecializationKey &key,
                                                        const Passed &passed) const {
  TILERUN_TRY(makeKey(key, passed.arguments, passed.count));
  if (device.usesSmall() && !addSmall(device, key, passed)) [[unlikely]]
    return Status::invalid("kernel '" + getName() +
                           "': the arguments hold more text than a launch can have");
  return {};
}

Status Kernel::checkDefaults(uint32_t numArguments) const {
  if (numArguments > facts.size())
    return Status::invalid("kernel '" + getName() + "' takes " + std::to_string(parameters.size()) +
                           " arguments, " + std::to_string(numArguments) + " were passed");
  std::string missing;
  for (size_t i = numArguments; i < parameters.size(); ++i)
    if (!parameters[i].hasDefault)
      missing += (missing.empty() ? "'" : ", '") + parameters[i].name + "'" +
                 (parameters[i].isConstexpr ? " (tl.constexpr)" : "");
  if (!missing.empty())
    return Status::invalid("kernel '" + getName() + "': " + std::to_string(numArguments) +
                           " arguments were passed; missing " + missing);
  return {};
}

Status Kernel::describe(const TilerunArgument *arguments, uint32_t numArguments,
                        std::string &signature) const {
  if (isFixed)
    return {};
  SpecializationKey key(0, numArguments, {});
  TILERUN_TRY(makeKey(key, arguments, numArguments));
  signature = getSignature(nullptr, {arguments, numArguments, nullptr});
  return {};
}

Status Kernel::prepare(Device &device, const TilerunCompileOptions &options,
                       const TilerunArgument *arguments, uint32_t numArguments,
                       const TilerunMemoryRange *ranges) {
  const Passed passed = {arguments, isFixed ? 0 : numArguments, ranges};
  SpecializationKey key(device.getSerial(), passed.count, options);
  if (!isFixed)
    TILERUN_TRY(makeKeyFor(device, key, passed));
  const Specialization *specialization = table.find(key);
  return specialization ? Status() : specializeOnce(device, key, options, passed, specialization);
}

//===----------------------------------------------------------------------===//
// Launch
//===----------------------------------------------------------------------===//

// Stores the bytes of an argument, whose kind is checked, in their place. False for a pointer that
// the thread has not seen.
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

// Passes the extent of the memory behind each pointer: the host's declaration, or the pool's
// allocation. The plugin knows the driver's own allocations.
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
  const Passed passed = {arguments, isFixed ? 0 : numArguments, ranges};
  SpecializationKey key(device.getSerial(), passed.count, options);
  if (!isFixed) [[likely]]
    TILERUN_TRY(makeKeyFor(device, key, passed));
  const Specialization *specialization = table.find(key);
  if (!specialization) [[unlikely]]
    TILERUN_TRY(specializeOnce(device, key, options, passed, specialization));
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
  auto refuse = [](std::string what) { return Status::invalid(std::move(what)); };
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
    return refuse("given a boolean that is neither 0 nor 1");
  uint64_t bits = argument.value.natural;
  if (divisibility > 1 && bits % static_cast<uint64_t>(divisibility) != 0)
    return refuse("compiled for multiples of " + std::to_string(divisibility) + ", which " +
                  (isInteger ? std::to_string(bits) : formatAddress(bits)) + " is not");
  return {};
}

// Whether the memory behind a pointer is as small as the code relies on. What nobody knows is the
// caller's promise.
static Status checkSmall(const PointerCheck &pointers, const Device &device, TilerunAddress address,
                         const TilerunMemoryRange *range) {
  if (pointers.isSmall(address, range)) [[likely]]
    return {};
  TilerunMemoryRange known = range ? *range : TilerunMemoryRange{};
  if (!known.begin || address - known.begin >= known.num_bytes) {
    const MemoryPool::Place found = device.getPool().find(address);
    std::tie(known.begin, known.num_bytes) = std::tie(found.begin, found.bytes);
  }
  const uint64_t before = address - known.begin;
  if (!known.begin || (known.num_bytes <= TILERUN_SMALL_BYTES && before <= TILERUN_SMALL_BEFORE))
    return {};
  return Status::invalid("compiled for memory below 2 GiB (':small'), with at most 2047 MiB of it "
                         "before the pointer; it has " +
                         std::to_string(known.num_bytes) + " bytes, " + std::to_string(before) +
                         " of them before");
}

Status Kernel::launchSpecialized(const Specialization &specialization, const Stream &stream,
                                 const uint32_t grid[3], const TilerunArgument *arguments,
                                 uint32_t numArguments, uint32_t flags,
                                 const TilerunMemoryRange *ranges) {
  const Executable &executable = *specialization.executable;
  const std::string &name = executable.getName();
  if (executable.getDeviceSerial() != stream.getDevice().getSerial())
    return Status::invalid("kernel '" + name + "' was specialized for another device than " +
                           stream.getDevice().getId() + ", or for another opening of it");
  if (numArguments != specialization.parameters.size())
    return Status::invalid(
        "kernel '" + name + "' takes " + std::to_string(specialization.parameters.size()) +
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
    if (parameter.isSmall) [[unlikely]]
      if (Status status = checkSmall(pointers, stream.getDevice(), arguments[i].value.address,
                                     ranges ? &ranges[i] : nullptr);
          !status.isOk())
        return makeArgumentError(name, parameter.name, arguments[i], status.getMessage());
  }
  if (stream.getDevice().checksBounds()) [[unlikely]]
    return launchInBounds(specialization, stream, grid, packed, flags, ranges, true);
  return executable.launch(stream, grid, packed, flags);
}
