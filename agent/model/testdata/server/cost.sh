#!/usr/bin/env bash
# Prints what a judge with a model asks of it in ten written disputes: every seventh of the 72 of
# "ojud judge exam --shipped". Name several programs to compare them on the same ten:
#
#   cost.sh bin/ojud old/ojud
#
# count.py counts. PROMPT, CACHED and COMPLETION are US dollars per million tokens (1, 0.1, 5). With
# THINK=true the model thinks in free text before each form.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
scratch=$(mktemp -d)
server=
trap '[[ -z $server ]] || kill "$server"; rm -rf "$scratch"' EXIT
awk 'NR % 7 == 1' "$here/../../../judge/exam/own.jsonl" | head -10 >"$scratch/ten.jsonl"

printf '%-30s %7s %15s %9s %16s %12s %13s\n' 'for one dispute' calls 'prompt tokens' 'cached' 'answer tokens' 'US dollars' 'if cached'
for ojud in "$@"; do
	port=$scratch/port home=$scratch/home
	rm -rf "$port" "$home"
	mkdir "$home"
	python3 "$here/count.py" "$port" &
	server=$!
	until [[ -s $port ]]; do kill -0 "$server"; sleep 0.1; done
	url=http://127.0.0.1:$(cat "$port")
	printf '[judge]\nkind = "model"\n\n[[models.list]]\nname = "count"\nprovider = "openai"\nurl = "%s/v1"\nmodel = "count"\nfamily = "count"\nthink_first = %s\n' "$url" "${THINK:-false}" >"$home/ojud.toml"
	"$ojud" judge exam "$scratch/ten.jsonl" --home "$home" --parallel 1 >/dev/null
	python3 - "$ojud" "$url" "${PROMPT:-1}" "${CACHED:-0.1}" "${COMPLETION:-5}" <<'PY'
import json, sys, urllib.request
name, url = sys.argv[1:3]
prompt, cached, completion = map(float, sys.argv[3:])
u = json.load(urllib.request.urlopen(url + "/usage"))
whole = (u["prompt"] * prompt + u["completion"] * completion) / 1e7
less = u["cached"] * (prompt - cached) / 1e7
print(f'{name[-30:]:<30} {u["calls"] / 10:>7.1f} {u["prompt"] / 10:>15.0f} {100 * u["cached"] // max(u["prompt"], 1):>7} % {u["completion"] / 10:>16.0f} {whole:>12.5f} {whole - less:>13.5f}')
PY
	kill "$server"
	server=
done
