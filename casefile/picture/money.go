package picture

import (
	"fmt"
	"math"

	"ojud/casefile"
	"ojud/voting"
)

// money is the flow of a case's money: who put it in, and who got it.
type money struct {
	In, Out []Share
	Words   string
	Total   string
}

// Share is a part of a bar.
type Share struct {
	Who, Why string
	Class    string // creator, worker, judges, pot
	Amount   string
	X, Width float64 // of a bar of barWidth
	Size     uint64
}

const barWidth = 1000

// moneyOf adds up what the parties put in and, at the end, who was paid.
func moneyOf(s Scene, all []Bench) money {
	t := TermsOf(s)
	if t == nil {
		return money{}
	}
	var m money
	words := partiesOf(s)
	bond, price := "bond of the answer", uint64(t.Reward)
	if t.Prepaid {
		bond, price = "the judges' fee", 0 // what is in dispute is elsewhere
	}
	m.In = Spread([]Share{
		{Who: words.Creator, Why: "the price of the work", Class: "creator", Size: price},
		{Who: words.Creator, Why: "bond of the objection", Class: "creator bond", Size: uint64(t.CreatorBond)},
		{Who: words.Worker, Why: bond, Class: "worker bond", Size: uint64(t.WorkerBond)},
		{Who: words.Worker, Why: "bond of the claim", Class: "worker", Size: uint64(t.ClaimBond)},
	})
	total := uint64(0)
	for _, in := range m.In {
		total += in.Size
	}
	m.Total = sol(total)
	m.Words = "This is held by the program until the case is over. No person can take it."
	o := s.Record.Outcome
	if o == nil {
		if _, ended := over(s); ended {
			m.Words = "The program has paid. The payments stand here as soon as their block is final."
		}
		return m
	}
	var out []Share
	for _, p := range o.Value.Payments {
		one := Share{Who: words.Worker, Why: whyPaid(voting.PaymentKind(p.Kind)), Class: "worker", Size: uint64(p.Amount)}
		switch {
		case p.To == t.Creator:
			one.Who, one.Class = words.Creator, "creator"
		case p.To == casefile.Address{}:
			one.Who, one.Class = "The golden pot", "pot"
		}
		out = append(out, one)
	}
	earned, golden := earnings(s, all)
	rest := "the rest of the lost bonds, for later test cases"
	if t.Prepaid {
		rest = "the rest of the fee, for later test cases"
	}
	out = append(out, Share{Who: "The judges", Why: "for votes that took a side", Class: "judges", Size: earned},
		Share{Who: "The golden pot", Why: rest, Class: "pot", Size: golden})
	m.Out = Spread(out)
	m.Words = fmt.Sprintf("The program paid %s, to the last lamport.", m.Total)
	paid := uint64(0)
	for _, o := range m.Out {
		paid += o.Size
	}
	if paid != total {
		m.Words = fmt.Sprintf("The program paid %s. That includes what absent judges lost, or leaves out what is not known here.", sol(paid))
	}
	return m
}

// earnings adds up what judges earned and what the golden pot got, over all rounds.
func earnings(s Scene, all []Bench) (earned, golden uint64) {
	if f := s.Record.Outcome.Value.Finish; f != nil {
		for _, seat := range f.Seats {
			earned += uint64(seat.Earned)
		}
		return earned, uint64(f.Golden)
	}
	for _, b := range all {
		if settle := s.Record.Rounds[b.Round-1].Settle; settle != nil {
			for _, seat := range settle.Value.Seats {
				earned += uint64(seat.Earned)
			}
			if settle.Value.Golden != nil {
				golden += uint64(*settle.Value.Golden)
			}
		}
	}
	return earned, golden
}

// Spread leaves out shares of nothing and gives the others their places in a bar.
func Spread(all []Share) (out []Share) {
	total := 0.0
	for _, s := range all {
		total += float64(s.Size)
	}
	x := 0.0
	for _, s := range all {
		if s.Size == 0 {
			continue
		}
		s.Amount = sol(s.Size)
		s.Width = float64(s.Size) / total * barWidth
		s.X, x = math.Round(x*100)/100, x+s.Width
		s.Width = math.Round(s.Width*100) / 100
		out = append(out, s)
	}
	return out
}

func whyPaid(k voting.PaymentKind) string {
	switch k {
	case voting.PayReward:
		return "the price of the work"
	case voting.PayRefund:
		return "the price back"
	case voting.PayBondBack:
		return "bond back"
	case voting.PayTrade:
		return "its share of the price"
	case voting.PayClaimBack:
		return "bond of the claim back"
	}
	return "other"
}
