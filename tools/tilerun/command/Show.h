// The forms of what `tilerun show` finds.
#pragma once

#include "tools/tilerun/command/Session.h"
#include "tools/tilerun/host/Accesses.h"

namespace tilerun::command {

/// The source line of each access is the session's.
void printAccesses(llvm::raw_ostream &os, Session &session, const host::Accesses &accesses);
/// docs/show.md has the form.
llvm::json::Object toJson(const host::Accesses &accesses);

} // namespace tilerun::command
