// Exchange between lanes: DPP where it reaches, permlane and ds_swizzle across rows, else ds_bpermute.
// RUN: tile-amdgpu %s --num-warps=1 | FileCheck %s --check-prefixes=CHECK,CDNA
// RUN: tile-amdgpu %s --num-warps=2 --arch=gfx1100 | FileCheck %s --check-prefixes=CHECK,RDNA

// CHECK: exchange:
// CDNA: v_add_u32_dpp {{.*}} quad_perm:[1,0,3,2]
// RDNA: v_add_nc_u32_dpp {{.*}} row_xmask:1
// Lane XOR 4 is the mirror of eight lanes, and that of four in it.
// CDNA: v_mov_b32_dpp {{.*}} row_half_mirror
// CDNA: v_add_u32_dpp {{.*}} quad_perm:[3,2,1,0]
// RDNA: v_add_nc_u32_dpp {{.*}} row_xmask:4
// CDNA: v_add_u32_dpp {{.*}} row_ror:8
// RDNA: v_add_nc_u32_dpp {{.*}} row_xmask:8
// CDNA: ds_swizzle_b32 {{.*}}offset:swizzle(SWAP,16)
// RDNA: v_permlanex16_b32
// CHECK: ds_bpermute_b32
// CHECK: v_readlane_b32 {{.*}}, 5
// CHECK: ds_bpermute_b32
// CHECK: s_endpgm
func.func @exchange(%out: i64 {simt.pointer}, %lane: i32) attributes {tile.kernel, simt.threads = 64 : i32} {
  %t = simt.thread_id
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %c5 = arith.constant 5 : i32
  %c8 = arith.constant 8 : i32
  %c16 = arith.constant 16 : i32
  %v = simt.load %out : vector<1xi32>
  %0 = vector.extract %v[0] : i32 from vector<1xi32>
  %s = arith.muli %0, %t : i32
  %x1 = simt.shuffle xor %s, %c1 : i32
  %s1 = arith.addi %s, %x1 : i32
  %x4 = simt.shuffle xor %s1, %c4 : i32
  %s4 = arith.addi %s1, %x4 : i32
  %x8 = simt.shuffle xor %s4, %c8 : i32
  %s8 = arith.addi %s4, %x8 : i32
  %x16 = simt.shuffle xor %s8, %c16 : i32
  %s16 = arith.addi %s8, %x16 : i32
  %up = simt.shuffle up %s16, %c1 : i32
  %s17 = arith.addi %s16, %up : i32
  %fifth = simt.shuffle idx %s17, %c5 : i32
  %s18 = arith.addi %s17, %fifth : i32
  %any = simt.shuffle idx %s18, %lane : i32
  %w = arith.extsi %t : i32 to i64
  %c4l = arith.constant 4 : i64
  %o = arith.muli %w, %c4l : i64
  %a = arith.addi %out, %o : i64
  %r = vector.from_elements %any : vector<1xi32>
  simt.store %a, %r : vector<1xi32>
  return
}
