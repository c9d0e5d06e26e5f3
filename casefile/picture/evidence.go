package picture

import (
	"cmp"
	"fmt"
	"slices"

	"ojud/casefile"
	"ojud/casefile/runs"
	"ojud/voting"
)

// question is a request for data that judges of a panel asked, and what they were answered.
type question struct {
	Round           uint8
	Source, Request string
	Answers         []reply
	More            int  // answers that are not shown
	Differ          bool // the answers are not the same
}

// reply is an answer with its receipt. Judges is how many judges got it.
type reply struct {
	Holder, Key string // Key is the judge of the panel whose node it is; empty: none
	Standing    string
	Text        string
	Fetched     string
	Price       string
	Hash        string
	Judges      int
	Own         bool // a judge's own source, and nobody else got it
	Same        bool // as the first answer
	// Twice: the same holder gave another answer to the same question, which its receipts prove.
	Twice bool

	receipt casefile.Receipt // the first one
}

// run is a check program that judges ran.
type run struct {
	Check, Engine, Module string
	True, False, None     int
	Fuel, Why             string
	Differ                bool // judges report different runs of one program, which is deterministic

	said        runs.Said
	fuel        uint64
	module      string
	least, most uint64
}

// The most requests, answers and runs that are shown. Answers are read and hashed each time.
const (
	maxQuestions = 8
	maxReplies   = 6
	maxRuns      = 32
)

// refusal is why judges got no data.
type refusal struct {
	Text   string
	Judges int
}

// refusals returns why judges got no data, as they say.
func refusals(all []Bench) (out []refusal) {
	for _, b := range slices.Backward(all) {
		for _, seat := range b.Seats {
			if !seat.counts() {
				continue
			}
			for _, text := range seat.Said.Failures {
				text = Line(text)
				i := slices.IndexFunc(out, func(r refusal) bool { return r.Text == text })
				switch {
				case i >= 0:
					out[i].Judges++
				case len(out) < maxReplies:
					out = append(out, refusal{text, 1})
				}
			}
		}
	}
	return out
}

// questions returns the data that judges rest on, the latest panel first. What a judge heard is
// shown when its vote is.
func questions(s Scene, all []Bench) (out []question, more int) {
	at := map[string]int{}
	for _, b := range slices.Backward(all) {
		judges := map[casefile.DID]voting.Key{}
		for _, seat := range b.Seats {
			judges[casefile.DID(seat.Peer)] = seat.Judge
		}
		for _, seat := range b.Seats {
			if !seat.counts() {
				continue
			}
			for _, heard := range seat.Said.Heard {
				name := fmt.Sprintf("%d\x00%s\x00%s", b.Round, heard.Source, heard.Request)
				i, ok := at[name]
				if !ok {
					if i = len(out); i == maxQuestions {
						more++
						continue
					}
					at[name] = i
					out = append(out, question{Round: b.Round, Source: Line(heard.Source), Request: excerpt(s, heard.Request)})
				}
				out[i].hear(s, heard, casefile.DID(seat.Peer), judges)
			}
		}
	}
	for i := range out {
		out[i].compare()
	}
	return out, more
}

// hear adds what one judge heard.
func (q *question) hear(s Scene, heard casefile.DataBody, asker casefile.DID, judges map[casefile.DID]voting.Key) {
	for n, r := range heard.Receipts {
		i := slices.IndexFunc(q.Answers, func(a reply) bool {
			return a.receipt.Holder == r.Holder && a.receipt.Response == r.Response && slices.Equal(a.receipt.Access, r.Access)
		})
		if i >= 0 {
			q.Answers[i].Judges++
			if a := &q.Answers[i]; a.Own && r.Holder != asker {
				a.Own = false // to the others it is what its standing says
				if n < len(heard.Standings) {
					a.Standing = standingWords(heard.Standings[n])
				}
			}
			continue
		}
		if len(q.Answers) == maxReplies {
			q.More++
			continue
		}
		a := reply{receipt: r, Judges: 1, Own: r.Holder == asker, Text: excerpt(s, r.Response), Fetched: Clock(r.FetchedAt), Hash: r.Response.String()}
		a.Holder = ends(r.Holder.String())
		if judge, ok := judges[r.Holder]; ok {
			a.Holder, a.Key = Short(judge), casefile.Address(judge).String()
		}
		if n < len(heard.Standings) {
			a.Standing = standingWords(heard.Standings[n])
		}
		if r.Price > 0 {
			a.Price = sol(uint64(r.Price))
		}
		q.Answers = append(q.Answers, a)
	}
}

// standingWords says what stands behind an answer.
func standingWords(s casefile.HolderStanding) string {
	switch s {
	case casefile.OwnSource:
		return "its own source"
	case casefile.StakedHolder:
		return "a judge with a stake"
	case casefile.Stranger:
		return "nothing at stake"
	}
	return Line(string(s))
}

// compare marks answers that are not the same.
func (q *question) compare() {
	for i := range q.Answers {
		for k := range q.Answers {
			a, b := &q.Answers[i], q.Answers[k]
			q.Differ = q.Differ || slices.Equal(a.receipt.Access, b.receipt.Access) && a.receipt.Response != b.receipt.Response
			a.Twice = a.Twice || a.receipt.Contradicts(b.receipt)
		}
	}
	slices.SortStableFunc(q.Answers, func(a, b reply) int { return cmp.Compare(b.Judges, a.Judges) })
	for i := range q.Answers { // a long answer stands there once
		if a, first := &q.Answers[i], q.Answers[0]; i > 0 && a.Text != "" && a.receipt.Response == first.receipt.Response {
			a.Same = true
		}
	}
}

// excerpt returns the begin of a content in a line.
func excerpt(s Scene, hash casefile.Digest) string {
	raw, ok := content(s, hash)
	if !ok {
		return ""
	}
	return Line(string(raw))
}

// ends shortens a long name.
func ends(name string) string {
	const edge = 6
	if len(name) <= 3*edge {
		return name
	}
	return name[:2*edge] + "…" + name[len(name)-edge:]
}

// ran returns the check programs that the judges of a panel ran, with what they said.
func ran(b Bench) (out []run) {
	at := map[string]int{}
	for _, seat := range b.Seats {
		if seat.Said.Opinion == nil || !seat.counts() {
			continue
		}
		for _, f := range seat.Said.Opinion.Findings {
			if f.Run == nil {
				continue
			}
			name := Line(f.Check)
			i, ok := at[name]
			if !ok {
				if i = len(out); i == maxRuns {
					continue
				}
				at[name] = i
				out = append(out, run{Check: checkWords(name), Engine: Line(f.Run.Engine), Module: fmt.Sprintf("%.16s…", Line(f.Run.Module)), Why: Line(f.Run.Why), said: f.Run.Said, fuel: f.Run.Fuel, module: f.Run.Module, least: f.Run.Fuel, most: f.Run.Fuel})
			}
			out[i].add(*f.Run)
		}
	}
	for i := range out {
		out[i].Fuel = fmt.Sprint(out[i].least)
		if out[i].least != out[i].most {
			out[i].Fuel = fmt.Sprintf("%d to %d", out[i].least, out[i].most)
		}
	}
	return out
}

// add counts what one judge reports.
func (r *run) add(one runs.Run) {
	switch one.Said {
	case runs.True:
		r.True++
	case runs.False:
		r.False++
	default:
		r.None++
	}
	r.least, r.most = min(r.least, one.Fuel), max(r.most, one.Fuel)
	r.Differ = r.Differ || one.Said != r.said || one.Fuel != r.fuel || one.Module != r.module
}
