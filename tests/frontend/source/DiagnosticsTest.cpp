// The form of diagnostics: the caret under its character whatever the line contains, and JSON.
#include "frontend/source/Source.h"
#include "frontend/source/Utf8.h"

#include "llvm/Support/JSON.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace tilerun;

namespace {

/// The printed form of one error at bytes [begin, end) of a text.
std::string print(const std::string &text, uint32_t begin, uint32_t end, bool color = false) {
  SourceManager sources;
  uint32_t file = sources.addText("t.py", text);
  DiagnosticEngine diagnostics(sources);
  diagnostics.error({{file, begin}, end}, "message");
  std::string out;
  raw_string_ostream os(out);
  diagnostics.print(os, color);
  return out;
}

/// The line with the caret.
std::string caret(const std::string &text, uint32_t begin, uint32_t end) {
  std::string out = print(text, begin, end);
  SmallVector<StringRef> lines;
  StringRef(out).split(lines, '\n', -1, false);
  return lines.back().str();
}

TEST(DiagnosticPrinter, LineCaretAndRange) {
  EXPECT_EQ(print("a = 1\nx = foo + 1\n", 10, 13), "t.py:2:5: error: message\n"
                                                   "    x = foo + 1\n"
                                                   "        ^~~\n");
}

TEST(DiagnosticPrinter, EmptyRangeIsOneCaret) {
  EXPECT_EQ(caret("x = foo", 4, 4), "        ^");
  EXPECT_EQ(caret("x = foo", 4, 0), "        ^");
}

TEST(DiagnosticPrinter, EndOfLineAndOfFile) {
  EXPECT_EQ(caret("if x\n", 4, 5), "        ^");
  EXPECT_EQ(caret("if x", 4, 4), "        ^");
}

TEST(DiagnosticPrinter, RangeOverSeveralLinesStopsAtTheFirst) {
  EXPECT_EQ(print("f(a,\n  b)\n", 0, 9), "t.py:1:1: error: message\n"
                                         "    f(a,\n"
                                         "    ^~~~\n");
}

TEST(DiagnosticPrinter, TabsAreExpanded) {
  EXPECT_EQ(print("\tx = 1", 1, 2), "t.py:1:2: error: message\n"
                                    "        x = 1\n"
                                    "        ^\n");
  // A tab goes to the next multiple of four.
  EXPECT_EQ(caret("ab\tx", 3, 4), "        ^");
}

TEST(DiagnosticPrinter, WideCharactersTakeTwoColumns) {
  EXPECT_EQ(caret("\xE6\x97\xA5\xE6\x9C\xAC = x", 9, 10), "           ^");
  EXPECT_EQ(caret("\xE6\x97\xA5\xE6\x9C\xAC = x", 0, 6), "    ^~~~");
}

TEST(DiagnosticPrinter, AccentsTakeOneColumn) {
  EXPECT_EQ(caret("\xC3\xA9t\xC3\xA9 = x", 8, 9), "          ^");
}

TEST(DiagnosticPrinter, CombiningMarksTakeNone) {
  EXPECT_EQ(caret("e\xCC\x81 = x", 6, 7), "        ^");
}

TEST(DiagnosticPrinter, BytesThatAreNotUtf8) {
  std::string out = print("a\xFF\xFE b", 4, 5);
  EXPECT_NE(out.find("    a\xEF\xBF\xBD\xEF\xBF\xBD b\n        ^\n"), std::string::npos) << out;
}

TEST(DiagnosticPrinter, ControlCharactersDoNotReachTheTerminal) {
  std::string out = print(std::string("a\x1b[31m\0b", 8), 7, 8);
  EXPECT_EQ(out.find('\x1b'), std::string::npos);
  EXPECT_EQ(out.find('\0'), std::string::npos);
}

TEST(DiagnosticPrinter, LongLinesAreCutAroundTheCaret) {
  std::string line = std::string(5000, 'a') + "X" + std::string(5000, 'b');
  std::string out = print(line, 5000, 5001);
  SmallVector<StringRef> lines;
  StringRef(out).split(lines, '\n');
  ASSERT_GE(lines.size(), 3u);
  EXPECT_LE(lines[1].size(), 120u);
  EXPECT_TRUE(lines[1].starts_with("    ...aaa"));
  EXPECT_TRUE(lines[1].ends_with("bbb..."));
  size_t column = lines[2].find('^');
  ASSERT_LT(column, lines[1].size());
  EXPECT_EQ(lines[1][column], 'X');
}

TEST(DiagnosticPrinter, LongRangeStaysInTheExcerpt) {
  std::string out = print(std::string(100000, 'a'), 10, 90000);
  for (StringRef line : split(out, '\n'))
    EXPECT_LE(line.size(), 120u);
  // Wide characters and invalid bytes at the cut.
  for (uint32_t at : {0u, 1u, 2u, 600u, 601u, 602u, 2999u}) {
    std::string wide;
    for (int i = 0; i < 1000; ++i)
      wide += i % 7 ? "\xE6\x97\xA5" : "\xFF";
    std::string text = print(wide, at, at + 1);
    EXPECT_NE(text.find('^'), std::string::npos);
    EXPECT_TRUE(json::isUTF8(text)) << at;
  }
}

TEST(DiagnosticPrinter, BlankLineHasNoExcerpt) {
  EXPECT_EQ(print("   \nx", 0, 3), "t.py:1:1: error: message\n");
}

TEST(DiagnosticPrinter, NotesAndSeverities) {
  SourceManager sources;
  uint32_t file = sources.addText("t.py", "f(1)\n");
  DiagnosticEngine diagnostics(sources);
  diagnostics.warning({{file, 2}, 3}, "odd").notes.push_back({{{file, 0}, 1}, "called here"});
  EXPECT_FALSE(diagnostics.hasErrors());
  std::string out;
  raw_string_ostream os(out);
  diagnostics.print(os, false);
  EXPECT_EQ(out, "t.py:1:3: warning: odd\n"
                 "    f(1)\n"
                 "      ^\n"
                 "t.py:1:1: note: called here\n"
                 "    f(1)\n"
                 "    ^\n");
}

TEST(DiagnosticPrinter, WithoutPlace) {
  SourceManager sources;
  DiagnosticEngine diagnostics(sources);
  diagnostics.error({}, "cannot read 'x'");
  std::string out;
  raw_string_ostream os(out);
  diagnostics.print(os, false);
  EXPECT_EQ(out, "error: cannot read 'x'\n");
}

TEST(DiagnosticPrinter, ColourOnlyIfAsked) {
  EXPECT_EQ(print("x", 0, 1, false).find('\x1b'), std::string::npos);
  std::string colored = print("x", 0, 1, true);
  EXPECT_NE(colored.find("\x1b[1;31merror: \x1b[0m"), std::string::npos);
  EXPECT_NE(colored.find("\x1b[1;32m^\x1b[0m"), std::string::npos);
}

TEST(DiagnosticEngine, CountsAndClears) {
  SourceManager sources;
  DiagnosticEngine diagnostics(sources);
  diagnostics.error({}, "a");
  diagnostics.warning({}, "b");
  EXPECT_EQ(diagnostics.getNumErrors(), 1u);
  EXPECT_EQ(diagnostics.getDiagnostics().size(), 2u);
  diagnostics.clear();
  EXPECT_FALSE(diagnostics.hasErrors());
  EXPECT_TRUE(diagnostics.getDiagnostics().empty());
}

TEST(DiagnosticEngine, Json) {
  SourceManager sources;
  uint32_t file = sources.addText("t\xFF.py", "ab\ncd\n");
  DiagnosticEngine diagnostics(sources);
  diagnostics.error({{file, 1}, 4}, "bad \"x\" \xFF")
      .notes.push_back({{{file, 3}, 5}, "defined here"});
  std::string out;
  raw_string_ostream os(out);
  diagnostics.printJson(os);
  Expected<json::Value> value = json::parse(out);
  ASSERT_TRUE(static_cast<bool>(value)) << toString(value.takeError());
  const json::Object &d = *(*value->getAsArray())[0].getAsObject();
  EXPECT_EQ(d.getString("severity"), "error");
  EXPECT_EQ(d.getInteger("line"), 1);
  EXPECT_EQ(d.getInteger("column"), 2);
  EXPECT_EQ(d.getInteger("endLine"), 2);
  EXPECT_EQ(d.getInteger("endColumn"), 2);
  EXPECT_TRUE(d.getString("message")->starts_with("bad \"x\""));
  const json::Object &note = *(*d.getArray("notes"))[0].getAsObject();
  EXPECT_EQ(note.getInteger("line"), 2);
  EXPECT_EQ(note.getString("message"), "defined here");
}

TEST(Utf8, DecodesOnlyWhatIsWellFormed) {
  auto decode = [](StringRef text) { return decodeUtf8(text, 0); };
  EXPECT_EQ(decode("a").codePoint, 0x61u);
  EXPECT_EQ(decode("\xC3\xA9").codePoint, 0xE9u);
  EXPECT_EQ(decode("\xE2\x82\xAC").codePoint, 0x20ACu);
  EXPECT_EQ(decode("\xF0\x9F\x98\x80").codePoint, 0x1F600u);
  // Overlong forms, surrogates, values past the last, lone and cut sequences.
  for (StringRef bad : {"\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\x80",
                        "\xFF", "\xC3", "\xE2\x82", "\xF0\x9F\x98", "\xC3("}) {
    EXPECT_FALSE(decode(bad).valid);
    EXPECT_EQ(decode(bad).length, 1u);
  }
}

TEST(Utf8, EncodesWhatItDecodes) {
  for (uint32_t c : {0x24u, 0x7Fu, 0x80u, 0x7FFu, 0x800u, 0xFFFFu, 0x10000u, 0x10FFFFu}) {
    SmallString<4> text;
    appendUtf8(c, text);
    DecodedChar decoded = decodeUtf8(text, 0);
    EXPECT_TRUE(decoded.valid);
    EXPECT_EQ(decoded.codePoint, c);
    EXPECT_EQ(decoded.length, text.size());
  }
}

} // namespace
