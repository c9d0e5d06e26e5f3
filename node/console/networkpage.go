package console

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"ojud/casefile"
	"ojud/casefile/picture"
	"ojud/ledger/program"
	"ojud/node/status"
	"ojud/voting"
)

// networkPage is what the page of the network shows.
type networkPage struct {
	Self     string
	Figures  []figure
	Spots    []spot
	Both     string // links between other nodes that both ends claim, as a path
	One      string // those that one end claims
	Claims   string // in words
	Words    string
	Access   string // how others reach this node
	Rows     []Link
	Versions []picture.Share
	Chain    []figure // how this node sees the chain
	Problems []string
}

// spot is a node in the picture of the links.
type spot struct {
	X, Y   float64
	Linked bool
	Staked bool
	Words  string
}

// maxChords bounds the links between others in the picture.
const maxChords = 3_000

// maxSpots bounds the nodes in the picture and in the table.
const maxSpots = 128

// maxVersions bounds the versions that the page lists.
const maxVersions = 8

// network puts the page of the network together. An announcement is free, so judges with a stake
// come first and only these count as judges.
func (c *Console) network() networkPage {
	court := c.source.Court()
	p := networkPage{Self: court.State.Peer}
	linked, staked, versions := 0, 0, map[string]uint64{}
	others := make([]Link, 0, len(court.Links))
	for _, l := range court.Links {
		l = l.clean()
		if l.Own || l.Staked {
			versions[cmp.Or(l.Version, "not said")]++
		}
		if l.Own {
			continue
		}
		if l.Staked {
			staked++
			if l.Linked {
				linked++
			}
		}
		others = append(others, l)
	}
	slices.SortFunc(others, func(a, b Link) int {
		if a.Staked != b.Staked {
			return map[bool]int{true: -1, false: 1}[a.Staked]
		}
		if a.Linked != b.Linked {
			return map[bool]int{true: -1, false: 1}[a.Linked]
		}
		return cmp.Compare(a.Judge, b.Judge)
	})
	p.Figures = []figure{
		{"links of this node", fmt.Sprint(court.State.Peers)}, {"other judges with a stake", fmt.Sprint(staked)},
		{"of the others' stake is linked to it", court.near()},
	}
	p.Access = picture.Line(strings.TrimSpace(court.State.Way.How + " " + court.State.Way.Carries))
	p.sight(court.State)
	p.Rows = others[:min(len(others), maxSpots)]
	for i, l := range p.Rows {
		s := spot{Linked: l.Linked, Staked: l.Staked, Words: nodeWords(l)}
		s.X, s.Y = picture.Polar(float64(i)/float64(len(p.Rows)), picture.RingRadius)
		p.Spots = append(p.Spots, s)
	}
	p.claim(c.source.Claims())
	p.Words = fmt.Sprintf("This node is linked to %d of %d other judges with a stake that it knows.", linked, staked)
	if n := len(others) - staked; n > 0 {
		p.Words += fmt.Sprintf(" %s without a stake, and such nodes judge nothing.", picture.Count(n, "other node is", "other nodes are"))
	}
	p.Versions = shares(versions)
	return p
}

// nodeWords names a node in the picture. Without a stake, it is a judge's by its own word only.
func nodeWords(l Link) string {
	if l.Staked {
		return "judge " + ends(l.Judge)
	}
	return "a node that says it is judge " + ends(l.Judge)
}

// shares returns the versions that most judges run, and the number of judges with any other one.
func shares(versions map[string]uint64) []picture.Share {
	names := slices.SortedFunc(keys(versions), func(a, b string) int {
		return cmp.Or(cmp.Compare(versions[b], versions[a]), cmp.Compare(a, b))
	})
	var list []picture.Share
	rest := uint64(0)
	for i, v := range names {
		if i >= maxVersions {
			rest += versions[v]
			continue
		}
		list = append(list, picture.Share{Who: v, Amount: fmt.Sprint(versions[v])})
	}
	if rest > 0 {
		list = append(list, picture.Share{Who: "any other version", Amount: fmt.Sprint(rest)})
	}
	return list
}

// claim draws the links between others, as their nodes claim them, and counts them.
func (p *networkPage) claim(claims map[string][]string) {
	says := map[[2]string]bool{}
	for from, links := range claims {
		for _, to := range links {
			says[[2]string{from, to}] = true
		}
	}
	var both, one strings.Builder
	agreed, single, untrue := 0, 0, 0
	for i, a := range p.Rows {
		if says[[2]string{a.Peer, p.Self}] && !a.Linked {
			untrue++
		}
		for k := range i {
			b := p.Rows[k]
			there, back := says[[2]string{a.Peer, b.Peer}], says[[2]string{b.Peer, a.Peer}]
			path, n := &one, &single
			if there && back {
				path, n = &both, &agreed
			}
			if !there && !back || agreed+single == maxChords {
				continue
			}
			*n++
			fmt.Fprintf(path, "M%.0f %.0fL%.0f %.0f", p.Spots[i].X, p.Spots[i].Y, p.Spots[k].X, p.Spots[k].Y)
		}
	}
	p.Both, p.One = both.String(), one.String()
	p.Claims = fmt.Sprintf("%s say with whom they are linked: %s by both ends, %s by one end alone (dashed). Such a claim is no proof.",
		picture.Count(len(claims), "other node", "other nodes"), picture.Count(agreed, "link", "links"), picture.Count(single, "link", "links"))
	if len(claims) == 0 {
		p.Claims = "The others link among each other, too. They are asked with whom while this page is open."
	}
	if untrue > 0 {
		p.Claims += fmt.Sprintf(" %s a link to this node that this node does not have now.", picture.Count(untrue, "node claims", "nodes claim"))
	}
}

// sight says how the node sees the chain.
func (p *networkPage) sight(s status.Status) {
	age := "not known yet"
	if d, err := time.ParseDuration(s.ChainAge); err == nil && s.Slot > 0 {
		age = fmt.Sprintf("%d s ago", int64(d.Seconds()))
	}
	p.Chain = []figure{
		{"Newest block that this node saw", age}, {"Its slot", fmt.Sprint(s.Slot)}, {"Its time", cmp.Or(picture.Clock(s.Time), "not known yet")},
		{"Changes come", map[bool]string{true: "at once, by websocket", false: "by asking"}[s.Socket]},
	}
	for _, one := range s.Providers {
		name := "It asks the RPC node"
		if one.Guest {
			name = "It asked another judge's RPC node"
		}
		p.Chain = append(p.Chain, figure{name, picture.Line(one.String())})
	}
	for _, text := range s.Problems {
		p.Problems = append(p.Problems, picture.Line(text))
	}
}

// near returns the share of the stake of other judges to which this node is linked.
func (c Court) near() string {
	if c.Roster == nil {
		return "–"
	}
	linked := map[string]bool{}
	for _, l := range c.Links {
		if l.Linked && l.Staked {
			linked[l.Judge] = true
		}
	}
	var near, all float64
	for _, e := range c.Roster.Entries {
		if e.State != program.EntryActive || voting.Key(e.Authority) == c.Self {
			continue
		}
		all += float64(e.Stake)
		if linked[e.Authority.String()] {
			near += float64(e.Stake)
		}
	}
	if all == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f %%", 100*near/all)
}

// keys returns an iterator of the keys of a map.
func keys(m map[string]uint64) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// ends returns the two ends of an address in base58; of anything else, its beginning.
func ends(address string) string {
	if a, err := casefile.ParseAddress(address); err == nil {
		return picture.Short(voting.Key(a))
	}
	return picture.Line(strings.ToValidUTF8(address[:min(len(address), 8)], ""))
}
