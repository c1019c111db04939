// The program and its place in the grid.
#include "frontend/lang/Emit.h"
#include "frontend/lang/Table.h"

using namespace mlir;

namespace tilerun::lang {

namespace {
template <typename Op> Result emitAxis(Emitter &e, const Arguments &args) {
  FailureOr<int64_t> axis = getInt(e, args, 0, 0, 2);
  if (failed(axis))
    return failure();
  auto op = Op::create(e.builder, e.loc(), static_cast<int32_t>(*axis));
  return fromTensor(op, dtype(Scalar::Int32), {});
}

const Builtin kRows[] = {
    {"program_id", kTl, "axis", "Index of this program along an axis (0, 1 or 2) of the grid.",
     emitAxis<tile::ProgramIdOp>},
    {"num_programs", kTl, "axis", "Number of programs along an axis (0, 1 or 2) of the grid.",
     emitAxis<tile::NumProgramsOp>},
};
} // namespace

void addProgramOps(Rows &rows) { rows.insert(rows.end(), std::begin(kRows), std::end(kRows)); }

} // namespace tilerun::lang
