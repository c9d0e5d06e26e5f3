// Package hearing sums up what the chain said about one task: who sat, who revealed what, what each
// seat earned or lost, and who was paid. The caller shows it every transaction once, in the order
// of the chain; it may do so from several goroutines.
package hearing

import (
	"fmt"
	"reflect"
	"slices"
	"sync"

	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/node/client"
	"ojud/voting"
)

// Notes are the events of one task.
type Notes struct {
	mu      sync.Mutex
	task    onchain.Address
	seats   map[uint16]bool     // Roster entries that sat in a round
	drawn   uint8               // rounds
	shown   []*program.Revealed // in the last round
	settled []*program.RoundSettled
	ended   *program.CaseFinished // of a case whose first verdict could be appealed
	slashed []*program.Slashed
	paid    []*program.Paid
	last    *program.TaskMoved
	over    chan struct{} // closed when the task is over
}

// New returns empty notes.
func New() *Notes {
	return &Notes{seats: map[uint16]bool{}, over: make(chan struct{})}
}

// About sets the task. Its earlier events do not matter.
func (r *Notes) About(task onchain.Address) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.task = task
}

// Hear adds an event.
func (r *Notes) Hear(o ledger.Occurred) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.task.IsZero() {
		return
	}
	for _, e := range o.Events {
		r.take(e)
	}
}

func (r *Notes) take(e program.Event) {
	if taskOf(e) != r.task {
		return
	}
	switch e := e.(type) {
	case *program.Drawn:
		r.drawn, r.shown = e.Round, nil
		for _, s := range e.Seats {
			r.seats[s.Index] = true
		}
	case *program.Revealed:
		r.shown = append(r.shown, e)
	case *program.RoundSettled:
		r.settled = append(r.settled, e)
	case *program.CaseFinished:
		r.ended = e
	case *program.Slashed:
		r.slashed = append(r.slashed, e)
	case *program.Paid:
		r.paid = append(r.paid, e)
	case *program.TaskMoved:
		r.finish(e)
	}
}

// taskOf returns the task of an event, or zero if it has none.
func taskOf(e program.Event) (task onchain.Address) {
	if f := reflect.ValueOf(e).Elem().FieldByName("Task"); f.IsValid() {
		task, _ = f.Interface().(onchain.Address)
	}
	return task
}

func (r *Notes) finish(e *program.TaskMoved) {
	over := r.last != nil && r.last.To.Over()
	r.last = e
	if e.To.Over() && !over {
		close(r.over)
	}
}

// Over is closed if the task is over.
func (r *Notes) Over() <-chan struct{} { return r.over }

// Rounds returns the number of rounds that were drawn.
func (r *Notes) Rounds() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return int(r.drawn)
}

// End returns the outcome and the verdict of the last round if the task is over. A case without any
// draw is undecided.
func (r *Notes) End() (outcome voting.Outcome, verdict voting.Verdict, over bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.last == nil || !r.last.To.Over() {
		return 0, voting.NoVerdict, false
	}
	verdict = voting.Undecided
	if r.ended != nil {
		return r.last.Outcome, r.ended.Verdict, true
	}
	if n := len(r.settled); n > 0 && r.settled[n-1].Verdict != voting.NoVerdict {
		verdict = r.settled[n-1].Verdict
	}
	return r.last.Outcome, verdict, true
}

// Convicted returns the number of seats with proof that they equivocated.
func (r *Notes) Convicted() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.slashed)
}

// Reveals returns the reveals of the last round.
func (r *Notes) Reveals() []*program.Revealed {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.shown)
}

// Sat reports whether the judge of a Roster entry sat in a round.
func (r *Notes) Sat(index int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return index >= 0 && r.seats[uint16(index)]
}

// Bench sums up the seats with one result, over all rounds.
type Bench struct {
	Result  string          `json:"result"` // majority, minority, abstained, absent, equivocated, voted (in a round without quorum)
	Seats   int             `json:"seats"`
	Slashed client.Lamports `json:"slashed"`
	Earned  client.Lamports `json:"earned"`
}

// Tally is the summed stake behind each choice in the last round.
type Tally struct {
	Accept  client.Lamports `json:"accept"`
	Reject  client.Lamports `json:"reject"`
	Abstain client.Lamports `json:"abstain"`
	Seated  client.Lamports `json:"seated"`
}

