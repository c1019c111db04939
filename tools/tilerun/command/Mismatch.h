// How a mismatch is shown: on a terminal, in JSON, and as a report with pictures.
#pragma once

#include "tools/tilerun/command/Launch.h"

namespace tilerun::command {

/// Histogram, programs and map, below the line that says how many elements are wrong.
void printMismatch(llvm::raw_ostream &os, Painter &painter, const Launch &launch,
                   const Launch::Expectation &expectation);
/// Adds what is known to the object of an expectation.
void addMismatch(llvm::json::Object &object, const Launch &launch,
                 const Launch::Expectation &expectation);
/// The contents of --report.
std::string makeReport(const Launch &launch, Session &session, bool isSvg);

} // namespace tilerun::command
