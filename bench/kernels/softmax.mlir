// Softmax of one row of 1,024 columns a program.
func.func @softmax(%x: !tile.ptr<f32> {tile.name = "x"}, %y: !tile.ptr<f32> {tile.name = "y"},
                   %stride: i32 {tile.name = "stride"}, %n: i32 {tile.name = "n"}) attributes {tile.kernel} {
  %low = arith.constant dense<0xFF800000> : tensor<1024xf32>
  %row = tile.program_id 0
  %start = arith.muli %row, %stride : i32
  %range = tile.make_range 0 to 1024 : tensor<1024xi32>
  %ns = tile.splat %n : i32 -> tensor<1024xi32>
  %mask = arith.cmpi slt, %range, %ns : tensor<1024xi32>
  %xr = tile.addptr %x, %start : !tile.ptr<f32>, i32
  %xs = tile.splat %xr : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %range : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %v = tile.load %xp mask %mask other %low : tensor<1024x!tile.ptr<f32>>
  %max = tile.reduce %v axis 0 : (tensor<1024xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %m = arith.maxnumf %a, %b : f32
    tile.yield %m : f32
  }
  %maxes = tile.splat %max : f32 -> tensor<1024xf32>
  %shifted = arith.subf %v, %maxes : tensor<1024xf32>
  %e = math.exp %shifted : tensor<1024xf32>
  %sum = tile.reduce %e axis 0 : (tensor<1024xf32>) -> f32 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }
  %sums = tile.splat %sum : f32 -> tensor<1024xf32>
  %result = arith.divf %e, %sums : tensor<1024xf32>
  %yr = tile.addptr %y, %start : !tile.ptr<f32>, i32
  %ys = tile.splat %yr : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %yp = tile.addptr %ys, %range : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  tile.store %yp, %result mask %mask : tensor<1024x!tile.ptr<f32>>
  return
}
