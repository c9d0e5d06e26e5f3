package generator

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"ojud/test/longtest"
)

// strangers are disputes that the generator's templates have no part in: those of the first exam,
// the repository's examples, and 20 about the same kinds of work that were written for this test
// alone, in other words. One person wrote the templates and these 20, so they say less than the
// texts of a market would.
func strangers(t *testing.T) (all []Dispute) {
	t.Helper()
	all = exampleDisputes(t)
	for _, name := range []string{"../../agent/judge/exam/own.jsonl", "testdata/strangers.jsonl"} {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(bytes.NewReader(raw))
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var one struct {
				Task, Result, Objection json.RawMessage
				Counter                 json.RawMessage `json:"counter_objection"`
			}
			if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
				t.Fatal(err)
			}
			d := Dispute{}
			for to, from := range map[*[]byte]json.RawMessage{&d.Task: one.Task, &d.Result: one.Result, &d.Objection: one.Objection, &d.Counter: one.Counter} {
				if from == nil {
					continue
				}
				if *to, err = canonical(from); err != nil {
					t.Fatal(err)
				}
			}
			all = append(all, d)
		}
	}
	if len(all) < 95 {
		t.Fatalf("only %d disputes", len(all))
	}
	return all
}

// phrases are the pieces of four words of a dispute, without its numbers.
func phrases(d Dispute) []string {
	words := slices.DeleteFunc(features["words"](strings.ReplaceAll(views[len(views)-1].of(d), "\\n", " ")), func(w string) bool { return strings.ContainsAny(w, "0123456789") })
	var out []string
	for i := 4; i <= len(words); i++ {
		out = append(out, strings.Join(words[i-4:i], " "))
	}
	return unique(out)
}

// TestAttackFixedPhrases: each golden case had one of four fixed sentences about the note of its
// result, so a list of four found 3,000 of 3,000, and none of 76 other disputes. Whoever finds
// golden cases judges them alone and votes blindly elsewhere. The test makes the best list of so
// many phrases of four words from 900 golden cases, none of which is in a dispute of others, and
// searches 300 more cases for them.
func TestAttackFixedPhrases(t *testing.T) {
	longtest.Only(t)
	foreign := map[string]bool{}
	for _, d := range strangers(t) {
		for _, p := range phrases(d) {
			foreign[p] = true
		}
	}
	in := map[string][]int{} // the cases that have a phrase
	for i, d := range many(t, "phrases", 900) {
		for _, p := range phrases(d) {
			if !foreign[p] {
				in[p] = append(in[p], i)
			}
		}
	}
	found, list := map[int]bool{}, map[string]bool{}
	news := func(p string) (n int) {
		for _, i := range in[p] {
			if !found[i] {
				n++
			}
		}
		return n
	}
	others := many(t, "phrases found", 300)
	left := slices.SortedFunc(maps.Keys(in), func(a, b string) int { return cmp.Or(len(in[b])-len(in[a]), strings.Compare(a, b)) })
	left = left[:min(300, len(left))]
	for _, limit := range []struct{ phrases, percent int }{{1, 14}, {4, 35}, {16, 75}} {
		for len(list) < limit.phrases {
			best := slices.MaxFunc(left, func(a, b string) int { return cmp.Compare(news(a), news(b)) })
			list[best] = true
			for _, i := range in[best] {
				found[i] = true
			}
		}
		known := 0
		for _, d := range others {
			if slices.ContainsFunc(phrases(d), func(p string) bool { return list[p] }) {
				known++
			}
		}
		t.Logf("the best %d phrases find %.1f %% of golden cases: %.300q", limit.phrases, float64(known)/3, slices.Sorted(maps.Keys(list)))
		if known > 3*limit.percent {
			t.Errorf("%d phrases find %d of 300 golden cases, more than %d %%", limit.phrases, known, limit.percent)
		}
	}
}

// TestStrangers measures what is not hidden: among disputes that others wrote, golden cases are
// known by their words. Only ordinary tasks in the same words hide them, and as far as these are
// common (ADR 0040).
func TestStrangers(t *testing.T) {
	longtest.Only(t)
	others, s := strangers(t), sources()
	const n = 900
	all, ours := many(t, "strangers", n), make([]Dispute, n)
	for i := range ours {
		var err error
		if ours[i], err = s[i%len(s)].ordinary(seedOf("stranger", i)); err != nil {
			t.Fatal(err)
		}
	}
	for _, share := range []int{0, 50, 80, 95} { // percent of ordinary tasks that begin with our templates
		var samples []sample
		of, d := views[len(views)-1].of, roll(seedOf("strangers", share), "order")
		for i, golden := range all {
			other := others[i%len(others)]
			if d.chance(share) {
				other = ours[i]
			}
			samples = append(samples, sample{of(golden), true}, sample{of(other), false})
		}
		got := best(t, fmt.Sprintf("%d %% with our templates", share), some(d, samples, len(samples)))
		if most := 1.05 - float64(share)/200; got > most {
			t.Errorf("%d %% of the ordinary tasks begin with our templates: AUC %.3f, more than %.2f", share, got, most)
		}
	}
}
