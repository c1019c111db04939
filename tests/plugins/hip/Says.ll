; Kernels that write to the buffer of messages (backends/common/DebugBuffer.h), whose address comes after all
; other arguments, as the compiler's do: a record of the print 1 with one word, and for a negative word a
; failure of the assertion 2. The fake runtime does what they do.
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @test_says(i32 %x, i64 %buffer) #0 {
  %words = inttoptr i64 %buffer to ptr addrspace(1)
  call void @say(ptr addrspace(1) %words, i32 %x)
  ret void
}

define amdgpu_kernel void @test_says_grid(i32 %x, i32 %countX, i32 %countY, i32 %countZ, i64 %buffer) #0 {
  %words = inttoptr i64 %buffer to ptr addrspace(1)
  %xy = mul i32 %countX, %countY
  %programs = mul i32 %xy, %countZ
  %value = add i32 %x, %programs
  call void @say(ptr addrspace(1) %words, i32 %value)
  ret void
}

define internal void @say(ptr addrspace(1) %words, i32 %x) alwaysinline {
  %used = getelementptr i32, ptr addrspace(1) %words, i64 1
  %site = getelementptr i32, ptr addrspace(1) %words, i64 16
  %value = getelementptr i32, ptr addrspace(1) %words, i64 17
  store i32 2, ptr addrspace(1) %used
  store i32 1, ptr addrspace(1) %site
  store i32 %x, ptr addrspace(1) %value
  %isNegative = icmp slt i32 %x, 0
  br i1 %isNegative, label %fail, label %end
fail:
  %failures = getelementptr i32, ptr addrspace(1) %words, i64 3
  %failedSite = getelementptr i32, ptr addrspace(1) %words, i64 4
  store i32 1, ptr addrspace(1) %failures
  store i32 2, ptr addrspace(1) %failedSite
  br label %end
end:
  ret void
}

attributes #0 = { nounwind "amdgpu-flat-work-group-size"="1,1" "uniform-work-group-size"="true" "amdgpu-no-implicitarg-ptr" "amdgpu-no-dispatch-ptr" "amdgpu-no-queue-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-hostcall-ptr" "amdgpu-no-heap-ptr" }

!llvm.module.flags = !{!0}
!0 = !{i32 1, !"amdhsa_code_object_version", i32 500}
