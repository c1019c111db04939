// Removal of unused carried values from loops, on per-thread IR as text.
#include "ir/simt/CarriedValues.h"
#include "ir/tile/RegisterDialects.h"

#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tilerun;
using namespace tilerun::simt;

namespace {

/// How many values each loop of the kernel carries afterwards, outer loops first.
std::string carriedAfter(const std::string &body) {
  DialectRegistry registry;
  registerAllDialects(registry);
  registry.insert<SimtDialect, vector::VectorDialect>();
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  auto module = parseSourceString<ModuleOp>(
      "func.func @k(%p: i64, %n: i32, %c: i1) {\n%z = arith.constant 0 : i32\n"
      "%one = arith.constant 1 : i32\n" +
          body + "\nreturn }",
      &context);
  if (!module)
    return "not parsed";
  func::FuncOp kernel = *module->getOps<func::FuncOp>().begin();
  dropUnusedCarried(kernel);
  if (failed(verify(*module)))
    return "invalid";
  std::string text;
  kernel.walk<WalkOrder::PreOrder>(
      [&](scf::ForOp loop) { text += std::to_string(loop.getNumRegionIterArgs()) + " "; });
  return text;
}

std::string store(const std::string &value) {
  return "%v" + value.substr(0, 1) + " = vector.broadcast %" + value +
         " : i32 to vector<1xi32>\nsimt.store %p, %v" + value.substr(0, 1) + " : vector<1xi32>\n";
}

TEST(CarriedValuesTest, WhatOnlyLeadsToItselfGoes) {
  EXPECT_EQ(
      carriedAfter("%r:3 = scf.for %i = %z to %n step %one iter_args(%a = %z, %b = %z, %d = %z) "
                   "-> (i32, i32, i32) : i32 {\n"
                   "%x = arith.addi %a, %one : i32\n"
                   "%y = arith.addi %b, %x : i32\n" // b uses a
                   "%w = arith.addi %d, %x : i32\n" // d is unused
                   "scf.yield %x, %y, %w : i32, i32, i32 }\n" +
                   store("r#1")),
      "2 ");
}

TEST(CarriedValuesTest, AWantedValueInTheBodyStays) {
  EXPECT_EQ(carriedAfter("%r:2 = scf.for %i = %z to %n step %one iter_args(%a = %z, %b = %z) "
                         "-> (i32, i32) : i32 {\n" +
                         store("a") +
                         "%x = arith.addi %a, %one : i32\n"
                         "scf.yield %x, %b : i32, i32 }\n"),
            "1 ");
}

TEST(CarriedValuesTest, ThroughBranchesAndInnerLoops) {
  EXPECT_EQ(
      carriedAfter("%r:2 = scf.for %i = %z to %n step %one iter_args(%a = %z, %b = %z) -> (i32, "
                   "i32) : i32 {\n"
                   "%s:2 = scf.for %j = %z to %n step %one iter_args(%d = %a, %e = %b) -> (i32, "
                   "i32) : i32 {\n"
                   "%t = scf.if %c -> (i32) { scf.yield %d : i32 } else { scf.yield %one : i32 }\n"
                   "%u = arith.addi %e, %one : i32\n"
                   "scf.yield %t, %u : i32, i32 }\n"
                   "scf.yield %s#0, %s#1 : i32, i32 }\n" +
                   store("r#0")),
      "1 1 ");
}

TEST(CarriedValuesTest, BoundsAndConditionsAreWanted) {
  EXPECT_EQ(carriedAfter("%r:2 = scf.for %i = %z to %n step %one iter_args(%a = %z, %b = %c) -> "
                         "(i32, i1) : i32 {\n"
                         "scf.for %j = %z to %a step %one : i32 {\n" +
                         store("one") +
                         "}\n"
                         "scf.if %b {\n" +
                         store("z") +
                         "}\n"
                         "scf.yield %i, %b : i32, i1 }\n"),
            "2 0 ");
}

} // namespace
