// See PassRecorder.h.
#include "ir/tile/PassRecorder.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace tilerun;

static std::string print(Operation *op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  auto module = dyn_cast<ModuleOp>(op);
  (module ? module : op->getParentOfType<ModuleOp>())->print(os);
  os << "\n";
  return text;
}

namespace tilerun {
class PassWatch final : public PassInstrumentation {
public:
  explicit PassWatch(PassRecorder &recorder) : recorder(recorder) {}
  void runBeforePass(Pass *, Operation *op) override {
    if (recorder.steps.empty())
      recorder.steps.push_back({"", print(op)});
  }
  void runAfterPass(Pass *pass, Operation *op) override {
    // Those that run others on functions have no name of their own.
    if (pass->getArgument().empty())
      return;
    // A pass of functions runs once for each.
    if (!isa<ModuleOp>(op) && recorder.steps.back().pass == pass->getArgument())
      recorder.steps.pop_back();
    recorder.steps.push_back({pass->getArgument().str(), print(op)});
  }

private:
  PassRecorder &recorder;
};
} // namespace tilerun

std::unique_ptr<PassInstrumentation> PassRecorder::makeInstrumentation() {
  return std::make_unique<PassWatch>(*this);
}

std::string PassRecorder::toText() const {
  std::string out;
  llvm::raw_string_ostream os(out);
  const Step *before = nullptr;
  for (const Step &step : steps) {
    if (!before)
      os << "// before all passes\n" << step.text;
    else if (before->text == step.text)
      os << "// " << step.pass << " changes nothing\n";
    else
      os << "// after " << step.pass << "\n" << step.text;
    before = &step;
  }
  return out;
}

std::string PassRecorder::toJson() const {
  llvm::json::Array array;
  for (const Step &step : steps)
    array.push_back(
        llvm::json::Object{{"pass", step.pass}, {"text", llvm::json::fixUTF8(step.text)}});
  return llvm::formatv("{0}\n", llvm::json::Value(std::move(array)));
}
