// See Sweep.h.
#include "tools/tilerun/command/Sweep.h"

#include "tools/tilerun/command/Binding.h"

#include "llvm/ADT/STLExtras.h"

using namespace tilerun;
using namespace tilerun::command;

static constexpr size_t kMost = 10'000;

static llvm::Expected<int64_t> evaluateInteger(Session &session, llvm::StringRef text,
                                               llvm::StringRef option) {
  mlir::FailureOr<host::Value> value =
      host::evaluateText(session.expressions, option, text.trim().str());
  if (mlir::failed(value))
    return session.failure(ExitCode::Usage);
  const std::optional<host::Integer> integer = value->asInteger();
  if (!integer || *integer > INT64_MAX || *integer < INT64_MIN)
    return makeUsageError(option + ": '" + text + "' is " + value->describe() +
                          ", not an integer of 64 bits");
  return static_cast<int64_t>(*integer);
}

static llvm::Error addRange(Session &session, llvm::StringRef text, llvm::StringRef option,
                            std::vector<std::string> &values) {
  auto [firstText, rest] = text.split(':');
  auto [lastText, stepText] = rest.split(':');
  stepText = stepText.trim();
  const bool multiplies = stepText.consume_front("*");
  (void)stepText.consume_front("+");
  TILERUN_TRY_VALUE(first, evaluateInteger(session, firstText, option));
  TILERUN_TRY_VALUE(last, evaluateInteger(session, lastText, option));
  TILERUN_TRY_VALUE(step, evaluateInteger(session, stepText, option));
  if (first > last)
    return makeUsageError(option + ": the range '" + text + "' is empty");
  if (multiplies ? step < 2 || first < 1 : step < 1)
    return makeUsageError(option + ": the range '" + text + "' does not end: " +
                          (multiplies ? "a factor of at least 2 and a positive first value are "
                                        "needed"
                                      : "a step of at least 1 is needed"));
  for (host::Integer value = first; value <= last;
       value = multiplies ? value * step : value + step) {
    if (values.size() == kMost)
      return makeUsageError(option + ": the range '" + text + "' has more than " +
                            llvm::Twine(kMost) + " values");
    values.push_back(host::formatInteger(value));
  }
  return llvm::Error::success();
}

llvm::Expected<Sweep> command::parseSweep(Session &session, llvm::StringRef text,
                                          llvm::StringRef option) {
  TILERUN_TRY_VALUE(split, splitAssignment(text, option));
  Sweep sweep;
  sweep.name = split.first;
  for (llvm::StringRef part : llvm::split(split.second, ',')) {
    part = part.trim();
    if (part.empty())
      continue;
    if (part.count(':') == 2)
      TILERUN_TRY_ERROR(addRange(session, part, option, sweep.values));
    else
      sweep.values.push_back(part.str());
  }
  if (sweep.values.empty())
    return makeUsageError(option + ": '" + text + "' lists no value");
  return sweep;
}

llvm::Expected<std::vector<std::vector<std::string>>>
command::getProduct(llvm::ArrayRef<Sweep> sweeps, llvm::StringRef option) {
  std::vector<std::vector<std::string>> products = {{}};
  for (const Sweep &sweep : sweeps) {
    if (products.size() * sweep.values.size() > kMost)
      return makeUsageError(option + " gives more than " + llvm::Twine(kMost) + " combinations");
    std::vector<std::vector<std::string>> next;
    for (const std::vector<std::string> &product : products)
      for (const std::string &value : sweep.values) {
        next.push_back(product);
        next.back().push_back(sweep.name + "=" + value);
      }
    products = std::move(next);
  }
  return products;
}
