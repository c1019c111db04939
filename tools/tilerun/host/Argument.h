// Values as the command line writes them: a tensor with shape, strides and contents
// (`f32[64,K]{K,1}:randn(1)`), a file (`@x.npy`, `bf16@w.npy`), or an expression.
//
//   DTYPE[DIM, …]{STRIDE, …}:CONTENTS    dimensions, strides and arguments are expressions
//   contents: zeros  ones  full(v)  arange  arange(start[, step])  rand(seed)  randn(seed)
//             randint(low, high, seed)  empty (never written: reads are found by checks)  @FILE.npy
#pragma once

#include "tools/tilerun/host/Evaluator.h"

#include <map>

namespace tilerun::host {

/// Tensors that were filled, by all that decides their contents and by the argument that has them:
/// contexts that share it fill each once. Such a tensor must not be changed.
using FilledTensors = std::map<std::string, Tensor>;

/// State shared by the expressions of one command. Not thread-safe.
struct ExpressionContext {
  SourceManager &sources;
  DiagnosticEngine &diagnostics;
  ast::Context &arena;
  Evaluator &evaluator;
  FilledTensors *filled = nullptr; ///< Null: every tensor is filled.
};

/// Parses bytes [begin, end) of a file as one expression; null after reporting errors.
const ast::Expr *parseExpressionAt(ExpressionContext &context, uint32_t file, uint32_t begin,
                                   uint32_t end);

/// Evaluates text that messages call `name` ("--grid").
mlir::FailureOr<Value> evaluateText(ExpressionContext &context, llvm::StringRef name,
                                    llvm::StringRef text);

/// Evaluates the text of an argument; messages call it `name` ("argument 'x'").
mlir::FailureOr<Value> evaluateArgument(ExpressionContext &context, llvm::StringRef name,
                                        llvm::StringRef text);

/// Fills a tensor by an initializer and its arguments.
llvm::Error initializeTensor(Tensor &tensor, llvm::StringRef initializer,
                             llvm::ArrayRef<Value> args);

} // namespace tilerun::host
