package policy

import (
	"math/rand/v2"
	"slices"

	"ojud/voting"
	"ojud/voting/rules"
)

// act is the behaviour of a seat.
type act uint8

const (
	accept act = iota
	reject
	abstain
	withhold // commits and does not reveal
	stayAway
	acts // how many there are
)

// of is the act of voting for a choice.
func of(c voting.Choice) act {
	const _ = uint(3 - voting.Choices) // each choice is an act
	switch c {
	case voting.Accept:
		return accept
	case voting.Reject:
		return reject
	}
	return abstain
}

func other(side act) act { return reject - side }

// seat is the seat that does a.
func (a act) seat(weight uint64) voting.Seat {
	s := voting.Seat{Weight: weight, Committed: a != stayAway, Revealed: a <= abstain}
	if s.Revealed {
		s.Choice = []voting.Choice{voting.Accept, voting.Reject, voting.Abstain}[a]
	}
	return s
}

// judges is how many judges the lab's court has: enough for two panels.
const judges = 2 * voting.MaxSeats

// stake is the stake of each judge of the lab, and the weight of its seat.
const stake = 2_000_000_000

// standing is that of a judge that has all of its stake.
func standing() rules.Standing { return rules.Standing{Present: true, Stake: stake} }

// allStanding are those of a panel. They never change.
var allStanding = slices.Repeat([]rules.Standing{standing()}, voting.MaxSeats)

// The panels of a dispute. Each rule uses some of them, and all rules use the same votes.
const (
	firstPanel  = 0 // and two more rounds
	appealPanel = 3 // and another round
	lastPanel   = 5
	panelsOfAll = 7
)

// dispute is a case of a pool: the true answer, and how the judges of every panel would vote.
type dispute struct {
	pool   *population
	item   item
	truth  act
	reward uint64
	seed   [2]uint64
	panels [panelsOfAll][]act
	// tables are the seats of the panels, which each play changes where the group sits.
	tables [panelsOfAll][]voting.Seat
}

// newDispute draws a case whose right side is given.
func newDispute(p *population, truth act, reward uint64, seed, number uint64) *dispute {
	side := []voting.Choice{voting.Accept, voting.Reject}[truth]
	d := &dispute{pool: p, truth: truth, reward: reward, seed: [2]uint64{seed, number * panelsOfAll}}
	d.item = p.draw(rand.New(rand.NewPCG(d.seed[0], ^d.seed[1])), side)
	return d
}

// votes are those of panel n, which do not depend on what was asked before.
func (d *dispute) votes(n int) []act {
	if d.panels[n] != nil {
		return d.panels[n]
	}
	r := rand.New(rand.NewPCG(d.seed[0], d.seed[1]+uint64(n)))
	d.panels[n] = make([]act, voting.MaxSeats)
	for i := range d.panels[n] {
		f, x := 0, r.Float64()
		for ; f < len(d.pool.families)-1 && x >= d.pool.families[f].weight; f++ {
			x -= d.pool.families[f].weight
		}
		d.panels[n][i] = d.item.families[f].vote(d.truth, r.Float64())
	}
	return d.panels[n]
}

// vote returns the act of a judge of that rate, for a number below 1.
func (r rate) vote(truth act, x float64) act {
	switch {
	case x < r.right:
		return truth
	case x < r.right+r.wrong:
		return other(truth)
	}
	return abstain
}

// group is seats that act together: one judge, or a coalition.
type group struct {
	seats  int
	act    act
	redraw bool // it has as many seats in every round of the level
	appeal bool // and in the appeal
}

// played is the result of a case.
type played struct {
	group    int64 // lamports that the group earned, less what it lost
	verdict  voting.Verdict
	first    voting.Verdict
	sat      int // seats of the group in rounds that were paid
	reversed bool
	creator  int64 // lamports that the creator has more than if it had accepted
	worker   int64 // lamports that the worker has more than if it had given in
	golden   uint64
	seats    int  // that voted, in all rounds
	appealed bool // or went to another panel
}

// court is a set of rules.
type court struct {
	name  string
	about string
	seats int // of the first panel
	play  func(d *dispute, g group) (played, error)
	law   *rules.Law                                // of version 2
	quiet func(d *dispute, g group) (played, error) // the same if nobody appeals, as in golden cases
}

// appeals says which losers appeal.
type appeals uint8

const (
	nobody appeals = iota
	wronged
	everyLoser
)

// wants says whether the loser of a verdict appeals.
func (a appeals) wants(d *dispute, v voting.Verdict) bool {
	return a == everyLoser || a == wronged && right(v) != d.truth
}

// right is the side that a verdict finds right.
func right(v voting.Verdict) act { return of(v.Choice()) }

