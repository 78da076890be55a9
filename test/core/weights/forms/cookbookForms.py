"""Makes cookbookForms.json.gz: made-up base models and adapters of each family, and what tinker-cookbook 0.6.1 makes of them.

Usage, with `pip install tinker-cookbook==0.6.1` and torch: cookbookForms.py OUTPUT

All values are small multiples of powers of two, so that every product and sum is exact in 32-bit floats in any order, and only the last
rounding to the base model's type is left to compare.
"""

import base64
import gzip
import json
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from tinker_cookbook.exceptions import WeightsAdapterError
from tinker_cookbook.weights import build_lora_adapter
from tinker_cookbook.weights._merge import apply_merge_op, detect_merge_profile, plan_merge_ops

HIDDEN, INNER, HEAD, RANK, EXPERTS, VOCABULARY = 8, 6, 4, 2, 3, 10
ADAPTER = "base_model.model.model."
ATTENTION = [("q_proj", HEAD * 2, HIDDEN), ("k_proj", HEAD, HIDDEN), ("v_proj", HEAD, HIDDEN), ("o_proj", HIDDEN, HEAD * 2)]
MLP = [("gate_proj", INNER, HIDDEN), ("up_proj", INNER, HIDDEN), ("down_proj", HIDDEN, INNER)]
NAMES = {torch.float32: "F32", torch.float16: "F16", torch.bfloat16: "BF16"}
random = torch.Generator().manual_seed(35)


def values(shape, dtype, most=64):
    return (torch.randint(-most, most + 1, shape, generator=random) / 64).to(dtype)


class Family:
    """A base model and an adapter that are filled layer by layer. `within` stands before `layers` in the base model's names."""

    def __init__(self, config, within="model.", dtype=torch.bfloat16, lora=torch.float32, alpha=4):
        self.config, self.within, self.dtype, self.lora, self.alpha = config, within, dtype, lora, alpha
        self.base, self.adapter = {}, {}
        self.weight(f"{within}embed_tokens.weight", (VOCABULARY, HIDDEN))
        self.weight(f"{within}norm.weight", (HIDDEN,))

    def weight(self, name, shape):
        self.base[name] = values(shape, self.dtype)

    def pair(self, module, output, inputs, experts_a=None, experts_b=None):
        def shape(experts, *sides):
            return sides if experts is None else (experts, *sides)

        self.adapter[f"{ADAPTER}{module}.lora_A.weight"] = values(shape(experts_a, RANK, inputs), self.lora, 8)
        self.adapter[f"{ADAPTER}{module}.lora_B.weight"] = values(shape(experts_b, output, RANK), self.lora, 8)

    def linear(self, module, output, inputs, base=None):
        self.weight(f"{self.within}{base or module}.weight", (output, inputs))
        self.pair(module, output, inputs)

    def block(self, name, linears, base=None):
        for linear, output, inputs in linears:
            self.linear(f"{name}.{linear}", output, inputs, base and f"{base}.{linear}")
        return self

    def head(self, name="lm_head"):
        self.weight(f"{name}.weight", (VOCABULARY, HIDDEN))
        self.pair("unembed_tokens", VOCABULARY, HIDDEN)
        return self

    def experts(self, name, shared=None, names=("gate_proj", "up_proj", "down_proj")):
        """A matrix for each expert in the base model; `shared` is the half of a pair that all experts share."""
        a, b = (1 if shared == half else EXPERTS for half in "AB")
        for letter, (linear, output, inputs) in zip(("w1", "w3", "w2"), MLP):
            if linear in names:
                for expert in range(EXPERTS):
                    self.weight(f"{self.within}{name}.experts.{expert}.{linear}.weight", (output, inputs))
                self.pair(f"{name}.experts.{letter}", output, inputs, a, b)
        return self

    def joined_experts(self, name, is_transposed):
        """One tensor for all experts in the base model, gate and up together."""
        for linear, output, inputs in (("gate_up_proj", 2 * INNER, HIDDEN), ("down_proj", HIDDEN, INNER)):
            sides = (inputs, output) if is_transposed else (output, inputs)
            self.weight(f"{self.within}{name}.experts.{linear}", (EXPERTS, *sides))
        for letter, (_, output, inputs) in zip(("w1", "w3", "w2"), MLP):
            self.pair(f"{name}.experts.{letter}", output, inputs, EXPERTS, EXPERTS)
        return self


