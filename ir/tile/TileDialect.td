// The `tile` dialect: programs over whole tiles, before any thread exists.
#ifndef TILERUN_IR_TILE_TILEDIALECT_TD
#define TILERUN_IR_TILE_TILEDIALECT_TD

include "mlir/IR/OpBase.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let cppNamespace = "::tilerun::tile";
  let summary = "Tile programs: tensors of static shape, pointers, memory, reductions and products";
  let description = [{
    One `func.func` that carries `tile.kernel` is one kernel. It runs once per *program* of a launch grid; a program
    works on tensors of static shape. Elementwise arithmetic, mathematics and control flow are ops of
    `arith`, `math` and `scf`; this dialect adds what those do not have: pointers, memory accesses with masks or through
    descriptors, shape manipulation, products, reductions and scans with a combine region, atomics, hints and debugging.

    Conventions:

    - Integers are signless; ops that care (`tile.reduce` of an order, `arith.divsi`) say so themselves.
    - A scalar is a value of element type; there are no rank-0 tensors.
    - Kernel arguments carry `tile.divisibility = N : i64` (the value, or the address in bytes, is a multiple of N),
      `tile.small` (the memory behind a pointer is below 2 GiB: `ir/tile/SmallMemory.h`) and `tile.name` (the
      parameter's name in the source).
    - A kernel with `tile.blocks = n : i32` runs each program on n blocks of threads at a time, which have shared memory of
      their own and their number in `tile.block_rank`. Together they do what one block of a kernel without the attribute does.
    - A kernel with `tile.most_programs = array<i32: x, y, z>` is one for launches of so many programs on each axis at most; 0 is any
      number. Passes write it with what they have concluded from that.
    - `fastmath<afn>` on an `arith` or `math` op means the language's fast form (see docs/language.md); without it
      the op is the accurate, correctly rounded form.
    - Unsigned sources of diagnostics (printing) carry their signedness as an attribute.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::ub::UBDialect"
  ];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let extraClassDeclaration = [{
    /// The version written into bytecode. A reader refuses a newer major version.
    static constexpr uint32_t kVersionMajor = 1;
    /// 1.1: descriptors. 1.2: debug events. 1.3: blocks of a program.
    static constexpr uint32_t kVersionMinor = 3;
    /// Discardable attribute names.
    static constexpr ::llvm::StringLiteral kKernelAttr{"tile.kernel"};
    /// On a kernel: each program runs on so many blocks of threads, a power of two.
    static constexpr ::llvm::StringLiteral kBlocksAttr{"tile.blocks"};
    static constexpr unsigned kMostBlocks = 8;
    /// On a kernel: programs on each axis of the launches that it is for, at most; 0: any number.
    static constexpr ::llvm::StringLiteral kMostProgramsAttr{"tile.most_programs"};
    static constexpr ::llvm::StringLiteral kDivisibilityAttr{"tile.divisibility"};
    static constexpr ::llvm::StringLiteral kNameAttr{"tile.name"};
    /// On integer arithmetic, and on ops of descriptors for that of their addresses: it must not overflow.
    static constexpr ::llvm::StringLiteral kSignedAttr{"tile.signed"};
    static constexpr ::llvm::StringLiteral kUnsignedAttr{"tile.unsigned"};

    void registerTypes();
    void registerAttributes();
    void registerOps();
  }];
}

#endif
