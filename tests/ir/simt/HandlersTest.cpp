// The table of handlers: complete for the dialects that a kernel is made of, and without
// contradictions.
#include "ir/simt/Handlers.h"
#include "ir/tile/RegisterDialects.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;

namespace {

class HandlersTest : public ::testing::Test {
protected:
  HandlersTest() {
    DialectRegistry registry;
    registerAllDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }
  /// Ops of the dialects that the table must cover completely.
  std::vector<RegisteredOperationName> ops() {
    std::vector<RegisteredOperationName> result;
    for (RegisteredOperationName name : context.getRegisteredOperations())
      if (llvm::is_contained({"tile", "arith", "math", "scf", "ub"}, name.getDialectNamespace()))
        result.push_back(name);
    return result;
  }

  MLIRContext context;
};

TEST_F(HandlersTest, AreListedForEveryOp) {
  EXPECT_GT(ops().size(), 130u);
  for (RegisteredOperationName name : ops())
    EXPECT_NE(findHandler(name) != nullptr, isRefused(name))
        << "Handlers.def must have '" << name.getStringRef().str()
        << "', either with a handler or as refused";
}

TEST_F(HandlersTest, SayWhatBecomesOfTheOp) {
  for (RegisteredOperationName name : ops()) {
    const Handler *handler = findHandler(name);
    if (!handler)
      continue;
    bool isTerminator = name.hasTrait<OpTrait::IsTerminator>();
    EXPECT_EQ(handler->isPartOfParent, isTerminator) << name.getStringRef().str();
    EXPECT_NE(handler->isPartOfParent, handler->lower || handler->build || handler->apply)
        << name.getStringRef().str();
  }
}

} // namespace