def families():
    attention = lambda family, layer=0: family.block(f"layers.{layer}.self_attn", ATTENTION)  # noqa: E731
    dense = lambda family: attention(family).block("layers.0.mlp", MLP)  # noqa: E731
    text = {"architectures": ["X"]}

    yield "llama", dense(Family({**text, "model_type": "llama"}, dtype=torch.float16)).head()
    yield "qwen3", dense(Family({**text, "model_type": "qwen3"}, dtype=torch.float32, lora=torch.bfloat16))
    yield "qwen3_moe", attention(Family({**text, "model_type": "qwen3_moe"}, alpha=1)).experts("layers.0.mlp").head()
    within = "model.language_model."
    yield "qwen3_vl_moe", attention(Family({**text, "model_type": "qwen3_vl_moe"}, within)).joined_experts("layers.0.mlp", True)

    for name in ("qwen3_5", "qwen3_5_moe"):
        family = attention(Family({**text, "model_type": name}, within), 1)
        parts = [("in_proj_q", 4), ("in_proj_k", 2), ("in_proj_v", 6)]
        family.weight(f"{within}layers.0.linear_attn.in_proj_qkv.weight", (12, HIDDEN))
        for part, rows in parts:
            family.pair(f"layers.0.linear_attn.{part}", rows, HIDDEN)
        family.block("layers.0.linear_attn", [("in_proj_z", 6, HIDDEN), ("out_proj", HIDDEN, 6)])
        if name == "qwen3_5":
            yield name, family.block("layers.0.mlp", MLP).head()
        else:
            yield name, family.joined_experts("layers.0.mlp", False).block("layers.0.mlp.shared_expert", MLP)

    oss = Family({"architectures": ["GptOssForCausalLM"], "model_type": "gpt_oss"}, lora=torch.bfloat16)
    yield "gpt_oss", oss.block("layers.0.attn", ATTENTION, "layers.0.self_attn").joined_experts("layers.0.mlp", True).head()

    nemotron = Family({"architectures": ["NemotronHForCausalLM"], "model_type": "nemotron_h"}, "backbone.")
    nemotron.weight("backbone.layers.0.mixer.in_proj.weight", (14, HIDDEN))
    nemotron.pair("layers.0.mixer.gate_proj", 5, HIDDEN)
    nemotron.pair("layers.0.mixer.x_proj", 6, HIDDEN)
    nemotron.block("layers.0.mixer", [("out_proj", HIDDEN, 5)])
    nemotron.block("layers.1.mixer", ATTENTION)
    nemotron.experts("layers.2.mixer", names=("down_proj",))
    for expert in range(EXPERTS):
        nemotron.weight(f"backbone.layers.2.mixer.experts.{expert}.up_proj.weight", (INNER, HIDDEN))
    nemotron.pair("layers.2.mixer.experts.w1", INNER, HIDDEN, EXPERTS, EXPERTS)
    for half, shape in (("A", (0, RANK, HIDDEN)), ("B", (0, 0, RANK))):
        nemotron.adapter[f"{ADAPTER}layers.2.mixer.experts.w3.lora_{half}.weight"] = torch.zeros(shape)
    yield "nemotron_h", nemotron.block("layers.2.mixer.shared_experts", MLP[1:]).head()

    kimi = {"model_type": "kimi_k25", "architectures": ["KimiK25ForConditionalGeneration"]}
    latent = [("q_a_proj", 4, HIDDEN), ("q_b_proj", 6, 4), ("kv_b_proj", 4, 4), ("o_proj", HIDDEN, 6)]
    for name, config, within in (
        ("kimi_k25", kimi, "language_model.model."),
        ("kimi_k2", {**text, "model_type": "kimi_k2"}, "model."),
        ("deepseek_v3", {**text, "model_type": "deepseek_v3"}, "model."),
    ):
        family = Family(config, within).block("layers.0.self_attn", latent).block("layers.0.mlp", MLP)
        family.experts("layers.1.mlp", shared="B" if name == "kimi_k2" else "A").block("layers.1.mlp.shared_experts", MLP)
        yield name, family.head("language_model.lm_head" if name == "kimi_k25" else "lm_head")


def stored(tensors):
    def one(tensor):
        raw = tensor.contiguous().view(torch.uint8).numpy().tobytes() if tensor.numel() else b""
        return {"dtype": NAMES[tensor.dtype], "shape": list(tensor.shape), "data": base64.b64encode(raw).decode()}

    return {name: one(tensor) for name, tensor in sorted(tensors.items())}


def merged(family, adapter_config):
    tensors = {name: tensor.clone() for name, tensor in family.base.items()}
    profile = detect_merge_profile(family.config, set(tensors))
    for operations in plan_merge_ops(family.adapter, adapter_config, set(tensors), profile).values():
        for operation in operations:
            apply_merge_op(tensors, operation)
    return tensors


def served(family, adapter_config, folder):
    """What the converter writes, or its refusal as text."""
    base, adapter, output = (folder / name for name in ("base", "adapter", "served"))
    base.mkdir()
    adapter.mkdir()
    save_file(family.base, base / "model.safetensors")
    (base / "config.json").write_text(json.dumps(family.config))
    save_file(family.adapter, adapter / "adapter_model.safetensors")
    (adapter / "adapter_config.json").write_text(json.dumps(adapter_config))
    try:
        build_lora_adapter(base_model=str(base), adapter_path=str(adapter), output_path=str(output))
    except WeightsAdapterError as refused:
        return {"refused": str(refused)}
    config = json.loads((output / "adapter_config.json").read_text())
    return {"config": {**config, "base_model_name_or_path": "org/model"}, "tensors": stored(load_file(output / "adapter_model.safetensors"))}


def main():
    vectors = {}
    for name, family in families():
        adapter_config = {"r": RANK, "lora_alpha": family.alpha, "peft_type": "LORA"}
        with tempfile.TemporaryDirectory() as folder:
            vectors[name] = {
                "config": family.config,
                "base": stored(family.base),
                "adapter_config": adapter_config,
                "adapter": stored(family.adapter),
                "served": served(family, adapter_config, Path(folder)),
                "merged": stored(merged(family, adapter_config)),
            }
    made = {"made_by": f"tinker-cookbook {version('tinker-cookbook')}, torch {version('torch')}", "families": vectors}
    text = json.dumps(made, separators=(",", ":")).encode()
    Path(sys.argv[1]).write_bytes(gzip.compress(text, 9, mtime=0))


main()
