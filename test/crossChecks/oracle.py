"""The embedded model and its losses in JAX, differentiated by JAX: what the hand-derived backward pass is checked against.

Usage: oracle.py REQUEST.json

The request names a model folder, and lists cases:
  {"model": FOLDER, "cases": [{"mode": "lora" | "full", "adapter": FILE or null, "loss": {"name", "beta"}, "out": FILE,
   "correction": {"name", "low", "high"} or null,
   "data": [{"tokens", "targets", "weights", "logprobs", "ratio_mask", "clip_low", "clip_high", "example"}, ...]}, ...]}
All arrays of a datum have one entry per position; `weights` are the advantages of the policy losses, and 1 where a token is
trained for the losses `token_mean` and `example_mean`, whose data with one number in `example` are of one example.
Each answer is a safetensors file with `loss`, `logprobs.N` for datum N, and `grad.NAME` for every trained tensor, with
the names and the orientation of the files that were read.
"""

import json
import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np

DTYPES = {"F32": np.dtype("<f4"), "F16": np.dtype("<f2")}
# alpha / rank of the embedded model
LORA_SCALE = 2.0
LORA_PREFIX = "base_model.model."


def read_safetensors(path):
    raw = Path(path).read_bytes()
    start = 8 + int.from_bytes(raw[:8], "little")
    tensors = {}
    for name, entry in json.loads(raw[8:start]).items():
        if name == "__metadata__":
            continue
        first, last = entry["data_offsets"]
        flat = np.frombuffer(raw[start + first : start + last], DTYPES[entry["dtype"]])
        tensors[name] = jnp.asarray(flat.astype(np.float32).reshape(entry["shape"]))
    return tensors


def write_safetensors(path, tensors):
    header, payload = {}, b""
    for name, tensor in tensors.items():
        data = np.asarray(tensor, DTYPES["F32"])
        first = len(payload)
        payload += data.tobytes()
        header[name] = {"dtype": "F32", "shape": list(data.shape), "data_offsets": [first, len(payload)]}
    text = json.dumps(header).encode()
    Path(path).write_bytes(len(text).to_bytes(8, "little") + text + payload)


def rms_norm(x, gain, eps):
    return x * jax.lax.rsqrt(jnp.mean(x * x, axis=-1, keepdims=True) + eps) * gain


def rotate(x, theta):
    """x [batch, tokens, heads, head size], first half of a head paired with its second half."""
    half = x.shape[-1] // 2
    frequency = theta ** (-np.arange(half) / half)
    angle = (np.arange(x.shape[1])[:, None] * frequency)[None, :, None, :]
    cos, sin = np.cos(angle).astype(np.float32), np.sin(angle).astype(np.float32)
    low, high = x[..., :half], x[..., half:]
    return jnp.concatenate([low * cos - high * sin, high * cos + low * sin], axis=-1)


def linear(base, adapter, name, x):
    """Files hold [output, input]."""
    y = x @ base[f"{name}.weight"].T
    a = adapter.get(f"{LORA_PREFIX}{name}.lora_A.weight")
    if a is None:
        return y
    b = adapter[f"{LORA_PREFIX}{name}.lora_B.weight"]
    return y + LORA_SCALE * ((x @ a.T) @ b.T)


def attention(q, k, v):
    tokens, head_size = q.shape[1], q.shape[-1]
    scores = jnp.einsum("bihd,bjhd->bhij", q, k) / np.float32(np.sqrt(head_size))
    seen = np.tril(np.ones((tokens, tokens), bool))
    weights = jax.nn.softmax(jnp.where(seen, scores, -jnp.inf), axis=-1)
    return jnp.einsum("bhij,bjhd->bihd", weights, v)


def target_logprobs(config, base, adapter, tokens, targets):
    heads, eps = config["num_attention_heads"], config["rms_norm_eps"]
    embedding = base["model.embed_tokens.weight"]
    x = embedding[tokens]
    for layer in range(config["num_hidden_layers"]):
        prefix = f"model.layers.{layer}"
        h = rms_norm(x, base[f"{prefix}.input_layernorm.weight"], eps)
        q, k, v = (
            linear(base, adapter, f"{prefix}.self_attn.{name}_proj", h).reshape(*h.shape[:2], heads, -1) for name in "qkv"
        )
        theta = config["rope_theta"]
        attended = attention(rotate(q, theta), rotate(k, theta), v).reshape(h.shape)
        x = x + linear(base, adapter, f"{prefix}.self_attn.o_proj", attended)
        h = rms_norm(x, base[f"{prefix}.post_attention_layernorm.weight"], eps)
        gate = linear(base, adapter, f"{prefix}.mlp.gate_proj", h)
        up = linear(base, adapter, f"{prefix}.mlp.up_proj", h)
        x = x + linear(base, adapter, f"{prefix}.mlp.down_proj", jax.nn.silu(gate) * up)
    logits = rms_norm(x, base["model.norm.weight"], eps) @ embedding.T
    logprobs = jax.nn.log_softmax(logits, axis=-1)
    return jnp.take_along_axis(logprobs, targets[..., None], axis=-1)[..., 0]


