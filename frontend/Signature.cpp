// Signatures: what a launch argument is specialized on, and their text form.
#include "frontend/Frontend.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

namespace tilerun {

ArgumentSpec specializeInteger(int64_t value, bool doNotSpecialize) {
  if (value >= 0)
    return specializeInteger(static_cast<uint64_t>(value), doNotSpecialize);
  TypedArgument out;
  out.type = dtype(value >= INT32_MIN ? Scalar::Int32 : Scalar::Int64);
  out.divisibility = !doNotSpecialize && value % 16 == 0 ? 16 : 1;
  return out;
}

ArgumentSpec specializeInteger(uint64_t value, bool doNotSpecialize) {
  if (value == 1 && !doNotSpecialize)
    return ConstantArgument{int64_t(1)};
  TypedArgument out;
  out.type = dtype(value <= INT32_MAX   ? Scalar::Int32
                   : value <= INT64_MAX ? Scalar::Int64
                                        : Scalar::UInt64);
  out.divisibility = !doNotSpecialize && value % 16 == 0 ? 16 : 1;
  return out;
}

namespace {
/// Parses the text of one signature.
class SignatureParser {
public:
  explicit SignatureParser(llvm::StringRef text) : rest(text) {}

  llvm::Expected<KernelSignature> parse() {
    KernelSignature out;
    skipSpace();
    while (!rest.empty()) {
      llvm::StringRef entry = rest;
      llvm::StringRef name = rest.take_while([](char c) {
        return llvm::isAlnum(c) || c == '_' || c == '.' || static_cast<unsigned char>(c) >= 128;
      });
      if (name.empty() || llvm::isDigit(name[0]))
        return fail(entry, "a parameter name is expected, as in 'n=i32'");
      rest = rest.drop_front(name.size());
      skipSpace();
      if (!rest.consume_front("="))
        return fail(entry, "'=' is expected after '" + name.str() + "'");
      skipSpace();
      Node node;
      if (std::string error = parseNode(node, 0); !error.empty())
        return fail(entry, error);
      if (!names.insert(name).second)
        return fail(entry, "'" + name.str() + "' is given twice");
      addArguments(name.str(), std::move(node), out);
      skipSpace();
      if (rest.empty())
        break;
      if (!rest.consume_front(","))
        return fail(entry, "',' is expected before '" + rest.take_front(20).str() + "'");
      skipSpace();
    }
    return out;
  }

private:
  static constexpr unsigned kMaxDepth = 32;

  /// An argument, or a tuple of them.
  struct Node {
    ArgumentSpec leaf;
    std::vector<Node> elements;
    bool isTuple = false, isList = false;
    bool isConstant() const {
      return isTuple ? llvm::all_of(elements, [](const Node &n) { return n.isConstant(); })
                     : std::holds_alternative<ConstantArgument>(leaf);
    }
    ConstantArgument takeConstant() {
      if (!isTuple)
        return std::get<ConstantArgument>(std::move(leaf));
      std::vector<ConstantArgument> out;
      out.reserve(elements.size());
      for (Node &element : elements)
        out.push_back(element.takeConstant());
      return {std::move(out), isList};
    }
  };

  /// A tuple with run-time elements becomes an argument for each: `t=(*fp32, (i32, 3))` is "t.0",
  /// "t.1.0" and "t.1.1".
  static void addArguments(const std::string &path, Node node, KernelSignature &out) {
    if (node.isConstant()) {
      out.arguments.emplace(path, node.takeConstant());
    } else if (!node.isTuple) {
      out.arguments.emplace(path, std::move(node.leaf));
    } else {
      for (size_t i = 0; i < node.elements.size(); ++i)
        addArguments(path + "." + std::to_string(i), std::move(node.elements[i]), out);
    }
  }

  std::string parseNode(Node &out, unsigned depth) {
    if (rest.empty() || (rest[0] != '(' && rest[0] != '['))
      return parseSpec(out.leaf);
    if (depth >= kMaxDepth)
      return "tuples nest too deeply";
    out.isTuple = true;
    out.isList = rest[0] == '[';
    char close = rest[0] == '(' ? ')' : ']';
    rest = rest.drop_front();
    for (skipSpace(); !rest.empty() && rest[0] != close; skipSpace()) {
      if (std::string error = parseNode(out.elements.emplace_back(), depth + 1); !error.empty())
        return error;
      skipSpace();
      if (!rest.consume_front(",") && (rest.empty() || rest[0] != close))
        return "',' or the closing bracket is expected in a tuple";
    }
    if (rest.empty())
      return "the tuple has no closing bracket";
    rest = rest.drop_front();
    return "";
  }