// Benches sums up the results of the seats. Earlier rounds come from RoundSettled. The last comes
// from the Case account, which also has the shares and later slashes. Slashed alone has the cost of
// an equivocation in an earlier round.
func (r *Notes) Benches(last *program.Case) []Bench {
	r.mu.Lock()
	defer r.mu.Unlock()
	sums := make([]Bench, voting.Voted+1)
	add := func(result voting.Result, slashed, earned uint64) {
		if int(result) < len(sums) && result != voting.Pending {
			b := &sums[result]
			b.Seats, b.Slashed, b.Earned = b.Seats+1, b.Slashed+client.Lamports(slashed), b.Earned+client.Lamports(earned)
		}
	}
	var whole []uint8 // the rounds that the account describes fully
	if last != nil && len(r.settled) > 0 {
		whole = append(whole, r.settled[len(r.settled)-1].Round)
		for _, seat := range slices.Concat(last.First, last.Seats) {
			add(seat.Result, seat.Slashed, seat.Earned)
		}
		if len(last.First) > 0 {
			whole = append(whole, last.FirstRound)
		}
	}
	for _, s := range r.settled {
		if slices.Contains(whole, s.Round) {
			continue
		}
		for _, seat := range s.Seats {
			if seat.Result == voting.Equivocated {
				seat.Slashed = 0
			}
			add(seat.Result, seat.Slashed, seat.Earned)
		}
	}
	for _, s := range r.slashed {
		if !slices.Contains(whole, s.Round) {
			sums[voting.Equivocated].Slashed += client.Lamports(s.Amount)
		}
	}
	var out []Bench
	for i, b := range sums {
		if b.Seats > 0 || b.Slashed > 0 {
			b.Result = voting.Result(i).String()
			out = append(out, b)
		}
	}
	return out
}

// Tally returns the stake behind each choice in the last round that was settled.
func (r *Notes) Tally() (t Tally) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.settled) > 0 {
		s := r.settled[len(r.settled)-1]
		t = Tally{client.Lamports(s.Accept), client.Lamports(s.Reject), client.Lamports(s.Abstain), client.Lamports(s.Seated)}
	}
	return t
}

// Golden sums up what the golden pot got.
func (r *Notes) Golden() client.Lamports {
	sum := r.Payments(onchain.Address{})[program.PaymentName(voting.PayTrade)]
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.settled {
		sum += client.Lamports(s.Golden)
	}
	if r.ended != nil {
		sum += client.Lamports(r.ended.Golden)
	}
	for _, s := range r.slashed {
		sum += client.Lamports(s.Amount)
	}
	return sum
}

// Payments sums up the payments to a party, or to the golden pot, which is zero, by kind.
func (r *Notes) Payments(to onchain.Address) map[string]client.Lamports {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := map[string]client.Lamports{}
	for _, p := range r.paid {
		if p.To == to {
			out[program.PaymentName(p.Kind)] += client.Lamports(p.Amount)
		}
	}
	return out
}

// Finished says what the end of a case brings that could be appealed.
func Finished(e *program.CaseFinished) string {
	paid, earned, lost := 0, uint64(0), uint64(0)
	for _, s := range e.Seats {
		earned, lost = earned+s.Earned, lost+s.Slashed
		if s.Earned > 0 {
			paid++
		}
	}
	who := map[bool]string{true: "the first panel", false: "the appeal"}[e.Level == 1]
	text := fmt.Sprintf("The verdict is final: %s, by %s. Of the lost bonds (%s), %d judges get %s.", e.Verdict, who, onchain.SOL(e.Bond), paid, onchain.SOL(earned))
	if lost > 0 {
		text += fmt.Sprintf(" All seats together lost %s.", onchain.SOL(lost))
	}
	return text + fmt.Sprintf(" The golden pot gets %s.", onchain.SOL(e.Golden))
}

// Fault returns the reason for a slash.
func Fault(r voting.Result) string {
	switch r {
	case voting.Absent:
		return "was absent"
	case voting.Minority:
		return "voted with the minority"
	case voting.Abstained:
		return "abstained too often"
	}
	return "was " + r.String()
}
