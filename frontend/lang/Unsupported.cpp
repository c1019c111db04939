// Names that the language has and this implementation lacks so far: using one is an error that says
// so, rather than "unknown name".
#include "frontend/lang/Table.h"

namespace tilerun::lang {

namespace {
struct Missing {
  llvm::StringLiteral path, names; ///< Names separated by blanks.
};

constexpr Missing kMissing[] = {
    {kTl, "dot_scaled gather histogram inline_asm_elementwise "
          "load_tensor_descriptor make_tensor_descriptor map_elementwise "
          "store_tensor_descriptor target_info tensor_descriptor"},
    {"triton.language.extra.cuda",
     "gdc_launch_dependents gdc_wait globaltimer smid convert_custom_float8_sm70 "
     "convert_custom_float8_sm80"},
    {"triton.language.extra.hip", "memrealtime"},
    {kLibdevice,
     "add_rd add_ru add_rz brev byte_perm cyl_bessel_i0 cyl_bessel_i1 div_rd div_ru div_rz "
     "double2float_rd double2float_ru double2hiint double2loint erfcinv erfcx erfinv fma_rd "
     "fma_ru fma_rz hadd hiloint2double ilogb j0 j1 jn ldexp lgamma logb mul24 mul_rd mul_ru "
     "mul_rz nextafter norm3d norm4d normcdfinv rcbrt rcp64h rcp_rd rcp_ru rcp_rz remainder rhadd "
     "rhypot rnorm3d rnorm4d sad scalbn sqrt_rd sqrt_ru sqrt_rz sub_rd sub_ru sub_rz tgamma y0 y1 "
     "yn"},
};
} // namespace

void addUnsupported(Rows &rows) {
  for (const Missing &missing : kMissing) {
    llvm::SmallVector<llvm::StringRef> names;
    missing.names.split(names, ' ', -1, /*KeepEmpty=*/false);
    for (llvm::StringRef name : names)
      rows.push_back({name, missing.path, "*args", "Not supported yet.", emitUnsupported});
  }
}

} // namespace tilerun::lang
