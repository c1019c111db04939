// Operations that move, select or repeat elements of any dtype.
#include "tests/property/Builder.h"

#include <algorithm>

using namespace tilerun;
using namespace tilerun::property;

namespace {

Shape insert(Shape shape, size_t at, Dim dim) {
  shape.insert(shape.begin() + ptrdiff_t(at), dim);
  return shape;
}

/// One operand of another shape, whose elements become the result's.
ExprRef move(Builder &b, const ValueType &type, int depth, Traits need, Shape from,
             const std::string &format, const Shape &dims = {}) {
  if (!b.isSmall(from) || (b.inRegion && !from.empty()))
    return nullptr;
  ExprRef operand = b.make({type.dtype, std::move(from)}, depth - 1, need);
  Traits has = operand->has;
  return makeExpr(type, format, {std::move(operand)}, dims, has);
}

/// "#0, #1" for a shape.
std::string list(const Shape &shape) {
  std::string text;
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", #" : "#") + std::to_string(i);
  return text;
}

ExprRef makeWhere(Builder &b, const ValueType &type, int depth, Traits need) {
  Shape mask = type.shape.empty() ? Shape() : b.pickStretching(type.shape);
  if (type.shape.empty())
    return nullptr;
  ExprRef condition = b.makeMask(mask, depth - 1);
  ExprRef x = b.make(type, depth - 1, need);
  if (!type.dtype.isFp8() && !type.dtype.isBool() && b.random.chance(20))
    return makeExpr(type, b.random.chance(50) ? "tl.where($0, $1, 0)" : "tl.where($0, 1, $1)",
                    {condition, x}, {}, x->has);
  ExprRef y = b.make(type, depth - 1, need);
  return makeExpr(type, "tl.where($0, $1, $2)", {condition, x, y}, {}, x->has & y->has);
}

ExprRef makeTernary(Builder &b, const ValueType &type, int depth, Traits need) {
  ExprRef condition = b.make({dtype(Scalar::Int1), {}}, 1);
  ExprRef x = b.make(type, depth - 1, need), y = b.make(type, depth - 1, need);
  return makeExpr(type, "($1 if $0 else $2)", {condition, x, y}, {}, x->has & y->has);
}

ExprRef makeTrans(Builder &b, const ValueType &type, int depth, Traits need) {
  const Shape &s = type.shape;
  if (s.size() == 2)
    return move(b, type, depth, need, {s[1], s[0]}, b.random.chance(50) ? "tl.trans($0)" : "$0.T");
  if (s.size() != 3)
    return nullptr;
  switch (b.random.below(3)) {
  case 0:
    return move(b, type, depth, need, {s[1], s[2], s[0]}, "tl.permute($0, 2, 0, 1)");
  case 1:
    return move(b, type, depth, need, {s[0], s[2], s[1]}, "tl.permute($0, (0, 2, 1))");
  default:
    return move(b, type, depth, need, {s[2], s[1], s[0]}, "tl.trans($0, 2, 1, 0)");
  }
}

ExprRef makeReshape(Builder &b, const ValueType &type, int depth, Traits need) {
  const Shape &s = type.shape;
  if (s.empty())
    return nullptr;
  std::string to = "tl.reshape($0, [" + list(s) + "])";
  if (s.size() == 1) {
    Dim rest = s[0];
    if (rest.twos > 0 && b.random.chance(60)) {
      --rest.twos;
      Shape from = b.random.chance(50) ? Shape{rest, Dim{{}, 1}} : Shape{Dim{{}, 1}, rest};
      return move(b, type, depth, need, from, b.random.chance(30) ? "tl.ravel($0)" : to, s);
    }
    return move(b, type, depth, need, b.random.chance(50) ? Shape{Dim(), s[0]} : Shape{s[0], Dim()},
                "$0.reshape(" + list(s) + ")", s);
  }
  if (b.random.chance(50))
    return move(b, type, depth, need, {getNumElements(s)}, to, s);
  // Two neighbours were one, or were exchanged.
  size_t at = b.random.below(s.size() - 1);
  Shape from = s;
  if (b.random.chance(50)) {
    std::swap(from[at], from[at + 1]);
  } else {
    from[at] = s[at] * s[at + 1];
    from.erase(from.begin() + ptrdiff_t(at) + 1);
  }
  return move(b, type, depth, need, from, to, s);
}

