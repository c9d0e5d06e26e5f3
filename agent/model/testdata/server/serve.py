"""Serves a GGUF file over HTTP with llama.cpp, as an OpenAI-compatible API with JSON Schema as a grammar.

serve.py WEIGHTS [SLOTS]: prints the URL, then runs until it is killed. SLOTS (2) is how many requests are answered at once.
"""

import os
import signal
import sys

import xllamacpp

CONTEXT = 8192  # tokens of one request, prompt and answer; what SmolLM2 was trained for


def main():
    slots = int(sys.argv[2]) if len(sys.argv) > 2 else 2
    params = xllamacpp.CommonParams()
    params.model.path = sys.argv[1]
    params.model_alias = {os.path.splitext(os.path.basename(sys.argv[1]))[0]}
    params.port = 0  # a free one
    params.n_ctx = CONTEXT * slots
    params.n_parallel = slots
    threads = int(os.environ.get("THREADS", os.cpu_count()))  # 1 on a busy machine: two that wait for each other take far longer
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    signal.pause()


if __name__ == "__main__":
    main()
