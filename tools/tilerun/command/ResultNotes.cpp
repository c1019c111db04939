// See ResultNotes.h.
#include "tools/tilerun/command/ResultNotes.h"

#include <cmath>

using namespace tilerun;
using namespace tilerun::command;
using host::Tensor;

static const Tensor *findTensor(const Binding &binding, llvm::StringRef name) {
  auto it = binding.values.find(name.str());
  return it == binding.values.end() ? nullptr : it->second.getIf<Tensor>();
}

void command::dropNotesOfInputs(const Binding &binding, std::vector<Finding> &notes) {
  llvm::erase_if(notes, [&](const Finding &note) {
    if (note.kind != "argument-unwritten")
      return false;
    const Tensor *tensor = findTensor(binding, getText(note.json, "argument"));
    return !tensor || !tensor->poisoned;
  });
}

namespace {
struct Nans {
  int64_t count = 0, first = 0; ///< Position in row-major order.
};
} // namespace

/// With `poisoned`, elements all of whose bits are set do not count: they were never written.
static Nans countNans(const Tensor &tensor, bool poisoned) {
  Nans nans;
  const uint8_t *bytes = tensor.storage->bytes().data();
  const unsigned size = tensor.elementBytes();
  tensor.forEach([&](int64_t position, uint64_t at) {
    if (!std::isnan(host::loadElement(bytes + at, tensor.dtype.scalar)))
      return;
    if (poisoned && std::all_of(bytes + at, bytes + at + size, [](uint8_t b) { return b == 0xFF; }))
      return;
    if (!nans.count++)
      nans.first = position;
  });
  return nans;
}

static bool hasNans(const host::Value &value) {
  if (const auto *number = value.getIf<double>())
    return std::isnan(*number);
  const auto *tensor = value.getIf<Tensor>();
  return tensor && tensor->dtype.isFloat() && !tensor->poisoned && countNans(*tensor, false).count;
}

void command::noteNans(const Binding &binding, llvm::StringRef kernel,
                       llvm::function_ref<Tensor(const Tensor &)> getAfter,
                       std::vector<Finding> &notes) {
  if (llvm::any_of(binding.values, [](const auto &named) { return hasNans(named.second); }))
    return;
  for (const auto &[name, value] : binding.values) {
    const auto *tensor = value.getIf<Tensor>();
    if (!tensor || !tensor->dtype.isFloat())
      continue;
    const Nans nans = countNans(getAfter(*tensor), tensor->poisoned);
    if (!nans.count)
      continue;
    Finding &note = notes.emplace_back();
    note.kind = "nan-in-output";
    note.kernel = kernel.str();
    note.isNote = true;
    const host::Shape first = host::unravel(nans.first, tensor->shape);
    note.message = llvm::formatv(
        "{0} of {1} elements of '{2}' are NaN, the first of them is {3}; no argument had "
        "one: 'tilerun check --nan-inf' finds the operation, 'tilerun debug' (nan) goes there",
        nans.count, tensor->numElements(), name, host::formatIndex(first));
    note.json = llvm::json::Object{{"kind", note.kind},
                                   {"severity", "note"},
                                   {"kernel", jsonText(kernel)},
                                   {"argument", jsonText(name)},
                                   {"count", nans.count},
                                   {"element", llvm::json::Array(first)},
                                   {"message", jsonText(note.message)}};
  }
}