  llvm::Error fail(llvm::StringRef entry, const std::string &why) {
    return llvm::createStringError("in signature entry '" + entry.split(',').first.rtrim().str() +
                                   "': " + why);
  }
  void skipSpace() { rest = rest.ltrim(); }

  /// A word: everything up to a separator.
  llvm::StringRef takeWord() {
    llvm::StringRef word = rest.take_until(
        [](char c) { return c == ',' || c == ')' || c == ']' || llvm::isSpace(c); });
    rest = rest.drop_front(word.size());
    return word;
  }

  /// `tensordesc<fp16[64,32]>`, after the first bracket.
  std::string parseDescriptor(ArgumentSpec &out) {
    static constexpr const char *kForm =
        "a tensor descriptor is written tensordesc<fp16[64,32]>, or tensordesc<fp16[64,32],nan>";
    size_t end = rest.find('>');
    if (end == llvm::StringRef::npos)
      return kForm;
    auto [element, tail] = rest.take_front(end).split('[');
    auto [sizes, padding] = tail.split(']');
    rest = rest.drop_front(end + 1);
    TypedArgument typed;
    auto type = parseDType(element.trim());
    if (!type || type->isPointer() || !tail.contains(']'))
      return kForm;
    typed.type = type->getPointerTo();
    typed.divisibility = 16;
    typed.padsWithNan = padding.trim().consume_front(",") && padding.trim().ends_with("nan");
    if (!padding.trim().empty() && !typed.padsWithNan)
      return kForm;
    llvm::SmallVector<llvm::StringRef> parts;
    sizes.split(parts, ',');
    for (llvm::StringRef part : parts)
      if (int64_t size = 0; part.trim().getAsInteger(10, size) || size < 1)
        return kForm;
      else
        typed.block.push_back(size);
    out = std::move(typed);
    return "";
  }

  /// What follows the type: `16`, `small` or `16:small`.
  static std::string parseFacts(llvm::StringRef facts, TypedArgument &out) {
    auto [first, rest] = facts.split(':');
    out.isSmall = first == "small" || rest == "small";
    if (first == "small" ? facts != first : facts.contains(':') && rest != "small")
      return "'" + facts.str() + "' after the type is neither a divisibility nor 'small', nor both";
    if (out.isSmall && !out.type.isPointer())
      return "only pointers are small, not " + out.type.str();
    if (first == "small")
      return "";
    if (first.getAsInteger(10, out.divisibility) || out.divisibility < 1)
      return "the divisibility after ':' must be a positive integer, not '" + first.str() + "'";
    if (out.divisibility > 1 && !out.type.isPointer() && !out.type.isInt())
      return "only integers and pointers have a divisibility, not " + out.type.str();
    return "";
  }

  std::string parseSpec(ArgumentSpec &out) {
    if (rest.consume_front("tensordesc<"))
      return parseDescriptor(out);
    llvm::StringRef saved = rest;
    if (!rest.empty() && rest[0] != '"' && rest[0] != '\'') {
      llvm::StringRef word = takeWord();
      auto [typeText, facts] = word.split(':');
      bool isConstant = typeText.consume_back("!");
      if (auto type = parseDType(typeText)) {
        if (isConstant) {
          out = ConstantArgument{*type};
          return word.contains(':') ? "a constant has no divisibility" : "";
        }
        TypedArgument typed;
        typed.type = *type;
        std::string error = word.contains(':') ? parseFacts(facts, typed) : "";
        out = typed;
        return error;
      }
      rest = saved;
    }
    ConstantArgument constant;
    std::string error = parseConstant(constant);
    out = std::move(constant);
    return error;
  }

  std::string parseString(std::string &out) {
    char mark = rest[0];
    for (size_t i = 1; i < rest.size(); ++i) {
      if (rest[i] == mark) {
        rest = rest.drop_front(i + 1);
        return "";
      }
      if (rest[i] == '\\' && i + 1 < rest.size())
        ++i;
      out += rest[i];
    }
    return "the string has no closing quote";
  }

