package pay

import (
	"cmp"
	"slices"
)

// Judgement is what the evaluators say about one worker together.
type Judgement struct {
	Worker     string   `json:"worker"`
	Cluster    string   `json:"cluster"`
	Valid      bool     `json:"valid"` // they agree
	Score      int      `json:"score"` // hundredths of a point; means nothing unless valid
	Confidence int      `json:"confidence_bps"`
	Support    int      `json:"support_bps"` // share of the weight within one sigma
	Outliers   []string `json:"outliers"`
	Why        string   `json:"why"`
}

// vote is an evaluation that counts.
type vote struct {
	by         string
	score      int // hundredths of a point
	confidence int // percent
	weight     uint64
}

// aggregate combines the evaluations of one result.
//
// Sigma is a constant of the task and not estimated from the same few scores: two scores are always
// within one estimated deviation of their mean, however far apart they are. The centre is the
// weighted median, which one evaluator cannot move far. Evaluators agree if those within one sigma
// of the centre have half of the weight and are two at least. If they agree, those beyond two sigma
// are outliers, and the score is the weighted mean of the others. Two evaluators agree if they
// differ by at most two sigma. If they differ more, nothing says who is wrong, and none is an
// outlier.
func aggregate(worker string, votes []vote, sigma int) Judgement {
	j := Judgement{Worker: worker, Outliers: []string{}}
	votes = slices.DeleteFunc(slices.Clone(votes), func(v vote) bool { return v.weight == 0 })
	if len(votes) < 2 {
		j.Why = "fewer than two evaluations that count"
		return j
	}
	slices.SortFunc(votes, func(a, b vote) int { return cmp.Or(cmp.Compare(a.score, b.score), cmp.Compare(a.by, b.by)) })
	centre, near, all, supporters := middle(votes), uint64(0), uint64(0), 0
	for _, v := range votes {
		all += v.weight
		if distance(v.score, centre) <= sigma {
			near += v.weight
			supporters++
		}
	}
	j.Support = int(mulDiv(near, whole, all))
	if 2*near < all || supporters < 2 {
		j.Why = "the evaluators do not agree"
		return j
	}
	var scores, sure, kept uint64
	for _, v := range votes {
		if distance(v.score, centre) > 2*sigma {
			j.Outliers = append(j.Outliers, v.by)
			continue
		}
		kept += v.weight
		scores += v.weight * uint64(v.score)
		sure += v.weight * uint64(v.confidence)
	}
	j.Valid, j.Score, j.Confidence = true, int(scores/kept), int(100*sure/kept)
	j.Why = "the evaluators agree"
	return j
}

// middle is the weighted median of sorted votes, or the midpoint of two.
func middle(votes []vote) int {
	if len(votes) == 2 {
		return (votes[0].score + votes[1].score) / 2
	}
	var all, below uint64
	for _, v := range votes {
		all += v.weight
	}
	for i, v := range votes {
		below += v.weight
		if 2*below == all {
			return (v.score + votes[i+1].score) / 2
		}
		if 2*below > all {
			return v.score
		}
	}
	return votes[len(votes)-1].score
}

func distance(a, b int) int { return max(a-b, b-a) }

// alignment is how near a score is to the consensus, in basis points: all at the consensus, nothing
// from two sigma on.
func alignment(score, consensus, sigma int) int {
	return whole - whole*min(distance(score, consensus), 2*sigma)/(2*sigma)
}

// normalised is the quality of a result, 0 to 10,000: the score times the share of the structure
// that is there, with its odds multiplied by the difficulty in hundredths. It rises with the score
// everywhere, so that no quality is ignored.
func normalised(score, complete, difficulty int) int {
	q := score * complete / whole
	return difficulty * q * whole / (100*whole + (difficulty-100)*q)
}

// exceptional says which results earn a bonus: those at the 90th percentile (nearest rank) or above
// that are better than the median, too. Where all are equal, none is.
func exceptional(quality []int) []bool {
	sorted := slices.Sorted(slices.Values(quality))
	n := len(sorted)
	out := make([]bool, n)
	if n == 0 {
		return out
	}
	high, median := sorted[(9*n+9)/10-1], sorted[(n-1)/2]
	for i, q := range quality {
		out[i] = q >= high && q > median
	}
	return out
}
