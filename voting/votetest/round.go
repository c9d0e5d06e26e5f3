package votetest

import (
	"slices"

	"ojud/voting"
	"ojud/voting/rules"
)

// Draw seats a panel.
func (c *Chain) Draw(task voting.Key) error {
	t := c.Task(task)
	if t == nil || t.Case.Status != voting.AwaitingDraw {
		return moot("WrongStatus")
	}
	k := &t.Case
	if c.Now >= k.DrawBy {
		return moot("TooLate")
	}
	oldest := c.Slot - min(c.Slot, window)
	if oldest > k.SeedSlot || c.State.Roster.seasonOf(k.SeedSlot) == nil { // nobody drew in time: hash or season is forgotten
		k.SeedSlot = c.Slot + uint64(k.Rules.DrawDelaySlots)
		return nil
	}
	slot, hash, ok := c.firstHash(k.SeedSlot)
	if !ok {
		return moot("TooEarly")
	}
	lot := rules.Lot{Program: c.Domain.Program, Task: task, Round: k.Round, DrawnSlot: slot, SlotHash: hash}
	law := rules.LawOf(k.Rules).Staked(c.Law.MinStake, c.Law.MaxSeatWeight)
	r, panel, least := &c.State.Roster, k.Rules.PanelSeats, k.Rules.MinSeats
	season := r.seasonOf(k.SeedSlot)
	if first := r.numbered(t.Season); k.Appealed() && first != nil {
		season = first
	}
	candidates := r.in(season)
	if k.Appealed() {
		panel, least = t.AppealSeats, rules.MinAppealSeats
		for i := range candidates {
			candidates[i] = law.Appealing(candidates[i])
			candidates[i].Active = !c.State.Roster.Entries[i].Gone && !t.Sat[candidates[i].Judge]
		}
	}
	eligible, err := rules.Eligible(candidates, t.Parties, law)
	if err != nil {
		return err
	}
	seats, err := rules.Draw(lot.Seed(), eligible, panel, least)
	if err != nil {
		return moot("TooFewJudges")
	}
	if k.Appealed() && !c.heavyEnough(t, seats) {
		return moot("TooFewJudges")
	}
	if !k.Appealed() {
		clear(t.Sat) // who gave no verdict may hear the appeal
		t.Season = season.Number
	}
	for i := range seats {
		e := &c.State.Roster.Entries[seats[i].Index]
		e.Live++
		e.Locked += exposed(k, &seats[i])
		if !k.Appealed() {
			t.Sat[seats[i].Judge] = true
		}
	}
	k.Status, k.Seats, k.DrawnSlot, k.SlotHash = voting.Committing, seats, slot, hash
	k.CommitEnds = c.Now + int64(k.Rules.CommitSeconds)
	k.RevealEnds = k.CommitEnds + int64(k.Rules.RevealSeconds)
	return nil
}

// heavyEnough reports whether a panel could reverse the verdict that was appealed.
func (c *Chain) heavyEnough(t *Task, seats []voting.Seat) bool {
	given, err := rules.Level{Verdict: t.FirstVerdict, Seats: t.Case.First}.Given()
	weight := uint64(0)
	for i := range seats {
		weight += seats[i].Weight
	}
	return err == nil && rules.Suffices(weight, given.Votes())
}

// exposed is what a seat of a case can lose. So much of the judge's stake is reserved while the
// seat is live.
func exposed(k *voting.Case, s *voting.Seat) uint64 {
	amount, err := rules.LawOf(k.Rules).Exposure(0, s.Weight)
	if err != nil {
		panic(err) // of a weight that a seat can have
	}
	return amount
}

// firstHash is the first entry of SlotHashes from that slot on.
func (c *Chain) firstHash(from uint64) (uint64, voting.Hash, bool) {
	for slot := from; slot < c.Slot; slot++ {
		if hash, ok := c.slotHash(slot); ok {
			return slot, hash, true
		}
	}
	return 0, voting.Hash{}, false
}

