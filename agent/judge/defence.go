package judge

// defences are those against being talked over that can be taken away one by one, to see what each is for. Nothing but a test sets one:
// go test ./agent/judge -run Ablation -v prints what the attacks reach without it.
type defences struct {
	marks    bool // material stands behind signs, between marks drawn for each call
	quotes   bool // a yes or a no needs words that stand in the material
	swap     bool // both sides are shown first, in turn
	visible  bool // characters that are not seen are not shown
	requests bool // a question of the model carries only what its source may know
	memory   bool // what spoke to a reader is not recalled
}

// defended has all of them.
func defended() defences {
	return defences{marks: true, quotes: true, swap: true, visible: true, requests: true, memory: true}
}
