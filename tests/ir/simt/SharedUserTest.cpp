// Every op says how it touches shared memory; one that does not is refused.
#include "ir/simt/sync/Barriers.h"
#include "ir/tile/RegisterDialects.h"
#include "tests/ir/simt/SharedUserCheck.h"

#include "mlir/Parser/Parser.h"
#include "gtest/gtest-spi.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;
using namespace tilerun::test;

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

/// A backend's dialect: one op starts an asynchronous copy into a buffer in a way that only this
/// vendor has, another one forgets to say what it does.
class VendorCopyOp
    : public Op<VendorCopyOp, OpTrait::ZeroResults, OpTrait::OneOperand, SharedUser::Trait> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(VendorCopyOp)
  using Op::Op;
  static StringRef getOperationName() { return "vendor.copy"; }
  static ArrayRef<StringRef> getAttributeNames() { return {}; }
  // It answers for the interface, as every op does.
  // NOLINTNEXTLINE(bugprone-derived-method-shadowing-base-method)
  SharedUse getSharedUse() {
    SharedUse use;
    use.accesses = {{getOperand(), SharedUse::Kind::Write, AsyncQueue::Copies}};
    return use;
  }
};

class VendorForgetsOp
    : public Op<VendorForgetsOp, OpTrait::ZeroResults, OpTrait::VariadicOperands> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(VendorForgetsOp)
  using Op::Op;
  static StringRef getOperationName() { return "vendor.forgets"; }
  static ArrayRef<StringRef> getAttributeNames() { return {}; }
};

class VendorDialect : public Dialect {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(VendorDialect)
  explicit VendorDialect(MLIRContext *context)
      : Dialect("vendor", context, TypeID::get<VendorDialect>()) {
    addOperations<VendorCopyOp, VendorForgetsOp>();
  }
  static StringRef getDialectNamespace() { return "vendor"; }
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
  llvm::StringSet<> dialects = expectSharedUsers(context);
  EXPECT_TRUE(dialects.contains("simt"));
  EXPECT_TRUE(dialects.contains("silent"));
  EXPECT_EQ(dialects.size(), 2u);
}

// Of an op without the interface in a dialect that takes part, the check names it.
TEST_F(SharedUserTest, AnOpThatForgetsItIsNamed) {
  context.loadDialect<VendorDialect>();
  EXPECT_NONFATAL_FAILURE(expectSharedUsers(context),
                          "vendor.forgets declares neither NoSharedUse nor SaysSharedUse");
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

TEST_F(SharedUserTest, OpsOfABackendsDialectAreHeard) {
  context.loadDialect<VendorDialect>();
  const std::string copy = "%b = simt.shared_alloc 16\n\"vendor.copy\"(%b) : (!simt.shared) -> ()\n"
                           "simt.async_commit\nsimt.async_wait 0\n",
                    load = "%v = simt.shared_load %b[%o] : vector<1xi32>\n";
  auto barriersOf = [&](const std::string &body) {
    OwningOpRef<ModuleOp> module =
        parseSourceString<ModuleOp>("func.func @k(%o: i32) {\n" + body + "return }", &context);
    EXPECT_TRUE(module);
    func::FuncOp kernel = *module->getOps<func::FuncOp>().begin();
    EXPECT_TRUE(succeeded(insertBarriers(kernel, BarrierScope::Program)));
    unsigned barriers = 0;
    kernel.walk([&](BarrierOp) { ++barriers; });
    return barriers;
  };
  EXPECT_EQ(barriersOf(copy), 0u);
  EXPECT_EQ(barriersOf(copy + load), 1u);
  EXPECT_EQ(errorOf("\"vendor.forgets\"() : () -> ()\n"),
            "1: 'vendor.forgets' op may touch shared memory, but does not say how; it must "
            "implement the interface SharedUser");
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
