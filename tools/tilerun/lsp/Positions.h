// Places of a text as editors count them: lines and columns from 0, columns in UTF-16 units.
#pragma once

#include "frontend/source/Source.h"

#include "llvm/Support/LSP/Protocol.h"

namespace tilerun::lsp {

using llvm::lsp::Position;
using llvm::lsp::Range;

Position toPosition(const SourceManager &sources, SourceLoc loc);
Range toRange(const SourceManager &sources, SourceRange range);
/// The byte at a position. Past the end of a line: the line's end; past the last line: none.
std::optional<uint32_t> toOffset(const SourceManager &sources, uint32_t file, Position position);
/// The byte at a line and a column of bytes, both from 1, as locations of the IR have them.
std::optional<uint32_t> toOffset(const SourceManager &sources, uint32_t file, unsigned line,
                                 unsigned column);
/// None for what is not a file, such as the language's own library.
std::optional<llvm::lsp::Location> toLocation(const SourceManager &sources, SourceRange range);
/// The name that a byte is in, or right behind; of no length where it is in none.
SourceRange findName(const SourceManager &sources, uint32_t file, uint32_t offset);

} // namespace tilerun::lsp