// versionOne is the court of version 1, with its default parameters.
func versionOne() court {
	law := rules.FirstRules{AbsentBps: 50, MinorityBps: 100, EquivocationBps: 10_000, AbstainBps: 2_500, AbstainFree: 8, MaxRounds: 3}
	play := func(d *dispute, g group) (played, error) {
		const _ = uint(6 - voting.Statuses) // is a round with a seventh status drawn again?
		bond, err := rules.Bond(d.reward, 10_000_000, 500)
		if err != nil {
			return played{}, err
		}
		terms := rules.Terms{Escrow: d.reward, CreatorBond: bond, WorkerBond: bond, OnUndecided: voting.SplitEscrow}
		var out played
		pot := uint64(0)
		for round := uint8(1); ; round++ {
			in := rules.FirstRound{Rules: law, Round: round, Pot: pot, Terms: terms}
			sits := round == 1 || g.redraw
			in.Seats, in.Standings = d.seats(firstPanel+int(round)-1, voting.MaxSeats, g, sits)
			end, err := rules.SettleFirst(in)
			if err != nil {
				return played{}, err
			}
			out.seats += len(in.Seats)
			if sits {
				out.group += earned(end.Seats[:g.seats])
				out.sat = g.seats
			}
			if pot = end.Pot; end.Status != voting.AwaitingDraw {
				out.verdict, out.first, out.golden = end.Verdict, end.Verdict, end.Carry
				out.parties(terms, 0, end.Payments)
				return out, nil
			}
		}
	}
	about := "version 1: the verdict's side is paid, the others are slashed"
	return court{name: "today", about: about, seats: voting.MaxSeats, play: play, quiet: play}
}

// seats are those of a panel. The group has the first places if it sits. They are good until the
// next play.
func (d *dispute) seats(panel, n int, g group, sits bool) ([]voting.Seat, []rules.Standing) {
	votes := d.votes(panel)
	if d.tables[panel] == nil {
		d.tables[panel] = make([]voting.Seat, len(votes))
		for i, a := range votes {
			d.tables[panel][i] = a.seat(stake)
		}
	}
	seats := d.tables[panel][:n]
	for i := range min(n, maxColluders) {
		if sits && i < g.seats {
			seats[i] = g.act.seat(stake)
		} else {
			seats[i] = votes[i].seat(stake)
		}
	}
	return seats, allStanding[:n]
}

func earned(ends []rules.SeatEnd) (sum int64) {
	for _, e := range ends {
		sum += int64(e.Earned) - int64(e.Slashed)
	}
	return sum
}

// parties notes what the parties have at the end. A creator that does not object pays the reward; a
// worker that gives in gets nothing.
func (p *played) parties(t rules.Terms, appealBond uint64, payments []rules.Payment) {
	const _ = uint(3 - voting.Verdicts) // who appealed against a fourth verdict?
	p.creator, p.worker = -int64(t.CreatorBond), -int64(t.WorkerBond)
	if appealBond > 0 && p.first == voting.ForWorker {
		p.creator -= int64(appealBond)
	} else {
		p.worker -= int64(appealBond)
	}
	for _, pay := range payments {
		switch pay.To {
		case rules.Creator:
			p.creator += int64(pay.Amount)
		case rules.Worker:
			p.worker += int64(pay.Amount)
		case rules.Pot:
			p.golden += pay.Amount
		}
	}
}

// versionTwo makes a court of one of the sets of rules of version 2.
func versionTwo(name, about string, s second) court {
	quiet := s
	quiet.appeals, quiet.steps, quiet.margin = nobody, nil, false
	return court{name: name, about: about, seats: s.seats, play: s.play, law: &s.law, quiet: quiet.play}
}

// goldenLaw is a law with a share of golden cases, in basis points. The less there are, the more a
// right vote earns in one, so that an expected gain is one pay a case.
func goldenLaw(p rules.Preset, shareBps uint16) rules.Law {
	l := rules.SecondLaw(p)
	l.GoldenBps = shareBps
	if shareBps > 0 {
		l.GoldenGain = rules.BasisPoints / shareBps
	}
	return l
}

// courts are the sets of rules that the lab compares, with that law for preset truth.
func courts(truth rules.Law) []court {
	seed := goldenLaw(rules.PayMajority, 0).Raised(truth.FeeMin)
	large := voting.MaxSeats
	return []court{
		versionOne(),
		versionTwo("seed", "version 2, preset seed: a clear majority is paid, no golden cases", second{law: seed, seats: large, appeals: wronged}),
		versionTwo("truth", "version 2, preset truth; wronged parties appeal", second{law: truth, seats: large, appeals: wronged}),
		versionTwo("truth, all appeal", "the same, and every loser appeals", second{law: truth, seats: large, appeals: everyLoser}),
		versionTwo("truth, no appeal", "the same, and nobody appeals", second{law: truth, seats: large, appeals: nobody}),
		versionTwo("truth, 7 seats", "preset truth with a first panel of 7", second{law: truth, seats: smallPanel, appeals: wronged}),
		versionTwo("7-14-28 by appeal", "preset truth; two appeals of wronged parties", second{law: truth, seats: smallPanel, appeals: wronged, steps: []int{2 * smallPanel, large}}),
		versionTwo("7-14-28 by margin", "preset truth; a narrow verdict goes to the next panel", second{law: truth, seats: smallPanel, margin: true, steps: []int{2 * smallPanel, large}}),
	}
}

// smallPanel is the first panel of a small task.
const smallPanel = 7

// truthAt is the place of preset truth among the courts.
const truthAt = 2

// everyAt is the place of preset truth if every loser appeals.
const everyAt = 3

// quietAt is the place of preset truth if nobody appeals.
const quietAt = 4

// smallAt is the place of preset truth with a first panel of 7.
const smallAt = 5
