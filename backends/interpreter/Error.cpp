// The error class of the interpreter: one kind, one text. See Error.h.
#include "backends/interpreter/Error.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilerun::interp;

char InterpreterError::ID = 0;

void InterpreterError::log(llvm::raw_ostream &os) const { os << message; }

std::error_code InterpreterError::convertToErrorCode() const {
  return llvm::inconvertibleErrorCode();
}

llvm::Error tilerun::interp::makeError(ErrorKind kind, const llvm::Twine &message) {
  return llvm::make_error<InterpreterError>(kind, message.str());
}