def token_losses(loss, p, datum):
    """The table of losses in docs/protocols/tinker.md#losses, term by term."""
    q, a = datum["logprobs"], datum["weights"]
    ratio = jnp.exp(p - q)
    clipped = jnp.clip(ratio, datum["clip_low"], datum["clip_high"])
    match loss["name"]:
        case "cross_entropy":
            return -a * p
        case "token_mean":
            return -a * p / jnp.sum(a)
        case "example_mean":
            examples = datum["example"][:, 0]
            tokens = jax.ops.segment_sum(jnp.sum(a, -1), examples, p.shape[0])
            return -a * p / tokens[examples][:, None] / jnp.sum(tokens > 0)
        case "importance_sampling":
            return -ratio * a
        case "ppo":
            return -jnp.minimum(ratio * a, clipped * a)
        case "cispo":
            return -jax.lax.stop_gradient(clipped) * a * p
        case "dro":
            return -(p * a - 0.5 * loss["beta"] * (p - q) ** 2)
        case "gspo":
            marked = datum["ratio_mask"]
            log_ratio = jnp.sum((p - q) * marked, axis=-1, keepdims=True) / jnp.sum(marked, axis=-1, keepdims=True)
            ratio = jnp.exp(jax.lax.stop_gradient(log_ratio - p) + p)
            clipped = jnp.clip(ratio, datum["clip_low"], datum["clip_high"])
            return -jnp.minimum(ratio * a, clipped * a)
    raise ValueError(f"no such loss: {loss['name']}")


def corrected(correction, p, datum):
    """The table of corrections in docs/configuration.md: the data with weights in the advantages, and which sequences are left."""
    if correction is None:
        return datum, jnp.ones((p.shape[0], 1), bool)
    low, high, sampled = correction["low"], correction["high"], datum["ratio_mask"]
    old, q = jax.lax.stop_gradient(p), datum["logprobs"]
    ratio = jnp.exp(old - q)
    match correction["name"]:
        case "tis":
            weight = jnp.minimum(ratio, high)
        case "icepop":
            weight = jnp.where((low <= ratio) & (ratio <= high), ratio, 0)
        case "sequence_mask":
            mean = jnp.exp(jnp.sum((old - q) * sampled, -1, keepdims=True) / jnp.sum(sampled, -1, keepdims=True))
            weight, old = jnp.where((low <= mean) & (mean <= high), 1.0, 0.0) * jnp.ones_like(p), q
    weight = weight * sampled
    start = jnp.where(sampled == 1, old, q)
    return datum | {"weights": datum["weights"] * weight, "logprobs": start}, jnp.any(weight != 0, -1, keepdims=True)


def padded(data):
    """Sequences side by side, filled up on the right, where causality hides the filling."""
    longest = max(len(datum["tokens"]) for datum in data)

    def column(key, dtype):
        return jnp.asarray([datum[key] + [0] * (longest - len(datum["tokens"])) for datum in data], dtype)

    batch = {key: column(key, jnp.int32) for key in ("tokens", "targets", "example")}
    batch |= {key: column(key, jnp.float32) for key in ("weights", "logprobs", "ratio_mask", "clip_low", "clip_high")}
    batch["valid"] = jnp.asarray([[i < len(datum["tokens"]) for i in range(longest)] for datum in data])
    return batch


def programs(config, mode):
    """Log-probs of the targets, and the gradient for given slopes of the loss by them: compiled once for all cases of a mode."""

    def logprobs(base, adapter, batch):
        return target_logprobs(config, base, adapter, batch["tokens"], batch["targets"])

    def gradient(base, adapter, batch, slopes):
        def forward(trained):
            return logprobs(base, trained, batch) if mode == "lora" else logprobs(trained, adapter, batch)

        _, pull_back = jax.vjp(forward, adapter if mode == "lora" else base)
        return pull_back(slopes)[0]

    return jax.jit(logprobs), jax.jit(gradient)


def answer(logprobs, gradient, base, case):
    adapter = {} if case["adapter"] is None else read_safetensors(case["adapter"])
    batch = padded(case["data"])

    def total(p):
        data, is_left = corrected(case["correction"], p, batch)
        losses = token_losses(case["loss"], p, data)
        return jnp.sum(jnp.where(batch["valid"] & is_left, losses, 0))

    p = logprobs(base, adapter, batch)
    loss, slopes = jax.value_and_grad(total)(p)
    tensors = {"loss": loss.reshape(1)}
    for index, datum in enumerate(case["data"]):
        tensors[f"logprobs.{index}"] = p[index, : len(datum["tokens"])]
    tensors |= {f"grad.{name}": value for name, value in gradient(base, adapter, batch, slopes).items()}
    write_safetensors(case["out"], tensors)


def main():
    request = json.loads(Path(sys.argv[1]).read_text())
    folder = Path(request["model"])
    config = json.loads((folder / "config.json").read_text())
    base = read_safetensors(folder / "model.safetensors")
    compiled = {}
    for case in request["cases"]:
        mode = case["mode"]
        if mode not in compiled:
            compiled[mode] = programs(config, mode)
        answer(*compiled[mode], base, case)


main()
