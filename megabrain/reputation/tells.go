package reputation

// Seen is the score of an evaluator for a result of a golden task, 0 to 100, and whether the result
// is right.
type Seen struct {
	Right bool `json:"right"`
	Score int  `json:"score"`
}

// Both says whether there are right and wrong results, without which nothing can be told.
func Both(results []Seen) bool {
	right := 0
	for _, r := range results {
		if r.Right {
			right++
		}
	}
	return right > 0 && right < len(results)
}

// Tells says whether scores tell right results from wrong ones: every right one has the pass mark,
// no wrong one has more than a tolerance above it, and every right one is better than every wrong
// one by the tolerance at least. So an evaluator that is lenient or strict passes if it looks, and
// one that gives all results about the same score does not.
func Tells(results []Seen, pass, tolerance int) bool {
	worst, best := 101, -1
	for _, r := range results {
		if r.Right {
			worst = min(worst, r.Score)
		} else {
			best = max(best, r.Score)
		}
	}
	return Both(results) && worst >= pass && best < pass+tolerance && worst-best >= tolerance
}
