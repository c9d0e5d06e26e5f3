package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mr-tron/base58"

	"ojud/casefile/casetest"
	"ojud/cmd/ojud/cli"
	"ojud/node/client"
	"ojud/node/why"
	"ojud/voting"
)

// TestWhyFile checks that a case file explains each judge, and says so if it does not verify. Bad
// arguments and bad files have different exit statuses.
func TestWhyFile(t *testing.T) {
	t.Parallel()
	w, err := casetest.Build(casetest.Script{Name: "cli", Judges: 7, Rounds: []casetest.Plan{casetest.All(voting.Reject)}})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := w.Export()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	good, bad, torn := filepath.Join(dir, "good.json"), filepath.Join(dir, "bad.json"), filepath.Join(dir, "torn.json")
	for path, content := range map[string]string{good: string(raw), bad: strings.Replace(string(raw), `"exported_at": 1`, `"exported_at": 2`, 1), torn: string(raw[:len(raw)/2])} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	judge := base58.Encode(w.Judges[2].Authority[:])
	code, out, errs := line(t, "case", "why", "--file", good, "--judge", judge)
	for _, says := range []string{"judge  " + judge, "\nround 1\n", "all 7 who could be drawn were", "it voted reject, as most of the weight did", "\nthe case\n", "the case file verifies", "by   " + good} {
		if code != cli.ExitOK || errs != "" || !strings.Contains(out, says) {
			t.Errorf("%d %q does not say %q: %s", code, errs, says, out)
		}
	}
	code, out, _ = line(t, "case", "why", "--file", bad, "--judge", judge, "--json")
	var a why.Explanation
	if err := json.Unmarshal([]byte(out), &a); err != nil || code != cli.ExitOK || a.Lines[len(a.Lines)-1].Code != why.Unproven || !strings.Contains(a.Lines[len(a.Lines)-1].Fact, "seal") {
		t.Errorf("%d %s %v", code, out, err)
	}
	if code, out, errs := line(t, "case", "why", "--file", good); code != cli.ExitOK || errs != "" || !strings.Contains(out, "\nround 1\n") {
		t.Errorf("without a home and a judge: %d %q %s", code, errs, out)
	}
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"--file", torn, "--judge", judge}, cli.ExitFailed, "JSON"},
		{[]string{"--file", filepath.Join(dir, "none.json"), "--judge", judge}, cli.ExitFailed, "none.json"},
		{[]string{"--file", good, "--judge", "nobody"}, cli.ExitUsage, "is not an address"},
		{[]string{judge, "--file", good}, cli.ExitUsage, "leave out TASK"},
		{nil, cli.ExitUsage, "--file"},
		{[]string{judge}, cli.ExitFailed, "ojud init"},
	} {
		if code, _, errs := line(t, append([]string{"case", "why"}, c.args...)...); code != c.code || !strings.Contains(errs, c.says) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%v: exit %d, %q", c.args, code, errs)
		}
	}
}

// TestWhyGoldenFile: the file of a golden case tells a judge what its vote was worth.
func TestWhyGoldenFile(t *testing.T) {
	t.Parallel()
	for want, pot := range map[string]uint64{"; no money has moved by it yet": 0, ", and by the answer its seat got ": 1 << 40} {
		w, err := casetest.Build(casetest.Script{Name: "golden", Judges: 7, Golden: true, Pot: pot, Rounds: []casetest.Plan{casetest.All(voting.Reject)}})
		if err != nil {
			t.Fatal(err)
		}
		raw, err := w.Export()
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "golden.json")
		if err := os.WriteFile(path, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		code, out, errs := line(t, "case", "why", "--file", path, "--judge", base58.Encode(w.Judges[2].Authority[:]))
		if out = strings.Join(strings.Fields(out), " "); code != cli.ExitOK || !strings.Contains(out, "batch 4 committed to the answer ") || !strings.Contains(out, want) {
			t.Errorf("%d %q, %q is not in %s", code, errs, want, out)
		}
	}
}

// TestGoldenLine: a golden case says what the judge's vote was worth, before it is applied and
// after.
func TestGoldenLine(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]struct {
		judge, choice string
		applied       bool
	}{
		"the judge voted for it; no money has moved by it yet":                                {"me", "accept", false},
		"the judge voted for it, and in all its seat got 0.005 SOL and lost 0.01 SOL":         {"me", "accept", true},
		"voted for the other side, and in all":                                                {"me", "reject", true},
		"did not vote for a side; no money":                                                   {"me", "abstain", false},
		"this was a golden case: batch 3 committed to the answer accept before anybody voted": {"another", "accept", true},
	} {
		v := client.CaseView{Golden: client.GoldenCase{Answer: "accept", Batch: 3, Applied: c.applied}, Seats: []client.SeatView{
			{Judge: "other", Choice: "reject"}, {Judge: "me", Choice: c.choice, Earned: 5_000_000, Slashed: 10_000_000},
		}}
		if l := why.GoldenLine(goldenSeat(v, c.judge), ""); l.Code != why.Golden || !strings.Contains(l.Text, want) {
			t.Errorf("%q is not in %q", want, l.Text)
		}
	}
}
