#!/usr/bin/env bash
# Examines a judge with the model at OJUD_LLM_URL on the same SIZE (12) disputes of the seed SEED
# (live): with tools and without, and with PERSONA (literal-reader) and without. run.sh starts the
# model. It prints a line for each way of judging, and keeps the whole reports in REPORTS, if that
# names a folder. It sets no bar: the figures are for docs/judges.md.
#
#   WEIGHTS=large run.sh exam.sh bin/ojud
set -euo pipefail
readonly ojud=${1:?the ojud program}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
readonly reports=${REPORTS:-$scratch}
mkdir -p "$reports"

# settings TOOLS PERSONA writes the settings of a judge.
settings() {
	printf '[judge]\nkind = "model"\n'
	[[ -z $2 ]] || printf 'persona = "%s"\n' "$2"
	printf '\n[[models.list]]\nname = "local"\nprovider = "openai"\nurl = "%s"\nmodel = "%s"\nfamily = "local"\ntools = %s\nlegacy_max_tokens = true\ntimeout = "10m"\n' \
		"$OJUD_LLM_URL" "$OJUD_LLM_MODEL" "$1"
	printf '\n[models.budget]\ncalls = 80\ntokens = 400000\ntime = "30m"\n'
}

printf '%-8s %-16s %6s %6s %10s %13s %16s %8s\n' tools persona right wrong abstained 'pays wrongly' 'refunds wrongly' seconds
for tools in false true; do
	for persona in '' "${PERSONA-literal-reader}"; do
		home=$scratch/$tools$persona report=$reports/tools-$tools${persona:+-$persona}.json start=$SECONDS
		mkdir -p "$home"
		settings "$tools" "$persona" >"$home/ojud.toml"
		"$ojud" judge exam --home "$home" --seed "${SEED:-live}" --size "${SIZE:-12}" --carry words --parallel 1 --limit 1h --json >"$report"
		python3 - "$report" "$tools" "${persona:-none}" $((SECONDS - start)) <<'PY'
import json, sys
path, tools, persona, seconds = sys.argv[1:]
a = json.load(open(path))["all"]
wrong = a["pays_wrongly"] + a["refunds_wrongly"]
print(f'{tools:<8} {persona:<16} {a["right"]:>6} {wrong:>6} {a["abstained"]:>10} {a["pays_wrongly"]:>13} {a["refunds_wrongly"]:>16} {seconds:>8}')
PY
	done
done
