package judge

// Shared is the code judge of the tests, which compiles its interpreters once for all of them.
var Shared = NewCode(DefaultLimits())

// Without returns the judge without one of its defences; "nothing" removes none.
func (r *Reasoner) Without(name string) *Reasoner {
	out := *r
	*map[string]*bool{"marks": &out.on.marks, "quotes": &out.on.quotes, "both orders": &out.on.swap, "normal form": &out.on.visible,
		"checked questions": &out.on.requests, "nothing": new(bool)}[name] = false
	return &out
}
