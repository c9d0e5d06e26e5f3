package sim

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"time"

	"ojud/casefile/verify"
	"ojud/ledger/program"
	"ojud/voting"
	"ojud/voting/rules"
	"ojud/voting/votetest/naive"
)

// properties are the names of the checked properties. Each failure begins with one of them.
var properties = []string{
	"one-verdict-a-round",       // a round is settled once, a case ends once, and stays so
	"verdict-follows-rule",      // computed again, with fractions, from the revealed votes on the chain
	"lamports-conserved",        // over all accounts and in the Roster's books
	"no-double-vote",            // an honest judge never has two statements in a round, with others or on the chain
	"no-innocent-slashed",       // honest judges that could vote are not absent; none is ever an equivocator
	"honest-majority-decides",   // liars with a third of the weight at most do not change the verdict of all honest judges
	"copied-vote-earns-nothing", // a commitment that another judge made cannot be opened
	"every-case-ends",           // in the time that its rounds have
	"files-agree-with-chain",    // every honest node has a case file that verifies and agrees with the chain
	"memory-bounded",            // cases are dropped when their evidence time is over, and their goroutines end
}

// slack is the time that an honest node needs besides its judge's: to start, to look for a copy of
// itself, to ask, and to land a transaction.
const slack = 45 * time.Second

// judgeRounds checks the results of a case's rounds.
func (w *world) judgeRounds(task voting.Key) {
	events, err := w.client.History(w.ctx, w.address(task))
	if err != nil {
		w.ref.broken("every-case-ends", "history: %v", err)
		return
	}
	x := w.ref.of(task)
	reveals, guilty, settled := map[seat]voting.Choice{}, map[seat]bool{}, map[uint8]int{}
	ends := 0
	for _, o := range events {
		for _, e := range o.Events {
			switch e := e.(type) {
			case *program.Committed:
				w.tape.saw(statement(task, e.Round, voting.Key(e.Judge), e.Commitment))
			case *program.Revealed:
				reveals[seat{task, e.Round, voting.Key(e.Judge)}] = e.Choice
			case *program.Slashed:
				guilty[seat{task, e.Round, voting.Key(e.Judge)}] = true
				w.caught(e)
			case *program.RoundSettled:
				settled[e.Round]++
				w.cov.ended("rounds")
				if e.Verdict == voting.NoVerdict {
					w.cov.ended("void rounds")
				}
				if e.Verdict != voting.NoVerdict {
					ends++
				}
				if settled[e.Round] > 1 || ends > 1 {
					w.ref.broken("one-verdict-a-round", "case %x, round %d was settled %d times, the case ended %d times", task[:3], e.Round, settled[e.Round], ends)
				}
				w.judgeRound(task, e, x.rounds[e.Round], reveals, guilty, x.last)
			}
		}
	}
	w.cov.ended("verdict " + x.last.Verdict.String())
}

// caught checks which judges were slashed for equivocation.
func (w *world) caught(e *program.Slashed) {
	m := w.byJudge(voting.Key(e.Judge))
	w.cov.ended("slashed for equivocation")
	if m == nil || m.who == honest || m.who != equivocator && m.who != spammer {
		w.ref.broken("no-innocent-slashed", "judge %d was slashed for equivocation in round %d", m.i, e.Round)
	}
}

