// Control flow, compile-time features, random numbers, debugging, and queries about types.
#include "tests/matrix/Tolerance.h"

using namespace tilerun;
using namespace tilerun::matrix;

namespace {

using Kind = Fill::Kind;

struct Context {
  Cells &cells;
  unsigned variant;

  /// A kernel `kernel(o, xp, n)`: o and x of 413 elements, programs of 128.
  Cell &add(const std::string &group, const std::string &op, const std::string &t,
            const std::string &body, Tolerance tolerance = kValue, const std::string &helper = "",
            Fill values = {}) {
    Cell cell = makeCell(group, op, t, variant, tolerance);
    cell.numWarps = 1u << (hashText(op + t) + variant) % 4;
    cell.numStages = 1 + (hashText(op) + variant) % 3;
    cell.grid[0] = 4;
    cell.source = asFile(helper +
                         "@triton.jit\n"
                         "def kernel(o, xp, n):\n"
                         "    i = tl.program_id(0) * 128 + tl.arange(0, 128)\n"
                         "    m = i < n\n"
                         "    x = tl.load(xp + i, mask=m)\n" +
                         fill(body, {{"T", spell(t)}}) + "    tl.store(o + i, r, mask=m)\n");
    addOutput(cell, "o", t, 413);
    addInput(cell, "xp", t, 413, values);
    addInteger(cell, "n", "i32", 413);
    cells.push_back(std::move(cell));
    return cells.back();
  }
};

const matrix::Types kSome{"i8",  "i16", "i32",  "i64",  "u8",   "u16",
                          "u32", "u64", "fp16", "bf16", "fp32", "fp64"};

void addFlow(Context c) {
  auto flow = [&](const std::string &op, const std::string &body, const std::string &helper = "") {
    for (const std::string &t : kSome)
      // Whole numbers: a product and a sum may be one operation on a device.
      c.add("control flow", op, t, body, kValue, helper, {Kind::Index, 0, 9});
  };
  flow("for", "    r = x\n"
              "    for k in range(0, n // 100):\n"
              "        r = r + (k * x).to($T)\n");
  flow("for (step)", "    r = x\n"
                     "    for k in range(n % 7, 20, 3):\n"
                     "        r += k.to($T)\n");
  flow("for (backwards)", "    r = x\n"
                          "    for k in range(9, 2, -2):\n"
                          "        r = r * 1 + k.to($T)\n");
  flow("for (no iterations)", "    r = x\n"
                              "    for k in range(n, 5):\n"
                              "        r = r + 1\n");
  flow("for (nested)", "    r = x\n"
                       "    for a in range(0, 3):\n"
                       "        for b in range(a, n % 5):\n"
                       "            r = r + 1\n");
  flow("for (load in loop)", "    r = x * 0\n"
                             "    for k in range(0, 4):\n"
                             "        at = (i + k * 37) % n\n"
                             "        r += tl.load(xp + at, mask=m)\n");
  flow("for (several values)", "    a = x\n"
                               "    r = x * 0\n"
                               "    for k in range(0, 5):\n"
                               "        a, r = r, (a + 1).to($T)\n");
  flow("tl.range", "    r = x\n"
                   "    for k in tl.range(0, n % 11, num_stages=2):\n"
                   "        r = r + 1\n");
  flow("tl.range (options)",
       "    r = x\n"
       "    for k in tl.range(0, n % 11, 1, num_stages=3, loop_unroll_factor=2, flatten=True, "
       "disallow_acc_multi_buffer=True):\n"
       "        r = r + 1\n"
       "    for k in tl.range(n % 3, warp_specialize=False):\n"
       "        r = r + 2\n");
  flow("while (tl.condition)", "    r = x\n"
                               "    k = n\n"
                               "    while tl.condition(k > 100, disable_licm=True):\n"
                               "        r = r + 1\n"
                               "        k = k // 2\n");
  flow("break, continue", "    r = x\n"
                          "    for k in range(0, n):\n"
                          "        if k % 3 == 1:\n"
                          "            continue\n"
                          "        if k > 9:\n"
                          "            break\n"
                          "        r = r + 1\n");
  flow("tl.static_range", "    r = x\n"
                          "    for k in tl.static_range(3):\n"
                          "        r = r + k\n");
  flow("while", "    r = x\n"
                "    k = n\n"
                "    while k > 100:\n"
                "        r = r + 1\n"
                "        k = k // 2\n");
  flow("while (two conditions)", "    r = x\n"
                                 "    k = 0\n"
                                 "    while (k < 7) and (k * k < n):\n"
                                 "        r = r + 1\n"
                                 "        k += 1\n");
  flow("if", "    if tl.program_id(0) % 2 == 0:\n"
             "        r = x + 1\n"
             "    else:\n"
             "        r = x * 2\n");
  flow("if (chain)", "    p = tl.program_id(0)\n"
                     "    if p == 0:\n"
                     "        r = x\n"
                     "    elif p == 1 or n < 3:\n"
                     "        r = x + 1\n"
                     "    elif not p == 2:\n"
                     "        r = x + 2\n"
                     "    else:\n"
                     "        r = x + 3\n");
  flow("if (in a loop)", "    r = x\n"
                         "    for k in range(0, 6):\n"
                         "        if k % 2 == 1:\n"
                         "            r = r + 1\n"
                         "        elif k == 4:\n"
                         "            r = r * 2\n");
  flow("if (store inside)", "    r = x\n"
                            "    if tl.program_id(0) == 1:\n"
                            "        tl.store(o + i, x + 1, mask=m)\n"
                            "        r = x + 1\n");
  flow("conditional expression", "    r = x + 1 if n > 400 else x\n"
                                 "    r = r if tl.program_id(0) > 1 else r + 2\n");
  flow("early return", "    r = x\n"
                       "    if tl.program_id(0) == 2:\n"
                       "        tl.store(o + i, x + 5, mask=m)\n"
                       "        return\n");
  flow("helper", "    r = twice(x, True)\n",
       "@triton.jit\n"
       "def twice(v, again: tl.constexpr):\n"
       "    if again:\n"
       "        return twice(v, False) + v\n"
       "    return v + v\n\n\n");
  flow("tuple of values",
       "    pair = (x, x + 1)\n"
       "    a, r = swap(pair)\n"
       "    r = r + len(pair)\n",
       "@triton.jit\n"
       "def swap(p):\n"
       "    return p[1], p[0]\n\n\n");
  flow("reduction in a loop", "    s = 0\n"
                              "    for k in range(0, 3):\n"
                              "        s += tl.sum(tl.where(m, x, 0).to(tl.int32)) + k\n"
                              "    r = x + (s % 7).to($T)\n");
  flow("matmul of small integers in a loop",
       "    r = x\n"
       "    k = tl.arange(0, 16)\n"
       "    a = (k[:, None] * 3 + k[None, :]) % 5\n"
       "    acc = tl.zeros([16, 16], tl.float32)\n"
       "    for q in range(0, 3):\n"
       "        acc = tl.dot(a.to(tl.float16), a.to(tl.float16),"
       " acc)\n"
       "    r = x + (tl.max(acc).to(tl.int32) % 8).to($T)\n");
}

void addCompileTime(Context c) {
  auto add = [&](const std::string &op, const std::string &body, const std::string &helper = "") {
    for (const char *t : {"i32", "fp32"})
      c.add("compile time", op, t, body, kValue, helper, {Kind::Index, 0, 9});
  };
  add("constexpr", "    A: tl.constexpr = 3\n"
                   "    B: tl.constexpr = A * 2 + (1 if A > 2 else 0)\n"
                   "    C = tl.constexpr(B // 2)\n"
                   "    r = x + B + C\n");
  add("next_power_of_2",
      "    r = x + triton.next_power_of_2(37) + tl.next_power_of_2(5) + triton.cdiv(7, 2)\n");
  add("to_tensor", "    r = x + tl.to_tensor(3)\n");
  add("static_assert", "    tl.static_assert(x.shape[0] == 128, \"shape\")\n"
                       "    tl.static_print(\"x\", x)\n"
                       "    r = x\n");
  add("python functions",
      "    r = x + int(3.5) + len((1, 2)) + abs(-2) + min(3, 4) + max(1, 2) + int(bool(2))\n"
      "    r += int(float(\"2\")) + len(str(\"ab\")) + len(list((1, 2, 3))) + len(tuple((1,)))\n"
      "    if isinstance(x, tl.tensor):\n"
      "        r += 1\n"
      "    if hasattr(x, \"shape\"):\n"
      "        r += len(getattr(x, \"shape\"))\n"
      "    if isinstance(3, tl.constexpr):\n"
      "        r += 1\n");
  for (const std::string &t : kAll) {
    std::string body = "    d = x.dtype\n"
                       "    k: tl.constexpr = d.primitive_bitwidth\n"
                       "    s = 0\n";
    int bit = 0;
    for (const char *name : {"is_fp8e4nv",      "is_fp8e4b8",
                             "is_fp8e4b15",     "is_fp8e5",
                             "is_fp8e5b16",     "is_fp8",
                             "is_fp16",         "is_bf16",
                             "is_fp32",         "is_fp64",
                             "is_int1",         "is_int8",
                             "is_int16",        "is_int32",
                             "is_int64",        "is_uint8",
                             "is_uint16",       "is_uint32",
                             "is_uint64",       "is_void",
                             "is_floating",     "is_standard_floating",
                             "is_int",          "is_int_signed",
                             "is_int_unsigned", "is_bool",
                             "is_ptr",          "is_const",
                             "is_block"})
      body += "    if d." + std::string(name) + "():\n        s = s + " +
              std::to_string(1u << (bit++ % 20)) + "\n";
    Cell &cell = c.add("compile time", "dtype questions", t,
                       body + "    r = x\n    tl.store(q, s + k)\n", kBits);
    cell.source.replace(cell.source.find("(o, xp, n)"), 10, "(o, xp, q, n)");
    addOutput(cell, "q", "i32", 1);
    cell.grid[0] = 4;
  }
  for (const std::string &t : kIntegers) {
    c.add("compile time", "dtype limits", t,
          "    d = x.dtype\n"
          "    r = tl.where(x > 0, tl.full(x.shape, d.get_int_max_value(), d), "
          "tl.full(x.shape, d.get_int_min_value(), d))\n",
          kBits);
  }
  c.add("compile time", "types", "i32",
        "    e = tl.dtype(\"int32\")\n"
        "    p = tl.pointer_type(e)\n"
        "    b = tl.block_type(e, [128])\n"
        "    r = x.to(e) + b.get_block_shapes()[0] + (1 if p.is_ptr() else 0)\n"
        "    r += (2 if b.is_block() else 0) + b.with_element_ty(tl.float32).shape[0]\n"
        "    r += (4 if tl.dtype.is_dtype(\"fp16\") else 0) + b.nbytes\n"
        "    r += (8 if e.kind() == tl.dtype.KIND.INTEGRAL else 0)\n",
        kBits);
  c.add("compile time", "num_warps", "i32", "    r = x + cuda.num_warps() + cuda.num_threads()\n",
        kBits, "from triton.language.extra import cuda\n\n\n");
  c.add("compile time", "target_info", "i32",
        "    cuda: tl.constexpr = tl.target_info.is_cuda()\n"
        "    hip: tl.constexpr = tl.target_info.is_hip()\n"
        "    tl.static_assert(not (cuda and hip))\n"
        "    r = x\n"
        "    if tl.target_info.current_target() is None:\n"
        "        r += 1\n"
        "    if cuda == tl.target_info.cuda_capability_geq(2, 0):\n"
        "        r += 2\n"
        "    if hip or not (tl.target_info.is_hip_cdna3() or tl.target_info.is_hip_cdna4()):\n"
        "        r += 4\n",
        kBits);
}

/// Assembly and other features of one kind of GPU; refused by name elsewhere. The reference is the
/// same in the language.
void addMachine(Context c) {
  const std::string imports = "from triton.language.extra import cuda, hip\n\n\n";
  auto add = [&](const std::string &op, const std::string &t, const std::string &body,
                 const std::string &reference, Fill values = {}) {
    // The reference has float64, in which these results are exact.
    Cell &cell = c.add("machine", op, t, body,
                       type(t).isFloat() ? Tolerance{Rule::Ulp, 0, 0} : kValue, imports, values);
    std::string text = cell.source;
    text.replace(text.find(body), body.size(), reference);
    cell.wideSource = text;
  };
  auto assembly = [](const std::string &text, const std::string &constraints,
                     const std::string &arguments, const std::string &result,
                     const std::string &rest) {
    return "    r = tl.inline_asm_elementwise(\"" + text + "\", \"" + constraints + "\", [" +
           arguments + "], dtype=" + result + ", " + rest + ")\n";
  };
  const std::string one = "is_pure=True, pack=1";
  add("inline_asm_elementwise", "i32",
      assembly("add.s32 $0, $1, $2;", "=r,r,r", "x, i", "tl.int32", one), "    r = x + i\n");
  add("inline_asm_elementwise", "i64",
      assembly("xor.b64 $0, $1, $2;", "=l,l,l", "x, x >> 7", "tl.int64", one),
      "    r = x ^ (x >> 7)\n");
  add("inline_asm_elementwise", "fp32",
      assembly("max.f32 $0, $1, 0f3F800000;", "=f,f", "x", "tl.float32", one),
      "    r = tl.maximum(x, 1.0)\n", {Kind::Range, -3, 3});
  add("inline_asm_elementwise", "fp64",
      assembly("neg.f64 $0, $1;", "=d,d", "x", "tl.float64", "is_pure=False, pack=1"),
      "    r = -x\n", {Kind::Range, -3, 3});
  add("inline_asm_elementwise", "u16", assembly("not.b16 $0, $1;", "=h,h", "x", "tl.uint16", one),
      "    r = ~x\n");
  // Four bytes, and two halves, in a register.
  add("inline_asm_elementwise (pack)", "u8",
      assembly("not.b32 $0, $1;", "=r,r", "x", "tl.uint8", "is_pure=True, pack=4"), "    r = ~x\n");
  add("inline_asm_elementwise (pack)", "fp16",
      assembly("neg.f16x2 $0, $1;", "=r,r", "x", "tl.float16", "is_pure=True, pack=2"),
      "    r = -x\n", {Kind::Range, -3, 3});
  add("inline_asm_elementwise (two results)", "u32",
      "    a, b = tl.inline_asm_elementwise(\"and.b32 $0, $2, 255; shr.u32 $1, $2, 8;\", "
      "\"=&r,=r,r\", [x], dtype=(tl.uint32, tl.uint32), is_pure=True, pack=1)\n"
      "    r = a ^ (b << 8)\n",
      "    r = x\n");
  // An argument that goes into an output, among others and packed.
  add("inline_asm_elementwise (read and write)", "i32",
      assembly("mad.lo.s32 $0, $0, $1, $2;", "+r,r,r", "x, i, 7", "tl.int32", one),
      "    r = x * i + 7\n");
  add("inline_asm_elementwise (read and write)", "fp16",
      assembly("neg.f16x2 $0, $0;", "+r", "x", "tl.float16", "is_pure=True, pack=2"),
      "    r = -x\n", {Kind::Range, -3, 3});
  // Only for its effects.
  add("inline_asm_elementwise (no results)", "i32",
      "    tl.inline_asm_elementwise(\"{ .reg .u32 t; add.u32 t, $0, 1; }\", \"r\", [x], None, "
      "is_pure=False, pack=1)\n"
      "    tl.inline_asm_elementwise(\"membar.gl;\", \"\", [], None, is_pure=False, pack=1)\n"
      "    r = x\n",
      "    r = x\n");
  add("smid", "i32", "    r = x + (cuda.smid() >= 0).to(tl.int32)\n", "    r = x + 1\n");
  add("globaltimer", "i64",
      "    t = cuda.globaltimer()\n"
      "    r = x + (cuda.globaltimer() >= t).to(tl.int64)\n",
      "    r = x + 1\n");
  add("memrealtime", "i64",
      "    t = hip.memrealtime()\n"
      "    r = x + (hip.memrealtime() >= t).to(tl.int64)\n",
      "    r = x + 1\n");
  for (const char *t : {"i32", "fp32"})
    c.add("machine", "gdc_wait, gdc_launch_dependents", t,
          "    cuda.gdc_wait()\n"
          "    r = x\n"
          "    cuda.gdc_launch_dependents()\n",
          kBits, imports);
}

void addRandom(Context c) {
  auto add = [&](const std::string &op, const std::string &t, const std::string &offsets,
                 const std::string &expression, Tolerance tolerance, bool wide = false) {
    Cell cell = makeCell("random numbers", op, t, c.variant, tolerance);
    cell.numWarps = 1u << (hashText(op + t + offsets) + c.variant) % 4;
    cell.grid[0] = 2;
    cell.source = asFile(fill("@triton.jit\n"
                              "def kernel(o, seed, n):\n"
                              "    i = tl.program_id(0) * 128 + tl.arange(0, 128)\n"
                              "    at = $O\n"
                              "    r = $E\n"
                              "    tl.store(o + i, r, mask=i < n)\n",
                              {{"O", offsets}, {"E", expression}}));
    addOutput(cell, "o", t, 209);
    addInteger(cell, "seed", wide ? "i64" : "i32", wide ? 0x123456789ABCDEFll : 1234567);
    addInteger(cell, "n", "i32", 209);
    c.cells.push_back(std::move(cell));
  };
  const std::pair<const char *, const char *> offsets[] = {
      {"", "i"}, {" (i64 offsets)", "i.to(tl.int64) * 5000000000"}};
  for (auto [name, at] : offsets)
    for (bool wide : {false, true}) {
      std::string suffix = std::string(name) + (wide ? " (i64 seed)" : "");
      add("randint" + suffix, "u32", at, "tl.randint(seed, at)", kBits, wide);
      add("rand" + suffix, "fp32", at, "tl.rand(seed, at)", kValue, wide);
      add("randn" + suffix, "fp32", at, "tl.randn(seed, at)", getMathTolerance("normal", "fp32"),
          wide);
    }
  add("randint4x", "u32", "i", "tl.randint4x(seed, at)[2] ^ tl.randint4x(seed, at, 7)[3]", kBits);
  add("rand4x", "fp32", "i", "tl.where(i % 2 == 0, tl.rand4x(seed, at)[1], tl.rand4x(seed, at)[3])",
      kValue);
  add("randn4x", "fp32", "i", "tl.randn4x(seed, at)[3]", getMathTolerance("normal", "fp32"));
  add("philox", "u32", "i", "tl.philox(seed, at, at * 3, 0, 1)[0]", kBits);
  add("philox_impl", "u32", "i.to(tl.uint32)",
      "tl.philox_impl(at, at, at, at, at + 1, at, n_rounds=7)[1]", kBits);
  add("philox_impl (64 bits)", "u64", "i.to(tl.uint64) * 0x9E3779B97F4A7C15",
      "tl.philox_impl(at, at, at, at, at + 1, at, n_rounds=7)[1]", kBits);
  for (const char *t : {"randint", "rand", "randn"})
    add(std::string(t) + " (n_rounds)", t == std::string("randint") ? "u32" : "fp32", "i",
        "tl." + std::string(t) + "(seed, at, n_rounds=6)",
        t == std::string("randn") ? getMathTolerance("normal", "fp32") : kValue);
  add("philox (64 bits)", "u64", "i.to(tl.int64) * 0x1E3779B97F4A7C15",
      "tl.philox(seed, at, at, at, at)[2]", kBits, /*wide=*/true);
  add("uint_to_uniform_float (i64)", "fp32", "i.to(tl.int64) * 2654435761123457",
      "tl.uint_to_uniform_float(at)", kValue);
  add("uint_to_uniform_float", "fp32", "i.to(tl.uint32) * 2654435761",
      "tl.uint_to_uniform_float(at)", kValue);
  add("pair_uniform_to_normal", "fp32", "i.to(tl.float32) / 300.0",
      "tl.pair_uniform_to_normal(at, at)[0]", getMathTolerance("normal", "fp32"));
}

void addDebug(Context c) {
  for (const std::string &t : kAll) {
    // The printed text is not visible here; that the kernel continues is.
    c.add("debugging", "device_print", t,
          "    r = x\n    if tl.program_id(0) == 5:\n        tl.device_print(\"x\", x, hex=True)\n"
          "        print(\"y\", x, i)\n");
    if (t != "i32" && t != "u8" && t != "fp32")
      continue;
    if (t != "i32" && t != "u8" && t != "fp32")
      continue;
    Cell &quiet = c.add("debugging", "device_print (runs)", t,
                        "    r = x\n    tl.device_print(\"value\", tl.program_id(0))\n");
    quiet.numWarps = 1;
    for (bool debug : {false, true}) {
      // With debugging, conditions that hold; without, one that does not and must not matter.
      Cell &cell = c.add("debugging", debug ? "device_assert (holds)" : "device_assert (off)", t,
                         debug ? "    r = x\n    tl.device_assert(i >= 0, \"position\", mask=m)\n"
                               : "    r = x\n    tl.device_assert(i < 0, \"position\")\n");
      cell.debug = debug;
    }
  }
  for (const std::string &t : kIntegers) {
    const double high = type(t).getBits() == 8 ? 30 : 90; // Four times of which fit.
    // Overflow that is asked for is not a mistake in debug mode.
    Cell &cell = c.add("debugging", "overflow checks (off)", t,
                       "    r = tl.add(x, x, sanitize_overflow=False)\n", kBits);
    cell.debug = true;
    Cell &checked = c.add("debugging", "overflow checks (hold)", t, "    r = x + 3 * x + 1\n",
                          kBits, "", {Kind::Range, 3, high});
    checked.debug = true;
  }
}

} // namespace

void matrix::addControl(Cells &cells, unsigned variant) {
  Context context{cells, variant};
  addFlow(context);
  addCompileTime(context);
  addMachine(context);
  addRandom(context);
  addDebug(context);
}
