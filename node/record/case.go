package record

import (
	"sync"

	"ojud/casefile"
	"ojud/ledger/program"
	"ojud/voting"
)

type caseRecord struct {
	task voting.Key
	log  *casefile.Log
	work progress
	need needs

	mu    sync.Mutex
	look  voting.Case   // the latest one; status 0 before the first
	terms *program.Task // nil before the first look, or if the task was closed before it
	gone  bool          // the latest look showed no account
	seats map[uint8][]voting.Seat
	todo  []voting.Testify   // statements that are due
	given []casefile.Receipt // answers of this node as a holder that are not in the case file yet
	// complete: the case is over and its content is here. More than half of the seats, and all
	// seats that revealed, have said how it ended. The others may be gone.
	complete bool
	done     bool // complete, and all seats have said how it ended: nothing more can come
}

// progress is the state of a case for the goroutine of Keeper.Run. No other goroutine reads it.
type progress struct {
	loaded      bool  // the log has the events of the store
	seatedTo    uint8 // the seats of all rounds up to this one are known, or were searched for
	seatTries   int   // number of searches for the seats of earlier rounds
	asked       bool  // peers were asked for events of this node that its journal may have lost
	askTries    int   // number of these requests
	explainedTo uint8 // the latest round with a note why this judge has no seat
	compared    int   // events whose receipts were compared with each other
}

// urgent reports whether people may be waiting for the file.
func (c *caseRecord) urgent(now int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.look.Status.Over() && !c.complete && now < c.look.SettledAt+hurryFor
}

func newCaseRecord(task voting.Key, log *casefile.Log) *caseRecord {
	return &caseRecord{
		task: task, log: log, seats: map[uint8][]voting.Seat{},
		need: newNeeds(),
	}
}

func (c *caseRecord) known() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.look.Status != 0 && len(c.seats) > 0
}

// finished reports whether no statement or content is missing.
func (c *caseRecord) finished() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.done
}

func (c *caseRecord) seen() bool {
	look, _ := c.snapshot()
	return look.Status != 0
}

// snapshot returns the latest look at the case and its task.
func (c *caseRecord) snapshot() (look voting.Case, terms *program.Task) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.look, c.terms
}

// seat notes the seats of a round. The caller holds mu.
func (c *caseRecord) seat(number uint8, seats []voting.Seat) {
	if number == 0 || len(seats) == 0 {
		return
	}
	c.seats[number] = seats
	for _, s := range seats {
		if !s.Peer.IsZero() {
			c.log.Seat(number, s.Peer, s.Judge)
		}
	}
}

func (c *caseRecord) seated(number uint8) []voting.Seat {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.seats[number]
}

// unseated returns the present round, and the rounds before it whose seats are not known.
func (c *caseRecord) unseated() (present uint8, gaps []uint8) {
	c.mu.Lock()
	defer c.mu.Unlock()
	present = c.look.SeatsRound()
	for number := c.work.seatedTo + 1; number < present; number++ {
		if c.look.Appealed() && c.look.FirstRound < number && number <= c.look.Rules.MaxRounds {
			continue // there was no such round
		}
		if len(c.seats[number]) == 0 {
			gaps = append(gaps, number)
		}
	}
	return present, gaps
}

const maxSeatTries = 12

// soughtSeats notes a search for the seats of the rounds before present. The search is over if it
// found all, or was the last one.
func (c *caseRecord) soughtSeats(present uint8, all bool) {
	if !all && c.work.seatTries < maxSeatTries {
		c.work.seatTries++
		return
	}
	if present > 0 {
		c.work.seatedTo, c.work.seatTries = present-1, 0
	}
}

func (c *caseRecord) load() error {
	if c.work.loaded {
		return nil
	}
	err := c.log.Load()
	c.work.loaded = err == nil
	if err != nil {
		return later(err)
	}
	return nil
}

// concluded reports whether more than half of the seats of the last round, and all seats that
// picked accepts, have said how the case ended. Without this no file verifies. The caller holds mu.
func (c *caseRecord) concluded(picked func(voting.Seat) bool) bool {
	said, seats := 0, c.look.Seats
	if len(seats) == 0 { // nobody was drawn for the appeal
		seats = c.look.First
	}
	for _, s := range seats {
		switch {
		case c.log.Has(s.Peer, casefile.KindOutcome, 0, voting.Key{}):
			said++
		case picked(s):
			return false
		}
	}
	return 2*said > len(seats)
}
