// How much a launch does, and how fast that is: bytes and operations over time.
#pragma once

#include "tools/tilerun/command/Launch.h"

namespace tilerun::command {

inline constexpr const char *kInterpreterTimes =
    "times of the interpreter, which say nothing about a GPU";

/// A number that is not negative, with three digits or so: "0.0123", "1.23", "12.3", "1234".
std::string formatDigits(double value);
/// The same with a prefix of the unit: "12.3 GB/s".
std::string formatAmount(double amount, llvm::StringRef unit);

/// Appends the rates of a launch that took `seconds` to what --time prints, or why they are not
/// known; to JSON the counts too.
void printRates(llvm::raw_ostream &os, Launch &launch, double seconds);
void addRates(llvm::json::Object &object, Launch &launch, double seconds);

} // namespace tilerun::command