// Commit records a seat's commitment.
func (c *Chain) Commit(task voting.Key, round uint8, judge voting.Key, commitment voting.Hash) error {
	const _ = uint(6 - voting.Statuses) // which operations does a seventh status take?
	t := c.Task(task)
	switch {
	case t == nil || t.Case.Status != voting.Committing:
		return moot("WrongStatus")
	case t.Case.Round != round:
		return moot("WrongRound")
	case !t.Case.CanCommit(c.Now):
		return moot("TooLate")
	}
	i := t.Case.SeatOf(judge)
	if i < 0 {
		return hopeless("NotSeated")
	}
	s := &t.Case.Seats[i]
	switch {
	case s.Equivocated:
		return moot("Equivocated")
	case s.Committed:
		return moot("AlreadyCommitted")
	}
	s.Committed, s.Commitment = true, commitment
	if nobodyLeft(t.Case.Seats) {
		c.beginReveal(&t.Case)
	}
	return nil
}

// RelayCommit records the commitment of a seat that asks for it.
func (c *Chain) RelayCommit(n voting.Relay) error {
	t := c.Task(n.Task)
	if t == nil {
		return moot("WrongStatus")
	}
	if i := t.Case.SeatOf(n.Judge); i < 0 || !c.requested(t.Case.Seats[i].Peer, n) {
		return hopeless("BadRelay")
	}
	return c.Commit(n.Task, n.Round, n.Judge, n.Commitment)
}

func nobodyLeft(seats []voting.Seat) bool {
	return !slices.ContainsFunc(seats, func(s voting.Seat) bool { return !s.Committed && !s.Equivocated })
}

func (c *Chain) beginReveal(k *voting.Case) {
	k.Status, k.CommitEnds = voting.Revealing, c.Now
	k.RevealEnds = c.Now + int64(k.Rules.RevealSeconds)
}

// Reveal opens a seat's commitment. Anybody may.
func (c *Chain) Reveal(task voting.Key, round uint8, judge voting.Key, o voting.Opening) error {
	t := c.Task(task)
	switch {
	case t == nil || !t.Case.Live():
		return moot("WrongStatus")
	case t.Case.Round != round:
		return moot("WrongRound")
	case !t.Case.CommitsOver(c.Now):
		return moot("TooEarly")
	case !t.Case.CanReveal(c.Now):
		return moot("TooLate")
	case !o.Choice.Valid():
		return hopeless("BadChoice")
	}
	i := t.Case.SeatOf(judge)
	if i < 0 {
		return hopeless("NotSeated")
	}
	s := &t.Case.Seats[i]
	switch {
	case s.Equivocated:
		return moot("Equivocated")
	case !s.Committed:
		return moot("NotCommitted")
	case s.Revealed:
		return moot("AlreadyRevealed")
	case c.Domain.Commitment(task, round, judge, o) != s.Commitment:
		return hopeless("WrongOpening")
	}
	s.Revealed, s.Choice = true, o.Choice
	t.Case.Status = voting.Revealing
	return nil
}

// SlashEquivocation takes two statements of one judge.
func (c *Chain) SlashEquivocation(e voting.Evidence) error {
	t := c.Task(e.Task)
	if t == nil {
		return moot("WrongStatus")
	}
	seats := t.Case.Panel(e.Round)
	i := slices.IndexFunc(seats, func(s voting.Seat) bool { return s.Judge == e.Judge })
	switch {
	case i < 0 || e.Peer != seats[i].Peer || !c.proven(e):
		return hopeless("BadEvidence")
	case seats[i].Equivocated:
		return moot("Equivocated")
	}
	return c.punish(t, e.Round, i)
}

func (c *Chain) punish(t *Task, round uint8, seat int) error {
	r, k := &c.State.Roster, &t.Case
	seats := k.Panel(round)
	status := k.Status
	if round != k.Round {
		status = voting.Appealable
	}
	p, err := rules.SlashEquivocation(status, seats, seat, r.Standings(seats)[seat])
	if err != nil {
		return err
	}
	s := &seats[seat]
	if wait := waits(k, s); wait > 0 && (status == voting.Appealable) {
		r.Entries[s.Index].Locked -= wait
		r.Entries[s.Index].Live--
	}
	guilty := &r.Entries[s.Index]
	if !guilty.Gone {
		guilty.Stake -= p.Amount
		guilty.Equivocated++
	}
	c.State.Pot += p.Amount
	s.Equivocated = true
	s.Slashed += p.Amount
	if !k.Live() || round != k.Round {
		s.Result = voting.Equivocated
	}
	if p.BeginReveal && c.Now < k.CommitEnds {
		c.beginReveal(k)
	}
	return nil
}
