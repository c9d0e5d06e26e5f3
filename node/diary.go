package node

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"ojud/casefile"
	"ojud/ledger"
	"ojud/ledger/program"
	"ojud/node/why"
	"ojud/voting"
	"ojud/voting/rules"
)

// keepDiaries is of how many cases the node can tell later why they went as they did for its judge.
const keepDiaries = 1000

// diaries is what this run has of the watch; diaries of cases are read and written whole.
type diaries struct {
	mu    sync.Mutex
	watch why.Watch
}

// note writes into the diary of a case. An error is the journal's.
func (n *Node) note(task voting.Key, e why.Entry) error {
	n.diaries.mu.Lock()
	defer n.diaries.mu.Unlock()
	d, err := n.diary(task)
	if err != nil {
		return err
	}
	now := at(n.client)
	if !d.Note(now, e) {
		return nil
	}
	raw, err := d.Encode()
	if err != nil {
		return err
	}
	return n.journal.PutDiary(task, now, raw)
}

// diary reads the diary of a case. One that cannot be read is begun anew: no vote rests on it.
func (n *Node) diary(task voting.Key) (why.Diary, error) {
	raw, err := n.journal.Diary(task)
	if err != nil {
		return why.Diary{}, err
	}
	d, err := why.DecodeDiary(raw)
	if err != nil {
		n.log.Warn("the diary of a case is begun anew", "case", address(task), "err", err)
	}
	return d, nil
}

// noteSubmit writes down how a transaction for the own seat ended.
func (n *Node) noteSubmit(e voting.Submit, out ledger.Outcome, err error) error {
	if e.Op != voting.OpCommit && e.Op != voting.OpReveal && e.Op != voting.OpClaim {
		return nil
	}
	entry := why.Entry{Round: e.Round, Deed: why.Sent, What: e.Op.String(), How: why.InVain, Text: out.Class.String()}
	switch {
	case errors.Is(err, ledger.ErrNoFunds):
		entry.How, entry.Text = why.NoFunds, err.Error()
	case err != nil:
		entry.How, entry.Text = why.NotSent, err.Error()
	case out.Class == ledger.AlreadyDone && out.Signature.IsZero() && e.Op != voting.OpClaim:
		entry.How = why.Others
	case out.Class == ledger.Landed || out.Class == ledger.AlreadyDone:
		entry.How = why.Landed
	case out.Class == ledger.Rejected:
		entry.How, entry.Text = why.Refused, out.Rejection.Error()
	}
	return n.note(e.Task, entry)
}

// noteSlash writes down that two statements of this judge were shown.
func (n *Node) noteSlash(e program.Event) error {
	s, ok := e.(*program.Slashed)
	if !ok || s.Judge != n.home.Keys.Authority.Address() {
		return nil
	}
	return n.note(voting.Key(s.Task), why.Entry{Round: s.Round, Deed: why.Shown, What: strconv.FormatUint(s.Amount, 10)})
}

func isCast(r voting.Record) bool {
	_, ok := r.(voting.Cast)
	return ok
}

// noteCasts writes down what was signed.
func (n *Node) noteCasts(records []voting.Record) error {
	for _, r := range records {
		if c, ok := r.(voting.Cast); ok {
			if err := n.note(c.Task, why.Entry{Round: c.Round, Deed: why.Cast, What: c.Opening.Choice.String()}); err != nil {
				return err
			}
		}
	}
	return nil
}

// keepWatch writes down that the node runs and sees the chain, until ctx ends.
func (n *Node) keepWatch(ctx context.Context) error {
	if err := n.journal.TrimDiaries(keepDiaries); err != nil {
		return err
	}
	raw, err := n.journal.Watch()
	if err != nil {
		return err
	}
	w, err := why.DecodeWatch(raw)
	if err != nil {
		n.log.Warn("the watch is begun anew", "err", err)
	}
	w.Begin(at(n.client))
	for running := true; ; w.Tick(at(n.client)) {
		if err := n.putWatch(w); err != nil || !running {
			return err
		}
		running = wait(ctx, why.WatchEvery*time.Second)
	}
}

func (n *Node) putWatch(w why.Watch) error {
	n.diaries.mu.Lock()
	n.diaries.watch = w
	n.diaries.mu.Unlock()
	raw, err := w.Encode()
	if err != nil {
		return err
	}
	return n.journal.PutWatch(raw)
}

// passOver writes down why this judge could not be drawn into the round of a case that it sees: afterwards nothing tells.
func (n *Node) passOver(ctx context.Context, c *dispute) error {
	look, terms := c.snapshot()
	round := look.SeatsRound()
	if round == 0 || round <= c.passed || look.SeatOf(n.home.Keys.Judge()) >= 0 || terms == nil {
		return nil
	}
	config, _, err := n.client.Config(ctx)
	if err != nil {
		return later(err)
	}
	how, text := n.ineligible(look, terms, config.MinStake, config.MaxSeatWeight)
	c.passed = round
	if how == "" {
		return nil
	}
	return n.note(c.task, why.Entry{Round: round, Deed: why.PassedOver, How: how, Text: text})
}

// ineligible is why the judge could not be drawn, by the roster that gives the seats that were drawn; empty if it could, or if no roster
// that was seen gives them.
func (n *Node) ineligible(look voting.Case, terms *program.Task, least, most uint64) (how, text string) {
	self := n.home.Keys.Judge()
	seed := min(look.SeedSlot, look.DrawnSlot) // after a void round the look has the next seed slot
	for _, r := range n.roster.Load().around(look.DrawnSlot) {
		if !drawsAs(n.domain.Program, look, rules.Eligible(r.Candidates(seed), parties(terms), least, most)) {
			continue
		}
		i := r.Find(self)
		if i < 0 {
			return why.NoEntry, fmt.Sprintf("the roster had %d judges", r.Active)
		}
		e := r.Entries[i]
		switch p := parties(terms); {
		case p.Conflicts(self):
			return why.IsParty, "this judge is a party, or the operator of one"
		case p.Conflicts(voting.Key(e.Operator)):
			return why.IsParty, "its operator " + casefile.Address(e.Operator).String() + " is a party, or the operator of one"
		case !e.SitsAt(seed):
			return why.Leaving, fmt.Sprintf("it was %s, and its stake is free at %s", e.State, time.Unix(e.ExitAt, 0).UTC().Format(time.DateTime))
		case e.StakeAt(seed) < least && e.Stake >= least:
			return why.Fresh, fmt.Sprintf("%d lamports before slot %d; the least is %d", e.StakeAt(seed), seed, least)
		case e.StakeAt(seed) < least:
			return why.LowStake, fmt.Sprintf("%d lamports before slot %d; the least is %d", e.StakeAt(seed), seed, least)
		}
		return "", ""
	}
	return "", ""
}

// drawsAs reports whether drawing from these candidates gives the seats of a look.
func drawsAs(program voting.Key, look voting.Case, eligible []voting.Candidate) bool {
	lot := rules.Lot{Program: program, Task: look.Task, Round: look.SeatsRound(), DrawnSlot: look.DrawnSlot, SlotHash: look.SlotHash}
	drawn, err := rules.Draw(lot.Seed(), eligible, look.Rules.PanelSeats, look.Rules.MinSeats)
	if err != nil || len(drawn) != len(look.Seats) {
		return false
	}
	for i := range drawn {
		if drawn[i].Judge != look.Seats[i].Judge || drawn[i].Weight != look.Seats[i].Weight {
			return false
		}
	}
	return true
}
