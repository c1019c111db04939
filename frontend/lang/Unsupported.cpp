// Names that the language has and this implementation lacks so far: using one is an error that says
// so and what to write instead, rather than "unknown name".
#include "frontend/lang/Table.h"

namespace tilerun::lang {

namespace {
struct Missing {
  llvm::StringLiteral path, names; ///< Names separated by blanks.
  llvm::StringLiteral text;        ///< The documentation; see emitUnsupported.
};

#define INSTEAD(Advice) "Not supported yet; " Advice "."
constexpr llvm::StringLiteral kCompose =
    INSTEAD("compute it from functions that docs/language.md lists");
constexpr llvm::StringLiteral kNearest =
    INSTEAD("use the operator or function without the suffix, which rounds to nearest");

constexpr Missing kMissing[] = {
    {kTl, "dot_scaled", INSTEAD("scale the operands in floating point and use tl.dot")},
    {kTl, "inline_asm_elementwise",
     INSTEAD("use the language's operators and functions; assembly would run only on the one GPU "
             "target it is written for")},
    {kTl, "target_info", INSTEAD("pass what differs between targets as a tl.constexpr parameter")},
    {"triton.language.extra.cuda", "gdc_launch_dependents gdc_wait",
     INSTEAD("leave the call out: a launch begins when the one before it has ended")},
    {"triton.language.extra.cuda", "globaltimer",
     INSTEAD("measure the whole launch, with tilerun run --time")},
    {"triton.language.extra.cuda", "smid",
     INSTEAD("use tl.program_id: a kernel cannot ask where it runs")},
    {"triton.language.extra.cuda", "convert_custom_float8_sm70 convert_custom_float8_sm80",
     INSTEAD("convert with x.to(dtype)")},
    {"triton.language.extra.hip", "memrealtime",
     INSTEAD("measure the whole launch, with tilerun run --time")},
    {kLibdevice,
     "add_rd add_ru add_rz div_rd div_ru div_rz fma_rd fma_ru fma_rz mul_rd mul_ru mul_rz "
     "sqrt_rd sqrt_ru sqrt_rz sub_rd sub_ru sub_rz",
     kNearest},
    {kLibdevice, "rcp64h rcp_rd rcp_ru rcp_rz", INSTEAD("write 1 / x, which rounds to nearest")},
    {kLibdevice, "double2float_rd double2float_ru",
     INSTEAD("use x.to(tl.float32), which rounds to nearest")},
    {kLibdevice,
     "cyl_bessel_i0 cyl_bessel_i1 erfcinv erfcx j0 j1 jn lgamma normcdfinv tgamma y0 y1 yn",
     kCompose},
};
#undef INSTEAD
} // namespace

void addUnsupported(Rows &rows) {
  for (const Missing &missing : kMissing) {
    llvm::SmallVector<llvm::StringRef> names;
    missing.names.split(names, ' ', -1, /*KeepEmpty=*/false);
    for (llvm::StringRef name : names)
      rows.push_back({name, missing.path, "*args", missing.text, emitUnsupported});
  }
}

} // namespace tilerun::lang
