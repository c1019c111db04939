// Between the values of the device interface and those of the interpreter, which does not know it.
#pragma once

#include "backends/interpreter/Launch.h"
#include "runtime/Device.h"

namespace tilerun::cpu {

interp::LaunchArgument toInterpreter(const LaunchArgument &argument);
interp::LaunchOptions toInterpreter(const LaunchOptions &options);
LaunchResult toDevice(interp::LaunchResult result);

/// The same error as a `DeviceError`; success stays success.
llvm::Error toDevice(llvm::Error error);
template <class T> llvm::Expected<T> toDevice(llvm::Expected<T> value) {
  if (!value)
    return toDevice(value.takeError());
  return value;
}

} // namespace tilerun::cpu
