"""torch.autocast and gradient scaling for 'cuda' with `--cpu`: those of the CPU, with the GPU's defaults."""

import functools
import warnings

from ._places import is_gpu


def redirect_autocast(torch):
    kind = torch.amp.autocast_mode.autocast if hasattr(torch, "amp") else getattr(torch, "autocast", None)
    if kind is None:
        return
    start = kind.__init__
    plain_dtype = functools.partial(torch.get_autocast_dtype, "cuda") if hasattr(torch, "get_autocast_dtype") else \
        torch.get_autocast_gpu_dtype

    @functools.wraps(start)
    def start_here(self, device_type, dtype=None, enabled=True, cache_enabled=None):
        if not is_gpu(device_type):
            return start(self, device_type, dtype=dtype, enabled=enabled, cache_enabled=cache_enabled)
        wanted = dtype or plain_dtype()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # It says the same of 'cpu', which the script does not name.
            start(self, "cpu", dtype=wanted, enabled=enabled, cache_enabled=cache_enabled)
        if not self._enabled:
            self.fast_dtype = torch.get_autocast_cpu_dtype()  # It is set all the same.
        if enabled and not self._enabled:
            warnings.warn(f"with --cpu, PyTorch {torch.__version__} has no automatic mixed precision of {wanted}: what "
                          f"torch.autocast('cuda') would compute in it has the dtypes of its operands", stacklevel=3)

    kind.__init__ = start_here
    _answer_questions(torch)
    _redirect_scaling(torch)


def _answer_questions(torch):
    """What is asked of the GPU's autocast is true of the CPU's."""
    is_enabled, is_enabled_on_cpu = torch.is_autocast_enabled, getattr(torch, "is_autocast_cpu_enabled", None)

    @functools.wraps(is_enabled)
    def is_autocast_enabled(device_type="cuda"):
        if is_gpu(device_type):
            return is_enabled_on_cpu() if is_enabled_on_cpu is not None else is_enabled("cpu")
        return is_enabled(device_type)

    torch.is_autocast_enabled = is_autocast_enabled
    of_gpu, of_cpu = getattr(torch, "get_autocast_gpu_dtype", None), getattr(torch, "get_autocast_cpu_dtype", None)
    if of_gpu is not None and of_cpu is not None:
        torch.get_autocast_gpu_dtype = functools.wraps(of_gpu)(lambda: of_cpu() if is_autocast_enabled() else of_gpu())


def _redirect_scaling(torch):
    """The two functions of a GradScaler, which older versions of torch have for GPUs alone."""
    unscale, update = (getattr(torch, name, None) for name in ("_amp_foreach_non_finite_check_and_unscale_", "_amp_update_scale_"))
    if unscale is None or update is None:
        return
    try:
        unscale([torch.ones(1)], torch.zeros(1), torch.ones(1))
        return
    except NotImplementedError:
        pass

    @functools.wraps(unscale)
    def unscale_here(grads, found_inf, inv_scale):
        for grad in grads:
            if not torch.isfinite(grad).all():
                found_inf.fill_(1)
            grad.mul_(inv_scale.to(grad.dtype))

    @functools.wraps(update)
    def update_here(current_scale, growth_tracker, found_inf, growth_factor, backoff_factor, growth_interval):
        if found_inf.item():
            current_scale.mul_(backoff_factor)
            growth_tracker.fill_(0)
            return current_scale
        growth_tracker.add_(1)
        if growth_tracker.item() == growth_interval:
            grown = current_scale * growth_factor
            if torch.isfinite(grown):
                current_scale.copy_(grown)
            growth_tracker.fill_(0)
        return current_scale

    torch._amp_foreach_non_finite_check_and_unscale_, torch._amp_update_scale_ = unscale_here, update_here
