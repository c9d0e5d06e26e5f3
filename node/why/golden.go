package why

import (
	"fmt"

	"ojud/ledger/onchain"
	"ojud/voting"
)

// GoldenSeat is a golden case as one judge's seat met it. Choice is empty if the judge had no seat.
type GoldenSeat struct {
	Batch           uint64
	Answer, Choice  string // accept, reject or abstain
	Applied         bool
	Slashed, Earned uint64 // by the answer
	InAll           bool   // Slashed and Earned are those of the whole case
}

// GoldenLine says what a golden case means for a judge. The fact names where it stands.
func GoldenLine(g GoldenSeat, fact string) Line {
	const _ = uint(3 - voting.Choices) // a vote for a side is accept or reject
	l := Line{
		Code: Golden, Text: fmt.Sprintf("this was a golden case: batch %d committed to the answer %s before anybody voted", g.Batch, g.Answer),
		Fact: fact, Next: "see the record: ojud judge status",
	}
	switch g.Choice {
	case "":
		return l
	case g.Answer:
		l.Text += "; the judge voted for it"
	case voting.Accept.String(), voting.Reject.String():
		l.Text += "; the judge voted for the other side"
	default:
		l.Text += "; the judge did not vote for a side"
	}
	if !g.Applied {
		l.Text += "; no money has moved by it yet"
		return l
	}
	by := "by the answer its seat"
	if g.InAll {
		by = "in all its seat"
	}
	l.Text += fmt.Sprintf(", and %s got %s and lost %s", by, onchain.SOL(g.Earned), onchain.SOL(g.Slashed))
	return l
}
