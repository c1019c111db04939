// Enumerations of the `tile` dialect.
#ifndef TILERUN_IR_TILE_TILEATTRS_TD
#define TILERUN_IR_TILE_TILEATTRS_TD

include "ir/tile/TileDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

class Tile_Enum<string name, string summary, list<I32EnumAttrCase> cases> : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::tilerun::tile";
  let genSpecializedAttr = 0;
}
class Tile_EnumAttr<EnumInfo info, string attrMnemonic> : EnumAttr<Tile_Dialect, info, attrMnemonic>;

def Tile_CacheModifier : Tile_Enum<"CacheModifier", "cache behaviour asked for by a load or store", [
  I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"CA", 1, "ca">, I32EnumAttrCase<"CG", 2, "cg">,
  I32EnumAttrCase<"CV", 3, "cv">, I32EnumAttrCase<"WB", 4, "wb">, I32EnumAttrCase<"CS", 5, "cs">,
  I32EnumAttrCase<"WT", 6, "wt">]>;
def Tile_CacheModifierAttr : Tile_EnumAttr<Tile_CacheModifier, "cache">;

def Tile_EvictionPolicy : Tile_Enum<"EvictionPolicy", "what the cache should keep", [
  I32EnumAttrCase<"Normal", 0, "evict_normal">, I32EnumAttrCase<"First", 1, "evict_first">,
  I32EnumAttrCase<"Last", 2, "evict_last">]>;
def Tile_EvictionPolicyAttr : Tile_EnumAttr<Tile_EvictionPolicy, "evict">;

def Tile_MemSemantic : Tile_Enum<"MemSemantic", "memory ordering of an atomic", [
  I32EnumAttrCase<"Relaxed", 0, "relaxed">, I32EnumAttrCase<"Acquire", 1, "acquire">,
  I32EnumAttrCase<"Release", 2, "release">, I32EnumAttrCase<"AcquireRelease", 3, "acq_rel">]>;
def Tile_MemSemanticAttr : Tile_EnumAttr<Tile_MemSemantic, "sem">;

def Tile_MemScope : Tile_Enum<"MemScope", "who observes an atomic in order", [
  I32EnumAttrCase<"GPU", 0, "gpu">, I32EnumAttrCase<"CTA", 1, "cta">, I32EnumAttrCase<"System", 2, "sys">]>;
def Tile_MemScopeAttr : Tile_EnumAttr<Tile_MemScope, "scope">;

def Tile_AtomicKind : Tile_Enum<"AtomicKind", "read-modify-write operation", [
  I32EnumAttrCase<"And", 0, "and">, I32EnumAttrCase<"Or", 1, "or">, I32EnumAttrCase<"Xor", 2, "xor">,
  I32EnumAttrCase<"Add", 3, "add">, I32EnumAttrCase<"FAdd", 4, "fadd">, I32EnumAttrCase<"Max", 5, "max">,
  I32EnumAttrCase<"Min", 6, "min">, I32EnumAttrCase<"UMax", 7, "umax">, I32EnumAttrCase<"UMin", 8, "umin">,
  I32EnumAttrCase<"FMax", 9, "fmax">, I32EnumAttrCase<"FMin", 10, "fmin">, I32EnumAttrCase<"Xchg", 11, "xchg">]>;
def Tile_AtomicKindAttr : Tile_EnumAttr<Tile_AtomicKind, "atomic">;

def Tile_InputPrecision : Tile_Enum<"InputPrecision", "how float32 operands of a product are used", [
  I32EnumAttrCase<"IEEE", 0, "ieee">, I32EnumAttrCase<"TF32", 1, "tf32">, I32EnumAttrCase<"TF32x3", 2, "tf32x3">,
  I32EnumAttrCase<"BF16x3", 3, "bf16x3">, I32EnumAttrCase<"BF16x6", 4, "bf16x6">]>;
def Tile_InputPrecisionAttr : Tile_EnumAttr<Tile_InputPrecision, "precision">;

def Tile_RoundingMode : Tile_Enum<"RoundingMode", "rounding of a narrowing float conversion", [
  I32EnumAttrCase<"NearestEven", 0, "rtne">, I32EnumAttrCase<"TowardZero", 1, "rtz">]>;
def Tile_RoundingModeAttr : Tile_EnumAttr<Tile_RoundingMode, "rounding">;

def Tile_GridDependencyKind : Tile_Enum<"GridDependencyKind", "how a launch meets its neighbours in a stream", [
  I32EnumAttrCase<"Wait", 0, "wait">, I32EnumAttrCase<"Release", 1, "release">]>;
def Tile_GridDependencyKindAttr : Tile_EnumAttr<Tile_GridDependencyKind, "grid_dependency">;

def Tile_DebugEvent : Tile_Enum<"DebugEvent", "what a debugger shows at a place", [
  I32EnumAttrCase<"Enter", 0, "enter">, I32EnumAttrCase<"Leave", 1, "leave">,
  I32EnumAttrCase<"Statement", 2, "statement">, I32EnumAttrCase<"Assign", 3, "assign">,
  I32EnumAttrCase<"Break", 4, "break">]>;
def Tile_DebugEventAttr : Tile_EnumAttr<Tile_DebugEvent, "debug">;

def Tile_DescriptorPadding : Tile_Enum<"DescriptorPadding", "what reads as an element outside of a view", [
  I32EnumAttrCase<"Zero", 0, "zero">, I32EnumAttrCase<"NaN", 1, "nan">]>;

#endif
