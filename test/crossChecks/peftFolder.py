"""Log-probs of a base model with a PEFT folder, in numpy: the weights are placed as `peft` places them, by the folder's own words.

Usage: peftFolder.py REQUEST.json

The request is {"model": FOLDER, "adapter": FOLDER, "prompts": [[id, ...], ...]}; the answer on standard output is a list of lists,
the log-prob of each token of a prompt but the first. Every tensor of the adapter must find its place, and every module that the
configuration names must get one.
"""

import json
import sys
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file

PREFIX = "base_model.model."


def merged(base, folder):
    """The base weights with B A (alpha / r) added, as PEFT's `merge_and_unload` does it; files hold [output, input]."""
    config = json.loads((folder / "adapter_config.json").read_text())
    if config["peft_type"] != "LORA" or config["bias"] != "none" or config["fan_in_fan_out"]:
        raise ValueError(f"not a plain LoRA: {config}")
    adapter = load_file(folder / "adapter_model.safetensors")
    targets = tuple(f".{name}.weight" for name in config["target_modules"])
    scale = config["lora_alpha"] / config["r"]
    weights = {name: value.astype(np.float64) for name, value in base.items()}
    for name in base:
        if not name.endswith(targets):
            continue
        stem = PREFIX + name.removesuffix(".weight")
        a, b = adapter.pop(f"{stem}.lora_A.weight"), adapter.pop(f"{stem}.lora_B.weight")
        if a.shape[0] != config["r"] or b.shape[1] != config["r"]:
            raise ValueError(f"{name} has rank {a.shape[0]} and {b.shape[1]}, not {config['r']}")
        weights[name] += scale * (b.astype(np.float64) @ a.astype(np.float64))
    if adapter:
        raise ValueError(f"tensors without a place: {sorted(adapter)}")
    return weights


def rms_norm(x, gain, eps):
    return x / np.sqrt(np.mean(x * x, axis=-1, keepdims=True) + eps) * gain


def rotate(x, theta):
    """x [tokens, heads, head size], first half of a head paired with its second half."""
    half = x.shape[-1] // 2
    angle = (np.arange(x.shape[0])[:, None] * theta ** (-np.arange(half) / half))[:, None, :]
    low, high = x[..., :half], x[..., half:]
    return np.concatenate([low * np.cos(angle) - high * np.sin(angle), high * np.cos(angle) + low * np.sin(angle)], axis=-1)


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def logprobs(config, weights, prompt):
    heads, eps, theta = config["num_attention_heads"], config["rms_norm_eps"], config["rope_theta"]
    tokens = np.asarray(prompt)
    hidden = np.tril(np.ones((len(tokens), len(tokens)), bool))
    x = weights["model.embed_tokens.weight"][tokens]
    for layer in range(config["num_hidden_layers"]):

        def linear(name, value, prefix=f"model.layers.{layer}"):
            return value @ weights[f"{prefix}.{name}.weight"].T

        h = rms_norm(x, weights[f"model.layers.{layer}.input_layernorm.weight"], eps)
        q, k, v = (linear(f"self_attn.{name}_proj", h).reshape(len(tokens), heads, -1) for name in "qkv")
        q, k = rotate(q, theta), rotate(k, theta)
        scores = np.einsum("ihd,jhd->hij", q, k) / np.sqrt(q.shape[-1])
        attended = np.einsum("hij,jhd->ihd", softmax(np.where(hidden, scores, -np.inf)), v)
        x = x + linear("self_attn.o_proj", attended.reshape(len(tokens), -1))
        h = rms_norm(x, weights[f"model.layers.{layer}.post_attention_layernorm.weight"], eps)
        gate = linear("mlp.gate_proj", h)
        x = x + linear("mlp.down_proj", gate / (1 + np.exp(-gate)) * linear("mlp.up_proj", h))
    logits = rms_norm(x, weights["model.norm.weight"], eps) @ weights["model.embed_tokens.weight"].T
    highest = logits.max(axis=-1, keepdims=True)
    normal = logits - highest - np.log(np.exp(logits - highest).sum(axis=-1, keepdims=True))
    return normal[np.arange(len(tokens) - 1), tokens[1:]].tolist()


def main():
    request = json.loads(Path(sys.argv[1]).read_text())
    model = Path(request["model"])
    config = json.loads((model / "config.json").read_text())
    weights = merged(load_file(model / "model.safetensors"), Path(request["adapter"]))
    print(json.dumps([logprobs(config, weights, prompt) for prompt in request["prompts"]]))


main()