ExprRef makeBroadcast(Builder &b, const ValueType &type, int depth, Traits need) {
  if (type.shape.empty())
    return nullptr;
  if (b.random.chance(25) && !type.dtype.isFp8())
    return move(b, type, depth, need, {},
                "tl.full([" + list(type.shape) + "], $0, " + spell(type.dtype) + ")", type.shape);
  Shape from = type.shape;
  from[b.random.below(from.size())] = Dim();
  return move(b, type, depth, need, from, "tl.broadcast_to($0, [" + list(type.shape) + "])",
              type.shape);
}

/// A new dimension of 1, in several spellings.
ExprRef makeExpand(Builder &b, const ValueType &type, int depth, Traits need) {
  const Shape &s = type.shape;
  for (size_t i = 0; i < s.size() && s.size() > 1; ++i) {
    if (!s[i].isOne())
      continue;
    Shape from = s;
    from.erase(from.begin() + ptrdiff_t(i));
    std::string subscript;
    for (size_t j = 0; j < s.size(); ++j)
      subscript += std::string(j ? ", " : "") + (i == j ? "None" : ":");
    return move(b, type, depth, need, from,
                b.random.chance(50) ? "$0[" + subscript + "]"
                                    : "tl.expand_dims($0, " + std::to_string(i) + ")");
  }
  return nullptr;
}

/// A part of a larger tensor: a slice, one index, or the whole backwards.
ExprRef makePart(Builder &b, const ValueType &type, int depth, Traits need) {
  const Shape &s = type.shape;
  if (s.empty() || s.size() > 3)
    return nullptr;
  size_t axis = b.random.below(s.size());
  auto subscript = [&](const std::string &part, size_t rank) {
    std::string text;
    for (size_t j = 0; j < rank; ++j)
      text += (j ? ", " : "") + (j == axis ? part : std::string(":"));
    return "$0[" + text + "]";
  };
  Dim twice = s[axis];
  ++twice.twos;
  Shape from = s;
  switch (b.random.below(5)) {
  case 0: // The first or the second half.
    from[axis] = twice;
    return move(b, type, depth, need, from,
                subscript(b.random.chance(50) ? ":#0" : "#0:", s.size()), {s[axis]});
  case 1: // Each second one.
    from[axis] = twice;
    return move(b, type, depth, need, from,
                subscript(b.random.chance(50) ? "::2" : "1::2", s.size()));
  case 2:
    return move(b, type, depth, need, s, subscript("::-1", s.size()));
  case 3: // One, whose number is known when the kernel runs.
    if (s.size() == 3 || b.inHelper)
      return nullptr;
    from = insert(s, axis, Dim{{}, 3});
    return move(b, type, depth, need, from,
                subscript(b.random.chance(50) ? "n0" : "(tl.program_id(0) & 7)", s.size() + 1));
  default:
    if (s.size() == 3)
      return nullptr;
    from = insert(s, axis, Dim{{}, 1 + static_cast<int>(b.random.below(2))});
    return move(b, type, depth, need, from,
                subscript(b.random.chance(50) ? "1" : "-1", s.size() + 1));
  }
}

ExprRef makeJoin(Builder &b, const ValueType &type, int depth, Traits need) {
  const Shape &s = type.shape;
  if (s.empty())
    return nullptr;
  auto two = [&](Shape from, const std::string &format) {
    ExprRef x = b.make({type.dtype, from}, depth - 1, need);
    ExprRef y = b.make({type.dtype, from}, depth - 1, need);
    return makeExpr(type, format, {x, y}, {}, x->has & y->has);
  };
  if (s.back().isTwo() && b.random.chance(60))
    return two(Shape(s.begin(), s.end() - 1), "tl.join($0, $1)");
  for (size_t axis = s.size(); axis-- > 0;)
    if (s[axis].twos > 0) {
      Shape from = s;
      --from[axis].twos;
      if (axis + 1 == s.size() && b.random.chance(50))
        return two(from, "tl.interleave($0, $1)");
      return two(from, "tl.cat($0, $1, dim=" + std::to_string(axis) + ")");
    }
  return nullptr;
}

ExprRef makeSplit(Builder &b, const ValueType &type, int depth, Traits need) {
  Shape from = type.shape;
  if (from.size() > 2)
    return nullptr;
  from.push_back(Dim{{}, 1});
  return move(b, type, depth, need, from,
              b.random.chance(50) ? "tl.split($0)[0]" : "tl.split($0)[1]");
}

ExprRef makeFlip(Builder &b, const ValueType &type, int depth, Traits need) {
  if (type.shape.empty())
    return nullptr;
  return move(b, type, depth, need, type.shape,
              "tl.flip($0, " + std::to_string(b.random.below(type.shape.size())) + ")");
}

