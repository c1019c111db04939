// The text form of a target: "generic:lanes=64,shared=64k,shuffle=off,async=on,matrix=…". Every
// target has one, including real ones, so that each pass can run on text for any of them.
//
//   generic:WORD=VALUE,…
//
// Words that are left out have the default of TargetInfo. `docs/architecture.md` lists the words.
//
//   matrix=NAME:MxNxK:A:B:ACC:LAYOUTA:LAYOUTB:LAYOUTD[:imprecise|:scaled][:cycles=N]
//     an instruction of a warp; its layouts are names of Fragments.def or a layout's own text
//   matrix=opaque:MxNxK:A:B:ACC                                     as opaqueInstruction makes it
//   warp-group=NAME:WARPS:MxNxK:A:B:ACC:LAYOUTA:LAYOUTD[:any-order][:imprecise]   an instruction of
//     groups of so many warps; N is the maximum, and layouts are of one warp
#pragma once

#include "ir/target/TargetInfo.h"

#include "llvm/Support/Error.h"

namespace tilerun::target {

/// Reads such text. Any input is safe; an error names the word and says what it may be.
llvm::Expected<TargetInfo> parseTarget(llvm::StringRef text);

/// The canonical text, which parses to an equal target. Precondition: the target is one that
/// parseTarget could give.
std::string printTarget(const TargetInfo &target);

} // namespace tilerun::target
