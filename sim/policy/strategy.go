package policy

import (
	"ojud/voting/rules"
)

// mix is how likely a strategy does each act.
type mix [acts]float64

// on is the mix of a judge of that rate when the truth is that side.
func (r rate) on(truth act) (m mix) {
	m[truth], m[other(truth)], m[abstain] = r.right, r.wrong, 1-r.right-r.wrong
	return m
}

func always(a act) (m mix) {
	m[a] = 1
	return m
}

// sight has the facts of a case that a strategy may look at.
type sight struct {
	truth   act
	item    *item
	average rate
	// rest is the side that wins without this judge: accept, reject, or abstain if neither does.
	rest   act
	golden bool
}

// strategy is a way to judge.
type strategy struct {
	name string
	do   func(s sight) mix
	own  float64 // the share of ordinary cases in which it is a party, and votes for itself
}

// coin tosses one.
func coin() (m mix) {
	m[accept], m[reject] = .5, .5
	return m
}

// accurate is a judge whose errors are its own, and that never abstains.
func accurate(p float64) func(sight) mix {
	return func(s sight) mix { return rate{p, 1 - p}.on(s.truth) }
}

// longestWrong is how often the wrong party of an ordinary case pleads longer. In golden cases the
// length says nothing.
const longestWrong = .55

// strategies are those of every pool; the pool's families come besides.
func strategies(p *population) []strategy {
	honest := func(s sight) mix { return s.average.on(s.truth) }
	best := func(s sight) mix { return s.item.best.on(s.truth) }
	all := []strategy{
		{name: "knows the truth", do: func(s sight) mix { return always(s.truth) }},
		{name: "best single judge", do: best},
		{name: "average judge", do: honest},
		{name: "right in 80 %", do: accurate(.8)},
		{name: "right in 70 %", do: accurate(.7)},
		{name: "right in 60 %", do: accurate(.6)},
		{name: "always accept", do: func(sight) mix { return always(accept) }},
		{name: "always reject", do: func(sight) mix { return always(reject) }},
		{name: "coin", do: func(sight) mix { return coin() }},
		{name: "longest pleading", do: func(s sight) mix {
			if s.golden {
				return coin()
			}
			return rate{1 - longestWrong, longestWrong}.on(s.truth)
		}},
		{name: "always abstain", do: func(sight) mix { return always(abstain) }},
		{name: "copy the majority", do: func(s sight) mix {
			if s.average.right >= s.average.wrong {
				return always(s.truth)
			}
			return always(other(s.truth))
		}},
		{name: "withhold if losing", do: func(s sight) mix {
			m := honest(s)
			for _, side := range []act{accept, reject} {
				if s.rest != side {
					m[withhold] += m[side]
					m[side] = 0
				}
			}
			return m
		}},
		{name: "never commit", do: func(sight) mix { return always(stayAway) }},
		{name: "own party in 10 %", do: honest, own: .1},
	}
	for _, hit := range []float64{.5, .8, .95} {
		all = append(all, recogniser(hit, best))
	}
	for n, f := range p.families {
		if len(p.families) > 1 {
			all = append(all, strategy{name: "honest " + f.name, do: func(s sight) mix { return s.item.families[n].on(s.truth) }})
		}
	}
	return all
}

// recognisers are named by their hit rate.
func recogniser(hit float64, honest func(sight) mix) strategy {
	name := map[float64]string{.5: "recognises 50 %", .8: "recognises 80 %", .95: "recognises 95 %"}[hit]
	return strategy{name: name, do: func(s sight) mix {
		if !s.golden {
			return coin()
		}
		m, c := honest(s), coin()
		for a := range m {
			m[a] = hit*m[a] + (1-hit)*c[a]
		}
		return m
	}}
}

// goldenPays returns how much each act earns in a golden case beside its pay, for each answer, from
// a pot that is full enough.
func goldenPays(l *rules.Law, reward uint64) (pays [2][acts]int64, err error) {
	if l == nil || l.GoldenBps == 0 {
		return pays, nil
	}
	for _, answer := range []act{accept, reject} {
		for a := range acts {
			mine, others := a.seat(stake), answer.seat(stake)
			in := rules.GoldenEnd{Reward: reward, Answer: answer.seat(stake).Choice, Pot: 1 << 60}
			in.Seats, in.Standings = append(in.Seats, mine, others), append(in.Standings, standing(), standing())
			out, err := l.Golden(in)
			if err != nil {
				return pays, err
			}
			pays[answer][a] = earned(out.Seats[:1])
		}
	}
	return pays, nil
}
