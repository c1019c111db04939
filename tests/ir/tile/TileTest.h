// Shared by the tests of the dialect: a context with every dialect, and the diagnostics it
// reports.
#pragma once

#include "ir/tile/RegisterDialects.h"
#include "ir/tile/TileOps.h"

#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

namespace tilerun::test {

class TileTest : public ::testing::Test {
protected:
  TileTest()
      : context(makeRegistry(), mlir::MLIRContext::Threading::DISABLED), builder(&context),
        handler(&context, [this](mlir::Diagnostic &diagnostic) {
          diagnostics += diagnostic.str() + "\n";
          return mlir::success();
        }) {
    context.loadAllAvailableDialects();
  }

  static mlir::DialectRegistry makeRegistry() {
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    return registry;
  }

  mlir::OwningOpRef<mlir::ModuleOp> parse(llvm::StringRef source) {
    return mlir::parseSourceString<mlir::ModuleOp>(source, &context);
  }

  mlir::Location loc() { return builder.getUnknownLoc(); }
  mlir::Type pointer(mlir::Type pointee) { return tile::PointerType::get(pointee); }
  mlir::RankedTensorType tensor(llvm::ArrayRef<int64_t> shape, mlir::Type element) {
    return mlir::RankedTensorType::get(shape, element);
  }

  mlir::MLIRContext context;
  mlir::OpBuilder builder;
  std::string diagnostics;
  mlir::ScopedDiagnosticHandler handler;
};

/// `op` as text, generic form, with locations.
inline std::string print(mlir::Operation *op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  op->print(os, mlir::OpPrintingFlags().enableDebugInfo().printGenericOpForm());
  return text;
}

} // namespace tilerun::test
