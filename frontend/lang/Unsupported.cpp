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
constexpr Missing kMissing[] = {
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
    {"triton.language.extra.hip", "memrealtime",
     INSTEAD("measure the whole launch, with tilerun run --time")},
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
