// Fuzzes the layout parser, with its short forms, and the conversion planner with one or two lines
// of text: no input may crash them, accepted layouts must survive a round trip, and a plan's
// sources must hold the elements of the destination.
#include "ir/layout/Conversion.h"
#include "ir/layout/NamedLayouts.h"
#include <cstdlib>

using namespace tilerun::layout;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds) {
  if (!holds)
    std::abort();
}

static std::optional<LinearLayout> parseAndCheck(llvm::StringRef text) {
  llvm::Expected<LinearLayout> layout = parseNamedLayout(text);
  if (!layout) {
    llvm::consumeError(layout.takeError());
    return std::nullopt;
  }
  require(llvm::cantFail(LinearLayout::parse(layout->toString())) == *layout);
  require(layout->compose(layout->pseudoInvert()).compose(*layout) == *layout);
  return std::move(*layout);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto [first, second] = llvm::StringRef(reinterpret_cast<const char *>(data), size).split('\n');
  std::optional<LinearLayout> from = parseAndCheck(first), to = parseAndCheck(second);
  if (!from)
    return 0;
  if (!to)
    to = from;
  llvm::Expected<ConversionPlan> plan = planConversion(*from, *to);
  if (!plan) {
    llvm::consumeError(plan.takeError());
    return 0;
  }
  require(plan->kind != ConversionKind::None || from->rank() >= to->rank());
  for (const Dim &in : to->getIns())
    for (unsigned bit = 0; bit < in.bits; ++bit)
      for (const Dim &out : to->getOuts()) {
        uint64_t held = 0;
        for (const Dim &place : from->getIns()) {
          uint64_t bits = plan->source.getBasis(in.name, bit, place.name);
          for (unsigned b = 0; b < place.bits; ++b)
            if ((bits >> b) & 1)
              held ^= from->getBasis(place.name, b, out.name);
        }
        require(held == to->getBasis(in.name, bit, out.name));
      }
  return 0;
}
