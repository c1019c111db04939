// Text form of linear layouts: printing and a recursive-descent parser that is safe on any input.
#include "ir/layout/LinearLayout.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace tilerun::layout;
using llvm::StringRef;

void LinearLayout::print(llvm::raw_ostream &os) const {
  os << '{';
  llvm::interleaveComma(ins, os, [&](const Dim &in) {
    os << in.name << " = [";
    llvm::interleaveComma(getBases(in.name), os, [&](uint64_t basis) {
      os << '(';
      llvm::interleaveComma(unpack(outs, basis), os);
      os << ')';
    });
    os << ']';
  });
  os << "} -> (";
  llvm::interleaveComma(outs, os, [&](const Dim &out) { os << out.name << ": " << out.size(); });
  os << ')';
}

std::string LinearLayout::toString() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(os);
  return text;
}

llvm::raw_ostream &tilerun::layout::operator<<(llvm::raw_ostream &os, const LinearLayout &layout) {
  layout.print(os);
  return os;
}

namespace {

class Parser {
public:
  explicit Parser(StringRef text) : text(text), rest(text) {}

  llvm::Expected<LinearLayout> parse() {
    llvm::SmallVector<LinearLayout::Input, 4> inputs;
    DimList outs;
    bool ok = expect("{") && parseList("}", [&] { return parseInput(inputs); }) && expect("->") &&
              expect("(") && parseList(")", [&] { return parseOutput(outs); }) && expectEnd();
    if (!ok)
      return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                     "column " + llvm::Twine(errorColumn) + ": " + message);
    return LinearLayout::create(inputs, outs);
  }

private:
  bool fail(const llvm::Twine &what) {
    if (message.empty()) {
      message = what.str();
      errorColumn = text.size() - rest.size() + 1;
    }
    return false;
  }

  bool consume(StringRef token) {
    rest = rest.ltrim(" \t\r\n");
    return rest.consume_front(token);
  }

  bool expect(StringRef token) {
    return consume(token) || fail("expected '" + token + "'" + found());
  }

  bool expectEnd() {
    rest = rest.ltrim(" \t\r\n");
    return rest.empty() || fail("unexpected text after the layout" + found());
  }

  std::string found() {
    if (rest.empty())
      return ", found the end of the text";
    std::string shown = ", found '";
    llvm::raw_string_ostream os(shown);
    llvm::printEscapedString(rest.substr(0, 1), os);
    return shown + "'";
  }

  /// item (',' item)* close, or close alone.
  template <typename Item> bool parseList(StringRef close, Item item) {
    if (consume(close))
      return true;
    do {
      if (!item())
        return false;
    } while (consume(","));
    return expect(close);
  }

  bool parseName(std::string &name) {
    rest = rest.ltrim(" \t\r\n");
    auto inName = [](char c) { return llvm::isAlnum(c) || c == '_'; };
    if (rest.empty() || !inName(rest.front()) || llvm::isDigit(rest.front()))
      return fail("expected a dimension's name" + found());
    StringRef token = rest.take_while(inName);
    name = token.str();
    rest = rest.drop_front(token.size());
    return true;
  }

  bool parseNumber(uint64_t &value) {
    rest = rest.ltrim(" \t\r\n");
    StringRef digits = rest.take_while([](char c) { return llvm::isDigit(c); });
    if (digits.empty())
      return fail("expected a number" + found());
    if (digits.getAsInteger(10, value))
      return fail("the number does not fit 64 bits");
    rest = rest.drop_front(digits.size());
    return true;
  }

  bool parseBasis(LinearLayout::Input &input) {
    if (input.bases.size() >= kMaxBits)
      return fail("more than 63 basis vectors in one dimension");
    auto &basis = input.bases.emplace_back();
    return expect("(") && parseList(")", [&] {
             if (basis.size() > kMaxBits * 4)
               return fail("too many coordinates in a basis vector");
             return parseNumber(basis.emplace_back());
           });
  }

  bool parseInput(llvm::SmallVectorImpl<LinearLayout::Input> &inputs) {
    if (inputs.size() >= kMaxBits)
      return fail("more than 64 input dimensions");
    LinearLayout::Input &input = inputs.emplace_back();
    return parseName(input.name) && expect("=") && expect("[") &&
           parseList("]", [&] { return parseBasis(input); });
  }

  bool parseOutput(DimList &outs) {
    std::string name;
    uint64_t size = 0;
    if (outs.size() >= kMaxBits)
      return fail("more than 64 output dimensions");
    if (!parseName(name) || !expect(":"))
      return false;
    StringRef beforeNumber = rest;
    if (!parseNumber(size))
      return false;
    if (!std::has_single_bit(size)) {
      rest = beforeNumber.ltrim(" \t\r\n");
      return fail("the size of '" + name + "' is not a power of two");
    }
    outs.emplace_back(name, static_cast<unsigned>(std::countr_zero(size)));
    return true;
  }

  StringRef text, rest;
  std::string message;
  size_t errorColumn = 0;
};

} // namespace

llvm::Expected<LinearLayout> LinearLayout::parse(StringRef text) { return Parser(text).parse(); }
