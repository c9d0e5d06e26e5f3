package node

import (
	"maps"
	"slices"
	"sync"

	"ojud/casefile"
	"ojud/ledger"
	"ojud/ledger/program"
	"ojud/voting"
)

// docket is what the shell keeps of the cases that the node follows: the papers' hashes, the case file, and what it has still to
// say in it. The machine has its own, of which this knows nothing.
type docket struct {
	n *Node

	mu       sync.Mutex
	cases    map[voting.Key]*dispute
	opinions map[voting.Hash]roundOf // own ones
}

// dispute is one case on the docket.
type dispute struct {
	task voting.Key
	log  *casefile.Log

	// Of the goroutine that looks after case files, nobody else's.
	loaded   bool  // the log has what the store had
	seatedTo uint8 // every round up to this one is seated, or was looked for in the chain's history
	sought   int   // how often the draws of the others were looked for
	fetched  bool  // own events were asked for, of which the journal may not know (wary)
	passed   uint8 // the latest round in which it was looked why the judge has no seat
	tries    int   // how often
	misses   map[voting.Hash]int
	whole    map[casefile.Signature]bool // events of which all content is here, or was given up

	mu    sync.Mutex
	terms *program.Task // latest look; nil before the first, or when the task was closed
	look  voting.Case
	gone  bool                    // the latest look showed no account
	seats map[uint8][]voting.Seat // by round, as far as the chain has shown them
	todo  []voting.Testify
	given []casefile.Receipt // answers of this node as a holder that the case file does not name yet
	// complete: the case is over, its content is here, and more than half of the seats, with all that revealed, have said how it
	// ended. The others may be gone.
	complete bool
	done     bool // complete, and all seats have said it: nothing more can come
}

func newDocket(n *Node) *docket {
	return &docket{n: n, cases: map[voting.Key]*dispute{}, opinions: map[voting.Hash]roundOf{}}
}

// open returns the dispute of a task, which is put on the docket if it is not there.
func (d *docket) open(task voting.Key) *dispute {
	d.mu.Lock()
	defer d.mu.Unlock()
	c := d.cases[task]
	if c == nil {
		c = newDispute(task, casefile.NewLog(d.n.domain, task, d.n.journal.Events()))
		d.cases[task] = c
	}
	return c
}

func newDispute(task voting.Key, log *casefile.Log) *dispute {
	return &dispute{task: task, log: log, seats: map[uint8][]voting.Seat{}, misses: map[voting.Hash]int{}, whole: map[casefile.Signature]bool{}}
}

// find returns the dispute of a task, or nil.
func (d *docket) find(task voting.Key) *dispute {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.cases[task]
}

// all returns the disputes, by task.
func (d *docket) all() []*dispute {
	d.mu.Lock()
	defer d.mu.Unlock()
	keys := slices.SortedFunc(maps.Keys(d.cases), func(a, b voting.Key) int { return slices.Compare(a[:], b[:]) })
	out := make([]*dispute, len(keys))
	for i, k := range keys {
		out[i] = d.cases[k]
	}
	return out
}

// see takes a look.
func (d *docket) see(l ledger.Look) {
	if l.Case == nil {
		if c := d.find(voting.Key(l.ID)); c != nil {
			c.mu.Lock()
			c.gone = true
			c.mu.Unlock()
		}
		return
	}
	look := l.Case.Voting(l.Slot, l.Roster)
	if look.Finished(l.Unix) && d.find(voting.Key(l.ID)) == nil {
		return // in the archive, or of no interest any more
	}
	c := d.open(voting.Key(l.ID))
	c.mu.Lock()
	defer c.mu.Unlock()
	if l.Task != nil {
		c.terms = l.Task
	}
	c.look, c.gone = look, false
	c.seat(c.look.SeatsRound(), c.look.Seats)
}

// unplaced are looks for the machine at open cases that it has no room for, those first that somebody has to draw, at most maxBatch:
// when others are over there is room.
func (n *Node) unplaced() (events []voting.Event) {
	now, ok := n.client.Clock().Last()
	view := n.view.Load()
	if !ok || view == nil {
		return nil
	}
	var undrawn, drawn []voting.Event
	for _, c := range n.docket.all() {
		c.mu.Lock()
		look, gone := c.look, c.gone
		c.mu.Unlock()
		if _, known := view.Case(c.task); known || gone || look.Status == 0 || look.Status.Over() {
			continue
		}
		e := voting.CaseSeen{At: now.Unix, Case: look}
		if look.Status == voting.AwaitingDraw {
			undrawn = append(undrawn, e)
		} else {
			drawn = append(drawn, e)
		}
	}
	events = append(undrawn, drawn...)
	return events[:min(len(events), maxBatch)]
}

// seat notes who sits in a round. The caller holds mu.
func (c *dispute) seat(round uint8, seats []voting.Seat) {
	if round == 0 || len(seats) == 0 {
		return
	}
	c.seats[round] = seats
	for _, s := range seats {
		if !s.Peer.IsZero() {
			c.log.Seat(round, s.Peer, s.Judge)
		}
	}
}

// seatPanel is seat for who does not hold the lock.
func (c *dispute) seatPanel(round uint8, seats []voting.Seat) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seat(round, seats)
}

// testify puts something to say on the list. What is on it is lost in a crash; the machine then asks again.
func (d *docket) testify(e voting.Testify) {
	c := d.open(e.Task)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.todo = append(c.todo, e)
	c.complete, c.done = false, false
}

// forget takes a case off the docket. Its events and content stay for whoever asks for the file.
func (d *docket) forget(task voting.Key) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.cases, task)
	maps.DeleteFunc(d.opinions, func(_ voting.Hash, r roundOf) bool { return r.task == task })
}

// seen reports whether there was a look at the case.
func (c *dispute) seen() bool {
	look, _ := c.snapshot()
	return look.Status != 0
}

// snapshot is what others may read of a dispute.
func (c *dispute) snapshot() (look voting.Case, terms *program.Task) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.look, c.terms
}
