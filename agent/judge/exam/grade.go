package exam

import (
	"slices"
	"strings"
	"time"

	"ojud/agent"
	"ojud/agent/judge/class"
	"ojud/casefile"
	"ojud/golden/generator"
	"ojud/voting"
)

// Grades is the result of an exam.
type Grades struct {
	Model       string                `json:"model"` // as the opinions name it; several are joined with " + "
	All         Score                 `json:"all"`
	Classes     map[class.Class]Score `json:"classes"`
	Difficulty  map[int]Score         `json:"difficulty"`
	Made        map[string][]Part     `json:"made,omitempty"` // of generated disputes, by what is named
	Length      []Part                `json:"length"`
	Calibration Calibration           `json:"calibration"`
	Order       Order                 `json:"order"`
	Latency     Latency               `json:"latency"`
	Usage       agent.Usage           `json:"usage"`
	Items       []Mark                `json:"items"`
}

// Part is the score of a part of the disputes.
type Part struct {
	Name  string      `json:"name"`
	Score Score       `json:"score"`
	Usage agent.Usage `json:"usage"`
}

// Score counts votes. Rates are shares from 0 to 1; a share of nothing is 0.
type Score struct {
	Items          int `json:"items"`
	Right          int `json:"right"`
	Abstained      int `json:"abstained"`  // by its own choice
	NoOpinion      int `json:"no_opinion"` // an error, the deadline, or an opinion that cannot be voted; the vote abstains
	PaysWrongly    int `json:"pays_wrongly"`
	RefundsWrongly int `json:"refunds_wrongly"`
	LabelledAccept int `json:"labelled_accept"`
	LabelledReject int `json:"labelled_reject"`

	Accuracy   float64 `json:"accuracy"`         // right of all
	Low        float64 `json:"accuracy_low"`     // 95 % interval of the accuracy (Wilson 1927)
	High       float64 `json:"accuracy_high"`    //
	Decided    float64 `json:"accuracy_decided"` // right of those that were decided
	PayRate    float64 `json:"pays_wrongly_rate"`
	RefundRate float64 `json:"refunds_wrongly_rate"`
}

// Order says how often the answer depended on the order of the sides; 0 without an account.
type Order struct {
	Swapped int     `json:"swapped"`
	Flipped int     `json:"flipped"`
	Rate    float64 `json:"rate"`
}

// Latency is the time from question to opinion.
type Latency struct {
	P50 time.Duration `json:"p50_ns"`
	P95 time.Duration `json:"p95_ns"`
	Max time.Duration `json:"max_ns"`
}

// Mark is the result of one dispute.
type Mark struct {
	ID      string          `json:"id"`
	Class   class.Class     `json:"class"`
	Label   casefile.Choice `json:"label"`
	Choice  casefile.Choice `json:"choice"`
	Accept  *float64        `json:"accept,omitempty"` // the judge's probability that accept is right
	Summary string          `json:"summary"`
	Error   string          `json:"error,omitempty"`
	Took    time.Duration   `json:"took_ns"`
	Asked   int             `json:"asked"` // questions to data sources
}

// Grade compares votes with labels.
func Grade(heard []Attempt) Grades {
	r := Grades{Classes: map[class.Class]Score{}, Difficulty: map[int]Score{}, Items: []Mark{}}
	var models []string
	for _, h := range heard {
		r.All.count(h)
		r.Classes[h.Item.Class] = r.Classes[h.Item.Class].with(h)
		r.Difficulty[h.Item.Difficulty] = r.Difficulty[h.Item.Difficulty].with(h)
		r.Order.Swapped += h.Account.Swapped
		r.Order.Flipped += h.Account.Flipped
		r.Usage.Add(h.Account.Usage)
		r.Items = append(r.Items, mark(h))
		if h.Err == nil && !slices.Contains(models, h.Opinion.Model) {
			models = append(models, h.Opinion.Model)
		}
	}
	slices.Sort(models)
	r.Model = strings.Join(models, " + ")
	r.Order.Rate = Share(r.Order.Flipped, r.Order.Swapped)
	r.Calibration, r.Latency = calibrate(heard), latency(heard)
	r.Made, r.Length = made(heard), parts(heard, length)
	return r
}

