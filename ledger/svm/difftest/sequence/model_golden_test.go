package sequence_test

import (
	"crypto/sha256"
	"slices"

	"ojud/golden"
	"ojud/ledger/program"
	"ojud/voting"
	"ojud/voting/rules"
)

func (s *step) admitProctor() {
	proctor, c, at := s.c.ix.(*program.AdmitProctor).Proctor, read[program.Config](s, "config"), s.at("proctor")
	s.fixed("system")
	s.vacant("proctor", s.a.at(place{kind: "proctor", a: proctor}))
	s.need(c.Authority == s.at("authority") && !c.Authority.IsZero(), "not the authority")
	s.make(c.Authority, at, program.ProctorSize, &program.Proctor{Bump: s.a.bumps[at], Proctor: proctor, Payer: c.Authority})
}

func (s *step) revokeProctor() {
	c, v := read[program.Config](s, "config"), read[program.Proctor](s, "proctor")
	s.is("wallet", v.Payer)
	s.need(c.Authority == s.at("authority") && !c.Authority.IsZero(), "not the authority")
	s.close(s.at("proctor"), v.Payer)
}

func (s *step) commitBatch() {
	i, r, by := s.c.ix.(*program.CommitBatch), s.inForce(), s.at("authority")
	s.fixed("system")
	s.need(read[program.Proctor](s, "proctor").Proctor == by, "no proctor")
	pot, at := open[program.Pot](s, "pot"), s.at("batch")
	s.vacant("batch", s.a.at(place{kind: "batch", n: pot.Batches}))
	openBy := s.now() + int64(r.BatchSeconds)
	s.need(r.Until == 0 || openBy <= r.Until, "other rules soon")
	s.need(r.BatchSeconds > 0 && i.Leaves >= 2 && i.Leaves <= 256 && !i.Root.IsZero(), "no batch")
	s.need(uint64(i.Leaves)*10_000 <= pot.Allowance, "too many leaves")
	least, err := r.Law().Deposit(uint64(i.Leaves), 0)
	s.need(err == nil && i.Deposit >= least, "too small a deposit")
	s.make(by, at, program.BatchSize, &program.Batch{
		Bump: s.a.bumps[at], Leaves: i.Leaves, Number: pot.Batches, Proctor: by, Root: i.Root, Deposit: i.Deposit, CommittedAt: s.now(), OpenBy: openBy,
		KeepUntil: s.now() + int64(r.EvidenceSeconds), LeafFee: r.LeafFee, ChallengeSeconds: r.ChallengeSeconds, PausedBefore: uint32(s.now() - s.market(read[program.Config](s, "config"))),
	})
	s.move(by, at, i.Deposit)
	pot.Allowance -= uint64(i.Leaves) * 10_000
	pot.Batches++
}

// leaf returns the leaf that a call opens.
func (s *step) leaf(i *program.OpenLeaf) golden.Leaf {
	return golden.Leaf{
		Address: voting.Key(s.at("task")), Task: i.TaskHash, Result: i.ResultHash, Objection: i.ObjectionHash, Counter: i.CounterHash,
		Answer: i.Answer, Generator: i.Generator, Seed: i.Seed,
	}
}

// counts reports whether the task of a leaf has all that the leaf says.
func (s *step) counts(b *program.Batch, l golden.Leaf) bool {
	t := get[program.Task](s.a, s.at("task"))
	return t != nil && t.Seal == l.Hash() && t.TaskHash == l.Task && t.ResultHash == l.Result && t.ObjectionHash == l.Objection &&
		t.CounterHash == l.Counter && t.CreatedAt >= b.CommittedAt && t.Engine.IsZero()
}

