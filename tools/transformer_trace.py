#!/usr/bin/env python3
"""transformer_trace.py -- a transformer's forward pass -> the allocations and frees of its tensors, in order.

    tools/transformer_trace.py > benches/allocator/transformer_trace.inc

The pass is run eagerly, as a tensor library does, on tensors that have a shape and no elements: an operation allocates
its result, and Python's reference counts free a tensor when the last name of it goes. The model is an encoder of the
size of BERT base (Devlin et al., 2019): 12 layers, hidden 768, 12 heads, feed-forward 3072, f32, here with a batch of
one and sequences of 64, 128 and 96 tokens after one another, as requests come.

Output: one number per event; positive: allocate so many bytes, the next id; negative: free the tensor with id -n - 1.
"""

events = []


class Tensor:
    made = 0

    def __init__(self, *shape):
        elements = 1
        for extent in shape:
            elements *= extent
        self.shape = shape
        self.id = Tensor.made
        Tensor.made += 1
        events.append(4 * elements)

    def __del__(self):
        events.append(-self.id - 1)


def like(x, *_):
    return Tensor(*x.shape)


def linear(x, width):
    product = Tensor(*x.shape[:-1], width)
    return like(product)  # with the bias added


def layer_norm(x):
    mean = Tensor(*x.shape[:-1])
    variance = Tensor(*x.shape[:-1])
    return like(x, mean, variance)


def split_heads(x, heads):
    length, width = x.shape
    return Tensor(heads, length, width // heads)  # a contiguous permuted copy


def attention(x, heads):
    length, width = x.shape
    q = split_heads(linear(x, width), heads)
    k = split_heads(linear(x, width), heads)
    v = split_heads(linear(x, width), heads)
    scores = Tensor(heads, length, length)
    scores = like(scores)  # scaled
    largest = Tensor(heads, length)
    weights = like(scores, largest)
    total = Tensor(heads, length)
    weights = like(weights, total)
    mixed = Tensor(heads, length, width // heads)
    joined = Tensor(length, width)
    del q, k, v, scores, weights, mixed
    return linear(joined, width)


def feed_forward(x, inner):
    h = linear(x, inner)
    h = like(h)  # gelu
    return linear(h, x.shape[-1])


def encoder(length, layers=12, hidden=768, heads=12, inner=3072):
    words, places = Tensor(length, hidden), Tensor(length, hidden)
    x = like(words, places)
    del words, places
    x = layer_norm(x)
    for _ in range(layers):
        a = attention(x, heads)
        x = like(x, a)
        x = layer_norm(x)
        f = feed_forward(x, inner)
        x = like(x, f)
        x = layer_norm(x)
        del a, f
    first = Tensor(1, hidden)
    pooled = like(linear(first, hidden))
    return pooled


for tokens in (64, 128, 96):
    answer = encoder(tokens)
    del answer

print("// Made by tools/transformer_trace.py: bytes to allocate, or -(id + 1) to free.")
line = ""
for event in events:
    word = f"{event},"
    if len(line) + 1 + len(word) > 120:
        print(line)
        line = ""
    line += (" " if line else "") + word
print(line)
