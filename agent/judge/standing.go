package judge

import (
	"bytes"
	"fmt"
	"slices"

	"ojud/casefile"
)

// maxCited bounds the receipts that a finding about data cites, beside the check itself.
const maxCited = 16

// speaker names the holder of an answer with its standing.
func (a Answer) speaker() string {
	switch a.Standing {
	case casefile.OwnSource:
		return "the judge's own source"
	case casefile.StakedHolder:
		return fmt.Sprintf("the staked holder %s", a.Holder)
	case casefile.Stranger:
	}
	return fmt.Sprintf("the stranger %s", a.Holder)
}

// scale weighs answers to one question against each other (docs/protocol.md, section 12, "What an
// answer weighs"). The judge's own source outranks staked holders. These count by their stake. A
// stranger, and a holder that contradicts itself, counts for nothing.
type scale struct {
	weight  []uint64 // of each answer
	own     bool     // the own source decides
	staked  bool     // a staked holder answered
	split   bool     // a holder contradicts itself
	yes, no uint64
}

// weights returns the scale of answers, with nothing on it.
func weights(answers []heard) *scale {
	plain := make([]Answer, len(answers))
	for i, a := range answers {
		plain[i] = a.Answer
	}
	return scaleOf(plain)
}

func scaleOf(answers []Answer) *scale {
	s := &scale{weight: make([]uint64, len(answers))}
	for _, a := range answers {
		s.own = s.own || a.Standing == casefile.OwnSource
		s.staked = s.staked || a.Standing == casefile.StakedHolder
	}
	heard := map[casefile.DID]bool{}
	for i, a := range answers {
		switch {
		case twofold(answers, a):
			s.split = true
		case heard[a.Holder]: // the same answer again
		case a.Standing == casefile.OwnSource:
			s.weight[i] = 1
		case a.Standing == casefile.StakedHolder && !s.own:
			s.weight[i] = a.Weight
		}
		heard[a.Holder] = true
	}
	return s
}

// twofold reports whether the holder of an answer gave another one, too.
func twofold(answers []Answer, a Answer) bool {
	return slices.ContainsFunc(answers, func(b Answer) bool { return b.Holder == a.Holder && !bytes.Equal(a.Content, b.Content) })
}

// count puts an answer on one side. Weights are at most voting.MaxSeatWeight, and few.
func (s *scale) count(answer int, yes bool) {
	if yes {
		s.yes += s.weight[answer]
	} else {
		s.no += s.weight[answer]
	}
}

// String says why the answers count as they do, if that is not plain.
func (s *scale) String() string {
	text := ""
	switch {
	case s.own && len(s.weight) > 1:
		text = "the own source decides"
	case s.own:
	case !s.staked:
		text = "only strangers answered, who decide nothing"
	case s.yes > 0 && s.no > 0:
		text = fmt.Sprintf("the stakes are %d against %d lamports", s.yes, s.no)
	}
	if s.split {
		if text != "" {
			text += ", and "
		}
		text += "a holder that contradicts itself counts for nothing"
	}
	return text
}

// proves returns which answers can be evidence for a model: those on the heaviest side of the
// scale, if answers with the same content are one side. Of equal sides the model sees each as
// evidence, because different words need not be a contradiction.
func proves(answers []Answer) []bool {
	s, sides := scaleOf(answers), map[string]uint64{}
	for i, a := range answers {
		sides[string(a.Content)] += s.weight[i]
	}
	most := uint64(0)
	for _, w := range sides {
		most = max(most, w)
	}
	out := make([]bool, len(answers))
	for i, a := range answers {
		out[i] = most > 0 && sides[string(a.Content)] == most && a.Standing != casefile.Stranger && !twofold(answers, a)
	}
	return out
}
