// One store to x[n], a printed line, and an assertion: the ways in which a kernel can fail.
func.func @faults(%x: !tile.ptr<i32> {tile.name = "x"}, %n: i32 {tile.name = "n"}) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %ok = arith.cmpi sge, %n, %zero : i32
  tile.assert %ok, "n is negative" : i1
  %p = tile.addptr %x, %n : !tile.ptr<i32>, i32
  tile.store %p, %n : !tile.ptr<i32>
  tile.print "n = " : %n signed [true] : i32
  return
}
