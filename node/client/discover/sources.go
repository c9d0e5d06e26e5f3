package discover

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/casefile"
	"ojud/node/client"
	"ojud/node/network"
)

// ErrSilent means that no node told which judges have which data.
var ErrSilent = errors.New("discover: no node of the court told of others")

// Offered is data that judges of a court announce.
type Offered struct {
	Source string `json:"source"`
	// Staked is how many active judges of the Roster announce it, and Judges who they are.
	Staked int      `json:"staked"`
	Judges []string `json:"judges"`
	// Others is how many further nodes announce it. They risk nothing, so anyone can add to it.
	Others int `json:"others"`
}

// Sources returns the sources whose names contain a word, those with the most staked holders first.
// Sources without a staked holder are left out, because anyone can make them up, unless unstaked is
// set.
func Sources(ctx context.Context, c *client.Client, word string, unstaked bool) ([]Offered, error) {
	judges, err := c.Judges(ctx)
	if err != nil {
		return nil, err
	}
	l, err := c.Library(ctx)
	if err != nil {
		return nil, err
	}
	offers, known, err := l.Offers(ctx)
	if err != nil {
		return nil, err
	}
	if !known {
		return nil, ErrSilent
	}
	return rank(offers, judges, word, unstaked), nil
}

// rank counts the holders of each source, and sorts.
func rank(offers map[string][]peer.ID, judges []client.JudgeView, word string, unstaked bool) []Offered {
	active := map[string]string{} // node to authority
	for _, j := range judges {
		if j.State == "active" {
			active[j.NodeID] = j.Judge
		}
	}
	out := []Offered{}
	for name, holders := range offers {
		if !strings.Contains(strings.ToLower(name), strings.ToLower(word)) {
			continue
		}
		s := Offered{Source: name, Judges: []string{}}
		for _, p := range holders {
			key, err := network.KeyOf(p)
			if judge, ok := active[casefile.DID(key).String()]; ok && err == nil {
				s.Judges = append(s.Judges, judge)
			} else {
				s.Others++
			}
		}
		s.Staked = len(s.Judges)
		slices.Sort(s.Judges)
		if s.Staked > 0 || unstaked {
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(a, b Offered) int {
		return cmp.Or(cmp.Compare(b.Staked, a.Staked), cmp.Compare(b.Others, a.Others), cmp.Compare(a.Source, b.Source))
	})
	return out
}
