package sim

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"ojud/ledger/devnet/bank"
	"ojud/ledger/program"
	"ojud/voting"
)

// referee watches the chain's own accounts, which no fault can reach.
type referee struct {
	w *world

	mu      sync.Mutex
	cases   map[voting.Key]*course
	capital uint64
	faults  []string // broken properties
}

// course is the course of a case.
type course struct {
	rounds [voting.MaxRound + 1]round
	last   *program.Case
}

// round is the observed course of a round.
type round struct {
	drawn, counted, settled time.Time // when a panel sat, when commits were over, when it was settled
	seats                   []program.Seat
}

// broken notes that a property does not hold.
func (r *referee) broken(property, format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.Contains(properties, property) {
		r.w.t.Errorf("no property is called %s", property)
	}
	text := property + ": " + fmt.Sprintf(format, args...)
	if len(r.faults) < 50 && !slices.Contains(r.faults, text) {
		r.faults = append(r.faults, text)
		r.w.trace("BROKEN %s", text)
	}
}

// watch looks until the court ends.
func (r *referee) watch() {
	for r.w.ctx.Err() == nil {
		r.mu.Lock()
		tasks := make([]voting.Key, 0, len(r.cases))
		for task := range r.cases {
			tasks = append(tasks, task)
		}
		r.mu.Unlock()
		for _, task := range tasks {
			if c := r.now(task, bank.Confirmed); c != nil {
				r.see(task, c)
			}
		}
		r.conserved()
		time.Sleep(200 * time.Millisecond)
	}
}

// now reads a case; nil if there is none.
func (r *referee) now(task voting.Key, level bank.Level) (c *program.Case) {
	r.w.chain.read(level, func(v *bank.View) {
		a, ok := v.Account([32]byte(r.w.p.Case(r.w.address(task))))
		if !ok {
			return
		}
		var err error
		if c, err = program.DecodeCase(a.Data); err != nil {
			r.broken("one-verdict-a-round", "the case cannot be read: %v", err)
		}
	})
	return c
}

// follow begins to watch a case.
func (r *referee) follow(task voting.Key) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cases[task] = &course{}
}

func (r *referee) of(task voting.Key) course {
	r.mu.Lock()
	defer r.mu.Unlock()
	return *r.cases[task]
}

func (r *referee) see(task voting.Key, c *program.Case) {
	r.mu.Lock()
	defer r.mu.Unlock()
	x := r.cases[task]
	number := c.Round
	if c.DrawnSlot < c.SeedSlot {
		number--
	}
	if x.last == nil || x.last.Status != c.Status || x.last.Round != c.Round || x.last.Committed != c.Committed || x.last.Revealed != c.Revealed {
		r.w.trace("chain: case %x %s, round %d, %d committed, %d revealed of %d", task[:3], c.Status, c.Round, c.Committed, c.Revealed, len(c.Seats))
	}
	x.last = c
	if number == 0 {
		return
	}
	d := &x.rounds[number]
	now := time.Now()
	if d.drawn.IsZero() {
		d.drawn = now
	}
	live := c.Round == number && !c.Status.Over()
	if d.counted.IsZero() && (c.Status == voting.Revealing || !live) {
		d.counted = now
	}
	if d.settled.IsZero() && !live {
		d.settled = now
	}
	d.seats = slices.Clone(c.Seats)
	for _, s := range c.Seats {
		if s.Flags&program.SeatCommitted != 0 {
			r.w.tape.saw(statement(task, number, voting.Key(s.Judge), s.Commitment))
		}
	}
}

// conserved checks that no lamport is made or lost: over all accounts of the chain, fees among
// them, and in the Roster.
func (r *referee) conserved() {
	r.w.chain.read(bank.Confirmed, func(v *bank.View) {
		sum := v.Capitalization()
		if r.capital == 0 {
			r.capital = sum
		}
		if sum != r.capital {
			r.broken("lamports-conserved", "%d lamports, there were %d", sum, r.capital)
		}
		a, ok := v.Account([32]byte(r.w.p.Roster()))
		if !ok {
			return
		}
		roster, err := program.DecodeRoster(a.Data)
		if err != nil {
			r.broken("lamports-conserved", "roster: %v", err)
			return
		}
		var stakes, rewards uint64
		for _, e := range roster.Entries {
			stakes, rewards = stakes+e.Stake, rewards+e.Rewards
		}
		rent := v.Environment().Rent.MinimumBalance(len(a.Data))
		if want := rent + roster.TotalStake + roster.TotalRewards; a.Lamports != want || stakes != roster.TotalStake || rewards != roster.TotalRewards {
			r.broken("lamports-conserved", "the roster holds %d lamports, its books say %d; stakes %d of %d, rewards %d of %d",
				a.Lamports, want, stakes, roster.TotalStake, rewards, roster.TotalRewards)
		}
	})
}

// over reports whether every case is over, and describes the first that is not.
func (r *referee) over() (string, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for task, x := range r.cases {
		if x.last == nil || !x.last.Status.Over() {
			return fmt.Sprintf("case %x: %+v", task[:3], x.last), false
		}
	}
	return "", true
}