// judgeRound computes a round's verdict again and looks at each honest seat.
func (w *world) judgeRound(task voting.Key, e *program.RoundSettled, d round, reveals map[seat]voting.Choice, guilty map[seat]bool, last *program.Case) {
	if len(d.seats) != len(e.Seats) {
		w.ref.broken("one-verdict-a-round", "round %d has %d seats, the settlement %d", e.Round, len(d.seats), len(e.Seats))
		return
	}
	var seats []voting.Seat
	var sum rules.Tally
	for i, s := range d.seats {
		at := seat{task, e.Round, voting.Key(s.Judge)}
		choice, revealed := reveals[at]
		seats = append(seats, voting.Seat{Weight: s.Weight, Choice: choice, Revealed: revealed, Equivocated: guilty[at]})
		sum.Seated += s.Weight
		if revealed && !guilty[at] {
			switch choice {
			case voting.Accept:
				sum.Accept += s.Weight
			case voting.Reject:
				sum.Reject += s.Weight
			case voting.Abstain:
				sum.Abstain += s.Weight
			}
		}
		w.judgeSeat(task, e.Round, s, e.Seats[i].Result, d)
		w.showed(s, e.Seats[i].Result)
	}
	if off := d.settled.Unix() - last.SettledAt; w.plan.skew != 0 && last.Round == e.Round && (off > 2 || off < -2) {
		w.cov.effect(string(skew))
	}
	want := naive.Verdict(seats)
	if want == voting.NoVerdict && last.Round == e.Round && last.Verdict == voting.Undecided {
		want = e.Verdict // the last round has none, and the event may say either
	}
	if e.Verdict != want || (rules.Tally{Accept: e.Accept, Reject: e.Reject, Abstain: e.Abstain, Seated: e.Seated}) != sum {
		w.ref.broken("verdict-follows-rule", "round %d: %s of %d accept, %d reject, %d abstain, %d seated; worked out: %s of %+v", e.Round, e.Verdict, e.Accept, e.Reject, e.Abstain, e.Seated, want, sum)
	}
	w.judgeMajority(e, d, reveals, task)
}

// showed counts judges whose misbehaviour shows nowhere else.
func (w *world) showed(s program.Seat, result voting.Result) {
	m := w.byJudge(voting.Key(s.Judge))
	if m != nil && (m.who == absent && result == voting.Absent || m.who == colluder && s.Flags&program.SeatRevealed != 0) {
		w.cov.effect(string(m.who))
	}
}

// judgeSeat checks that an honest judge that could vote is not absent.
func (w *world) judgeSeat(task voting.Key, number uint8, s program.Seat, result voting.Result, d round) {
	m := w.byJudge(voting.Key(s.Judge))
	if m == nil {
		return
	}
	if m.who == copier && (result != voting.Absent || s.Earned > 0) && s.Flags&program.SeatCommitted != 0 {
		w.ref.broken("copied-vote-earns-nothing", "judge %d: %s, earned %d", m.i, result, s.Earned)
	}
	if m.who != honest {
		return
	}
	w.cov.ended("honest seats")
	if result == voting.Equivocated {
		w.ref.broken("no-innocent-slashed", "judge %d is an equivocator in round %d", m.i, number)
	}
	if result != voting.Absent {
		return
	}
	if s.Flags&program.SeatCommitted == 0 {
		at, from, need := seat{task, number, voting.Key(s.Judge)}, d.drawn, slack
		if signed := w.tape.since(at); signed.After(from) {
			from = signed // it has thought, and its journal has the vote
		} else {
			need += w.plan.minds[m.i].takes
		}
		free := w.free(m, d, from, d.counted)
		if free >= need && !m.forgot[at] {
			w.ref.broken("no-innocent-slashed", "judge %d did not commit in round %d of case %x, and had %s without trouble, of which it needs %s", m.i, number, task[:3], free, need)
			return
		}
	} else if free := w.free(m, d, d.counted, d.settled); free >= 25*time.Second {
		w.ref.broken("no-innocent-slashed", "judge %d did not reveal in round %d of case %x, and had %s without trouble", m.i, number, task[:3], free)
		return
	}
	w.cov.ended("honest seats absent for cause")
}

// sees is how long a node must see the chain without trouble to learn of its draw and of the case.
const sees = 15 * time.Second