ExprRef makeGather(Builder &b, const ValueType &type, int depth, Traits need) {
  if (type.shape.empty())
    return nullptr;
  size_t axis = b.random.below(type.shape.size());
  Shape from = type.shape;
  if (b.random.chance(40))
    from[axis] = b.pickDim();
  if (!b.isSmall(from))
    return nullptr;
  ExprRef x = b.make({type.dtype, from}, depth - 1, need);
  ExprRef index = b.make({dtype(Scalar::Int32), type.shape}, depth - 1);
  return makeExpr(type, "tl.gather($0, " + b.limit("$1") + ", " + std::to_string(axis) + ")",
                  {x, index}, {from[axis]}, x->has);
}

/// The first element along an axis, or a running one: combinations that choose a side.
ExprRef makeChoice(Builder &b, const ValueType &type, int depth, Traits need) {
  if (b.inRegion || type.shape.size() >= 3)
    return nullptr;
  if (!type.shape.empty() && b.random.chance(40)) {
    ExprRef x = b.make(type, depth - 1, need);
    return makeExpr(type,
                    "tl.associative_scan($0, " + std::to_string(b.random.below(type.shape.size())) +
                        (b.random.chance(50) ? ", comb_first" : ", comb_last") +
                        (b.random.chance(30) ? ", reverse=True)" : ")"),
                    {x}, {}, x->has);
  }
  size_t axis = b.random.below(type.shape.size() + 1);
  return move(b, type, depth, need, b.insertDim(type.shape, axis),
              "tl.reduce($0, " + std::to_string(axis) +
                  (b.random.chance(50) ? ", comb_first)" : ", comb_last)"));
}

/// Several values together, of which one is taken.
ExprRef makeTuple(Builder &b, const ValueType &type, int depth, Traits need) {
  static const char *const kForms[] = {"($1, $0)[1]", "take_second(($1, $0))",
                                       "exchange($1, $0)[0]", "exchange(*($1, $0))[0]",
                                       "($0, $1)[:1][0]"};
  ExprRef x = b.make(type, depth - 1, need), other = b.make({b.pickDtype(), type.shape}, 1);
  return makeExpr(type, b.random.pick(kForms), {x, other}, {}, x->has);
}

/// Operations that change no value.
ExprRef makeSame(Builder &b, const ValueType &type, int depth, Traits need) {
  static const char *const kTensors[] = {
      "tl.squeeze(tl.unsqueeze($0, 0), 0)", "tl.broadcast($0, tl.zeros_like($0))[0]",
      "tl.expand_dims($0, 0).reshape($0.shape)", "tl.cast($0, $0.dtype)"};
  ExprRef x = b.make(type, depth - 1, need);
  std::string text = type.shape.empty() || type.shape.size() > 2 ? "tl.cast($0, $0.dtype)"
                                                                 : b.random.pick(kTensors);
  // An operand that is printed twice must be a name, or texts grow without bound.
  if (text.find("$0", text.find("$0") + 1) != std::string::npos && x->format.size() > 4)
    text = type.shape.empty() ? "$0" : "tl.squeeze(tl.unsqueeze($0, 0), 0)";
  return makeExpr(type, text, {x}, {}, x->has);
}

} // namespace

const Operations &property::getMoves() {
  static const Operations operations = {
      {"where", 14, makeWhere},
      {"ternary", 5, makeTernary},
      {"trans", 10, makeTrans},
      {"reshape", 12, makeReshape},
      {"broadcast", 8, makeBroadcast},
      {"expand", 10, makeExpand},
      {"part", 8, makePart},
      {"join", 10, makeJoin},
      {"split", 6, makeSplit},
      {"flip", 5, makeFlip},
      {"gather", 5, makeGather},
      {"load", 6,
       [](Builder &b, const ValueType &type, int depth, Traits) -> ExprRef {
         return b.inHelper ? nullptr : b.makeLoad(type, depth);
       }},
      {"block load", 6,
       [](Builder &b, const ValueType &type, int depth, Traits) {
         return b.makeBlockLoad(type, depth);
       }},
      {"call", 5,
       [](Builder &b, const ValueType &type, int depth, Traits need) {
         return b.makeCall(type, depth, need);
       }},
      {"map", 5,
       [](Builder &b, const ValueType &type, int depth, Traits need) {
         return b.makeMap(type, depth, need);
       }},
      {"choice", 5, makeChoice},
      {"tuple", 3, makeTuple},
      {"same", 3, makeSame},
  };
  return operations;
}
