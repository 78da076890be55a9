"""The rows of engine.ts in PyTorch on one thread, for a comparison side by side: same architecture, same shapes.

Run: python bench/engine_pytorch.py (needs torch; no accelerator is used).
"""

import os

for variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[variable] = "1"

import resource
import statistics
import time

import torch
import torch.nn.functional as F

VOCABULARY, HIDDEN, LAYERS, HEADS, FEED_FORWARD, CONTEXT = 512, 128, 4, 4, 352, 256
HEAD_SIZE = HIDDEN // HEADS
ROPE_THETA, NORM_EPS = 10_000.0, 1e-6
RANK, LORA_SCALE = 8, 2.0
SEQUENCES, SEQUENCE_TOKENS = 16, 128
PROMPT_TOKENS, DECODE_STEPS = 48, 80
REPEATS = 5

SHAPES = {
    "q": (HIDDEN, HIDDEN),
    "k": (HIDDEN, HIDDEN),
    "v": (HIDDEN, HIDDEN),
    "o": (HIDDEN, HIDDEN),
    "gate": (HIDDEN, FEED_FORWARD),
    "up": (HIDDEN, FEED_FORWARD),
    "down": (FEED_FORWARD, HIDDEN),
}


def rope_tables():
    angles = torch.outer(
        torch.arange(CONTEXT, dtype=torch.float32),
        ROPE_THETA ** (-torch.arange(0, HEAD_SIZE, 2, dtype=torch.float32) / HEAD_SIZE),
    )
    return angles.cos(), angles.sin()


COS, SIN = rope_tables()


class Model:
    """Weights as plain tensors; projections are [input, output], LoRA pairs A [input, rank] and B [rank, output]."""

    def __init__(self, mode):
        torch.manual_seed(1)
        full = mode == "full"
        self.embedding = (torch.randn(VOCABULARY, HIDDEN) * 0.05).requires_grad_(full)
        self.final_norm = torch.ones(HIDDEN, requires_grad=full)
        self.layers = []
        for _ in range(LAYERS):
            layer = {name: (torch.randn(i, o) / i**0.5).requires_grad_(full) for name, (i, o) in SHAPES.items()}
            layer["input_norm"] = torch.ones(HIDDEN, requires_grad=full)
            layer["post_norm"] = torch.ones(HIDDEN, requires_grad=full)
            if mode == "lora":
                layer["lora"] = {
                    name: (
                        (torch.randn(i, RANK) / i**0.5).requires_grad_(),
                        (torch.randn(RANK, o) * 0.1).requires_grad_(),
                    )
                    for name, (i, o) in SHAPES.items()
                }
            self.layers.append(layer)

    def trainable(self):
        tensors = [self.embedding, self.final_norm]
        for layer in self.layers:
            tensors += [value for name, value in layer.items() if name != "lora"]
            for pair in layer.get("lora", {}).values():
                tensors += pair
        return [tensor for tensor in tensors if tensor.requires_grad]

    @staticmethod
    def linear(layer, name, x):
        y = x @ layer[name]
        if "lora" in layer:
            a, b = layer["lora"][name]
            y = y + LORA_SCALE * ((x @ a) @ b)
        return y

    def hidden(self, ids, start=0, cache=None):
        """ids [batch, tokens] -> normalised hidden states; `cache` holds keys and values of `start` tokens before."""
        batch, tokens = ids.shape
        x = F.embedding(ids, self.embedding)
        for index, layer in enumerate(self.layers):
            h = F.rms_norm(x, (HIDDEN,), layer["input_norm"], NORM_EPS)
            q, k, v = (
                self.linear(layer, name, h).view(batch, tokens, HEADS, HEAD_SIZE).transpose(1, 2) for name in "qkv"
            )
            q, k = rotate(q, start), rotate(k, start)
            if cache is not None:
                keys, values = cache[index]
                keys[:, :, start : start + tokens] = k
                values[:, :, start : start + tokens] = v
                k, v = keys[:, :, : start + tokens], values[:, :, : start + tokens]
            attended = F.scaled_dot_product_attention(q, k, v, is_causal=tokens > 1)
            x = x + self.linear(layer, "o", attended.transpose(1, 2).reshape(batch, tokens, HIDDEN))
            h = F.rms_norm(x, (HIDDEN,), layer["post_norm"], NORM_EPS)
            gated = F.silu(self.linear(layer, "gate", h)) * self.linear(layer, "up", h)
            x = x + self.linear(layer, "down", gated)
        return F.rms_norm(x, (HIDDEN,), self.final_norm, NORM_EPS)

    def loss(self, ids, targets):
        logits = self.hidden(ids) @ self.embedding.T
        return F.cross_entropy(logits.view(-1, VOCABULARY), targets.view(-1), reduction="sum")


