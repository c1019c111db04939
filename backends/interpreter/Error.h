// The interpreter's errors. They know nothing of the device interface; its implementation converts
// them.
#pragma once

#include "llvm/Support/Error.h"

#include <string>

namespace tilerun::interp {

enum class ErrorKind {
  InvalidArgument, ///< The caller passed something invalid.
  OutOfMemory,     ///< An allocation failed; nothing else changed.
  Compile,         ///< The module cannot be decoded; the text has the diagnostics.
  Fault            ///< A program did something wrong while it ran.
};

/// The class of every error that the interpreter returns.
class InterpreterError : public llvm::ErrorInfo<InterpreterError> {
public:
  static char ID;
  InterpreterError(ErrorKind kind, std::string message) : kind(kind), message(std::move(message)) {}
  ErrorKind getKind() const { return kind; }
  const std::string &getMessage() const { return message; }
  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override;

private:
  ErrorKind kind;
  std::string message;
};

llvm::Error makeError(ErrorKind kind, const llvm::Twine &message);

} // namespace tilerun::interp
