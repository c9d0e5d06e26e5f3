package cluster

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"ojud/ledger/program"
	"ojud/node/client"
	"ojud/node/cluster/hearing"
	"ojud/voting"
)

// Summary describes how a dispute ended.
type Summary struct {
	Case    string        `json:"case"`
	Verdict string        `json:"verdict"` // accept, reject, undecided; none if it did not end
	Outcome string        `json:"outcome"` // paid, refunded, split
	Rounds  int           `json:"rounds"`
	Tally   hearing.Tally `json:"tally"`

	Worker  Account         `json:"worker"`
	Creator Account         `json:"creator"`
	Judges  []hearing.Bench `json:"judges"`

	Checked []string `json:"checked,omitempty"` // in StoryEngine and StoryAppeal, what passed

	Golden client.Lamports `json:"golden_pot"` // what the golden pot got: the trade fee, slashes and the rest of lost bonds

	// In StoryJudges, Voices are the opinions of the last round, and Models their costs.
	Voices []Voice `json:"opinions,omitempty"`
	Models *Spent  `json:"models,omitempty"`

	// LamportsBefore and LamportsAfter are the sums of all accounts of the chain. They must be
	// equal.
	LamportsBefore uint64 `json:"lamports_before,string"`
	LamportsAfter  uint64 `json:"lamports_after,string"`

	File     string   `json:"file"`
	Checks   int      `json:"checks"` // of the case file that passed
	Verified bool     `json:"verified"`
	Notes    int      `json:"notes"`           // faults of judges and parties that the verification mentions
	Noted    []string `json:"noted,omitempty"` // each of them once
	Seconds  float64  `json:"seconds"`         // of real time, from the first transaction of a party
}

// Account sums up the payments of a party.
type Account struct {
	Paid   map[string]client.Lamports `json:"paid"` // by kind: reward, refund, bond …
	Before client.Lamports            `json:"vault_before"`
	After  client.Lamports            `json:"vault_after"`
}

// report returns the facts that are known now.
func (p *play) report(ctx context.Context) Summary {
	r := Summary{
		Case: p.task.String(), Verdict: voting.NoVerdict.String(), Outcome: program.OutcomeName(0), Rounds: p.record.Rounds(),
		Tally: p.record.Tally(), Judges: p.record.Benches(p.last(ctx)), LamportsBefore: p.before, LamportsAfter: p.chain.Lamports(),
	}
	if outcome, verdict, over := p.record.End(); over {
		r.Outcome, r.Verdict = program.OutcomeName(outcome), verdict.String()
	}
	r.Worker, r.Creator = p.account(ctx, p.worker), p.account(ctx, p.creator)
	r.Golden, r.Voices, r.Checked = p.record.Golden(), p.voices(), p.others.checks
	return r
}

// last returns the present Case account, or nil if it cannot be read.
func (p *play) last(ctx context.Context) *program.Case {
	c, _, err := p.treasury.client.Case(ctx, p.task)
	if err != nil {
		return nil
	}
	return c
}

func (p *play) account(ctx context.Context, who *party) (a Account) {
	if who == nil || who.Client == nil {
		return a
	}
	a.Paid, a.Before = p.record.Payments(who.key.Address()), who.vault
	if agent, _, err := p.treasury.client.Agent(ctx, who.key.Address()); err == nil {
		a.After = client.Lamports(agent.Vault)
	}
	return a
}

// change returns the gain or loss of a vault, with its sign.
func (a Account) change() string {
	if a.After < a.Before {
		return "-" + (a.Before - a.After).String()
	}
	return "+" + (a.After - a.Before).String()
}

// Sentence returns the report in one sentence.
func (r Summary) Sentence() string {
	verified := "does not verify"
	if r.Verified {
		verified = fmt.Sprintf("verifies (%d checks)", r.Checks)
	}
	return fmt.Sprintf("The case ended in round %d: %s, the task is %s; its case file %s.", r.Rounds, r.Verdict, r.Outcome, verified)
}

// WriteTo writes the report as a table for people.
func (r Summary) WriteTo(out io.Writer) (int64, error) {
	var rows [][]string
	row := func(name, format string, args ...any) {
		rows = append(rows, []string{name, fmt.Sprintf(format, args...)})
	}
	row("verdict", "%s in round %d; the task is %s", r.Verdict, r.Rounds, r.Outcome)
	row("stake behind it", "accept %s, reject %s, abstain %s, of %s seated", r.Tally.Accept, r.Tally.Reject, r.Tally.Abstain, r.Tally.Seated)
	row("the worker", "%s", r.Worker.change())
	row("the creator", "%s", r.Creator.change())
	if r.Golden > 0 {
		row("the golden pot", "+%s", r.Golden)
	}
	for _, bench := range r.Judges {
		row(bench.Result, "%d seats: +%s, -%s", bench.Seats, bench.Earned, bench.Slashed)
	}
	if r.Models != nil {
		row("models", "%s", r.Models)
	}
	row("all lamports", "%d before, %d after", r.LamportsBefore, r.LamportsAfter)
	for _, check := range r.Checked {
		row("checked", "%s", check)
	}
	row("case file", "%s", r.File)
	row("", "%s: %d checks passed, %d notes", map[bool]string{true: "verified", false: "NOT VERIFIED"}[r.Verified], r.Checks, r.Notes)
	for _, note := range r.Noted {
		row("note", "%s", note)
	}
	row("time", "%.1f s from the task to the verified case file", r.Seconds)
	n, err := io.WriteString(out, tableOf(voiceRows(r.Voices))+tableOf(rows))
	return int64(n), err
}

// tableOf returns rows in columns.
func tableOf(rows [][]string) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		_, _ = fmt.Fprintln(w, strings.Join(row, "\t")) // a Builder takes everything
	}
	_ = w.Flush()
	return b.String()
}