// free returns the longest time between two moments when nothing kept a member from voting: its
// node ran, the chain ran, and its RPC node told no lies. An RPC node that does not answer is no
// excuse once the node knows of the draw, because the others carry its vote. It is an excuse if the
// network was torn or none of the others was well. A node with another disk asks the others what it
// said before it signs, so a torn network keeps it from voting.
func (w *world) free(m *member, d round, from, to time.Time) time.Duration {
	first := w.members[0]
	first.mu.Lock()
	dark, torn := w.dark.all(), w.torn.all()
	first.mu.Unlock()
	m.mu.Lock()
	hard := slices.Concat(m.away.all(), m.fooled.all(), dark)
	mute := m.mute.all()
	if m.otherDisk {
		hard = append(hard, torn...)
	}
	m.mu.Unlock()
	knew, well := quietFrom(slices.Concat(hard, mute), d.drawn, to, sees), w.carriers(m, d.drawn, to) > 0
	for _, s := range mute {
		if s.from.Before(knew) || !well || slices.ContainsFunc(torn, s.meets) {
			hard = append(hard, s)
		} else {
			w.cov.ended("RPC troubles that are no excuse")
		}
	}
	return longest(hard, from, to)
}

// carriers returns the number of other honest members without any trouble.
func (w *world) carriers(m *member, from, to time.Time) (n int) {
	for _, o := range w.members {
		if o == m || o.who != honest {
			continue
		}
		o.mu.Lock()
		if longest(slices.Concat(o.away.all(), o.fooled.all(), o.mute.all()), from, to) == to.Sub(from) {
			n++
		}
		o.mu.Unlock()
	}
	return n
}

func (s span) meets(o span) bool { return s.from.Before(o.to) && o.from.Before(s.to) }

// quietFrom returns the end of the first time of that length without trouble, or to if there is
// none.
func quietFrom(trouble []span, from, to time.Time, length time.Duration) time.Time {
	for _, s := range merge(trouble) {
		if s.from.Sub(from) >= length {
			break
		}
		if s.to.After(from) {
			from = s.to
		}
	}
	if end := from.Add(length); end.Before(to) {
		return end
	}
	return to
}

// longest returns the longest time without trouble.
func longest(trouble []span, from, to time.Time) (best time.Duration) {
	at := from
	for _, s := range merge(trouble) {
		if s.to.Before(from) || s.from.After(to) {
			continue
		}
		best = max(best, s.from.Sub(at))
		if s.to.After(at) {
			at = s.to
		}
	}
	return max(best, to.Sub(at))
}

// judgeMajority checks that a choice revealed by all honest seats is the verdict.
func (w *world) judgeMajority(e *program.RoundSettled, d round, reveals map[seat]voting.Choice, task voting.Key) {
	all := voting.NoChoice
	for _, s := range d.seats {
		m := w.byJudge(voting.Key(s.Judge))
		if m == nil || m.who != honest {
			continue
		}
		choice, ok := reveals[seat{task, e.Round, voting.Key(s.Judge)}]
		if !ok || choice == voting.Abstain || all != voting.NoChoice && all != choice {
			return
		}
		all = choice
	}
	want := map[voting.Choice]voting.Verdict{voting.Accept: voting.ForWorker, voting.Reject: voting.ForCreator}[all]
	w.cov.ended("rounds of one honest mind")
	if e.Verdict != want {
		w.ref.broken("honest-majority-decides", "all honest judges say %s in round %d, the verdict is %s", all, e.Round, e.Verdict)
	}
}

// judgeStatements checks that no honest judge has two statements in a round. A statement does not
// count if it was lost with its disk before others had it, because nothing can bring it back.
func (w *world) judgeStatements() {
	w.tape.mu.Lock()
	defer w.tape.mu.Unlock()
	for s, all := range w.tape.reached {
		if m := w.byJudge(s.judge); m != nil && m.who == honest && len(all) > 1 {
			w.ref.broken("no-double-vote", "judge %d signed %d statements in round %d of case %x", m.i, len(all), s.round, s.task[:3])
		}
	}
}

