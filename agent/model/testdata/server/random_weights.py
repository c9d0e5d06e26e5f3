"""Writes a GGUF file of random weights: the smallest model that a real server, tokenizer and grammar run on.

random_weights.py FILE: a llama with one token a byte, two layers and a fixed seed. It says nothing that makes sense. So that its answers end, it
has a liking for the quotation mark, which ends a string, and for the bracket that ends a list.
"""

import array
import random
import struct
import sys

WIDTH, HEADS, LAYERS, HIDDEN, CONTEXT = 64, 4, 2, 128, 8192
UINT32, FLOAT32, STRING, ARRAY, INT32 = 4, 6, 8, 9, 5  # types of values
SPECIAL = ["<|im_start|>", "<|im_end|>"]
TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def alphabet():
    """The 256 bytes as the characters by which GPT-2's tokenizer names them."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [b for b in range(256) if b not in plain]
    names = {b: chr(b) for b in plain} | {b: chr(256 + i) for i, b in enumerate(others)}
    return [names[b] for b in range(256)]


def string(text):
    raw = text.encode()
    return struct.pack("<Q", len(raw)) + raw


def value(kind, of):
    pack = {UINT32: lambda v: struct.pack("<I", v), INT32: lambda v: struct.pack("<i", v), FLOAT32: lambda v: struct.pack("<f", v), STRING: string}[kind]
    if isinstance(of, list):
        return struct.pack("<IIQ", ARRAY, kind, len(of)) + b"".join(map(pack, of))
    return struct.pack("<I", kind) + pack(of)


def metadata(tokens):
    size = {"context_length": CONTEXT, "embedding_length": WIDTH, "block_count": LAYERS, "feed_forward_length": HIDDEN,
            "attention.head_count": HEADS, "attention.head_count_kv": HEADS, "rope.dimension_count": WIDTH // HEADS, "vocab_size": len(tokens)}
    return {
        "general.architecture": value(STRING, "llama"),
        "general.name": value(STRING, "random weights"),
        **{f"llama.{name}": value(UINT32, n) for name, n in size.items()},
        "llama.attention.layer_norm_rms_epsilon": value(FLOAT32, 1e-5),
        "tokenizer.ggml.model": value(STRING, "gpt2"),
        "tokenizer.ggml.pre": value(STRING, "gpt-2"),
        "tokenizer.ggml.tokens": value(STRING, tokens),
        "tokenizer.ggml.token_type": value(INT32, [1] * 256 + [3] * len(SPECIAL)),
        "tokenizer.ggml.merges": value(STRING, ["Ā ā"]),
        "tokenizer.ggml.bos_token_id": value(UINT32, 256),
        "tokenizer.ggml.eos_token_id": value(UINT32, 257),
        "tokenizer.chat_template": value(STRING, TEMPLATE),
    }


def tensors(tokens):
    """Name, shape and numbers of each tensor. The first number of a token's embedding is large, and those that are liked answer to it."""
    rng = random.Random(1)
    draw = lambda n, by: array.array("f", (rng.gauss(0, by) for _ in range(n)))
    ones = array.array("f", [1.0] * WIDTH)
    embed, out = draw(WIDTH * len(tokens), 0.1), draw(WIDTH * len(tokens), 0.1)
    for t in range(len(tokens)):
        embed[t * WIDTH] = 2.0
        out[t * WIDTH] = {'"': 1.0, "]": 0.9, "}": 0.8}.get(tokens[t], 0.0)
    yield "token_embd.weight", (WIDTH, len(tokens)), embed
    yield "output_norm.weight", (WIDTH,), ones
    yield "output.weight", (WIDTH, len(tokens)), out
    for i in range(LAYERS):
        yield f"blk.{i}.attn_norm.weight", (WIDTH,), ones
        yield f"blk.{i}.ffn_norm.weight", (WIDTH,), ones
        for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
            yield f"blk.{i}.{name}.weight", (WIDTH, WIDTH), draw(WIDTH * WIDTH, 0.05)
        for name, shape in (("ffn_gate", (WIDTH, HIDDEN)), ("ffn_up", (WIDTH, HIDDEN)), ("ffn_down", (HIDDEN, WIDTH))):
            yield f"blk.{i}.{name}.weight", shape, draw(WIDTH * HIDDEN, 0.05)


def main():
    tokens = alphabet() + SPECIAL
    entries, parts = metadata(tokens), list(tensors(tokens))
    head = b"GGUF" + struct.pack("<IQQ", 3, len(parts), len(entries)) + b"".join(string(k) + v for k, v in entries.items())
    at, data = 0, b""
    for name, shape, numbers in parts:
        head += string(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, 0, at)
        raw = numbers.tobytes()
        raw += bytes(-len(raw) % 32)
        data, at = data + raw, at + len(raw)
    with open(sys.argv[1], "wb") as f:
        f.write(head + bytes(-len(head) % 32) + data)


if __name__ == "__main__":
    main()
