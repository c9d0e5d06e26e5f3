package console

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"ojud/casefile"
	"ojud/casefile/picture"
	"ojud/ledger/onchain"
	"ojud/voting"
)

// DataRequest is a request for data of this node, as its log has it.
type DataRequest struct {
	At     time.Time
	Source string
	Judge  voting.Key // as the asker says
	Case   voting.Key
	Result string // Answered, or why not
	Took   time.Duration
	Price  uint64 // lamports
}

// Answered is the Result of a request that got its data.
const Answered = "answered"

// sourcesPage is what the page of data sources shows.
type sourcesPage struct {
	Own      []ownSource
	Requests []requestRow // the latest first
	Court    []courtSource
	Asked    int
	Fault    string
}

// ownSource is data that this node offers.
type ownSource struct {
	Name         string
	Asked, Given int
	Took, Paid   string
	took         []time.Duration
	paid         uint64
}

// requestRow is a request in a list.
type requestRow struct {
	At, Source, Judge, JudgeKey, Case, CaseKey, Result, Took, Price string
	Good                                                            bool
}

// courtSource is data that judges of the court offer.
type courtSource struct {
	Name           string
	Staked, Others int
	Judges         []judgeName
	Own            bool
}

// judgeName is a judge in a list.
type judgeName struct{ Key, Short string }

// maxRequests bounds the requests that are listed one by one.
const maxRequests = 50

// sources puts the page of data sources together.
func (c *Console) sources() sourcesPage {
	asked, err := c.asked.get(listFor, c.source.Requests)
	p := sourcesPage{Asked: len(asked)}
	if err != nil {
		p.Fault = picture.Line(err.Error())
	}
	court := c.source.Court()
	p.offered(court)
	p.given(asked, court)
	return p
}

// offered lists what the judges of the court offer, that with the most staked holders first.
func (p *sourcesPage) offered(court Court) {
	all := map[string]*courtSource{}
	for _, l := range court.Links {
		for _, name := range l.Sources {
			s := all[name]
			if s == nil {
				s = &courtSource{Name: picture.Line(name)}
				all[name] = s
			}
			s.Own = s.Own || l.Own
			if !l.Staked {
				s.Others++
				continue
			}
			s.Staked++
			if len(s.Judges) < maxHolders {
				s.Judges = append(s.Judges, judgeName{l.Judge, ends(l.Judge)})
			}
		}
	}
	for _, s := range all {
		p.Court = append(p.Court, *s)
	}
	slices.SortFunc(p.Court, func(a, b courtSource) int {
		return cmp.Or(cmp.Compare(b.Staked, a.Staked), cmp.Compare(b.Others, a.Others), cmp.Compare(a.Name, b.Name))
	})
	p.Court = p.Court[:min(len(p.Court), maxSources)]
}

// The most sources of a court that are listed, and holders of each.
const (
	maxSources = 500
	maxHolders = 12
)

// given sums up what this node was asked.
func (p *sourcesPage) given(asked []DataRequest, court Court) {
	own := map[string]*ownSource{}
	for _, l := range court.Links {
		if !l.Own {
			continue
		}
		for _, name := range l.Sources {
			own[name] = &ownSource{Name: picture.Line(name)}
		}
	}
	for _, r := range slices.Backward(asked) {
		if s := own[r.Source]; s != nil {
			s.Asked++
			if r.Result == Answered {
				s.Given++
				s.took = append(s.took, r.Took)
				s.paid += r.Price
			}
		}
		if len(p.Requests) == maxRequests {
			continue
		}
		row := requestRow{
			At: r.At.UTC().Format("2 Jan 2006, 15:04:05"), Source: picture.Line(r.Source), Result: picture.Line(r.Result), Took: fmt.Sprintf("%d ms", r.Took.Milliseconds()),
			Judge: picture.Short(r.Judge), JudgeKey: casefile.Address(r.Judge).String(), Good: r.Result == Answered,
		}
		if !r.Case.IsZero() {
			row.Case, row.CaseKey = picture.Short(r.Case), casefile.Address(r.Case).String()
		}
		if r.Price > 0 {
			row.Price = onchain.SOL(r.Price)
		}
		p.Requests = append(p.Requests, row)
	}
	for _, s := range own {
		s.Took, s.Paid = "–", onchain.SOL(s.paid)
		if len(s.took) > 0 {
			slices.Sort(s.took)
			s.Took = fmt.Sprintf("%d ms", s.took[len(s.took)/2].Milliseconds())
		}
		p.Own = append(p.Own, *s)
	}
	slices.SortFunc(p.Own, func(a, b ownSource) int { return cmp.Compare(a.Name, b.Name) })
}
