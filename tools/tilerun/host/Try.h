// Ends a function with the error that an expression gives, as TILERUN_TRY does in the runtime.
#pragma once

#include "llvm/Support/Error.h"
#include "llvm/Support/LogicalResult.h"

/// Declares `name` as the value of an llvm::Expected.
#define TILERUN_TRY_VALUE(name, ...)                                                               \
  auto name##OrError = (__VA_ARGS__);                                                              \
  if (!name##OrError)                                                                              \
    return name##OrError.takeError();                                                              \
  auto &name = *name##OrError

/// The same of a FailureOr, whose failure is a diagnostic already.
#define TILERUN_TRY_RESULT(name, ...)                                                              \
  auto name##OrFailure = (__VA_ARGS__);                                                            \
  if (llvm::failed(name##OrFailure))                                                               \
    return llvm::failure();                                                                        \
  auto &name = *name##OrFailure

/// For an llvm::Error.
#define TILERUN_TRY_ERROR(...)                                                                     \
  do {                                                                                             \
    if (llvm::Error error_ = (__VA_ARGS__))                                                        \
      return error_;                                                                               \
  } while (false)
