// Tokens of every form, indentation, line joining, and the treatment of all other text.
#include "frontend/lex/Lexer.h"
#include "frontend/source/Utf8.h"

#include "gtest/gtest.h"

#include <random>

using namespace llvm;
using namespace tilerun;

namespace {

struct Lexed {
  std::string tokens; ///< Spellings with blanks between; NL, IN, DE for structure.
  std::vector<LexError> errors;
  std::string firstError() const { return errors.empty() ? "" : errors[0].message; }
};

Lexed lex(std::string text) {
  SourceManager sources;
  uint32_t file = sources.addText("t.py", std::move(text));
  Lexed out;
  Lexer lexer(sources, file, &out.errors);
  uint32_t last = 0;
  while (true) {
    Token token = lexer.next();
    EXPECT_GE(token.begin, last) << "tokens go forwards";
    EXPECT_LE(token.begin, token.end);
    last = token.begin;
    std::string word;
    switch (token.kind) {
    case TokenKind::Eof:
      EXPECT_TRUE(lexer.next().is(TokenKind::Eof));
      return out;
    case TokenKind::Newline:
      word = "NL";
      break;
    case TokenKind::Indent:
      word = "IN";
      break;
    case TokenKind::Dedent:
      word = "DE";
      break;
    case TokenKind::Error:
      word = "ERR";
      break;
    default:
      word = lexer.getText(token).str();
    }
    out.tokens += (out.tokens.empty() ? "" : " ") + word;
  }
}

std::string tokens(std::string text) {
  Lexed out = lex(std::move(text));
  EXPECT_EQ(out.firstError(), "");
  return out.tokens;
}

std::string error(std::string text) { return lex(std::move(text)).firstError(); }

TokenKind only(std::string text) {
  SourceManager sources;
  uint32_t file = sources.addText("t.py", std::move(text));
  return Lexer(sources, file, nullptr).next().kind;
}

TEST(Lexer, EmptyTexts) {
  EXPECT_EQ(tokens(""), "");
  EXPECT_EQ(tokens("\n\n  \n# only a comment"), "");
  EXPECT_EQ(tokens("\xEF\xBB\xBF"), "");
  EXPECT_EQ(tokens("\f"), "");
}

TEST(Lexer, NamesKeywordsOperators) {
  EXPECT_EQ(tokens("if iff not_ None"), "if iff not_ None NL");
  EXPECT_EQ(only("if"), TokenKind::KwIf);
  EXPECT_EQ(only("iff"), TokenKind::Name);
  EXPECT_EQ(only("match"), TokenKind::Name);
  EXPECT_EQ(only("nonlocal"), TokenKind::KwNonlocal);
  EXPECT_EQ(tokens("a**=b//=c<<=d>>=e...f->g:=h"), "a **= b //= c <<= d >>= e ... f -> g := h NL");
  EXPECT_EQ(tokens("a**b*c<=d<e!=f==g=h"), "a ** b * c <= d < e != f == g = h NL");
  EXPECT_EQ(tokens("x@=y@z"), "x @= y @ z NL");
}

TEST(Lexer, EveryOperatorIsLexedAsItself) {
#define TOKEN(Name, Text)
#define KEYWORD(Name, Text)
#define PUNCT(Name, Text) EXPECT_EQ(matchPunctuation(Text), TokenKind::Name) << Text;
#include "frontend/lex/Tokens.def"
}

TEST(Lexer, EveryKeywordIsLexedAsItself) {
#define TOKEN(Name, Text)
#define PUNCT(Name, Text)
#define KEYWORD(Name, Text) EXPECT_EQ(only(Text), TokenKind::Name) << Text;
#include "frontend/lex/Tokens.def"
}

TEST(Lexer, UnicodeNames) {
  EXPECT_EQ(tokens("\xC3\xA9t\xC3\xA9 = \xCE\xB1_1"), "\xC3\xA9t\xC3\xA9 = \xCE\xB1_1 NL");
  EXPECT_TRUE(isNameChar(0x65E5));
  EXPECT_FALSE(isNameChar(0x201C));
  EXPECT_FALSE(isNameChar(0xA0));
}

TEST(Lexer, Numbers) {
  for (const char *text :
       {"0", "00", "1_000", "0xFF", "0Xf_f", "0o17", "0b101", "0x_ff", "12345678901234567890"})
    EXPECT_EQ(only(text), TokenKind::Int) << text;
  for (const char *text :
       {"1.", ".5", "1.5", "1e10", "1E-5", "1_0.0_1e+1_0", "0.0", "01.5", "01e1"})
    EXPECT_EQ(only(text), TokenKind::Float) << text;
  for (const char *text : {"1j", "1.5J", "1e3j", "0j", "01j"})
    EXPECT_EQ(only(text), TokenKind::Imaginary) << text;
  EXPECT_EQ(tokens("1if 2else 3"), "1 if 2 else 3 NL");
  EXPECT_EQ(tokens("1..real"), "1. . real NL");
  EXPECT_EQ(tokens("x[1:2]"), "x [ 1 : 2 ] NL");
}

TEST(Lexer, WrongNumbers) {
  EXPECT_EQ(error("0777"),
            "invalid number '0777': decimal integers have no leading zeros; write 0o for octal");
  EXPECT_EQ(error("1__0"), "invalid number '1__0': '_' must be between two digits");
  EXPECT_EQ(error("1_"), "invalid number '1_': '_' must be between two digits");
  EXPECT_EQ(error("0x"), "invalid number '0x': digits are missing");
  EXPECT_EQ(error("0b12"), "invalid number '0b12': binary digits are 0 and 1");
  EXPECT_EQ(error("0o8"), "invalid number '0o8': digits are missing");
  EXPECT_EQ(error("12abc"),
            "invalid number '12abc': a name cannot begin with a digit, and a number has no such "
            "suffix");
  EXPECT_EQ(lex("0777 + 1").tokens, "ERR + 1 NL");
}

TEST(Lexer, StringForms) {
  for (const char *text :
       {"''", "\"\"", "'a'", "\"'\"", "r'\\'", "r'\\''", "b'x'", "Rb\"x\"", "bR'x'", "u'x'", "U'x'",
        "''''''", "'''a'b\n'''", "\"\"\"\"a\"\"\"", "'\\\n'", "'\\'", "'\\\\'"}) {
    std::string spelled = text;
    bool complete = spelled != "r'\\'" && spelled != "'\\'";
    EXPECT_EQ(only(text), complete ? TokenKind::String : TokenKind::Error) << text;
  }
  EXPECT_EQ(tokens("ur'x'").substr(0, 2), "ur") << "no such prefix: a name, then a string";
  EXPECT_EQ(tokens("'a' \"b\"'c'"), "'a' \"b\" 'c' NL");
}

TEST(Lexer, UnterminatedStrings) {
  EXPECT_EQ(error("x = 'abc\ny = 1"), "unterminated string; add the closing quote on this line");
  EXPECT_EQ(lex("x = 'abc\ny = 1").tokens, "x = ERR NL y = 1 NL") << "the next line is whole";
  EXPECT_EQ(error("'''abc\n"), "unterminated triple-quoted string; the closing quotes are missing");
  EXPECT_EQ(error("'\\"), "unterminated string; add the closing quote on this line");
}

TEST(Lexer, FStringsAreAFlatStream) {
  EXPECT_EQ(tokens("f'a{x}b'"), "f' a { x } b ' NL");
  EXPECT_EQ(tokens("f'{x!r:>{w}}'"), "f' { x ! r : > { w } } ' NL");
  EXPECT_EQ(tokens("f'{{a}}'"), "f' {{a}} ' NL");
  EXPECT_EQ(tokens("f'{x!=y}'"), "f' { x != y } ' NL");
  EXPECT_EQ(tokens("f'{x:=5}'"), "f' { x : =5 } ' NL");
  EXPECT_EQ(tokens("f'{(x:=5)}'"), "f' { ( x := 5 ) } ' NL");
  EXPECT_EQ(tokens("rf'\\{x}'"), "rf' \\ { x } ' NL");
  EXPECT_EQ(tokens("f'\\N{BULLET}{x}'"), "f' \\N{BULLET} { x } ' NL");
  EXPECT_EQ(tokens("f''"), "f' ' NL");
}

TEST(Lexer, FStringsNestWithTheSameQuotes) {
  EXPECT_EQ(tokens("f'{f'{'x'}'}'"), "f' { f' { 'x' } ' } ' NL");
  EXPECT_EQ(tokens("f'''{\n  x # comment\n}'''"), "f''' { x } ''' NL");
  EXPECT_EQ(tokens("f'{\nx}'"), "f' { x } ' NL");
  EXPECT_EQ(tokens("f'{ {1: 2}[1] }'"), "f' { { 1 : 2 } [ 1 ] } ' NL");
}

TEST(Lexer, BrokenFStrings) {
  EXPECT_EQ(error("f'{x'\ny"),
            "expected '}' to end this replacement field before the f-string ends");
  EXPECT_EQ(error("f'{x:>'\ny"),
            "expected '}' to end this replacement field before the f-string ends");
  EXPECT_EQ(error("f'}'"), "single '}' in an f-string; write '}}' for the character itself");
  EXPECT_EQ(error("f'abc\n"), "unterminated f-string; add the closing quote on this line");
  EXPECT_EQ(error("f'''abc{x}\n"),
            "unterminated triple-quoted f-string; the closing quotes are missing");
  // Lexing after the line continues as if nothing had happened.
  for (const char *text : {"f'{x'\nif y:\n  z\n", "f'abc\nif y:\n  z\n", "f'{x:>'\nif y:\n  z\n"})
    EXPECT_TRUE(StringRef(lex(text).tokens).ends_with("NL if y : NL IN z NL DE")) << text;
}

TEST(Lexer, LineJoining) {
  EXPECT_EQ(tokens("x = (1,\n# comment\n\n     2)\ny"), "x = ( 1 , 2 ) NL y NL");
  EXPECT_EQ(tokens("x = 1 + \\\n    2\n"), "x = 1 + 2 NL");
  EXPECT_EQ(tokens("x = 1 + \\\r\n    2\n"), "x = 1 + 2 NL");
  EXPECT_EQ(error("x \\ \ny"),
            "blanks after '\\'; it joins lines only as the last character of a line");
  EXPECT_EQ(error("x \\ y"), "unexpected '\\'; outside strings it can only end a line");
  EXPECT_EQ(error("x \\\n"), "'\\' joins this line with the next one, but the file ends");
}

TEST(Lexer, LineEnds) {
  for (const char *end : {"\n", "\r\n", "\r"}) {
    std::string e = end;
    EXPECT_EQ(tokens("if x:" + e + "    y" + e + "z" + e), "if x : NL IN y NL DE z NL");
  }
  EXPECT_EQ(tokens("if x:\n    y"), "if x : NL IN y NL DE") << "no line end at the end";
}

TEST(Lexer, Indentation) {
  EXPECT_EQ(tokens("a:\n  b:\n    c\n  d\ne"), "a : NL IN b : NL IN c NL DE d NL DE e NL");
  EXPECT_EQ(tokens("a:\n  b:\n    c\nd"), "a : NL IN b : NL IN c NL DE DE d NL");
  EXPECT_EQ(tokens("a:\n\n   # comment\n  b\n # comment\n  c"), "a : NL IN b NL c NL DE");
  EXPECT_EQ(tokens("a:\n  (\nb\n)\n  c"), "a : NL IN ( b ) NL c NL DE");
  EXPECT_EQ(tokens("a:\n  b\n\f\nc"), "a : NL IN b NL DE c NL");
  EXPECT_EQ(tokens("\fa"), "a NL");
}

TEST(Lexer, Tabs) {
  EXPECT_EQ(tokens("a:\n\tb\n\tc"), "a : NL IN b NL c NL DE");
  // Eight blanks and a tab look alike only with tabs of eight.
  std::string mixed = "indentation mixes tabs and spaces, so its depth depends on the tab size; "
                      "use spaces only";
  EXPECT_EQ(error("a:\n\tb\n        c"), mixed);
  EXPECT_EQ(error("a:\n        b\n\tc"), mixed);
  EXPECT_EQ(lex("a:\n\tb\n        c\n\td\n        e").errors.size(), 1u) << "said once";
}

TEST(Lexer, DedentThatFitsNothing) {
  Lexed out = lex("a:\n      b\n   c\n   d\ne");
  EXPECT_EQ(out.errors.size(), 1u);
  EXPECT_EQ(out.firstError(),
            "indentation of this line matches no enclosing block; align it with an earlier line");
  EXPECT_EQ(out.tokens, "a : NL IN b NL c NL d NL DE e NL") << "taken as the same block";
}

TEST(Lexer, Brackets) {
  EXPECT_EQ(error("x = (1,\ny"), "'(' was never closed");
  EXPECT_EQ(error("x)"), "')' closes nothing; remove it, or add its opening bracket");
  Lexed out = lex("(]");
  EXPECT_EQ(out.firstError(), "']' does not close '('");
  ASSERT_TRUE(out.errors[0].note.has_value());
  EXPECT_EQ(out.errors[0].note->range.begin.offset, 0u);
  EXPECT_EQ(lex("([)\nx").tokens, "( [ ) NL x NL") << "the inner bracket was forgotten";
}

TEST(Lexer, StatementInsideBracketsEndsThem) {
  Lexed out = lex("x = f(1,\ndef g():\n  return 1\n");
  EXPECT_EQ(out.tokens, "x = f ( 1 , NL def g ( ) : NL IN return 1 NL DE");
  EXPECT_EQ(out.errors.size(), 1u);
  EXPECT_EQ(out.errors[0].range.begin.offset, 5u);
  EXPECT_TRUE(StringRef(lex("x = f(1,\n@jit\ndef g(): pass").tokens).contains("NL @ jit NL def"));
  EXPECT_EQ(tokens("x = (a\n@ b\n)"), "x = ( a @ b ) NL") << "a product over two lines";
  EXPECT_EQ(tokens("(a\nif b\nelse c\nfor d in e)"), "( a if b else c for d in e ) NL");
}

TEST(Lexer, DeepBracketsAreBounded) {
  std::string text(100000, '(');
  Lexed out = lex(text + std::string(100000, ')') + "\nx");
  EXPECT_EQ(out.errors.size(), 1u);
  EXPECT_TRUE(StringRef(out.firstError()).starts_with("brackets are nested more than 1000 deep"));
  EXPECT_TRUE(StringRef(out.tokens).ends_with(") NL x NL"));
  std::string fields;
  for (int i = 0; i < 5000; ++i)
    fields += "f'{";
  EXPECT_FALSE(lex(fields).errors.empty());
}

TEST(Lexer, InvalidCharacters) {
  EXPECT_EQ(error("x = \xE2\x80\x9C"
                  "a"),
            "'\xE2\x80\x9C' (U+201C) is not a character of the language; write straight quotes");
  EXPECT_EQ(error("x\xC2\xA0= 1"),
            "'\xC2\xA0' (U+00A0) is not a character of the language; write an ordinary space");
  EXPECT_EQ(error("x = \xE2\x88\x92"
                  "1"),
            "'\xE2\x88\x92' (U+2212) is not a character of the language; write '-'");
  EXPECT_EQ(error("x = \xE9"), "byte 0xE9 is not UTF-8; save the file as UTF-8");
  EXPECT_EQ(error(std::string("x \0", 3)), "a NUL byte cannot be part of source code; remove it");
  EXPECT_EQ(error("x\x01"), "control character U+0001 cannot be part of source code; remove it");
  EXPECT_EQ(error("x ? y"), "'?' (U+003F) is not a character of the language; remove it");
  EXPECT_EQ(error("!x"), "'!' is not an operator; write 'not'");
  EXPECT_EQ(error("x <> y"), "'<>' is not an operator; write '!='");
  EXPECT_EQ(lex(std::string(1000, '\xFF')).errors.size(), 1u) << "one error for a run";
}

TEST(Lexer, BytesInCommentsAndStringsAreLeftAlone) {
  EXPECT_EQ(tokens("x # \xFF\xFE\n"), "x NL");
  EXPECT_EQ(tokens("'\xE9'"), "'\xE9' NL");
}

TEST(Lexer, PartOfAFile) {
  SourceManager sources;
  std::string text = "class A:\n    @jit\n    def f(x):\n        return x\n    y = 1\n";
  uint32_t file = sources.addText("t.py", text);
  std::vector<LexError> errors;
  Lexer lexer(sources, file, &errors, 13, text.find("    y"));
  std::string out;
  for (Token token = lexer.next(); !token.is(TokenKind::Eof); token = lexer.next())
    out += token.is(TokenKind::Newline)  ? "NL "
           : token.is(TokenKind::Indent) ? "IN "
           : token.is(TokenKind::Dedent) ? "DE "
                                         : lexer.getText(token).str() + " ";
  EXPECT_EQ(out, "@ jit NL def f ( x ) : NL IN return x NL DE ");
  EXPECT_TRUE(errors.empty());
}

TEST(LexerRobustness, RandomBytesAlwaysEnd) {
  std::mt19937 random(20261121);
  const StringRef alphabet = "()[]{}'\"\\#f\n\r\t :!{}=rbx0_.@\xC3\xA9\xFF";
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    size_t size = random() % 200;
    for (size_t i = 0; i < size; ++i)
      text.push_back(round % 2 ? static_cast<char>(random())
                               : alphabet[random() % alphabet.size()]);
    SourceManager sources;
    uint32_t file = sources.addText("t.py", text);
    std::vector<LexError> errors;
    Lexer lexer(sources, file, &errors);
    size_t count = 0, indents = 0, dedents = 0;
    for (Token token = lexer.next(); !token.is(TokenKind::Eof); token = lexer.next()) {
      ASSERT_LT(++count, 4 * size + 16) << "round " << round;
      indents += token.is(TokenKind::Indent);
      dedents += token.is(TokenKind::Dedent);
    }
    EXPECT_EQ(indents, dedents) << "round " << round;
  }
}

TEST(LexerRobustness, EveryPrefixEnds) {
  std::string text =
      "@triton.jit\ndef k(x, n: 'int' = 1):\n    '''doc'''\n    y = f\"a{x!r:>{n}}b\" "
      "+ rb'\\'' \\\n        + 0x1F\n    if x: # c\n\treturn [y, (1.5e3j)]\n";
  for (size_t i = 0; i <= text.size(); ++i)
    lex(text.substr(0, i));
}

} // namespace
