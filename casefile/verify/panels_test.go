package verify_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ojud/casefile"
	"ojud/casefile/casetest"
	"ojud/casefile/panel"
	"ojud/casefile/verify"
	"ojud/voting"
)

// mixed is a small court of two families; the second dissents.
var mixed = casetest.Script{Name: "mixed", Judges: 7, Rounds: []casetest.Plan{func(i int) casetest.Act {
	switch {
	case i == 0:
		return casetest.Act{Choice: voting.Abstain, Family: "qwen", Dimension: "facts"}
	case i == 1:
		return casetest.Act{Choice: voting.Accept} // says nothing
	case i == 6:
		return casetest.Act{Choice: voting.Reject, Family: "llama", Dimension: "writing"}
	}
	return casetest.Act{Choice: voting.Accept, Family: "qwen", Dimension: "facts"}
}}}

// past is a decided round of all judges of a world, in roster order, who chose as the text says.
func past(w *casetest.World, i int, verdict voting.Verdict, choices string) panel.DecidedRound {
	p := panel.DecidedRound{Case: casefile.Address(casetest.Key("past:%d", i)), Round: 1, At: int64(1000 + i), Verdict: casefile.Verdict(verdict)}
	for k, j := range w.Judges {
		choice := map[byte]voting.Choice{'a': voting.Accept, 'r': voting.Reject, '-': voting.Abstain}[choices[k]]
		p.Votes = append(p.Votes, panel.DecidedVote{Judge: casefile.Address(j.Authority), Choice: casefile.Choice(choice)})
	}
	return p
}

// TestPanel: the exporter says what it saw of the panel before, and the file what that makes of the
// votes.
func TestPanel(t *testing.T) {
	w, err := casetest.Build(mixed)
	if err != nil {
		t.Fatal(err)
	}
	own := past(w, 9, voting.ForWorker, "aaaaaaa")
	own.Case = casefile.Address(w.Task)
	w.Seen = []panel.DecidedRound{
		past(w, 1, voting.ForWorker, "aaaaarr"), past(w, 2, voting.ForCreator, "rrrrrra"), own, past(w, 3, voting.ForWorker, "a------"),
	}
	file, err := w.Export()
	if err != nil {
		t.Fatal(err)
	}
	r := verify.File(file)
	if !r.OK() || len(r.Panels) != 1 || r.Check(verify.CheckPanel).Count != 2 {
		t.Fatal(r.String())
	}
	got := r.Panels[0]
	if got.Votes != 6 || got.History != 2 || got.Families["qwen"] != 4 || got.Families["unknown"] != 1 || got.Dimensions["writing"] != 1 {
		t.Errorf("%+v", got)
	}
	line := fmt.Sprintf("votes of round 1: 6 for two sides, worth %s independent votes (agreement in 2 earlier rounds; families: qwen 4, llama 1, unknown 1; dimensions: facts 4, none 1, writing 1); "+
		"for the earlier rounds this is the word of the exporter alone\n", got.Independent)
	if !strings.Contains(r.String(), line) {
		t.Errorf("no %q in\n%s", line, r.String())
	}
	if rows := bundle(t, file).Panels[0].History; rows[0].Case.String() > rows[1].Case.String() {
		t.Errorf("%+v", rows)
	}
}

