package picture

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"ojud/casefile"
	"ojud/voting"
)

// money is the flow of a case's money: who put it in, and who got it.
type money struct {
	In, Out []Share
	Words   string
	Total   string
	Balance []balance // who has how much more or less at the end
	Pot     bool      // the golden pot got something
	Fee     string    // how the fee of a seat is divided; empty: it was not, or the rules do not say
}

// balance is what a side put in, what it got, and the difference.
type balance struct {
	Who, Class          string
	In, Out, Difference string
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
	bond, price := "its bond, which says that it means the answer", uint64(t.Reward)
	if t.Prepaid {
		bond, price = "the judges' fee", 0 // what is in dispute is elsewhere
	}
	m.In = Spread([]Share{
		{Who: words.Creator, Why: "the price of the work", Class: "creator", Size: price},
		{Who: words.Creator, Why: "its bond, which says that it means the objection", Class: "creator bond", Size: uint64(t.CreatorBond)},
		{Who: words.Worker, Why: bond, Class: "worker bond", Size: uint64(t.WorkerBond)},
		{Who: words.Worker, Why: "its bond, since it took the task", Class: "worker", Size: uint64(t.ClaimBond)},
	})
	m.Words = "This is held by the program until the case is over. No person can take it."
	o := s.Record.Outcome
	total := sum(m.In)
	if m.Total = sol(total); o == nil {
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
	earned, lost, golden := earnings(s, all)
	if f := o.Value.Finish; f != nil && f.Appeal != nil {
		bond := Share{Who: words.Worker, Why: "its bond of the appeal", Class: "worker bond", Size: uint64(f.Appeal.Bond)}
		if f.Appeal.Party == t.Creator {
			bond.Who, bond.Class = words.Creator, "creator bond"
		}
		m.In = append(m.In, bond)
	}
	m.In = Spread(append(m.In, Share{Who: "The judges", Why: "what judges lost of their stakes", Class: "judges", Size: lost}))
	total = sum(m.In)
	m.Total = sol(total)
	rest := "the rest of the lost bonds, for later test cases"
	if t.Prepaid {
		rest = "the rest of the fee, for later test cases"
	}
	out = append(out, Share{Who: "The judges", Why: "for votes that took a side", Class: "judges", Size: earned},
		Share{Who: "The golden pot", Why: rest, Class: "pot", Size: golden})
	m.Out = Spread(out)
	m.Words = fmt.Sprintf("The program paid all of the %s.", m.Total)
	m.Balance, m.Fee = balances(m.In, m.Out), feeWords(s, all, words)
	m.Pot = slices.ContainsFunc(m.Out, func(s Share) bool { return s.Class == "pot" })
	if paid := sum(m.Out); paid != total {
		m.Words = fmt.Sprintf("The program paid %s. Of the rest this page knows nothing.", sol(paid))
	}
	return m
}

// feeWords says where the fee of a seat goes: to the judge and to the golden pot. It is known for a
// case of one level by the rules that pay each vote the same.
func feeWords(s Scene, all []Bench, words parties) string {
	if s.Record.Open == nil || len(all) == 0 || s.Record.Outcome.Value.Finish != nil && s.Record.Outcome.Value.Finish.Appeal != nil {
		return ""
	}
	r, b := s.Record.Open.Value.Rules.Second, all[len(all)-1]
	if r == nil || r.Fee == 0 {
		return ""
	}
	if preset, err := r.Preset.MarshalText(); err != nil || string(preset) != "truth" {
		return ""
	}
	payer, rest := "", " What is left of a lost bond goes there, too, so that nobody gains by the loss of an opponent."
	const _ = uint(3 - voting.Verdicts) // a fourth verdict needs who pays
	switch b.Verdict {
	case voting.ForWorker:
		payer = words.Creator
	case voting.ForCreator:
		payer = words.Worker
	default:
		return ""
	}
	if TermsOf(s).Prepaid {
		payer, rest = "who brought the dispute", ""
	} else {
		payer = strings.ToLower(payer[:1]) + payer[1:] + ", who lost"
	}
	fee := uint64(r.Fee)
	return fmt.Sprintf("Each of the %s costs %s, paid by %s: half of it, %s, goes to a judge that took a side, whichever side; the other half goes to the golden pot.%s",
		Count(len(b.Seats), "seat", "seats"), sol(fee), payer, sol(fee/2), rest)
}

// balances returns the differences between what the sides put in and what they got.
func balances(in, out []Share) (all []balance) {
	type sums struct{ in, out uint64 }
	var order []Share
	of := map[string]*sums{}
	at := func(s Share) *sums {
		if of[s.Who] == nil {
			of[s.Who], order = &sums{}, append(order, s)
		}
		return of[s.Who]
	}
	for _, s := range in {
		at(s).in += s.Size
	}
	for _, s := range out {
		at(s).out += s.Size
	}
	for _, s := range order {
		sum := *of[s.Who]
		b := balance{Who: s.Who, Class: strings.Fields(s.Class)[0], In: sol(sum.in), Out: sol(sum.out), Difference: sol(0)}
		switch {
		case sum.out > sum.in:
			b.Difference = "+" + sol(sum.out-sum.in)
		case sum.out < sum.in:
			b.Difference = "−" + sol(sum.in-sum.out)
		}
		all = append(all, b)
	}
	return all
}

func sum(all []Share) (total uint64) {
	for _, s := range all {
		total += s.Size
	}
	return total
}

// earnings adds up what judges earned and lost, and what the golden pot got, over all rounds.
func earnings(s Scene, all []Bench) (earned, lost, golden uint64) {
	if f := s.Record.Outcome.Value.Finish; f != nil {
		for _, seat := range f.Seats {
			earned += uint64(seat.Earned)
			lost += uint64(seat.Slashed)
		}
		return earned, lost, uint64(f.Golden)
	}
	for _, b := range all {
		if settle := s.Record.Rounds[b.Round-1].Settle; settle != nil {
			for _, seat := range settle.Value.Seats {
				earned += uint64(seat.Earned)
				lost += uint64(seat.Slashed)
			}
			if settle.Value.Golden != nil {
				golden += uint64(*settle.Value.Golden)
			}
		}
	}
	return earned, lost, golden
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
		return "the bond of taking the task back"
	}
	return "other"
}
