"""Models with random weights and parts of models that torch_models.py compiles. A row's function makes a Case; `small` ones are for a
machine without a GPU. Tensors are made on PyTorch's default device. Needs PyTorch, and the packages whose models are made."""

import functools

import torch
import torch.nn.functional as F


class Case:
    """module(*inputs) is a forward pass. With a loss, loss(output, *inputs), a step gives the gradients of the parameters, or of
    the inputs that are floating-point numbers where there are none."""

    def __init__(self, module, inputs, loss=None, autocast=False, config=None):
        self.module, self.inputs, self.loss, self.autocast, self.config = module, inputs, loss, autocast, config or {}


class Row:
    """`tunes`: it is always compiled by one after the other, since its configurations are measured."""

    def __init__(self, name, make, package=None, needs_gpu=False, tunes=False, **options):
        self.name, self.make, self.package = name, functools.partial(make, **options), package
        self.needs_gpu, self.tunes = needs_gpu or tunes, tunes


# -- Models of packages


class Logits(torch.nn.Module):
    """What a model of transformers gives as a tensor, and no cache."""

    def __init__(self, model, **arguments):
        super().__init__()
        self.model, self.arguments = model, arguments

    def forward(self, inputs, *_):
        return self.model(inputs, **self.arguments).logits


def word_loss(logits, tokens):
    return F.cross_entropy(logits[:, :-1].flatten(0, 1).float(), tokens[:, 1:].flatten())


def class_loss(logits, inputs, classes):
    return F.cross_entropy(logits.float(), classes)


def prepare(model, training):
    return (model.train() if training else model.eval().requires_grad_(False)).to(torch.get_default_device())


def llama(small, training=False):
    from transformers import LlamaConfig, LlamaForCausalLM
    sizes = dict(hidden_size=64, intermediate_size=96, num_hidden_layers=1, num_attention_heads=2, num_key_value_heads=1, vocab_size=50) \
        if small else dict(hidden_size=2048, intermediate_size=5632, num_hidden_layers=2, num_attention_heads=16, num_key_value_heads=4)
    model = prepare(Logits(LlamaForCausalLM(LlamaConfig(**sizes)), use_cache=False).bfloat16(), training)
    words = model.model.config.vocab_size
    return Case(model, (torch.randint(0, words, (2, 12) if small else (4, 1024)), ), word_loss if training else None)


def mixtral(small, training=False):
    from transformers import MixtralConfig, MixtralForCausalLM
    sizes = dict(hidden_size=32, intermediate_size=32, num_hidden_layers=1, num_attention_heads=2, num_key_value_heads=1, vocab_size=50,
                 num_local_experts=4) if small else \
        dict(hidden_size=1024, intermediate_size=3584, num_hidden_layers=2, num_attention_heads=16, num_key_value_heads=4, num_local_experts=8)
    model = MixtralForCausalLM(MixtralConfig(num_experts_per_tok=2, **sizes))
    model.set_experts_implementation("grouped_mm")
    words = model.config.vocab_size
    model = prepare(Logits(model, use_cache=False).bfloat16(), training)
    return Case(model, (torch.randint(0, words, (2, 8) if small else (4, 1024)), ), word_loss if training else None)


def bert(small, training=False):
    from transformers import BertConfig, BertForMaskedLM
    sizes = dict(hidden_size=32, intermediate_size=48, num_hidden_layers=1, num_attention_heads=2, vocab_size=50) if small else dict(num_hidden_layers=4)
    model = BertForMaskedLM(BertConfig(hidden_dropout_prob=0, attention_probs_dropout_prob=0, **sizes))
    words = model.config.vocab_size
    return Case(prepare(Logits(model).bfloat16(), training), (torch.randint(0, words, (2, 9) if small else (16, 512)), ),
                word_loss if training else None)


def images(small, channels_last=False, dtype=torch.bfloat16):
    size = (2, 3, 32, 32) if small else (64, 3, 224, 224)
    made = torch.randn(size).to(dtype)
    return made.to(memory_format=torch.channels_last) if channels_last else made


def vit(small, training=False):
    from transformers import ViTConfig, ViTForImageClassification
    sizes = dict(hidden_size=32, intermediate_size=48, num_hidden_layers=1, num_attention_heads=2, image_size=32) if small else dict(num_hidden_layers=4)
    model = prepare(Logits(ViTForImageClassification(ViTConfig(num_labels=10, **sizes))).bfloat16(), training)
    batch = images(small)
    return Case(model, (batch, torch.randint(0, 10, batch.shape[:1])), class_loss if training else None)


def resnet50(small, training=False):
    from transformers import ResNetConfig, ResNetForImageClassification
    sizes = dict(embedding_size=8, hidden_sizes=[16, 24], depths=[1, 1]) if small else {}
    model = Logits(ResNetForImageClassification(ResNetConfig(num_labels=10, **sizes))).to(memory_format=torch.channels_last)
    batch = images(small, True, torch.float32 if training else torch.bfloat16)
    model = prepare(model if training else model.bfloat16(), training)
    return Case(model, (batch, torch.randint(0, 10, batch.shape[:1])), class_loss if training else None, autocast=training)


