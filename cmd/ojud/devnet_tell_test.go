package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"ojud/cmd/ojud/view"
	"ojud/node/client"
	"ojud/node/cluster"
)

// TestQuiet checks that --quiet leaves out progress, and nothing else.
func TestQuiet(t *testing.T) {
	t.Parallel()
	for _, quiet := range []bool{true, false} {
		var out bytes.Buffer
		a := newApp(nil, &out, &out)
		a.Quiet, a.Slow = quiet, time.Nanosecond
		teller := newTeller(a)
		teller.say("28 judges stake.")
		teller.tell(cluster.Line{Event: "Committed", Show: cluster.ShowMany, Of: 1, Text: "Judge 01 commits."})
		teller.result("Join with: ojud join")
		for began := time.Now(); time.Since(began) < time.Minute; {
			a.Waiting("asking the chain")()
			if quiet || strings.Contains(out.String(), "asking") {
				break
			}
		}
		if err := teller.fault(); err != nil {
			t.Fatal(err)
		}
		for text, progress := range map[string]bool{"28 judges stake": true, "have committed": true, "asking the chain": true, "Join with": false} {
			if strings.Contains(out.String(), text) == (quiet && progress) {
				t.Errorf("quiet %t: %q in %q", quiet, text, out.String())
			}
		}
		if strings.Contains(out.String(), "\x1b") {
			t.Errorf("colours: %q", out.String())
		}
	}
}

// TestTellerJoins checks that the actions of 28 judges take a few lines, none wider than the
// screen, and that nothing is lost.
func TestTellerJoins(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	teller := newTeller(newApp(nil, &out, &out))
	many := func(event, vote string, data map[string]any, text string) {
		teller.tell(cluster.Line{Event: event, Show: cluster.ShowMany, Of: 28, Vote: vote, Data: data, Text: text})
	}
	for range 27 {
		many("Committed", "", nil, "Judge 01 commits.")
	}
	for i := range 27 {
		many("Revealed", []string{"accept", "reject"}[i%2], nil, "Judge 01 reveals.")
	}
	teller.tell(cluster.Line{Text: "A judge stakes."})
	many("Revealed", "reject", nil, "Judge 28 reveals.")
	teller.tell(cluster.Line{Event: "Drawn", Text: "A panel is drawn for round 2."})
	many("Revealed", "accept", nil, "Judge 01 reveals.")
	teller.tell(cluster.Line{Event: "RoundSettled", Text: "Round 1 is settled: " + strings.Repeat("word ", 40)})
	for i := range 3 {
		name := fmt.Sprintf("judge %02d", i+1)
		many(cluster.EventSeatSlashed, "", map[string]any{"name": name, "judge": "2Zjcy2vmaYzt8"}, "J"+name[1:]+" was absent and loses 0.01 SOL of its stake.")
	}
	many(cluster.EventSeatSlashed, "", map[string]any{"name": "the judge in seat 4"}, "The judge in seat 4 was late.")
	many("RewardClaimed", "", map[string]any{"amount": "1000000000"}, "")
	many("RewardClaimed", "", map[string]any{"amount": "500000000"}, "")
	teller.tell(cluster.Line{Event: "AgentSet", Show: cluster.ShowLess, Text: "hidden"})
	if err := teller.fault(); err != nil {
		t.Fatal(err)
	}
	for _, says := range []string{"14 of 28 judges have committed", "27 of 28 judges have committed", "27 of 28 judges have revealed their votes: 14 accept, 13 reject",
		"28 of 28 judges have revealed their votes: 14 accept, 14 reject", "1 of 28 judges have revealed their votes: 1 accept",
		"Judge 01 (2Zjcy2vm), judge 02 (2Zjcy2vm) and judge 03", "The judge in seat 4 was late.", "2 of the judges took their rewards, 1.5 SOL in all"} {
		if !strings.Contains(out.String(), says) {
			t.Errorf("no %q in\n%s", says, out.String())
		}
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	for _, line := range lines {
		if len(line) > view.Width {
			t.Errorf("%d columns: %s", len(line), line)
		}
	}
	if len(lines) > 17 || strings.Contains(out.String(), "hidden") {
		t.Errorf("%d lines:\n%s", len(lines), out.String())
	}
}

// TestFollowerJoins checks that case watch counts judges as the devnet does, and names them if they
// misbehave.
func TestFollowerJoins(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	f := follower{app: newApp(nil, &out, &out)}
	for _, c := range []client.Change{
		{Kind: "committed", Seats: 4}, {Kind: "committed", Seats: 4}, {Kind: "committed", Seats: 4},
		{Kind: "revealing", Text: "the judges reveal"}, {Kind: "revealed", Choice: "reject", Seats: 4},
		{Kind: "equivocated", Text: "judge 2Zjcy2vm (seat 2 of 4) signed two different votes and is slashed"},
	} {
		if err := f.tell(c); err != nil {
			t.Fatal(err)
		}
	}
	var texts []string
	for line := range strings.Lines(out.String()) {
		texts = append(texts, strings.TrimSpace(line[len("00:00:00"):]))
	}
	want := []string{"2 of 4 judges have committed to their votes.", "3 of 4 judges have committed to their votes.", "the judges reveal",
		"1 of 4 judges have revealed their votes: 1 reject.", "judge 2Zjcy2vm (seat 2 of 4) signed two different votes and is slashed"}
	if strings.Join(texts, "|") != strings.Join(want, "|") {
		t.Errorf("%q", texts)
	}
}
