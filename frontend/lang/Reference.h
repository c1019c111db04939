// The list of language functions as markdown, for docs/language.md.
#pragma once

#include "frontend/lang/Builtin.h"

#include <string>

namespace tilerun::lang {

/// Every function of the table and of the prelude, by family, with signature and documentation;
/// then the names that are not supported yet. `sources` owns the prelude's text.
std::string renderReference(const LoadedModule &prelude, const SourceManager &sources);

/// "tl.load(pointer, mask=None)".
std::string describeHeader(const Builtin &row);

} // namespace tilerun::lang
