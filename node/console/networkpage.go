package console

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ojud/casefile"
	"ojud/casefile/picture"
	"ojud/voting"
)

// networkPage is what the page of the network shows.
type networkPage struct {
	Self     string
	Figures  []figure
	Spots    []spot
	Words    string
	Rows     []Link
	Versions []picture.Share
}

// spot is a node in the picture of the links.
type spot struct {
	X, Y   float64
	Linked bool
	Words  string
}

// maxSpots bounds the nodes in the picture and in the table.
const maxSpots = 128

// network puts the page of the network together.
func (c *Console) network() networkPage {
	court := c.source.Court()
	p := networkPage{Self: court.State.Peer}
	linked, versions := 0, map[string]uint64{}
	others := make([]Link, 0, len(court.Links))
	for _, l := range court.Links {
		l = l.clean()
		versions[cmp.Or(l.Version, "not said")]++
		if l.Own {
			continue
		}
		if l.Linked {
			linked++
		}
		others = append(others, l)
	}
	slices.SortFunc(others, func(a, b Link) int {
		if a.Linked != b.Linked {
			return map[bool]int{true: -1, false: 1}[a.Linked]
		}
		return cmp.Compare(a.Judge, b.Judge)
	})
	p.Figures = []figure{
		{"links of this node", fmt.Sprint(court.State.Peers)}, {"judges that announce themselves", fmt.Sprint(court.State.Registered)},
		{"slot", fmt.Sprint(court.State.Slot)}, {"chain's time", cmp.Or(picture.Clock(court.State.Time), "not known yet")},
		{"changes of the chain come", map[bool]string{true: "at once", false: "by asking"}[court.State.Socket]},
	}
	p.Rows = others[:min(len(others), maxSpots)]
	for i, l := range p.Rows {
		s := spot{Linked: l.Linked, Words: "judge " + ends(l.Judge)}
		s.X, s.Y = picture.Polar(float64(i)/float64(len(p.Rows)), picture.RingRadius)
		p.Spots = append(p.Spots, s)
	}
	p.Words = fmt.Sprintf("This node is linked to %d of %d other judges that it knows.", linked, len(others))
	for _, v := range slices.Sorted(keys(versions)) {
		p.Versions = append(p.Versions, picture.Share{Who: v, Amount: fmt.Sprint(versions[v])})
	}
	return p
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
