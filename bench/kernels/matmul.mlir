// c = a · b for 512 × 512 float32 matrices, a 64 × 64 tile a program, 32 of k a step.
func.func @matmul(%a: !tile.ptr<f32> {tile.name = "a"}, %b: !tile.ptr<f32> {tile.name = "b"},
                  %c: !tile.ptr<f32> {tile.name = "c"}, %k: i32 {tile.name = "k"}, %n: i32 {tile.name = "n"})
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %r64 = tile.make_range 0 to 64 : tensor<64xi32>
  %r32 = tile.make_range 0 to 32 : tensor<32xi32>
  %m0 = arith.muli %pm, %c64 : i32
  %n0 = arith.muli %pn, %c64 : i32
  %m0s = tile.splat %m0 : i32 -> tensor<64xi32>
  %n0s = tile.splat %n0 : i32 -> tensor<64xi32>
  %rm = arith.addi %m0s, %r64 : tensor<64xi32>
  %rn = arith.addi %n0s, %r64 : tensor<64xi32>
  %rm2 = tile.expand_dims %rm axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %rn2 = tile.expand_dims %rn axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %rk = tile.expand_dims %r32 axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %rkc = tile.expand_dims %r32 axis 1 : tensor<32xi32> -> tensor<32x1xi32>
  %ks = tile.splat %k : i32 -> tensor<64x1xi32>
  %arow = arith.muli %rm2, %ks : tensor<64x1xi32>
  %arow2 = tile.broadcast %arow : tensor<64x1xi32> -> tensor<64x32xi32>
  %rkb = tile.broadcast %rk : tensor<1x32xi32> -> tensor<64x32xi32>
  %aoff = arith.addi %arow2, %rkb : tensor<64x32xi32>
  %as = tile.splat %a : !tile.ptr<f32> -> tensor<64x32x!tile.ptr<f32>>
  %ap0 = tile.addptr %as, %aoff : tensor<64x32x!tile.ptr<f32>>, tensor<64x32xi32>
  %nsk = tile.splat %n : i32 -> tensor<32x1xi32>
  %brow = arith.muli %rkc, %nsk : tensor<32x1xi32>
  %brow2 = tile.broadcast %brow : tensor<32x1xi32> -> tensor<32x64xi32>
  %rnb = tile.broadcast %rn2 : tensor<1x64xi32> -> tensor<32x64xi32>
  %boff = arith.addi %brow2, %rnb : tensor<32x64xi32>
  %bs = tile.splat %b : !tile.ptr<f32> -> tensor<32x64x!tile.ptr<f32>>
  %bp0 = tile.addptr %bs, %boff : tensor<32x64x!tile.ptr<f32>>, tensor<32x64xi32>
  %astep = arith.constant dense<32> : tensor<64x32xi32>
  %bstep1 = arith.muli %n, %c32 : i32
  %bstep = tile.splat %bstep1 : i32 -> tensor<32x64xi32>
  %r:3 = scf.for %i = %c0 to %k step %c32 iter_args(%acc = %zero, %ap = %ap0, %bp = %bp0)
      -> (tensor<64x64xf32>, tensor<64x32x!tile.ptr<f32>>, tensor<32x64x!tile.ptr<f32>>) : i32 {
    %av = tile.load %ap : tensor<64x32x!tile.ptr<f32>>
    %bv = tile.load %bp : tensor<32x64x!tile.ptr<f32>>
    %next = tile.dot %av, %bv, %acc : tensor<64x32xf32>, tensor<32x64xf32> -> tensor<64x64xf32>
    %an = tile.addptr %ap, %astep : tensor<64x32x!tile.ptr<f32>>, tensor<64x32xi32>
    %bn = tile.addptr %bp, %bstep : tensor<32x64x!tile.ptr<f32>>, tensor<32x64xi32>
    scf.yield %next, %an, %bn : tensor<64x64xf32>, tensor<64x32x!tile.ptr<f32>>, tensor<32x64x!tile.ptr<f32>>
  }
  %nsc = tile.splat %n : i32 -> tensor<64x1xi32>
  %crow = arith.muli %rm2, %nsc : tensor<64x1xi32>
  %crow2 = tile.broadcast %crow : tensor<64x1xi32> -> tensor<64x64xi32>
  %rnc = tile.broadcast %rn2 : tensor<1x64xi32> -> tensor<64x64xi32>
  %coff = arith.addi %crow2, %rnc : tensor<64x64xi32>
  %cs = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %cp = tile.addptr %cs, %coff : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  tile.store %cp, %r#0 : tensor<64x64x!tile.ptr<f32>>
  return
}
