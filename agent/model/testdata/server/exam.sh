#!/usr/bin/env bash
# Examines a judge with the model at OJUD_LLM_URL on the same SIZE (12) disputes of the seed SEED
# (live): without tools and with them (four runs and two check programs of the model), and then both
# ways again with PERSONA (literal-reader). run.sh starts the model. It sets no bar: the figures are
# for docs/judges.md.
#
#   WEIGHTS=large run.sh exam.sh bin/ojud     begins, or goes on where it ended
#   exam.sh table FOLDER                      prints what was heard so far; needs no model
#
# It takes hours, so each dispute is kept as soon as it is heard; ^C, kill -9 and a power cut lose
# that which is being heard. The folder is ~/.cache/ojud/exam/KEY, or REPORTS. KEY is made of the
# build of ojud, the weights, the seed and the size. The folder also has that build of ojud, so that
# the exam can go on after the sources changed:
#
#   WEIGHTS=large run.sh exam.sh FOLDER/ojud
set -euo pipefail

# table FOLDER prints a line for each way of judging, and how many votes differ between two ways.
table() {
	python3 - "$1" <<'PY'
import glob, json, os, sys
row = "{:<6} {:<16} {:>9} {:>6} {:>6} {:>10} {:>11} {:>13} {:>16} {:>8}".format
print(row("tools", "persona", "heard", "right", "wrong", "abstained", "no opinion", "pays wrongly", "refunds wrongly", "seconds"))
votes = {}
for path in sorted(glob.glob(os.path.join(sys.argv[1], "tools-*.json")), key=lambda p: (p.count("-"), p)):
    r, (tools, persona) = json.load(open(path)), os.path.basename(path)[6:-5].split("-", 1)
    a, seconds = r["all"], sum(i["took_ns"] for i in r["items"]) // 10**9
    print(row(tools, persona, f'{a["items"]} of {r["disputes"]}', a["right"], a["pays_wrongly"] + a["refunds_wrongly"], a["abstained"],
              a["no_opinion"], a["pays_wrongly"], a["refunds_wrongly"], seconds))
    votes[f"tools {tools}, persona {persona}"] = {i["id"]: i["choice"] for i in r["items"]}
ways = list(votes)
for n, one in enumerate(ways):
    for other in ways[n + 1:]:
        both = votes[one].keys() & votes[other].keys()
        sides = [i for i in both if {votes[one][i], votes[other][i]} == {"accept", "reject"}]
        changed = sum(votes[one][i] != votes[other][i] for i in both)
        print(f"{one} and {other}: {changed} of {len(both)} votes differ, {len(sides)} of them between accept and reject")
PY
}

if [[ ${1:-} == table ]]; then
	table "${2:?the folder of an exam}"
	exit
fi

readonly ojud=${1:?the ojud program} seed=${SEED:-live} size=${SIZE:-12} persona=${PERSONA-literal-reader} think=${THINK:-false}
weights=$(sha256sum "$LLM_WEIGHTS" | cut -d ' ' -f 1)
program=$(sha256sum "$ojud" | cut -d ' ' -f 1)
key=$(printf '%s\n' "$program" "$weights" "$seed" "$size" "$think" | sha256sum | cut -c 1-12)
readonly weights program key folder=${REPORTS:-${XDG_CACHE_HOME:-$HOME/.cache}/ojud/exam/$key}
mkdir -p "$folder"
if [[ ! -e $folder/ojud ]]; then
	cp "$ojud" "$folder/ojud.new"
	mv "$folder/ojud.new" "$folder/ojud"
fi
printf 'program %s\nweights %s %s\nseed %s\nsize %s\nthink_first %s\n' "$program" "$weights" "$OJUD_LLM_MODEL" "$seed" "$size" "$think" >"$folder/about.txt"
echo "exam: kept in $folder"
trap 'table "$folder"' EXIT

# settings TOOLS PERSONA writes the settings of a judge.
settings() {
	printf '[judge]\nkind = "model"\n'
	[[ $2 == none ]] || printf 'persona = "%s"\n' "$2"
	! $1 || printf '\n[judge.reasoning]\nmax_runs = 4\nmax_proofs = 2\n'
	printf '\n[[models.list]]\nname = "local"\nprovider = "openai"\nurl = "%s"\nmodel = "%s"\nfamily = "local"\ntools = %s\nmax_tokens = 1024\nlegacy_max_tokens = true\nthink_first = %s\ntimeout = "10m"\n' \
		"$OJUD_LLM_URL" "$OJUD_LLM_MODEL" "$1" "$think"
	printf '\n[models.budget]\ncalls = 80\ntokens = 400000\ntime = "50m"\n'
}

# hear TOOLS PERSONA MOST hears some more disputes, and replaces the report.
hear() {
	local way=tools-$1-$2
	local home=$folder/homes/$way report=$folder/$way.json
	mkdir -p "$home"
	settings "$1" "$2" >"$home/ojud.toml"
	"$folder/ojud" judge exam --home "$home" --quiet --seed "$seed" --size "$size" --carry words --parallel 1 --limit 1h \
		--keep "$folder/kept/$way" --most "$3" --json >"$report.new"
	mv "$report.new" "$report"
	python3 - "$report" "$way" <<'PY'
import json, sys
r = json.load(open(sys.argv[1]))
print(f'{sys.argv[2]}: {r["all"]["items"]} of {r["disputes"]} heard, {r["all"]["right"]} right', flush=True)
PY
}

# Each round hears one dispute in each way, so that the ways can be compared at any time.
for way in none ${persona:+"$persona"}; do
	for ((n = 1; n <= size; n++)); do
		for tools in false true; do
			done=0
			[[ ! -e $folder/tools-$tools-$way.json ]] ||
				done=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["all"]["items"])' "$folder/tools-$tools-$way.json")
			((done >= n)) || hear "$tools" "$way" 1
		done
	done
done
