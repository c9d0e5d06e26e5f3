package console

import "slices"

// place is an entry of a menu.
type place struct {
	Name, Path string
	Here       string // "page" or "true" for the entry that leads here, or to a page beside it
	pages      []string
}

// menu returns the entries at the top of a page, and those of the pages beside it.
func menu(page string) (top, beside []place) {
	groups := [][]place{
		{{Name: "The court", Path: "/", pages: []string{"court", "case"}}},
		{{Name: "Work", Path: "/market"}, {Name: "Market", Path: "/market", pages: []string{"market"}}, {Name: "Agents", Path: "/agents", pages: []string{"agents"}},
			{Name: "MegaBrain", Path: "/brain", pages: []string{"brain"}},
			{Name: "Data sources", Path: "/sources", pages: []string{"sources"}}},
		{{Name: "This node", Path: "/judge"}, {Name: "Its judge", Path: "/judge", pages: []string{"judge"}}, {Name: "Network", Path: "/network", pages: []string{"network"}},
			{Name: "Health", Path: "/doctor", pages: []string{"doctor"}}},
		{{Name: "Rules", Path: "/rules", pages: []string{"rules"}}},
		{{Name: "Verify", Path: "/verify", pages: []string{"verify"}}},
	}
	for _, group := range groups {
		first := group[0]
		for i, one := range group {
			if !slices.Contains(one.pages, page) {
				continue
			}
			if group[i].Here = "page"; len(group) == 1 {
				first.Here = "page"
				continue
			}
			first.Here, beside = "true", group[1:]
		}
		top = append(top, first)
	}
	return top, beside
}
