package megabrain

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"ojud/ledger"
	"ojud/ledger/brain"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/megabrain/arbiter"
)

// Crank is how tasks are carried on.
type Crank struct {
	Classes []onchain.Address // empty: all
	Every   time.Duration     // between two looks
	Once    bool              // one look
	Gaps    Gaps              // of the outcomes that it posts in the last third of the time for that
	Tell    func(Deed)
}

// Deed is what a crank did, or why it could not.
type Deed struct {
	Task  string `json:"task"`
	Did   string `json:"did"`
	Error string `json:"error,omitempty"`
}

// moot are refusals that mean "not yet", or "somebody else did it".
var moot = []string{"TooEarly", "TooLate", "WrongStatus", "NotFinal", "AlreadyCommitted", "NotCommitted"}

// Run carries tasks on until ctx ends. What the client's key committed to is revealed, and if it
// evaluated, it posts the outcome. Everything that is done follows from the chain and from what was
// kept before, so that a crank may be killed at any moment, and several may run.
func (d *Desk) Run(ctx context.Context, c Crank) error {
	said, shares, own, linked := map[Deed]bool{}, map[share]time.Time{}, places{}, map[onchain.Address]time.Time{}
	for {
		told := map[Deed]bool{}
		err := d.look(ctx, c, shares, own, func(done Deed) {
			if told[done] = true; !said[done] || done.Error == "" {
				c.Tell(done)
			}
		})
		if err == nil && !d.self.IsZero() {
			d.links(ctx, c, own, linked)
		}
		said = told // what goes on is told once
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil && (c.Once || !errors.Is(err, ledger.ErrUnavailable) && !errors.Is(err, ledger.ErrRateLimited)):
			return err
		case c.Once:
			return nil
		}
		t := time.NewTimer(c.Every)
		select {
		case <-ctx.Done():
		case <-t.C:
		}
		t.Stop()
	}
}

// look carries each task on by one step, and shows what others need for theirs.
func (d *Desk) look(ctx context.Context, c Crank, shares map[share]time.Time, own places, tell func(Deed)) error {
	all, err := d.Tasks(ctx, onchain.Address{})
	if err != nil {
		return err
	}
	err = own.read(ctx, d.self, d.prog.ID(), all, func(ctx context.Context, at []onchain.Address) ([]*ledger.Account, error) {
		all, _, err := d.office.Accounts(ctx, at...)
		return all, err
	})
	if err != nil {
		return err
	}
	own.first(all)
	all = slices.DeleteFunc(all, func(s Seen) bool { return len(c.Classes) > 0 && !slices.Contains(c.Classes, s.Task.Parties.Class) })
	for _, s := range all { // no memory node is asked before all is revealed
		if own[s.At].seated && (s.Task.Status == brain.Revealing || s.Task.Status == brain.RevealScores) {
			d.carry(ctx, s, c, tell)
		}
	}
	for _, s := range all {
		work := func() (string, error) { return d.share(ctx, s.At, shares) }
		if s.Task.Status >= brain.Settled {
			work = func() (string, error) {
				if did, err := d.openSealed(ctx, s); did != "" || err != nil {
					return did, err
				}
				return answers(ctx, d, s, shares)
			}
		}
		did, err := work()
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			tell(Deed{Task: s.At.String(), Error: err.Error()})
		case did != "":
			tell(Deed{Task: s.At.String(), Did: did})
		}
		if s.Task.Status < brain.Settled || s.Task.Open() {
			d.carry(ctx, s, c, tell)
		}
		if ctx.Err() != nil {
			return nil
		}
	}
	return nil
}

// links shows the key's records in near classes, in the classes that the crank names and in those
// of tasks in which the key has a seat.
func (d *Desk) links(ctx context.Context, c Crank, own places, next map[onchain.Address]time.Time) {
	classes := map[onchain.Address]bool{}
	for _, at := range c.Classes {
		classes[at] = true
	}
	for _, p := range own {
		if p.seated {
			classes[p.class] = true
		}
	}
	did, err := link(ctx, d, classes, next)
	if did > 0 {
		c.Tell(Deed{Did: fmt.Sprintf("show %d records of near classes", did)})
	}
	if err != nil && ctx.Err() == nil {
		c.Tell(Deed{Did: "show records of near classes", Error: err.Error()})
	}
}

