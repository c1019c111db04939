// An SVG image that is a column of lines of text and of drawings between them.
#pragma once

#include "tools/tilerun/picture/CellMap.h"

namespace tilerun::picture {

class Sheet {
public:
  static constexpr unsigned kMargin = 12, kLine = 18;

  /// In lines that fit, broken at spaces where it has some. `style`: "h" a heading, "n" a note, "".
  void writeText(llvm::StringRef text, llvm::StringRef style);
  /// Room for what draws itself, which begins at the height that getTop() gives.
  llvm::raw_ostream &getStream() { return os; }
  unsigned getTop() const { return y; }
  void add(Extent extent);
  void draw(const CellMap &map) { add(picture::draw(os, map, y)); }
  void skip() { y += kMargin; }

  /// The image; `style` is CSS besides that of text and maps.
  void write(llvm::raw_ostream &to, llvm::StringRef title, llvm::StringRef style) const;

private:
  std::string body;
  llvm::raw_string_ostream os{body};
  unsigned y = kMargin, width = 680;
};

} // namespace tilerun::picture
