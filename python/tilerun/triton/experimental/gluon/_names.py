"""Names of the package `triton.experimental.gluon` of Triton 3.6, by module below it; `MODULES` are modules under a second name."""

NAMES = {
    "amd": "",
    "amd.gfx1250": "PaddedSharedLayout SwizzledSharedLayout TensorDescriptor",
    "language":
        "AutoLayout BlockedLayout CoalescedLayout DistributedLinearLayout DotOperandLayout NVMMADistributedLayout "
        "NVMMASharedLayout PaddedSharedLayout SharedLinearLayout SliceLayout SwizzledSharedLayout abs add "
        "allocate_shared_memory arange associative_scan assume atomic_add atomic_and atomic_cas atomic_max atomic_min atomic_or "
        "atomic_xchg atomic_xor bank_conflicts base_type base_value bfloat16 block_type broadcast cast cdiv ceil constexpr "
        "convert_layout cos device_assert device_print distributed_type div_rn dot_fma dtype erf exp exp2 expand_dims fdiv "
        "float16 float32 float64 float8e4b15 float8e4b8 float8e4nv float8e5 float8e5b16 floor fma fp4_to_fp full full_like "
        "gather histogram inline_asm_elementwise int1 int16 int32 int64 int8 join load log log2 map_elementwise max "
        "max_constancy max_contiguous maximum min minimum mul multiple_of num_ctas num_programs num_warps permute pointer_type "
        "program_id ravel reduce reduce_or reshape rsqrt set_auto_layout shared_memory_descriptor shared_memory_descriptor_type "
        "sin split sqrt sqrt_rn static_assert static_print static_range store sub sum tensor thread_barrier to_linear_layout "
        "to_tensor tuple tuple_type uint16 uint32 uint64 uint8 umulhi void warp_specialize where xor_sum zeros zeros_like",
    "language.amd": "AMDMFMALayout AMDWMMALayout",
    "language.amd.cdna3":
        "buffer_atomic_add buffer_atomic_and buffer_atomic_max buffer_atomic_min buffer_atomic_or buffer_atomic_xchg "
        "buffer_atomic_xor buffer_load buffer_store mfma",
    "language.amd.cdna4":
        "AMDMFMALayout DotOperandLayout buffer_atomic_add buffer_atomic_and buffer_atomic_max buffer_atomic_min "
        "buffer_atomic_or buffer_atomic_xchg buffer_atomic_xor buffer_load buffer_store get_mfma_scale_layout mfma mfma_scaled",
    "language.amd.cdna4.async_copy":
        "BlockedLayout SliceLayout buffer_load_to_shared commit_group global_load_to_shared load_shared_relaxed wait_group",
    "language.amd.gfx1250": "AMDWMMALayout buffer_load buffer_store get_wmma_scale_layout wmma wmma_scaled",
    "language.amd.gfx1250.async_copy": "DistributedLayout commit_group global_to_shared mbarrier_arrive wait_group",
    "language.amd.gfx1250.mbarrier": "MBarrierLayout SwizzledSharedLayout arrive init wait",
    "language.amd.gfx1250.tdm":
        "PaddedSharedLayout SwizzledSharedLayout async_load async_store async_wait make_tensor_descriptor tensor_descriptor "
        "tensor_descriptor_type",
    "language.amd.rdna3": "wmma",
    "language.amd.rdna4": "wmma",
    "language.extra": "libdevice",
    "language.nvidia": "",
    "language.nvidia.ampere": "DotOperandLayout NVMMADistributedLayout mma_v2",
    "language.nvidia.ampere.async_copy": "async_copy_global_to_shared commit_group mbarrier_arrive wait_group",
    "language.nvidia.ampere.mbarrier": "MBarrierLayout SwizzledSharedLayout arrive init invalidate wait",
    "language.nvidia.blackwell":
        "SharedLinearLayout TensorMemoryLayout TensorMemoryScalesLayout allocate_tensor_memory base_type base_value "
        "fence_async_shared get_tmem_reg_layout mma_v2 tcgen05_commit tcgen05_copy tcgen05_mma tcgen05_mma_scaled "
        "tensor_memory_descriptor tensor_memory_descriptor_type",
    "language.nvidia.blackwell.float2": "Float2Tensor fma full_like pack pack2 unpack unpack2",
    "language.nvidia.blackwell.tma":
        "async_copy_global_to_shared async_copy_shared_to_global async_gather async_scatter make_tensor_descriptor store_wait "
        "tensor_descriptor tensor_descriptor_type",
    "language.nvidia.hopper":
        "fence_async_shared mma_v2 warpgroup_mma warpgroup_mma_accumulator warpgroup_mma_accumulator_type warpgroup_mma_init "
        "warpgroup_mma_wait",
    "language.nvidia.hopper.mbarrier": "MBarrierLayout arrive expect init invalidate wait",
    "language.nvidia.hopper.tma":
        "NVMMASharedLayout async_copy_global_to_shared async_copy_shared_to_global base_type base_value make_tensor_descriptor "
        "store_wait tensor_descriptor tensor_descriptor_type",
    "nvidia": "",
    "nvidia.blackwell": "TensorDescriptor",
    "nvidia.hopper": "NVMMASharedLayout TensorDescriptor",
}
MODULES = {"language.nvidia.hopper.async_copy": "language.nvidia.ampere.async_copy", "language.nvidia.blackwell.async_copy": "language.nvidia.ampere.async_copy", "language.nvidia.blackwell.mbarrier": "language.nvidia.hopper.mbarrier"}