// carry does what can be done about a task now, and tells it.
func (d *Desk) carry(ctx context.Context, s Seen, c Crank, tell func(Deed)) {
	did, err := d.step(ctx, s.At, c)
	var refused brain.Denial
	switch {
	case ctx.Err() != nil, errors.As(err, &refused) && slices.Contains(moot, refused.Name()), err == nil && did == "":
	case err != nil:
		tell(Deed{Task: s.At.String(), Did: did, Error: err.Error()})
	default:
		tell(Deed{Task: s.At.String(), Did: did})
	}
}

// step does what can be done about a task now, or nothing.
func (d *Desk) step(ctx context.Context, at onchain.Address, c Crank) (did string, err error) {
	s, err := d.Task(ctx, at)
	if err != nil {
		return "", absent(err)
	}
	own, none := d.seat(s.Task)
	over := s.Now >= s.Task.Clock.Deadline
	if none == nil && !over {
		state, _ := own.said()
		mine := own.work != nil && s.Task.Status == brain.Revealing || own.judge != nil && s.Task.Status == brain.RevealScores
		switch {
		case mine && state == seatCommitted:
			_, err := d.Reveal(ctx, at)
			return "reveal what was committed to", err
		case s.Task.Status == brain.AwaitOutcome && own.judge != nil && own.judge.State == seatRevealed:
			class, err := d.Class(ctx, s.Task.Parties.Class)
			if err != nil {
				return "", err
			}
			f, err := d.outcome(ctx, s, class, c.Gaps)
			if err == nil {
				_, err = d.Post(ctx, f)
			}
			return "post the outcome", err
		}
	}
	dispute, _, inCourt := s.Task.InCourt()
	if inCourt {
		final, err := decided(ctx, d, dispute)
		if err != nil || !final && !over {
			return "", err
		}
	}
	if s.Task.Status == brain.Posted && !over && s.Task.Poster != d.self {
		if !c.concerns(d, s.Task) {
			return "", nil
		}
		did, err := warn(ctx, d, at, c.Gaps)
		if none != nil && errors.Is(err, errNoContent) {
			return "", nil // a stranger need not have the results
		}
		return did, err
	}
	if s.Task.Marks.Opened == brain.Shown && !over {
		return "", missed(ctx, d, s)
	}
	if _, _, err := d.prog.Next(at, s.Task, brain.Around{Verdict: d.office.Program().Verdict(dispute)}, s.Now); err != nil {
		return "", nil // it waits for people, or for time
	}
	done, err := d.Carry(ctx, at)
	return done.Did, err
}

// concerns reports whether outcomes of a task are looked at. Those of strangers are not, unless
// somebody named their class: their results would fill the disk.
func (c Crank) concerns(d *Desk, t *brain.TaskAccount) bool {
	_, none := d.seat(t)
	return none == nil || t.Parties.Requester == d.self || slices.Contains(c.Classes, t.Parties.Class)
}

// warn says that a posted outcome is not what this machine finds. It needs the results.
func warn(ctx context.Context, d *Desk, at onchain.Address, g Gaps) (string, error) {
	f, err := d.Find(ctx, at, g)
	if err != nil || f.Agrees {
		return "", err
	}
	return "", errors.New("the posted outcome is not what this machine finds; look: ojud brain outcome " + at.String() + "; dispute it: ojud brain dispute " + at.String())
}

// missed says that the client failed a golden task, as long as it may appeal. If it appealed in
// vain, it knows.
func missed(ctx context.Context, d *Desk, s Seen) error {
	last := s.Task.Appeal
	vain := last.Appellant == d.self && (last.Worker == 0 || last.Cleared&(1<<(last.Worker-1)) == 0)
	if _, none := d.seat(s.Task); none != nil || vain {
		return nil
	}
	c, err := d.Class(ctx, s.Task.Parties.Class)
	if err != nil || !arbiter.Failed(s.Task, c.Parameters, d.self) {
		return err
	}
	at := s.At.String()
	return errors.New("this key failed a golden task; look: ojud brain show " + at + "; if its answer is wrong: ojud brain appeal " + at)
}

// decided reports whether the court has decided a dispute.
func decided(ctx context.Context, d *Desk, dispute onchain.Address) (bool, error) {
	v, _, err := ledger.Read(ctx, d.office, d.office.Program().Verdict(dispute), program.DecodeVerdictAccount)
	if err != nil {
		return false, err
	}
	return v.IsFinal == 1, nil
}
