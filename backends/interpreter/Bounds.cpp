// See Bounds.h.
#include "backends/interpreter/Bounds.h"

#include "backends/interpreter/Frame.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tilerun;
using namespace tilerun::interp;

/// Every address that a process can have, except null pointers and those near them.
static constexpr Range kEverything{Frame::kNearNull, (uint64_t(1) << 63) - Frame::kNearNull};

Bounds::Bounds(const Heap &heap, const Program &program, llvm::ArrayRef<LaunchArgument> arguments,
               bool enforced, bool hostMemory)
    : heap(heap), program(program), arguments(arguments), enforced(enforced),
      hostMemory(hostMemory) {
  for (auto [info, argument] : llvm::zip(program.arguments, arguments)) {
    Pointer &pointer = pointers.emplace_back();
    if (info.type != Dtype::Ptr)
      continue;
    pointer.allocation = heap.findOrigin(argument.bits);
    if (argument.memory.range) {
      pointer.range = *argument.memory.range;
      pointer.isKnown = true;
    } else if (pointer.allocation) {
      pointer.range = {pointer.allocation->base, pointer.allocation->size};
      pointer.isKnown = true;
    } else {
      pointer.isKnown = !hostMemory || Frame::isNull(argument.bits);
    }
    if (pointer.allocation && !pointer.allocation->live)
      pointer.range = {};
    if (!pointer.isKnown)
      pointer.range = kEverything;
  }
  for (const Origin &origin : program.origins) {
    auto &all = ranges.emplace_back();
    if (!enforced)
      all.push_back(kEverything);
    else
      for (uint32_t argument : origin.arguments)
        all.push_back(pointers[argument].range);
  }
}

std::vector<Range> Bounds::getFirstRanges() const {
  std::vector<Range> first;
  first.reserve(ranges.size());
  for (llvm::ArrayRef<Range> all : ranges)
    first.push_back(all.empty() ? Range() : all.front());
  return first;
}

bool Bounds::isKnown(uint64_t address) const {
  if (auto allocation = heap.findOrigin(address); allocation && allocation->contains(address, 1))
    return true;
  return llvm::any_of(pointers, [&](const Pointer &pointer) {
    return pointer.isKnown && pointer.range.contains(address, 1);
  });
}

std::optional<Range> Bounds::find(uint32_t index, uint64_t address, uint64_t bytes,
                                  bool knownOnly) const {
  for (const Range &range : ranges[index])
    if (range.contains(address, bytes))
      return range;
  if (!enforced || !program.origins[index].unknown)
    return std::nullopt;
  if (auto allocation = heap.findOrigin(address);
      allocation && allocation->live && allocation->contains(address, bytes))
    return Range{allocation->base, allocation->size};
  for (const Pointer &pointer : pointers)
    if (pointer.isKnown && pointer.range.contains(address, bytes))
      return pointer.range;
  // An access that begins in known memory must end there. Only the access: the next address may be
  // in another allocation.
  if (hostMemory && !knownOnly && kEverything.contains(address, bytes) && !isKnown(address))
    return Range{address, bytes};
  return std::nullopt;
}

