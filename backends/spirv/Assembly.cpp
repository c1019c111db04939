// Modules as text, and the validator's opinion, by SPIRV-Tools where it was found at build time.
#include "backends/spirv/Compile.h"

#ifdef TILERUN_HAS_SPIRV_TOOLS
#include <spirv-tools/libspirv.h>
#endif

using namespace tilerun;
using namespace tilerun::spirvbackend;

#ifdef TILERUN_HAS_SPIRV_TOOLS
namespace {
struct Tools {
  spv_context context = spvContextCreate(SPV_ENV_VULKAN_1_3);
  spv_diagnostic diagnostic = nullptr;
  ~Tools() {
    spvDiagnosticDestroy(diagnostic);
    spvContextDestroy(context);
  }
  std::string error() const {
    std::string text = diagnostic && diagnostic->error ? diagnostic->error : "unknown error";
    while (!text.empty() && text.back() == '\n')
      text.pop_back();
    return text;
  }
};
} // namespace

llvm::Expected<std::string> spirvbackend::disassemble(llvm::ArrayRef<uint32_t> words) {
  Tools tools;
  spv_text text = nullptr;
  spv_result_t result =
      spvBinaryToText(tools.context, words.data(), words.size(),
                      SPV_BINARY_TO_TEXT_OPTION_INDENT | SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES,
                      &text, &tools.diagnostic);
  if (result != SPV_SUCCESS)
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "the module cannot be printed: " + tools.error());
  std::string assembly(text->str, text->length);
  spvTextDestroy(text);
  return assembly;
}

std::string spirvbackend::validate(llvm::ArrayRef<uint32_t> words) {
  Tools tools;
  spv_const_binary_t binary = {words.data(), words.size()};
  spv_validator_options options = spvValidatorOptionsCreate();
  spv_result_t result = spvValidateWithOptions(tools.context, options, &binary, &tools.diagnostic);
  spvValidatorOptionsDestroy(options);
  return result == SPV_SUCCESS ? "" : tools.error();
}

#else

llvm::Expected<std::string> spirvbackend::disassemble(llvm::ArrayRef<uint32_t>) {
  return llvm::createStringError(
      llvm::inconvertibleErrorCode(),
      "this build has no disassembler: build with SPIRV-Tools, or emit 'spirv' and use spirv-dis");
}

std::string spirvbackend::validate(llvm::ArrayRef<uint32_t>) {
  return "this build has no validator: build with SPIRV-Tools";
}

#endif
