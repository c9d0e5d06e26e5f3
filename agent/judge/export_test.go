package judge

// Without returns the judge without one of its defences; "nothing" removes none.
func (r *Reasoner) Without(name string) *Reasoner {
	out := *r
	*map[string]*bool{"marks": &out.on.marks, "quotes": &out.on.quotes, "both orders": &out.on.swap, "normal form": &out.on.visible,
		"checked questions": &out.on.requests, "nothing": new(bool)}[name] = false
	return &out
}