  std::string parseConstant(ConstantArgument &out) {
    if (rest.empty())
      return "a type or a value is expected after '='";
    if (rest[0] == '"' || rest[0] == '\'') {
      std::string text;
      std::string error = parseString(text);
      out.value = std::move(text);
      return error;
    }
    return parseWord(takeWord(), out);
  }

  static std::string parseWord(llvm::StringRef word, ConstantArgument &out) {
    int64_t integer = 0;
    uint64_t natural = 0;
    double floating = 0;
    if (word.equals_insensitive("none"))
      out.value = std::monostate();
    else if (word.equals_insensitive("true") || word.equals_insensitive("false"))
      out.value = word.equals_insensitive("true");
    else if (!word.getAsInteger(0, integer))
      out.value = integer;
    else if (!word.getAsInteger(0, natural))
      out.value = natural;
    else if (!word.getAsDouble(floating))
      out.value = floating;
    else if (llvm::StringRef type = word; type.consume_front("tl.") || type.consume_back("!")) {
      auto parsed = parseDType(type);
      if (!parsed)
        return "'" + word.str() + "' is not a dtype";
      out.value = *parsed;
    } else if (!word.empty() && (llvm::isAlpha(word[0]) || word[0] == '_') &&
               llvm::all_of(word,
                            [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; })) {
      out.value = ConstantArgument::FunctionName{word.str()};
    } else {
      return "'" + word.str() +
             "' is neither a type (as in *fp32:16, i32) nor a value (a number, "
             "true, false, none, a quoted string, tl.float16)";
    }
    return "";
  }

  llvm::StringRef rest;
  llvm::StringSet<> names; ///< Of the parameters so far.
};
} // namespace

llvm::Expected<KernelSignature> parseSignature(llvm::StringRef text) {
  return SignatureParser(text).parse();
}

llvm::StringRef getGlobalName(llvm::StringRef path) {
  auto [head, member] = path.split('.');
  return member.empty() || llvm::isDigit(member[0]) ? head : path;
}

//===----------------------------------------------------------------------===//
// The canonical text
//===----------------------------------------------------------------------===//

/// Text of any content: its length says where it ends.
static void writeSized(llvm::raw_ostream &os, llvm::StringRef text) {
  os << text.size() << ':' << text;
}

static void writeType(llvm::raw_ostream &os, DType type) {
  os << unsigned(type.scalar) << '.' << unsigned(type.pointerDepth) << '.' << type.isConst;
}

static void writeConstant(llvm::raw_ostream &os, const ConstantArgument &constant) {
  os << constant.value.index() << ' ';
  std::visit(
      [&](const auto &value) {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, bool> || std::is_integral_v<T>)
          os << value;
        else if constexpr (std::is_same_v<T, double>)
          os << llvm::bit_cast<uint64_t>(value); // NaNs, zeros and all digits.
        else if constexpr (std::is_same_v<T, std::string>)
          writeSized(os, value);
        else if constexpr (std::is_same_v<T, DType>)
          writeType(os, value);
        else if constexpr (std::is_same_v<T, std::vector<ConstantArgument>>) {
          os << (constant.isList ? "l" : "") << value.size();
          for (const ConstantArgument &element : value)
            writeConstant(os << ' ', element);
        } else if constexpr (std::is_same_v<T, ConstantArgument::FunctionName>)
          writeSized(os, value.name);
      },
      constant.value);
}

std::string getCanonicalText(const KernelSignature &signature) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << signature.numWarps << ' ' << signature.numStages << ' ' << signature.numCtas << ' '
     << signature.maxnreg.has_value() << ' ' << signature.maxnreg.value_or(0) << ' '
     << signature.debug << ' ' << (signature.debugEvents ? "events " : "");
  writeSized(os, signature.target);
  for (const auto &[name, spec] : signature.arguments) {
    writeSized(os << ' ', name);
    if (const auto *typed = std::get_if<TypedArgument>(&spec)) {
      writeType(os << " t ", typed->type);
      os << ' ' << typed->divisibility << (typed->isSmall ? " small" : "");
      for (int64_t size : typed->block)
        os << " b" << size;
      os << (typed->padsWithNan ? " nan" : "");
    } else {
      writeConstant(os << " c ", std::get<ConstantArgument>(spec));
    }
  }
  return text;
}

} // namespace tilerun