def rotate(x, start):
    cos, sin = COS[start : start + x.shape[2]], SIN[start : start + x.shape[2]]
    low, high = x.chunk(2, dim=-1)
    return torch.cat((low * cos - high * sin, high * cos + low * sin), dim=-1)


def new_cache(batch):
    shape = (batch, HEADS, PROMPT_TOKENS + DECODE_STEPS, HEAD_SIZE)
    return [(torch.zeros(shape), torch.zeros(shape)) for _ in range(LAYERS)]


def median_cpu_seconds(action):
    action()
    seconds = []
    for _ in range(REPEATS):
        before = time.process_time()
        action()
        seconds.append(time.process_time() - before)
    return statistics.median(seconds)


def show(name, value, unit):
    digits = f"{value:.0f}" if value >= 100 else f"{value:.3g}"
    print(f"{name:<44} {digits:>8} {unit}", flush=True)


def show_rate(name, tokens, action):
    show(name, tokens / median_cpu_seconds(action), "tokens per CPU-second")


def bench_training():
    tokens = SEQUENCES * SEQUENCE_TOKENS
    ids = torch.randint(VOCABULARY, (SEQUENCES, SEQUENCE_TOKENS))
    targets = torch.randint(VOCABULARY, (SEQUENCES, SEQUENCE_TOKENS))
    lora = Model("lora")

    def forward():
        with torch.inference_mode():
            lora.loss(ids, targets)

    def step(model):
        for tensor in model.trainable():
            tensor.grad = None
        model.loss(ids, targets).backward()

    show_rate("forward only, 16 x 128", tokens, forward)
    show_rate("LoRA step, 16 x 128, rank 8", tokens, lambda: step(lora))
    full = Model("full")
    show_rate("full step, 16 x 128", tokens, lambda: step(full))
    return {"LoRA, rank 8": lora, "full": full}


def bench_sampling():
    model = Model("frozen")
    with torch.inference_mode():
        prompts = torch.randint(VOCABULARY, (64, PROMPT_TOKENS))
        caches = {batch: new_cache(batch) for batch in (64, 8)}

        def prefill(batch):
            return model.hidden(prompts[:batch], 0, caches[batch])[:, -1:] @ model.embedding.T

        def decode(batch):
            ids = torch.zeros(batch, 1, dtype=torch.int64)
            for step in range(DECODE_STEPS):
                logits = model.hidden(ids, PROMPT_TOKENS + step, caches[batch])[:, -1] @ model.embedding.T
                logprobs = F.log_softmax(logits, dim=-1)
                ids = torch.multinomial(logprobs.exp(), 1)

        show_rate("prefill, 64 x 48", 64 * PROMPT_TOKENS, lambda: prefill(64))
        for batch in (64, 8):
            prefill(batch)
            show_rate(f"decoding, batch {batch}, 48 + 80 tokens", batch * DECODE_STEPS, lambda: decode(batch))


def bench_adam(models):
    for name, model in models.items():
        parameters = model.trainable()
        for tensor in parameters:
            tensor.grad = torch.randn_like(tensor)
        optimizer = torch.optim.AdamW(parameters, lr=1e-3, betas=(0.9, 0.95), eps=1e-8, weight_decay=0)

        def step():
            torch.nn.utils.clip_grad_norm_(parameters, 1.0)
            optimizer.step()

        show(f"Adam step, {name}", median_cpu_seconds(step) * 1000, "CPU-ms")


def main():
    torch.set_num_threads(1)
    models = bench_training()
    bench_sampling()
    bench_adam(models)
    show("memory of the whole process", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, "MB resident, peak")


main()
