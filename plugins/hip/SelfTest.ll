; The self-test kernels of the ABI for AMD GPUs. SelfTest.cmake makes a code object of them for every
; architecture. Of a launch they read what every loader passes behind the arguments: the number of programs on
; each axis (hidden_block_count_x, _y, _z of code objects of version 5).
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.workgroup.id.y()
declare i32 @llvm.amdgcn.workgroup.id.z()
declare i32 @llvm.amdgcn.workitem.id.x()
declare ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
declare i64 @llvm.readsteadycounter()
declare void @llvm.amdgcn.s.sleep(i32)

define amdgpu_kernel void @tilerun_test_add(ptr addrspace(1) %out, ptr addrspace(1) %a, ptr addrspace(1) %b, i32 %n) #0 {
  %program = call i32 @llvm.amdgcn.workgroup.id.x()
  %thread = call i32 @llvm.amdgcn.workitem.id.x()
  %first = mul i32 %program, 128
  %i = add i32 %first, %thread
  %isIn = icmp slt i32 %i, %n
  br i1 %isIn, label %body, label %end
body:
  %index = sext i32 %i to i64
  %pa = getelementptr i32, ptr addrspace(1) %a, i64 %index
  %pb = getelementptr i32, ptr addrspace(1) %b, i64 %index
  %po = getelementptr i32, ptr addrspace(1) %out, i64 %index
  %x = load i32, ptr addrspace(1) %pa
  %y = load i32, ptr addrspace(1) %pb
  %sum = add i32 %x, %y
  store i32 %sum, ptr addrspace(1) %po
  br label %end
end:
  ret void
}

define amdgpu_kernel void @tilerun_test_arguments(ptr addrspace(1) %out, i8 %i8, i16 %i16, i32 %i32, i64 %i64, half %f16, float %f32, double %f64) #1 {
  %p1 = getelementptr i64, ptr addrspace(1) %out, i64 1
  %p2 = getelementptr i64, ptr addrspace(1) %out, i64 2
  %p3 = getelementptr i64, ptr addrspace(1) %out, i64 3
  %p4 = getelementptr i64, ptr addrspace(1) %out, i64 4
  %p5 = getelementptr i64, ptr addrspace(1) %out, i64 5
  %p6 = getelementptr i64, ptr addrspace(1) %out, i64 6
  %half = bitcast half %f16 to i16
  %float = bitcast float %f32 to i32
  %v0 = zext i8 %i8 to i64
  %v1 = zext i16 %i16 to i64
  %v2 = zext i32 %i32 to i64
  %v4 = zext i16 %half to i64
  %v5 = zext i32 %float to i64
  store i64 %v0, ptr addrspace(1) %out
  store i64 %v1, ptr addrspace(1) %p1
  store i64 %v2, ptr addrspace(1) %p2
  store i64 %i64, ptr addrspace(1) %p3
  store i64 %v4, ptr addrspace(1) %p4
  store i64 %v5, ptr addrspace(1) %p5
  store double %f64, ptr addrspace(1) %p6
  ret void
}

define amdgpu_kernel void @tilerun_test_grid(ptr addrspace(1) %out) #2 {
  %x = call i32 @llvm.amdgcn.workgroup.id.x()
  %y = call i32 @llvm.amdgcn.workgroup.id.y()
  %z = call i32 @llvm.amdgcn.workgroup.id.z()
  %counts = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %countX = load i32, ptr addrspace(4) %counts, align 4
  %pY = getelementptr i32, ptr addrspace(4) %counts, i64 1
  %countY = load i32, ptr addrspace(4) %pY, align 4
  %planes = mul i32 %z, %countY
  %row = add i32 %planes, %y
  %rows = mul i32 %row, %countX
  %i = add i32 %rows, %x
  %shiftedY = shl i32 %y, 10
  %shiftedZ = shl i32 %z, 20
  %xy = add i32 %x, %shiftedY
  %value = add i32 %xy, %shiftedZ
  %index = zext i32 %i to i64
  %p = getelementptr i32, ptr addrspace(1) %out, i64 %index
  store i32 %value, ptr addrspace(1) %p
  ret void
}

; The counter of constant rate ticks every 10 ns on most of them. Where it ticks more slowly, the delay is longer
; than was asked for, which no test minds.
define amdgpu_kernel void @tilerun_test_delay(ptr addrspace(1) %out, i64 %ns) #1 {
  %start = call i64 @llvm.readsteadycounter()
  br label %wait
wait:
  %now = call i64 @llvm.readsteadycounter()
  %ticks = sub i64 %now, %start
  %passed = mul i64 %ticks, 10
  %isEarly = icmp ult i64 %passed, %ns
  br i1 %isEarly, label %sleep, label %end
sleep:
  call void @llvm.amdgcn.s.sleep(i32 1)
  br label %wait
end:
  %old = load i32, ptr addrspace(1) %out
  %new = add i32 %old, 1
  store i32 %new, ptr addrspace(1) %out
  ret void
}

define amdgpu_kernel void @tilerun_test_fault(ptr addrspace(1) %address) #1 {
  store i32 1, ptr addrspace(1) %address
  ret void
}

define amdgpu_kernel void @tilerun_test_persistent(ptr addrspace(1) %out, i32 %n, [4 x i64] %words) #2 {
  %program = call i32 @llvm.amdgcn.workgroup.id.x()
  %counts = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %countX = load i32, ptr addrspace(4) %counts, align 4
  %first = zext i32 %program to i64
  %step = zext i32 %countX to i64
  %value = add i32 %program, 1
  %end = extractvalue [4 x i64] %words, 3
  br label %next
next:
  %v = phi i64 [ %first, %0 ], [ %following, %body ]
  %isIn = icmp ult i64 %v, %end
  br i1 %isIn, label %body, label %done
body:
  %p = getelementptr i32, ptr addrspace(1) %out, i64 %v
  store i32 %value, ptr addrspace(1) %p
  %following = add i64 %v, %step
  br label %next
done:
  ret void
}

attributes #0 = { nounwind "amdgpu-flat-work-group-size"="128,128" "uniform-work-group-size"="true" "amdgpu-no-implicitarg-ptr" "amdgpu-no-dispatch-ptr" "amdgpu-no-queue-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-hostcall-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-workgroup-id-y" "amdgpu-no-workgroup-id-z" "amdgpu-no-workitem-id-y" "amdgpu-no-workitem-id-z" }
attributes #1 = { nounwind "amdgpu-flat-work-group-size"="1,1" "uniform-work-group-size"="true" "amdgpu-no-implicitarg-ptr" "amdgpu-no-dispatch-ptr" "amdgpu-no-queue-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-hostcall-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-workgroup-id-x" "amdgpu-no-workgroup-id-y" "amdgpu-no-workgroup-id-z" "amdgpu-no-workitem-id-x" "amdgpu-no-workitem-id-y" "amdgpu-no-workitem-id-z" }
attributes #2 = { nounwind "amdgpu-flat-work-group-size"="1,1" "uniform-work-group-size"="true" "amdgpu-no-dispatch-ptr" "amdgpu-no-queue-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-hostcall-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-workitem-id-x" "amdgpu-no-workitem-id-y" "amdgpu-no-workitem-id-z" }

!llvm.module.flags = !{!0}
!0 = !{i32 1, !"amdhsa_code_object_version", i32 500}