class Noise(torch.nn.Module):
    """What a U-Net of diffusers gives as a tensor."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, images, times, *_):
        return self.model(images, times).sample


def unet(small, training=False):
    from diffusers import UNet2DModel
    plain, attending = "{}Block2D", "Attn{}Block2D"
    kinds = [plain, attending] if small else [plain, plain, attending, attending]
    model = UNet2DModel(sample_size=16 if small else 64, block_out_channels=(8, 16) if small else (128, 256, 256, 512),
                        layers_per_block=1, down_block_types=[kind.format("Down") for kind in kinds],
                        up_block_types=[kind.format("Up") for kind in reversed(kinds)], norm_num_groups=4 if small else 32,
                        attention_head_dim=8)
    size = (1, 3, 16, 16) if small else (8, 3, 64, 64)
    dtype = torch.float32 if training else torch.bfloat16
    inputs = torch.randn(size).to(dtype), torch.randint(0, 1000, size[:1]), torch.randn(size).to(dtype)
    loss = lambda found, images, times, noise: F.mse_loss(found.float(), noise.float())
    return Case(prepare(Noise(model).to(dtype), training), inputs, loss if training else None, autocast=training)


# -- Parts of models


def softmaxes(small):
    """Softmax and its logarithm of the same rows, fused."""
    return Case(lambda x: F.softmax(x, -1) * F.log_softmax(x, -1), (torch.randn((16, 128) if small else (4096, 8192)), ))


def norm_and_gelu(small):
    rows, columns = (16, 64) if small else (8192, 4096)
    return Case(lambda x, w, b: F.gelu(F.layer_norm(x, (columns, ), w, b)), (torch.randn(rows, columns), torch.randn(columns), torch.randn(columns)))


def cross_entropy_gradient(small):
    rows, columns = (16, 200) if small else (4096, 32000)
    loss = lambda logits, same, targets: F.cross_entropy(logits, targets)
    return Case(lambda logits, targets: logits, (torch.randn(rows, columns), torch.randint(0, columns, (rows, ))), loss)


def flex(small, training=False, window=False):
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention
    batch, heads, length, size = 4, 16, 4096, 64
    q, k, v = (torch.randn(batch, heads, length, size).bfloat16() for _ in range(3))
    causal = lambda b, h, i, j: i >= j
    mask = create_block_mask((lambda b, h, i, j: (i >= j) & (i - j < 1024)) if window else causal, None, None, length, length, device=q.device)
    slopes = torch.exp2(-torch.arange(1, heads + 1) / 2)
    bias = (lambda score, b, h, i, j: score + slopes[h] * (j - i)) if window else None
    loss = lambda out, q, k, v: out.float().square().sum()
    return Case(lambda q, k, v: flex_attention(q, k, v, score_mod=bias, block_mask=mask), (q, k, v), loss if training else None)


# Products are by Inductor's templates in Triton's language, whatever would be the fastest.
TEMPLATES = {"max_autotune": True, "max_autotune_gemm_backends": "TRITON"}


def product_and_gelu(small, m=4096, k=4096, n=4096):
    a, b, bias = (torch.randn(size).bfloat16() for size in ((m, k), (k, n), (n, )))
    return Case(lambda a, b, bias: F.gelu(a @ b / 64 + bias), (a, b, bias), config=TEMPLATES)


def gated_layer(small):
    x, up, gate, down = (torch.randn(size).bfloat16() for size in ((4096, 2048), (2048, 5632), (2048, 5632), (5632, 2048)))
    return Case(lambda x, up, gate, down: (F.silu(x @ gate / 45) * (x @ up / 45)) @ down / 75, (x, up, gate, down), config=TEMPLATES)


def forward_and_training(name, make, package):
    return Row(f"{name}, forward", make, package), Row(f"{name}, training step", make, package, training=True)


ROWS = [
    *forward_and_training("Llama-like decoder, 2 layers", llama, "transformers"),
    *forward_and_training("BERT base, 4 layers", bert, "transformers"), *forward_and_training("ViT base, 4 layers", vit, "transformers"),
    *forward_and_training("ResNet-50", resnet50, "transformers"), *forward_and_training("U-Net", unet, "diffusers"),
    *forward_and_training("Mixtral-like mixture of 8 experts, 2 layers", mixtral, "transformers"),
    Row("softmax * log_softmax, 4096 x 8192", softmaxes), Row("layer norm + GELU, 8192 x 4096", norm_and_gelu),
    Row("cross entropy, gradient, 4096 x 32000", cross_entropy_gradient),
    Row("flex attention, causal, forward", flex, needs_gpu=True), Row("flex attention, causal, gradients", flex, needs_gpu=True, training=True),
    Row("flex attention, window with ALiBi, gradients", flex, needs_gpu=True, window=True, training=True),
    Row("templates: 4096^3 product + GELU", product_and_gelu, tunes=True),
    Row("templates: product of 16 rows + GELU", product_and_gelu, tunes=True, m=16), Row("templates: gated layer", gated_layer, tunes=True),
]
