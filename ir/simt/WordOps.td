// Ops on single words of a thread's registers: assembly of the target, and words whose origin is hidden.
#ifndef TILERUN_IR_SIMT_WORDOPS_TD
#define TILERUN_IR_SIMT_WORDOPS_TD

include "ir/simt/SimtOpBase.td"

def Simt_InlineAsmOp : Simt_Op<"inline_asm", [NoSharedUse, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "one instance of the target's assembly";
  let description = [{
    Text and constraints are LLVM's; one operand for each input, one result for each output. See `tile.inline_asm`.
  }];
  let arguments = (ins UnitAttr:$pure, StrAttr:$text, StrAttr:$constraints, Variadic<AnyTypeOf<[AnyInteger, AnyFloat]>>:$operands);
  let results = (outs Variadic<AnyTypeOf<[AnyInteger, AnyFloat]>>:$outputs);
  let assemblyFormat = [{
    (`pure` $pure^)? $text `constraints` $constraints ($operands^)? attr-dict `:` functional-type($operands, $outputs)
  }];
}

def Simt_FreshOp : Simt_Op<"fresh", [NoSharedUse, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "the same word, of which compilers below do not know how it was made";
  let description = [{
    Values computed from it are computed again, not taken from those computed from the operand. Costs at most one instruction. A target
    whose compiler would see through that emits nothing for it.
  }];
  let arguments = (ins I32:$word);
  let results = (outs I32:$result);
  let assemblyFormat = "$word attr-dict";
  let builders = [OpBuilder<(ins "::mlir::Value":$word), "build($_builder, $_state, word.getType(), word);">];
}

#endif
