// Names and spellings of nodes and operators.
#include "frontend/ast/Ast.h"

using namespace llvm;

namespace tilerun::ast {

StringRef getKindName(Kind kind) {
  switch (kind) {
#define EXPR(Class, Text)                                                                          \
  case Kind::Class:                                                                                \
    return Text;
#define STMT(Class, Text) EXPR(Class, Text)
#include "frontend/ast/Nodes.def"
  }
  llvm_unreachable("all kinds are named");
}

StringRef getSpelling(UnaryOp op) {
  switch (op) {
  case UnaryOp::Plus:
    return "+";
  case UnaryOp::Minus:
    return "-";
  case UnaryOp::Invert:
    return "~";
  case UnaryOp::Not:
    return "not";
  }
  llvm_unreachable("all operators are spelled");
}

StringRef getSpelling(BinaryOp op) {
  switch (op) {
  case BinaryOp::Add:
    return "+";
  case BinaryOp::Sub:
    return "-";
  case BinaryOp::Mul:
    return "*";
  case BinaryOp::Div:
    return "/";
  case BinaryOp::FloorDiv:
    return "//";
  case BinaryOp::Mod:
    return "%";
  case BinaryOp::Pow:
    return "**";
  case BinaryOp::MatMul:
    return "@";
  case BinaryOp::Shl:
    return "<<";
  case BinaryOp::Shr:
    return ">>";
  case BinaryOp::And:
    return "&";
  case BinaryOp::Or:
    return "|";
  case BinaryOp::Xor:
    return "^";
  }
  llvm_unreachable("all operators are spelled");
}

StringRef getSpelling(CompareOp op) {
  switch (op) {
  case CompareOp::Eq:
    return "==";
  case CompareOp::Ne:
    return "!=";
  case CompareOp::Lt:
    return "<";
  case CompareOp::Le:
    return "<=";
  case CompareOp::Gt:
    return ">";
  case CompareOp::Ge:
    return ">=";
  case CompareOp::Is:
    return "is";
  case CompareOp::IsNot:
    return "is not";
  case CompareOp::In:
    return "in";
  case CompareOp::NotIn:
    return "not in";
  }
  llvm_unreachable("all operators are spelled");
}

} // namespace tilerun::ast