// made divides generated disputes by how they were made.
func made(heard []Attempt) map[string][]Part {
	generated := slices.DeleteFunc(slices.Clone(heard), func(h Attempt) bool { return h.Item.Made == nil })
	if len(generated) == 0 {
		return nil
	}
	out := map[string][]Part{}
	for name, of := range map[string]func(Made) string{
		"kind of work": func(m Made) string { return string(m.Kind) },
		"shape":        func(m Made) string { return string(m.Shape) },
		"task carries": func(m Made) string { return string(m.Support) },
		"objection": func(m Made) string {
			if m.Plea == generator.Vague {
				return string(m.Plea)
			}
			return map[bool]string{true: "true", false: "false"}[m.True]
		},
	} {
		out[name] = parts(generated, func(h Attempt) string { return of(*h.Item.Made) })
	}
	return out
}

// length names the length of what a judge has to read.
func length(h Attempt) string {
	const short, middle = 2 << 10, 8 << 10
	switch n := len(h.Item.Task) + len(h.Item.Result) + len(h.Item.Objection) + len(h.Item.Counter); {
	case n <= short:
		return "up to 2 KiB"
	case n <= middle:
		return "up to 8 KiB"
	}
	return "longer"
}

// parts divides attempts by a name, in the order of the names.
func parts(heard []Attempt, name func(Attempt) string) (out []Part) {
	for _, h := range heard {
		at := slices.IndexFunc(out, func(p Part) bool { return p.Name == name(h) })
		if at < 0 {
			at, out = len(out), append(out, Part{Name: name(h)})
		}
		out[at].Score.count(h)
		out[at].Usage.Add(h.Account.Usage)
	}
	slices.SortFunc(out, func(a, b Part) int { return strings.Compare(a.Name, b.Name) })
	return out
}

func (s *Score) count(h Attempt) {
	const _ = uint(3 - voting.Choices) // a choice is an abstention, right, or wrong for one of two sides
	s.Items++
	accept, choice := h.Item.Label == casefile.Choice(voting.Accept), h.Choice()
	switch {
	case h.Err != nil:
		s.NoOpinion++
	case choice == voting.Abstain:
		s.Abstained++
	case choice == voting.Choice(h.Item.Label):
		s.Right++
	case accept:
		s.RefundsWrongly++
	default:
		s.PaysWrongly++
	}
	if accept {
		s.LabelledAccept++
	} else {
		s.LabelledReject++
	}
	s.Accuracy = Share(s.Right, s.Items)
	s.Low, s.High = wilson(s.Right, s.Items)
	s.Decided = Share(s.Right, s.Right+s.PaysWrongly+s.RefundsWrongly)
	s.PayRate, s.RefundRate = Share(s.PaysWrongly, s.LabelledReject), Share(s.RefundsWrongly, s.LabelledAccept)
}

func (s Score) with(h Attempt) Score {
	s.count(h)
	return s
}

func mark(h Attempt) Mark {
	m := Mark{
		ID: h.Item.ID, Class: h.Item.Class, Label: h.Item.Label, Choice: h.Opinion.Choice, Accept: h.Account.Accept,
		Summary: h.Opinion.Summary, Took: h.Took, Asked: len(h.Asked),
	}
	if h.Err != nil {
		m.Error = h.Err.Error()
	}
	return m
}

func latency(heard []Attempt) Latency {
	if len(heard) == 0 {
		return Latency{}
	}
	var all []time.Duration
	for _, h := range heard {
		all = append(all, h.Took)
	}
	slices.Sort(all)
	rank := func(percent int) time.Duration { return all[(len(all)*percent+99)/100-1] } // nearest rank
	return Latency{P50: rank(50), P95: rank(95), Max: all[len(all)-1]}
}
