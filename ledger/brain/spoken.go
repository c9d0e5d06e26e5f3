package brain

// spoke is a part of the past of an evaluator: it spoke before it was asked again.
const spoke uint8 = 1

// Spoken is of how many workers, of so many, the evaluator has said what it says. While it is asked
// again, about further workers, what it said of the others stays.
func (e *Evaluator) Spoken(workers int) int {
	const revealed = 2
	switch {
	case e.State == revealed:
		return workers
	case e.Past&spoke != 0:
		return min(int(e.Asked), workers)
	}
	return 0
}