func (s *step) openLeaf() {
	i, b := s.c.ix.(*program.OpenLeaf), open[program.Batch](s, "batch")
	l := s.leaf(i)
	s.need(b.Proctor == s.at("authority"), "not the proctor")
	s.need(s.now() < b.OpenBy, "too late")
	p := golden.Proof{Index: i.Index, Leaves: b.Leaves}
	s.need(len(i.Path)%32 == 0, "no path")
	for n := 0; n < len(i.Path); n += 32 {
		p.Path = append(p.Path, voting.Hash(i.Path[n:]))
	}
	s.need(p.Verify(b.Root, l) == nil, "not in the batch")
	s.need(b.Open[i.Index/8]>>(i.Index%8)&1 == 0, "open already")
	b.Open[i.Index/8] |= 1 << (i.Index % 8)
	if b.Opened++; b.Opened == b.Leaves {
		b.CompleteAt = s.now()
	}
	if !s.counts(b, l) {
		b.Void++
		return
	}
	k := open[program.Case](s, "case")
	s.need(k.Task == s.at("task") && k.Status.Over(), "the case")
	s.need(k.Golden == 0, "golden already")
	for _, seat := range slices.Concat(k.First, k.Seats) {
		b.Exposed += withheld(k, seat)
	}
	s.need(b.Exposed <= b.Deposit, "beyond the deposit")
	k.Golden, k.Batch = i.Answer, b.Number
	if i.Answer == voting.Accept {
		b.Accepts++
	}
}

// withheld is what a wrong vote of a seat costs.
func withheld(k *program.Case, seat program.Seat) uint64 {
	law := rules.LawOf(k.Rules)
	law.Minority, law.Reversal, law.Absence = 0, 0, 0 // what is left of the exposure
	amount, err := law.Exposure(0, seat.Weight)
	if err != nil {
		panic(err) // of a weight that a seat can have
	}
	return amount
}

func (s *step) applyLeaf() {
	b, k, r, pot := open[program.Batch](s, "batch"), open[program.Case](s, "case"), open[program.Roster](s, "roster"), open[program.Pot](s, "pot")
	c := read[program.Config](s, "config")
	s.need(k.Golden != 0 && k.Applied == 0 && k.Batch == b.Number, "not golden")
	s.need(c.Paused == 0, "paused")
	s.need(b.Fair(), "not fair")
	s.need(s.now() >= b.ApplyFrom(c), "too early")
	both := program.Case{Seats: slices.Concat(k.First, k.Seats), Rules: k.Rules}
	seats := both.Voting(s.slot(), r).Seats
	end := rules.GoldenPay{Pot: pot.Golden}
	if len(seats) > 0 { // else no panel was drawn
		var err error
		end, err = rules.LawOf(k.Rules).Golden(rules.GoldenEnd{Answer: k.Golden, Seats: seats, Standings: r.Standings(&both), Pot: pot.Golden})
		s.need(err == nil, "no end")
	}
	for n := range end.Seats {
		seat := append(places(k.First), places(k.Seats)...)[n]
		if e := entryOf(r, seat); e != nil {
			v := e.Credential().After(&seats[n], k.Golden)
			if e.Right, e.Wrong, e.Seen = uint8(v.Right), uint8(v.Wrong), uint8(v.Seen); v.Passed {
				e.Owned |= program.OwnProven
			}
			e.Since = uint8(min(int(e.Since)+1, 255))
			s.lose(r, e, end.Seats[n].Slashed)
			s.move(s.at("roster"), s.at("pot"), end.Seats[n].Slashed)
			seat.Slashed += end.Seats[n].Slashed
		}
		s.earn(r, seat, end.Seats[n].Earned)
		s.moved[s.at("pot")] -= int64(end.Seats[n].Earned)
		s.moved[s.at("roster")] += int64(end.Seats[n].Earned)
	}
	fee := uint64(0)
	if slices.ContainsFunc(end.Seats, func(e rules.SeatEnd) bool { return e.Result != voting.Pending }) {
		fee = min(b.LeafFee, end.Pot)
	}
	pot.Golden = end.Pot - fee
	s.move(s.at("pot"), s.at("batch"), fee)
	b.Earned += fee
	k.Applied = 1
	b.Applied++
}

// places are the seats, to change.
func places(seats []program.Seat) (all []*program.Seat) {
	for n := range seats {
		all = append(all, &seats[n])
	}
	return all
}

func (s *step) closeBatch() {
	b, c, pot := read[program.Batch](s, "batch"), read[program.Config](s, "config"), open[program.Pot](s, "pot")
	s.is("wallet", b.Proctor)
	if b.Fair() {
		s.need(b.Applied == b.Opened-b.Void || s.now() >= b.KeepUntil, "too early")
	} else {
		s.need(b.Opened == b.Leaves || s.now() >= b.OpenBy, "too early")
		paused := s.now() - s.market(c) - int64(b.PausedBefore)
		stopped := b.Opened == b.Leaves && b.Void > 0 && 10*paused >= b.OpenBy-b.CommittedAt // a pause can be why
		if !stopped {
			pot.Golden += b.Deposit
			s.move(s.at("batch"), s.at("pot"), b.Deposit)
		}
	}
	s.closeRest(b)
}

