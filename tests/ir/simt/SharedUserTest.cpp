// Every op says how it touches shared memory; one that does not is refused.
#include "ir/simt/sync/Barriers.h"
#include "ir/tile/RegisterDialects.h"

#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;

namespace {

/// An op that does not describe its accesses, unlike `NoSharedUse`.
class SilentOp
    : public Op<SilentOp, OpTrait::ZeroResults, OpTrait::VariadicOperands, SharedUser::Trait> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SilentOp)
  using Op::Op;
  static StringRef getOperationName() { return "silent.op"; }
  static ArrayRef<StringRef> getAttributeNames() { return {}; }
};

class SilentDialect : public Dialect {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SilentDialect)
  explicit SilentDialect(MLIRContext *context)
      : Dialect("silent", context, TypeID::get<SilentDialect>()) {
    addOperations<SilentOp>();
  }
  static StringRef getDialectNamespace() { return "silent"; }
};

class SharedUserTest : public ::testing::Test {
protected:
  SharedUserTest() {
    DialectRegistry registry;
    registerAllDialects(registry);
    registry.insert<SimtDialect, SilentDialect, vector::VectorDialect>();
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    context.allowUnregisteredDialects();
  }
  /// The error of insertBarriers about a kernel, with the line of its body.
  std::string errorOf(const std::string &body, const std::string &arguments = "") {
    std::string error;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &d) {
      auto place = dyn_cast<FileLineColLoc>(d.getLocation());
      error += (place ? std::to_string(place.getLine() - 1) : "?") + ": " + d.str();
      return success();
    });
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
        "func.func @k(" + arguments + ") {\n" + body + "return }", &context);
    if (!module)
      return "does not parse: " + error;
    func::FuncOp kernel = *module->getOps<func::FuncOp>().begin();
    EXPECT_EQ(failed(insertBarriers(kernel, BarrierScope::Program)), !error.empty());
    return error;
  }

  MLIRContext context;
};

TEST_F(SharedUserTest, EveryOpSaysWhetherItTouchesSharedMemory) {
  unsigned ops = 0;
  for (RegisteredOperationName name : context.getRegisteredOperations()) {
    if (name.getDialectNamespace() != "simt")
      continue;
    ++ops;
    EXPECT_TRUE(name.hasInterface<SharedUser>())
        << name.getStringRef().str() << " lacks NoSharedUse or SaysSharedUse in SimtOps.td";
  }
  EXPECT_GT(ops, 30u);
}

TEST_F(SharedUserTest, AnOpThatDoesNotSayIsAnError) {
  EXPECT_EQ(errorOf("\"other.touch\"() : () -> ()\n"),
            "1: 'other.touch' op may touch shared memory, but does not say how; it must implement "
            "the interface SharedUser");
  // Inside a region as well.
  EXPECT_EQ(errorOf("scf.if %c {\n\"other.touch\"() : () -> ()\n}\n", "%c: i1"),
            "2: 'other.touch' op may touch shared memory, but does not say how; it must implement "
            "the interface SharedUser");
}

TEST_F(SharedUserTest, OpsOfOtherDialectsThatTouchNothingOrGlobalMemoryAlonePass) {
  EXPECT_EQ(errorOf("%s = arith.addi %n, %n : i32\ntile.barrier\ntile.grid_dependency wait\n"
                    "scf.for %i = %n to %n step %n : i32 {\n%p = tile.program_id 0\n}\n",
                    "%n: i32"),
            "");
}

TEST_F(SharedUserTest, WhatAnOpSaysAgreesWithItsOperands) {
  EXPECT_EQ(errorOf("%b = simt.shared_alloc 16\n\"silent.op\"(%b) : (!simt.shared) -> ()\n"),
            "2: 'silent.op' op takes or touches shared memory by its operands or effects, but says "
            "that it does not");
  EXPECT_EQ(errorOf("\"silent.op\"(%n) : (i32) -> ()\n", "%n: i32"), "");
}

TEST_F(SharedUserTest, ABufferIsTheResultOfAnAllocation) {
  EXPECT_EQ(errorOf("%v = simt.shared_load %b[%o] : vector<1xi32>\n", "%b: !simt.shared, %o: i32"),
            "1: 'simt.shared_load' op uses a buffer of shared memory that is not the result of a "
            "simt.shared_alloc");
}

} // namespace
