// Fuzzes the layout parser: no input may crash it, and what it accepts must survive a round trip
// and every query.
#include "ir/layout/Conversion.h"
#include "ir/layout/LinearLayout.h"
#include <cstdlib>

using namespace tilerun::layout;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  llvm::Expected<LinearLayout> layout = LinearLayout::parse(text);
  if (!layout) {
    llvm::consumeError(layout.takeError());
    return 0;
  }
  llvm::Expected<LinearLayout> again = LinearLayout::parse(layout->toString());
  if (!again || *again != *layout)
    std::abort();
  layout->freeVariableMasks();
  LinearLayout pseudo = layout->pseudoInvert();
  if (layout->compose(pseudo).compose(*layout) != *layout)
    std::abort();
  llvm::Expected<ConversionPlan> plan = planConversion(*layout, *layout);
  if (!plan)
    llvm::consumeError(plan.takeError());
  else if (plan->kind != ConversionKind::None)
    std::abort();
  return 0;
}