// closeRest closes a batch that has paid already. All that is left goes to the proctor.
func (s *step) closeRest(b *program.Batch) {
	at := s.at("batch")
	s.move(at, b.Proctor, uint64(int64(s.a.lamports(at))+s.moved[at]))
	s.post[at] = nil
}

func (s *step) upholdChallenge() {
	i, b, pot := s.c.ix.(*program.UpholdChallenge), read[program.Batch](s, "batch"), open[program.Pot](s, "pot")
	l := s.challenged(b, i.Generator, i.Seed)
	asked, decided := read[program.Task](s, "task"), read[program.Case](s, "case")
	s.is("task", decided.Task)
	worker := s.agent("worker_agent", asked.Worker)
	s.is("wallet", b.Proctor)
	s.need(b.Applied == 0, "too late")
	s.need(decided.Status == voting.Decided && decided.Verdict == voting.ForWorker && denies(asked, l), "no verdict, or another question")
	doubted := false
	final := decided.SettledAt >= decided.AppealBy && decided.Rules.PanelSeats >= 14
	switch {
	case decided.AppealSeats > 0:
		doubted = decided.Level == 1 && decided.Rules.PanelSeats >= 14
		final = decided.FirstVerdict == voting.ForWorker && (decided.Level == 2 || doubted)
	case decided.AppealBy == 0: // a full panel, which could not have been two
		final = decided.Rules.PanelSeats == 28 && (decided.Rules.AppealSeconds == 0 || !divisible(decided.Seats))
	}
	s.need(final, "too few judges, or the proctor could not appeal")
	bounty := min(b.Deposit/10, asked.Reward)
	worker.Vault += bounty
	s.move(s.at("batch"), s.at("worker_agent"), bounty)
	lost := b.Deposit - bounty
	if doubted {
		lost /= 2
	}
	pot.Golden += lost
	s.move(s.at("batch"), s.at("pot"), lost)
	s.closeRest(b)
}

// divisible reports whether 14 of these judges, however heavy, leave seven others with half of
// their weight.
func divisible(seats []program.Seat) bool {
	var heavy, rest uint64
	weights := make([]uint64, len(seats))
	for n := range seats {
		weights[n] = seats[n].Weight
	}
	slices.Sort(weights)
	slices.Reverse(weights)
	for n, w := range weights {
		if n < 14 {
			heavy += w
		} else {
			rest += w
		}
	}
	return len(seats) >= 14+7 && 2*rest >= heavy
}

// challenged returns the leaf that a call is about, which is open.
func (s *step) challenged(b *program.Batch, generator voting.Hash, seed [32]byte) golden.Leaf {
	t, k := read[program.Task](s, "golden_task"), read[program.Case](s, "golden_case")
	s.is("golden_task", k.Task)
	s.need(k.Golden != 0 && k.Batch == b.Number, "not golden")
	l := golden.Leaf{
		Address: voting.Key(k.Task), Task: t.TaskHash, Result: t.ResultHash, Objection: t.ObjectionHash, Counter: t.CounterHash,
		Answer: k.Golden, Generator: generator, Seed: seed,
	}
	s.need(l.Hash() == t.Seal, "another leaf")
	return l
}

// denies reports whether the result of a task says that a leaf is false.
func denies(t *program.Task, l golden.Leaf) bool {
	return t.TaskHash == sha256.Sum256(l.Question()) && t.ResultHash == sha256.Sum256(golden.Denial()) && !t.IsDispute()
}

func (s *step) appealChallenge() {
	i, b := s.c.ix.(*program.AppealChallenge), read[program.Batch](s, "batch")
	s.fixed("system")
	l := s.challenged(b, i.Generator, i.Seed)
	k, t := open[program.Case](s, "case"), read[program.Task](s, "task")
	s.is("task", k.Task)
	s.need(b.Proctor == s.at("authority"), "not the proctor")
	s.need(k.Verdict == voting.ForWorker && denies(t, l) && t.Creator != b.Proctor, "nothing to appeal")
	s.hear(read[program.Roster](s, "roster"), t, k, b.Proctor)
}
