// A kernel at each level side by side, as one file of HTML: pointing at a line marks the lines of
// the other levels that come from the same line of the source.
#pragma once

#include "tools/tilerun/host/Diff.h"
#include "tools/tilerun/picture/LinkedText.h"

#include "llvm/Support/raw_ostream.h"

namespace tilerun::picture {

struct Explanation {
  std::string title;
  std::vector<std::string> facts; ///< Target, registers, …: one a line.
  struct Level {
    std::string name, description;
    std::vector<LinkedLine> lines;
    unsigned firstLine = 0; ///< Number of the first line, which are shown; 0: none is.
    bool isShown = true;    ///< At first.
  };
  std::vector<Level> levels; ///< The source first.
  struct Note {
    unsigned line = 0; ///< Of the source; 0: of none.
    std::string name, text;
  };
  std::vector<Note> notes; ///< Remarks.
  struct Picture {
    std::string name, title, svg; ///< "timeline"; its name in files and options.
  };
  std::vector<Picture> pictures; ///< Above the levels, each of which can be opened.
  /// What a pass changed, which can be opened, too.
  struct Change {
    std::string pass;
    std::vector<host::DiffLine> lines; ///< None: nothing.
    size_t added = 0, removed = 0;
  };
  std::vector<Change> changes; ///< In the order of the compiler.
};

void writeHtml(llvm::raw_ostream &os, const Explanation &explanation);

} // namespace tilerun::picture
