package assay

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/node/client"
	"ojud/node/cluster"
	"ojud/voting"
)

// Findings is what a measurement found.
type Findings struct {
	Seed     string  `json:"seed"`
	Golden   int     `json:"golden"`   // cases
	Ordinary int     `json:"ordinary"` // cases
	Seconds  float64 `json:"seconds"`
	// Wrong is how many golden cases the court decided against the true answer, and Undecided how
	// many it did not decide.
	Wrong     int             `json:"wrong"`
	Undecided int             `json:"undecided"`
	Pot       client.Lamports `json:"golden_pot"` // at the end
	// The lamports of the whole chain never change.
	LamportsBefore client.Lamports `json:"lamports_before"`
	LamportsAfter  client.Lamports `json:"lamports_after"`
	Judges         []Score         `json:"judges"`
}

// Score is what a measurement found out about a judge.
type Score struct {
	Name string `json:"judge"`
	Kind Manner `json:"kind"`
	// Right and Wrong are its votes in golden cases, and Seen the golden cases in which it had a
	// seat. The Record is what the chain keeps of them.
	Right  int     `json:"right"`
	Wrong  int     `json:"wrong"`
	Seen   int     `json:"seen"`
	Record OnChain `json:"record"`
	// Won and Lost are what its seats earned and lost, in golden cases and in ordinary ones.
	GoldenWon    client.Lamports `json:"golden_won"`
	GoldenLost   client.Lamports `json:"golden_lost"`
	OrdinaryWon  client.Lamports `json:"ordinary_won"`
	OrdinaryLost client.Lamports `json:"ordinary_lost"`

	address onchain.Address
}

// OnChain is the golden record of a judge on the chain.
type OnChain struct {
	Right uint8 `json:"right"`
	Wrong uint8 `json:"wrong"`
	Seen  uint8 `json:"seen"`
	Tried bool  `json:"tried"` // they are enough to say something
	Holds bool  `json:"holds"` // they let the judge sit
}

func (b *Bench) report(c *cluster.Cluster) Findings {
	r := Findings{Seed: b.cfg.Seed, Judges: []Score{}}
	for _, m := range c.Members() {
		r.Judges = append(r.Judges, Score{Name: m.Name(), Kind: b.kind(m.Number), address: m.Authority()})
	}
	return r
}

// count adds what the seats of cases that are over voted, won and lost.
func (r *Findings) count(ctx context.Context, w *court, tasks []onchain.Address) error {
	office := client.OfficeOf(w.proctor)
	for _, task := range tasks {
		k, err := read(ctx, office, office.Program().Case(task), program.DecodeCase)
		if err != nil {
			return err
		}
		const _ = uint(3 - voting.Verdicts) // a fourth verdict may be neither
		switch {
		case k.Golden != 0 && k.Verdict == voting.Undecided:
			r.Undecided++
		case k.Golden != 0 && k.Verdict.Choice() != k.Golden:
			r.Wrong++
		}
		for _, s := range k.Seats {
			r.seat(k, s)
		}
	}
	return nil
}

func (r *Findings) seat(k *program.Case, s program.Seat) {
	for i := range r.Judges {
		j := &r.Judges[i]
		if j.address != s.Judge {
			continue
		}
		won, lost := client.Lamports(s.Earned), client.Lamports(s.Slashed)
		if k.Golden == 0 {
			j.OrdinaryWon, j.OrdinaryLost = j.OrdinaryWon+won, j.OrdinaryLost+lost
			return
		}
		j.GoldenWon, j.GoldenLost, j.Seen = j.GoldenWon+won, j.GoldenLost+lost, j.Seen+1
		const _ = uint(3 - voting.Choices) // a vote for a side is right or wrong
		switch s.Choice {
		case k.Golden:
			j.Right++
		case voting.Accept, voting.Reject:
			j.Wrong++
		}
	}
}

// stand reads the records of the judges, and the Pot.
func (r *Findings) stand(ctx context.Context, w *court) error {
	office := client.OfficeOf(w.proctor)
	roster, err := read(ctx, office, office.Program().Roster(), program.DecodeRoster)
	if err != nil {
		return err
	}
	pot, err := read(ctx, office, office.Program().Pot(), program.DecodePot)
	if err != nil {
		return err
	}
	r.Pot = client.Lamports(pot.Golden)
	for i := range r.Judges {
		if at := roster.Find(voting.Key(r.Judges[i].address)); at >= 0 {
			e := &roster.Entries[at]
			r.Judges[i].Record = OnChain{e.Right, e.Wrong, e.Seen, e.Proven(), e.Holds()}
		}
	}
	return nil
}

// Pay is what a judge earned in all, in SOL.
func (j Score) Pay() float64 {
	return (float64(j.GoldenWon) + float64(j.OrdinaryWon) - float64(j.GoldenLost) - float64(j.OrdinaryLost)) / float64(sol)
}

// WriteTo writes one table.
func (r Findings) WriteTo(to io.Writer) (n int64, err error) {
	c := &counter{to: to}
	w := tabwriter.NewWriter(c, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "JUDGE\tKIND\tRIGHT\tWRONG\tSEEN\tGOLDEN PAY\tALL PAY\tMAY SIT") //nolint:errcheck // Flush returns it
	for _, j := range r.Judges {
		sits := map[bool]string{true: "yes", false: "no"}[j.Record.Holds]
		if !j.Record.Tried {
			sits += " (too few)"
		}
		golden := (float64(j.GoldenWon) - float64(j.GoldenLost)) / float64(sol)
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%+.4f SOL\t%+.4f SOL\t%s\n", j.Name, j.Kind, j.Right, j.Wrong, j.Seen, golden, j.Pay(), sits) //nolint:errcheck // see above
	}
	if err := w.Flush(); err != nil {
		return c.n, err
	}
	_, err = fmt.Fprintf(c, "%d golden cases and %d ordinary ones in %.0f s, seed %s. Of the golden ones the court decided %d wrong and %d not at all.\n"+
		"The golden pot has %s. Lamports of the chain: %d before, %d after.\n",
		r.Golden, r.Ordinary, r.Seconds, r.Seed, r.Wrong, r.Undecided, r.Pot, uint64(r.LamportsBefore), uint64(r.LamportsAfter))
	return c.n, err
}

// counter counts what is written.
type counter struct {
	to io.Writer
	n  int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.to.Write(p)
	c.n += int64(n)
	return n, err
}
