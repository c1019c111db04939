// See Remarks.h.
#include "ir/tile/Remarks.h"

#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace tilerun;

static constexpr llvm::StringLiteral kCategory{"tilerun"}, kReason{"Reason"};

StringRef tilerun::toString(RemarkName name) {
  switch (name) {
#define TILERUN_REMARK(enumerator, name, summary)                                                  \
  case RemarkName::enumerator:                                                                     \
    return name;
#include "ir/tile/Remarks.def"
#undef TILERUN_REMARK
  }
  llvm_unreachable("a remark without a name");
}

ArrayRef<RemarkName> tilerun::allRemarks() {
  static constexpr RemarkName all[] = {
#define TILERUN_REMARK(enumerator, name, summary) RemarkName::enumerator,
#include "ir/tile/Remarks.def"
#undef TILERUN_REMARK
  };
  return all;
}

bool tilerun::wantsRemarks(MLIRContext *context) { return context->getRemarkEngine() != nullptr; }

/// Where in a file the construct itself is: of inlined code in the function that was inlined.
static FileLineColLoc findPlace(Location loc) {
  FileLineColLoc found;
  loc->walk([&](Location inner) {
    if (auto place = dyn_cast<FileLineColLoc>(inner)) {
      found = place;
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return found;
}

unsigned tilerun::findLine(Location loc) {
  FileLineColLoc place = findPlace(loc);
  return place ? place.getLine() : 0;
}

std::string tilerun::describeLine(Location loc) {
  const unsigned line = findLine(loc);
  return line ? " (line " + std::to_string(line) + ")" : "";
}

void tilerun::emitRemark(Operation *op, RemarkName name, const Twine &reason, bool isMissed) {
  if (!wantsRemarks(op->getContext()))
    return;
  auto function = op->getParentOfType<FunctionOpInterface>();
  if (!function)
    function = dyn_cast<FunctionOpInterface>(op);
  auto options = remark::RemarkOpts::name(toString(name))
                     .category(kCategory)
                     .function(function ? function.getName() : StringRef());
  auto emitted =
      isMissed ? remark::missed(op->getLoc(), options) : remark::passed(op->getLoc(), options);
  emitted << remark::detail::Remark::Arg(kReason, reason.str());
}

namespace {
class Collector : public remark::detail::MLIRRemarkStreamerBase {
public:
  explicit Collector(std::shared_ptr<std::vector<CollectedRemark>> remarks)
      : remarks(std::move(remarks)) {}

  void streamOptimizationRemark(const remark::detail::Remark &remark) override {
    CollectedRemark collected;
    collected.name = remark.getRemarkName();
    collected.kernel = remark.getFunction();
    collected.isMissed = remark.getRemarkType() == llvm::remarks::Type::Missed;
    for (const auto &argument : remark.getArgs())
      if (argument.key == kReason)
        collected.reason = argument.val;
    if (FileLineColLoc place = findPlace(remark.getLocation())) {
      collected.file = place.getFilename().str();
      collected.line = place.getLine();
      collected.column = place.getColumn();
    }
    auto isSame = [&](const CollectedRemark &other) {
      return std::tie(other.name, other.kernel, other.file, other.reason, other.line,
                      other.column) == std::tie(collected.name, collected.kernel, collected.file,
                                                collected.reason, collected.line, collected.column);
    };
    if (llvm::none_of(*remarks, isSame))
      remarks->push_back(std::move(collected));
  }

private:
  std::shared_ptr<std::vector<CollectedRemark>> remarks;
};
} // namespace

RemarkCollector::RemarkCollector(MLIRContext *context)
    : context(context), remarks(std::make_shared<std::vector<CollectedRemark>>()) {
  // `all` adds to the filters of kinds that have one; by itself it selects nothing.
  remark::RemarkCategories categories;
  categories.missed = categories.passed = ".*";
  LogicalResult enabled = remark::enableOptimizationRemarks(
      *context, std::make_unique<Collector>(remarks),
      std::make_unique<remark::RemarkEmittingPolicyAll>(), categories);
  (void)enabled; // An engine that writes no file cannot fail.
  assert(succeeded(enabled));
}

RemarkCollector::~RemarkCollector() { context->setRemarkEngine(nullptr); }

std::string RemarkCollector::toText() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const CollectedRemark &remark : *remarks) {
    if (remark.line)
      os << remark.file << ':' << remark.line << ':' << remark.column << ": ";
    os << "remark: " << remark.name << ": " << remark.reason << '\n';
  }
  return text;
}

std::string RemarkCollector::toJson() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::json::OStream json(os, /*IndentSize=*/2);
  json.array([&] {
    for (const CollectedRemark &remark : *remarks)
      json.object([&] {
        json.attribute("name", remark.name);
        json.attribute("missed", remark.isMissed);
        json.attribute("kernel", remark.kernel);
        json.attribute("file", remark.file);
        json.attribute("line", int64_t(remark.line));
        json.attribute("column", int64_t(remark.column));
        json.attribute("reason", remark.reason);
      });
  });
  os << '\n';
  return text;
}