// misled reports whether false answers of RPC nodes may have taken a panel the majority of its
// testimonies: a lie that ended after the draw counts, however late it began. A judge with one RPC
// node testifies to what that node shows, so it counts as one that breaks the rules, and a file may
// stay unverified if these have half of the seats or of the weight.
func (w *world) misled(x course) bool {
	for _, d := range x.rounds {
		var honestly, weight, all uint64
		fooled := false
		for _, s := range d.seats {
			all += s.Weight
			m := w.byJudge(voting.Key(s.Judge))
			if m == nil || m.who != honest {
				continue
			}
			m.mu.Lock()
			lies := m.fooled.all()
			m.mu.Unlock()
			if slices.ContainsFunc(lies, func(l span) bool { return l.to.After(d.drawn) }) {
				fooled = true
				continue
			}
			honestly, weight = honestly+1, weight+s.Weight
		}
		if fooled && (2*honestly <= uint64(len(d.seats)) || 2*weight <= all) {
			return true
		}
	}
	return false
}

// judgeFiles waits until every honest node has a whole case file, and compares it with the chain.
func (w *world) judgeFiles(task voting.Key) {
	x := w.ref.of(task)
	last, misled := x.last, w.misled(x)
	end := time.Now().Add(4 * time.Minute)
	for _, m := range w.members {
		if m.who != honest {
			continue
		}
		switch why := w.judgeFile(m, task, last, end); {
		case why == "":
			w.cov.ended("case files verified")
		case misled:
			w.cov.ended("case files whose witnesses were misled")
		default:
			w.ref.broken("files-agree-with-chain", "judge %d, case %x: %s", m.i, task[:3], why)
		}
	}
}

func (w *world) judgeFile(m *member, task voting.Key, last *program.Case, end time.Time) (why string) {
	for ; ; time.Sleep(500 * time.Millisecond) {
		if why = w.fileOf(m, task, last); why == "" || time.Now().After(end) {
			return why
		}
	}
}

func (w *world) fileOf(m *member, task voting.Key, last *program.Case) string {
	n := m.running()
	if n == nil {
		return "the node does not run"
	}
	ctx, cancel := context.WithTimeout(w.ctx, 20*time.Second)
	defer cancel()
	c, err := n.Case(ctx, task)
	if err != nil {
		return err.Error()
	}
	file, _, err := n.Export(ctx, task)
	if err != nil {
		return err.Error()
	}
	r := verify.File(file)
	switch {
	case !c.Complete:
		return fmt.Sprintf("it is not complete: %+v, problems %q\n%s", c, n.Status().Problems, r.String())
	case !r.OK():
		return "it does not verify:\n" + r.String()
	case voting.Verdict(r.Verdict) != last.Verdict || r.Rounds != int(last.Round):
		return "it says " + voting.Verdict(r.Verdict).String() + ", the chain says " + last.Verdict.String()
	}
	return ""
}

// judgeMemory waits until the evidence time is over and checks for leftovers. Each node may keep a
// link to each other one on which it pushes notices, which takes three goroutines of the two.
func (w *world) judgeMemory() {
	nodes := len(w.members)
	allowed := w.goroutines + w.goroutines/5 + 4*nodes + 3*nodes*(nodes-1)
	live, routines, which := 0, 0, ""
	for end := time.Now().Add((evidenceSeconds + 180) * time.Second); time.Now().Before(end); time.Sleep(5 * time.Second) {
		live, routines, which = 0, runtime.NumGoroutine(), ""
		for _, m := range w.members {
			if n := m.running(); n != nil && m.who == honest {
				for _, c := range n.Status().Cases {
					live++
					which += fmt.Sprintf("; judge %d: %+v", m.i, c)
				}
			}
		}
		if live == 0 && routines <= allowed {
			return
		}
	}
	w.ref.broken("memory-bounded", "%d cases are still on dockets, %d goroutines, there were %d before%s", live, routines, w.goroutines, which)
}