// TestForgedPanel: what an exporter says of a panel against the draw, the opinions or itself is
// found, at its place.
func TestForgedPanel(t *testing.T) {
	w, err := casetest.Build(mixed)
	if err != nil {
		t.Fatal(err)
	}
	for i, choices := range slices.Repeat([]string{"aaarrrr", "aaaaaaa"}, 4) {
		w.Seen = append(w.Seen, past(w, i, voting.ForWorker, choices))
	}
	file, err := w.Export()
	if err != nil {
		t.Fatal(err)
	}
	seat := func(i int, change func(*casefile.PanelSeat)) func(*casefile.Bundle) {
		return func(b *casefile.Bundle) { change(&b.Panels[0].Seats[i]) }
	}
	first := func(change func(*casefile.PanelRow)) func(*casefile.Bundle) {
		return func(b *casefile.Bundle) { change(&b.Panels[0].History[0]) }
	}
	for _, c := range []struct {
		name   string
		change func(*casefile.Bundle)
		check  verify.CheckName
		path   string
	}{
		{"nothing", func(*casefile.Bundle) {}, "", ""},
		{"no panel", func(b *casefile.Bundle) { b.Panels = []casefile.Panel{} }, verify.CheckPanel, "$.panels"},
		{"a panel more", func(b *casefile.Bundle) { b.Panels = append(b.Panels, b.Panels[0]) }, verify.CheckPanel, "$.panels"},
		{"seven panels", func(b *casefile.Bundle) { b.Panels = slices.Repeat(b.Panels, 7) }, verify.CheckForm, "$.panels"},
		{"another round", func(b *casefile.Bundle) { b.Panels[0].Round = 2 }, verify.CheckPanel, "$.panels[0].round"},
		{"round 7", func(b *casefile.Bundle) { b.Panels[0].Round = 7 }, verify.CheckForm, "$.panels[0].round"},
		{"another judge", seat(3, func(s *casefile.PanelSeat) { s.Judge[0]++ }), verify.CheckPanel, "$.panels[0].seats[3].judge"},
		{"another family", seat(2, func(s *casefile.PanelSeat) { s.Family = "llama" }), verify.CheckPanel, "$.panels[0].seats[2].family"},
		{"a family for one that says none", seat(1, func(s *casefile.PanelSeat) { s.Family = "gpt" }), verify.CheckPanel, "$.panels[0].seats[1].family"},
		{"another dimension", seat(6, func(s *casefile.PanelSeat) { s.Dimension = "facts" }), verify.CheckPanel, "$.panels[0].seats[6].dimension"},
		{"a long family", seat(6, func(s *casefile.PanelSeat) { s.Family = strings.Repeat("f", 65) }), verify.CheckForm, "$.panels[0].seats[6].family"},
		{"a family that moves the cursor", seat(6, func(s *casefile.PanelSeat) { s.Family = "\x1b[2J" }), verify.CheckForm, "$.panels[0].seats[6].family"},
		{"seats swapped", func(b *casefile.Bundle) { s := b.Panels[0].Seats; s[0], s[1] = s[1], s[0] }, verify.CheckPanel, "$.panels[0].seats[0].judge"},
		{"a seat less", func(b *casefile.Bundle) {
			p := &b.Panels[0]
			p.Seats, p.History = p.Seats[:6], []casefile.PanelRow{}
		}, verify.CheckPanel, "$.panels[0].seats"},
		{"worth more", func(b *casefile.Bundle) { b.Panels[0].Effective += 2 }, verify.CheckPanel, "$.panels[0].effective"},
		{"worth less", func(b *casefile.Bundle) { b.Panels[0].Effective -= 2 }, verify.CheckPanel, "$.panels[0].effective"},
		{"rounded to the other side", func(b *casefile.Bundle) { b.Panels[0].Effective++ }, "", ""},
		{"another history", func(b *casefile.Bundle) {
			for i := range b.Panels[0].History {
				b.Panels[0].History[i].Choices = "aaaaaaa"
			}
		}, verify.CheckPanel, "$.panels[0].effective"},
		{"history of this case", func(b *casefile.Bundle) {
			b.Panels[0].History = []casefile.PanelRow{{Case: b.Case, Round: 1, Verdict: casefile.Verdict(voting.ForWorker), Choices: "aaaaaaa"}}
		}, verify.CheckPanel, "$.panels[0].history[0].case"},
		{"history of nobody", first(func(r *casefile.PanelRow) { r.Choices = "a------" }), verify.CheckForm, "$.panels[0].history[0].choices"},
		{"history of fewer seats", first(func(r *casefile.PanelRow) { r.Choices = "aa" }), verify.CheckForm, "$.panels[0].history[0].choices"},
		{"undecided history", first(func(r *casefile.PanelRow) { r.Verdict = casefile.Verdict(voting.Undecided) }), verify.CheckForm, "$.panels[0].history[0].verdict"},
		{"history of round 0", first(func(r *casefile.PanelRow) { r.Round = 0 }), verify.CheckForm, "$.panels[0].history[0].round"},
		{"history twice", func(b *casefile.Bundle) { h := b.Panels[0].History; h[1] = h[0] }, verify.CheckForm, "$.panels[0].history[1]"},
		{"history out of order", func(b *casefile.Bundle) { slices.Reverse(b.Panels[0].History) }, verify.CheckForm, "$.panels[0].history[1]"},
		{"too much history", func(b *casefile.Bundle) {
			b.Panels[0].History = slices.Repeat(b.Panels[0].History, 33)
		}, verify.CheckForm, "$.panels[0].history"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := bundle(t, file)
			c.change(&b)
			r := verify.File(reseal(t, b, casetest.NodeKey("attacker")))
			if c.check == "" && !r.OK() {
				t.Error(r.String())
			}
			if got := r.Check(c.check); c.check != "" && (got.State != verify.Failed || got.Path != c.path) {
				t.Errorf("want %s to fail at %s:\n%s", c.check, c.path, r.String())
			}
		})
	}
}

// TestPanelText: what a panel writes in text has one spelling.
func TestPanelText(t *testing.T) {
	var w casefile.Worth
	for _, text := range []string{"", "4", "4.1", "04.10", "4.100", "-1.00", "28.01", "4.10 ", "4,10", ".10", "410", "1e2.00"} {
		if err := w.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("worth takes %q", text)
		}
	}
	if err := w.UnmarshalText([]byte("28.00")); err != nil || w != 2800 {
		t.Error(w, err)
	}
	var c casefile.Choices
	for _, text := range []string{"b", "A", "a r", strings.Repeat("a", 29)} {
		if err := c.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("choices take %q", text)
		}
	}
}