bool Bounds::isFreed(uint64_t address, unsigned bytes) const {
  auto allocation = heap.findOrigin(address);
  return allocation && !allocation->live && allocation->contains(address, bytes);
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

static uint64_t getDistance(const Range &range, uint64_t address) {
  if (address < range.begin)
    return range.begin - address;
  return address - range.begin < range.size ? 0 : address - range.begin - range.size + 1;
}

std::optional<size_t> Bounds::findNearest(uint32_t index, uint64_t address) const {
  const Origin &origin = program.origins[index];
  std::optional<size_t> nearest;
  uint64_t best = UINT64_MAX;
  auto look = [&](size_t argument) {
    const Pointer &pointer = pointers[argument];
    const Range range = pointer.allocation ? Range{pointer.allocation->base,
                                                   std::max<uint64_t>(pointer.allocation->size, 1)}
                                           : pointer.range;
    const uint64_t distance = getDistance(range, address);
    // Of two views of one allocation, the one that begins closest below.
    auto gap = [&](size_t a) {
      return address >= arguments[a].bits ? address - arguments[a].bits
                                          : UINT64_MAX - (arguments[a].bits - address);
    };
    if (!nearest || distance < best || (distance == best && gap(argument) < gap(*nearest))) {
      best = distance;
      nearest = argument;
    }
  };
  for (uint32_t argument : origin.arguments)
    look(argument);
  if (nearest || !origin.unknown)
    return nearest;
  // An address of unknown origin is reported relative to the allocation that contains it.
  for (size_t i = 0; i < pointers.size(); ++i)
    if (pointers[i].isKnown && pointers[i].range.contains(address, 1))
      look(i);
  return nearest;
}

/// The index of an element at a distance from the first one, of a tensor whose elements follow each
/// other; the outermost index may be outside its extent.
static std::vector<int64_t> getIndex(int64_t distance, llvm::ArrayRef<int64_t> shape) {
  std::vector<int64_t> index(shape.size());
  for (size_t d = shape.size(); d-- > 1;) {
    const int64_t rest = distance % shape[d];
    index[d] = rest < 0 ? rest + shape[d] : rest;
    distance = (distance - index[d]) / shape[d];
  }
  index[0] = distance;
  return index;
}

static std::string formatIndex(llvm::ArrayRef<int64_t> index) {
  return "[" + llvm::join(llvm::map_range(index, [](int64_t i) { return llvm::itostr(i); }), ", ") +
         "]";
}

std::string Bounds::describe(uint32_t origin, uint64_t address) const {
  if (Frame::isNull(address))
    return describeNull(address);
  const std::optional<size_t> argument = findNearest(origin, address);
  if (!argument)
    return llvm::formatv("address {0:x}", address).str();
  const ArgumentInfo &info = program.arguments[*argument];
  const auto distance = int64_t(address - arguments[*argument].bits);
  if (!info.elementBytes || distance % int64_t(info.elementBytes) != 0)
    return llvm::formatv("'{0}' {1} {2}", info.name, distance < 0 ? "-" : "+",
                         describeBytes(distance < 0 ? 0 - uint64_t(distance) : uint64_t(distance)))
        .str();
  const int64_t elements = distance / int64_t(info.elementBytes);
  const auto &memory = arguments[*argument].memory;
  return "'" + info.name + "'" +
         (memory.isDense() ? formatIndex(getIndex(elements, memory.shape))
                           : formatIndex({elements}));
}

std::string Bounds::findOwner(uint64_t address, std::optional<size_t> besides) const {
  for (size_t i = 0; i < pointers.size(); ++i)
    if (i != besides && pointers[i].isKnown && pointers[i].range.contains(address, 1))
      return program.arguments[i].name;
  return "";
}

std::string Bounds::describeOutside(size_t argument, uint64_t address, unsigned bytes) const {
  const Pointer &pointer = pointers[argument];
  const ArgumentInfo &info = program.arguments[argument];
  const LaunchMemory &memory = arguments[argument].memory;
  std::string text = ", outside of its ";
  const uint64_t bits = arguments[argument].bits;
  const uint64_t end = pointer.range.begin + pointer.range.size;
  const uint64_t left = end > bits ? end - bits : 0;
  if (memory.hasShape && !memory.shape.empty())
    text += "shape " + formatIndex(memory.shape);
  else if (info.elementBytes && left >= info.elementBytes)
    text += left / info.elementBytes == 1 ? std::string("one element")
                                          : llvm::utostr(left / info.elementBytes) + " elements";
  else
    text += describeBytes(left);
  if (std::string owner = findOwner(address, argument); !owner.empty())
    text += " and in the memory of '" + owner + "'";
  return text;
}

std::string Bounds::describeFault(const Step &step, llvm::StringRef access, uint64_t address,
                                  unsigned bytes) const {
  const std::string what = llvm::formatv("{0} of {1} at {2}", access, describeBytes(bytes),
                                         describe(step.origin, address));
  if (Frame::isNull(address))
    return what + ", which has no memory; a tensor without elements may be passed, but not "
                  "accessed";
  if (isFreed(address, bytes))
    return what + ", which was freed";
  const std::optional<size_t> argument = findNearest(step.origin, address);
  const std::string hint = step.shape.empty() ? ""
                           : step.masked      ? "; is the mask too wide?"
                                              : "; is a mask missing?";
  if (!argument)
    return what + ", which is not in any tensor" + hint;
  return what + describeOutside(*argument, address, bytes) + hint;
}

bool LaunchMemory::isDense() const {
  if (!hasShape || shape.empty() || shape.size() != strides.size())
    return false;
  int64_t stride = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    if (shape[d] <= 0 || (strides[d] != stride && shape[d] != 1))
      return false;
    stride *= shape[d];
  }
  return true;
}
