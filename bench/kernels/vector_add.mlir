// z = x + y, 1,024 elements a program.
func.func @vector_add(%x: !tile.ptr<f32> {tile.name = "x", tile.divisibility = 16 : i64},
                      %y: !tile.ptr<f32> {tile.name = "y", tile.divisibility = 16 : i64},
                      %z: !tile.ptr<f32> {tile.name = "z", tile.divisibility = 16 : i64},
                      %n: i32 {tile.name = "n", tile.divisibility = 16 : i64}) attributes {tile.kernel} {
  %block = arith.constant 1024 : i32
  %pid = tile.program_id 0
  %start = arith.muli %pid, %block : i32
  %range = tile.make_range 0 to 1024 : tensor<1024xi32>
  %starts = tile.splat %start : i32 -> tensor<1024xi32>
  %offsets = arith.addi %starts, %range : tensor<1024xi32>
  %ns = tile.splat %n : i32 -> tensor<1024xi32>
  %mask = arith.cmpi slt, %offsets, %ns : tensor<1024xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %offsets : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %a = tile.load %xp mask %mask : tensor<1024x!tile.ptr<f32>>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %yp = tile.addptr %ys, %offsets : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %b = tile.load %yp mask %mask : tensor<1024x!tile.ptr<f32>>
  %sum = arith.addf %a, %b : tensor<1024xf32>
  %zs = tile.splat %z : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %zp = tile.addptr %zs, %offsets : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  tile.store %zp, %sum mask %mask : tensor<1024x!tile.ptr<f32>>
  return
}
