package sequence_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"

	"ojud/ledger/program"
	"ojud/ledger/svm/accounts"
	"ojud/voting"
	"ojud/voting/rules"
)

func (s *step) joinRoster() {
	i, c := s.c.ix.(*program.JoinRoster), read[program.Config](s, "config")
	r, judge := open[program.Roster](s, "roster"), s.at("authority")
	s.fixed("system", "instructions")
	s.cosigned("operator", i.Operator)
	s.need(c.Paused == 0, "paused")
	law := s.inForce()
	if c.Listed == 1 {
		s.need(read[program.Admission](s, "admission").Judge == judge, "not admitted")
	}
	used, free := 0, -1
	for n, e := range r.Entries {
		if e.State == program.EntryFree {
			if free < 0 {
				free = n
			}
			continue
		}
		used++
		s.need(e.Authority != judge && e.Peer != i.Peer, "on the roster already")
	}
	proof, ok := s.proof()
	s.need(ok && proof.Peer == i.Peer && bytes.Equal(proof.Message, s.a.domain().JoinProof(voting.Key(judge))), "no proof")
	s.need(used < int(law.MaxJudges), "the roster is full")
	s.need(!i.Withdraw.IsZero(), "no withdraw key")
	s.need(i.Stake >= law.MinStake, "too little")
	entry := program.RosterEntry{Authority: judge, Peer: i.Peer, Operator: i.Operator, Withdraw: i.Withdraw, Stake: i.Stake, JoinedAt: s.now(), State: program.EntryActive}
	if free >= 0 {
		entry.Weight, entry.WeightBefore = r.Entries[free].Weight, r.Entries[free].WeightBefore
		r.Entries[free] = entry
	} else {
		r.Entries = append(r.Entries, entry)
		s.grown[s.at("roster")] = program.RosterSize(len(r.Entries))
		s.move(judge, s.at("roster"), s.a.rent(program.RosterSize(1))-s.a.rent(program.RosterSize(0)))
	}
	s.move(judge, s.at("roster"), i.Stake)
	r.Active++
	r.TotalStake += i.Stake
}

// entry returns a judge's entry.
func (s *step) entry(r *program.Roster, judge key) *program.RosterEntry {
	n := r.Find(voting.Key(judge))
	s.need(n >= 0, "not on the roster")
	return &r.Entries[n]
}

func (s *step) topUp() {
	i, r := s.c.ix.(*program.TopUp), open[program.Roster](s, "roster")
	s.fixed("system")
	e := s.entry(r, s.at("authority"))
	s.need(i.Amount > 0, "nothing")
	s.move(s.at("authority"), s.at("roster"), i.Amount)
	e.Stake += i.Amount
	r.TotalStake += i.Amount
}

func (s *step) beginExit() {
	i := s.c.ix.(*program.BeginExit)
	law, r := s.inForce(), open[program.Roster](s, "roster")
	e := s.entry(r, i.Judge)
	s.need(e.Withdraw == s.at("withdraw"), "not the withdraw key")
	s.need(e.State == program.EntryActive, "leaving already")
	e.State, e.ExitAt, e.ExitSlot = program.EntryExiting, s.now()+int64(law.CooldownSeconds), s.slot()
	r.Active--
}

func (s *step) withdrawStake() {
	i, r := s.c.ix.(*program.WithdrawStake), open[program.Roster](s, "roster")
	e := s.entry(r, i.Judge)
	s.need(e.Withdraw == s.at("withdraw"), "not the withdraw key")
	s.need(e.State == program.EntryExiting && e.Live == 0 && s.now() >= e.ExitAt, "not yet")
	counted := e.Weight > 0 && e.Owned%2 == 1 || e.WeightBefore > 0 && e.Owned&2 != 0
	s.need(!counted, "a season has its weight")
	s.move(s.at("roster"), s.wallet(e.Withdraw, e.Stake+e.Rewards), e.Stake+e.Rewards)
	r.TotalStake -= e.Stake
	r.TotalRewards -= e.Rewards
	*e = program.RosterEntry{Weight: e.Weight, WeightBefore: e.WeightBefore}
}

func (s *step) beginSeason() {
	law, r := s.inForce(), open[program.Roster](s, "roster")
	weighed, now := 0, 0
	for _, e := range r.Entries {
		if e.Weight > 0 && e.Owned%2 == 1 {
			now++
		}
		if e.Weight > 0 && e.Owned%2 == 1 || e.WeightBefore > 0 && e.Owned&2 != 0 {
			weighed++
		}
	}
	lasts := int64(law.SeasonSeconds)
	if now < int(law.MinSeats) {
		lasts = min(lasts, longest(law.Params))
	}
	due := s.now() >= r.SeasonAt+lasts || weighed < int(law.MinSeats)
	s.need(due && (r.SeasonSlot == 0 || s.slot() > r.SeasonSlot+min(512, uint64(law.SeasonSeconds))), "the season runs")
	r.PagesBefore, r.BeforeSlot, r.Pages = r.Pages, r.SeasonSlot, [80]uint64{}
	may := func(e *program.RosterEntry) bool {
		return e.State == program.EntryActive && e.Stake > 0 && e.Stake >= law.MinStake/2
	}
	base := func(e *program.RosterEntry) uint64 { // the weight with which the record counts as made
		return max(law.MinStake, e.Weight*uint64(e.Owned%2))
	}
	grown := func(e *program.RosterEntry) uint64 { // a proven judge's next weight
		steps := uint64(1)
		if e.Since >= 5 {
			steps = 2
		}
		return min(e.Stake, law.MaxSeatWeight, steps*base(e))
	}
	fit, proven, novices, room, least := 0, uint64(0), uint64(0), uint64(0), max(1, law.MinStake/4)
	for n := range r.Entries {
		if e := &r.Entries[n]; may(e) && holds(e) {
			fit++
			if e.Proven() {
				proven++
				room += grown(e)
			} else {
				novices++
			}
		}
	}
	room /= 9
	each := max(least, room/max(1, novices))
	apart := law.Credential == 2 && proven+min(novices, room/least) >= uint64(law.MinSeats)
	cover := uint64(0)
	for n := range r.Entries {
		e := &r.Entries[n]
		listed := e.Weight > 0 && e.Owned%2 == 1
		counts := law.Credential == 0 || holds(e) || fit < int(law.MinSeats) && listed
		next := uint64(0)
		if may(e) && counts {
			next = min(e.Stake, law.MaxSeatWeight)
		}
		switch {
		case next == 0 || !apart:
		case !e.Proven():
			if next = min(next, each, room); next < least {
				next = 0
			}
			room -= next
		case holds(e):
			if next = grown(e); next > base(e) {
				e.Since = 0
			}
		}
		cover += next
		e.WeightBefore, e.Weight, e.Owned = e.Weight, next, 1+e.Owned%2*2+e.Owned&program.OwnProven
		r.Pages[n/128] += e.Weight
	}
	r.Weight, r.SeasonAt, r.SeasonSlot = cover, s.now(), s.slot()
	r.Season++
}

// holds reports whether a record lets its judge sit.
func holds(e *program.RosterEntry) bool { return e.Credential().Holds() }

func (s *step) changeWithdraw() {
	i, r := s.c.ix.(*program.ChangeWithdraw), open[program.Roster](s, "roster")
	e := s.entry(r, i.Judge)
	s.need(e.Withdraw == s.at("withdraw"), "not the withdraw key")
	s.need(!i.Withdraw.IsZero(), "no withdraw key")
	e.Withdraw = i.Withdraw
}

func (s *step) claimReward() {
	i, r := s.c.ix.(*program.ClaimReward), open[program.Roster](s, "roster")
	e := s.entry(r, i.Judge)
	s.cosigned("withdraw", e.Withdraw)
	s.need(e.Rewards > 0, "nothing")
	s.move(s.at("roster"), s.wallet(e.Withdraw, e.Rewards), e.Rewards)
	r.TotalRewards -= e.Rewards
	e.Rewards = 0
}

// block returns the first block from a slot on, whether there is one, and whether the chain has
// forgotten it.
func block(known []accounts.SlotHash, slot uint64) (found accounts.SlotHash, there, forgotten bool) {
	for _, b := range known { // the newest first
		if b.Slot < slot {
			return found, there, false
		}
		found, there = b, true
	}
	return found, there, there && found.Slot != slot
}

func (s *step) draw() {
	r, k := open[program.Roster](s, "roster"), open[program.Case](s, "case")
	t := read[program.Task](s, "task")
	s.is("task", k.Task)
	s.need(k.Status == voting.AwaitingDraw && s.now() < k.DrawBy, "the status, or too late")
	b, there, forgotten := block(s.a.env.SlotHashes, k.SeedSlot)
	s.need(there, "too early")
	if forgotten || s.slot() > k.SeedSlot+512 || r.SeasonSlot >= k.SeedSlot && r.BeforeSlot >= k.SeedSlot {
		k.SeedSlot = s.slot() + uint64(k.Rules.DrawDelaySlots)
		return
	}
	lot := rules.Lot{Program: voting.Key(s.a.prog.ID()), Task: voting.Key(k.Task), Round: k.Round, DrawnSlot: b.Slot, SlotHash: voting.Hash(b.Hash)}
	room, least := k.Panel()
	seats, err := rules.Draw(lot.Seed(), lots(r, k, t), room, least)
	s.need(err == nil, "too few judges")
	if k.AppealSeats > 0 {
		weight := uint64(0)
		for _, seat := range seats {
			weight += seat.Weight
		}
		s.need(rules.Suffices(weight, k.Votes()), "too little weight")
	}
	k.Seats = nil
	if k.AppealSeats == 0 {
		if k.Season = uint8(r.Season); r.SeasonSlot >= k.SeedSlot {
			k.Season--
		}
	}
	k.Committed, k.Revealed, k.SeatedWeight, k.AcceptWeight, k.RejectWeight, k.AbstainWeight = 0, 0, 0, 0, 0, 0
	for _, seat := range seats {
		k.Seats = append(k.Seats, program.Seat{Judge: key(seat.Judge), Weight: seat.Weight, Index: seat.Index})
		k.SeatedWeight += seat.Weight
		r.Entries[seat.Index].Live++
		r.Entries[seat.Index].Locked += exposed(k, k.Seats[len(k.Seats)-1])
	}
	k.DrawnSlot, k.SlotHash, k.Status = b.Slot, voting.Hash(b.Hash), voting.Committing
	k.CommitEnds = s.now() + int64(k.Rules.CommitSeconds)
	k.RevealEnds = k.CommitEnds + int64(k.Rules.RevealSeconds)
}

// exposed is the most that a live seat can lose: so much of its judge's stake is reserved.
func exposed(k *program.Case, seat program.Seat) uint64 {
	amount, err := rules.LawOf(k.Rules).Exposure(0, seat.Weight)
	if err != nil {
		panic(err) // of a weight that a seat can have
	}
	return amount
}

func seatOf(k *program.Case, judge key) int {
	return slices.IndexFunc(k.Seats, func(seat program.Seat) bool { return seat.Judge == judge })
}

func (s *step) commit() {
	i := s.c.ix.(*program.Commit)
	s.ballot(s.at("judge"), i.Round, i.Commitment, i.Sealed)
}

func (s *step) relayCommit() {
	i, r := s.c.ix.(*program.RelayCommit), read[program.Roster](s, "roster")
	read[program.Config](s, "config")
	s.fixed("instructions")
	e := s.entry(r, i.Judge)
	k := read[program.Case](s, "case")
	proof, ok := s.proof()
	want := s.a.domain().RelayRequest(voting.Key(k.Task), i.Round, voting.Key(i.Judge), i.Commitment, i.Sealed)
	s.need(ok && proof.Peer == e.Peer && bytes.Equal(proof.Message, want), "nobody asked")
	seat := seatOf(k, i.Judge)
	s.need(seat >= 0 && int(k.Seats[seat].Index) == r.Find(voting.Key(i.Judge)), "not seated")
	s.ballot(i.Judge, i.Round, i.Commitment, i.Sealed)
}

func (s *step) ballot(judge key, round uint8, commitment voting.Hash, sealed []byte) {
	k := open[program.Case](s, "case")
	n := seatOf(k, judge)
	s.need(n >= 0, "not seated")
	s.need(k.Status == voting.Committing && s.now() < k.CommitEnds && round == k.Round, "the status, the time or the round")
	s.need(k.Seats[n].Flags&(program.SeatCommitted|program.SeatEquivocated) == 0, "committed or equivocated")
	s.need(!commitment.IsZero() && (len(sealed) == 0 || len(sealed) == 93), "what is handed in")
	k.Seats[n].Commitment = commitment
	k.Seats[n].Flags |= program.SeatCommitted
	k.Committed++
	s.complete(k)
}

// complete begins the reveal if no seat is left that could commit.
func (s *step) complete(k *program.Case) {
	could := func(seat program.Seat) bool { return seat.Flags&(program.SeatCommitted|program.SeatEquivocated) == 0 }
	if k.Status == voting.Committing && s.now() < k.CommitEnds && !slices.ContainsFunc(k.Seats, could) {
		k.Status, k.CommitEnds, k.RevealEnds = voting.Revealing, s.now(), s.now()+int64(k.Rules.RevealSeconds)
	}
}

func (s *step) reveal() {
	i, k := s.c.ix.(*program.Reveal), open[program.Case](s, "case")
	n := seatOf(k, i.Judge)
	s.need(k.Status == voting.Revealing || k.Status == voting.Committing && s.now() >= k.CommitEnds, "the status")
	s.need(s.now() < k.RevealEnds && i.Round == k.Round && n >= 0, "the time, the round or the seat")
	seat := &k.Seats[n]
	s.need(seat.Flags == program.SeatCommitted, "not committed, revealed already or equivocated")
	s.need(i.Choice >= voting.Accept && i.Choice <= voting.Abstain, "no such choice")
	s.need(s.a.domain().Commitment(voting.Key(k.Task), i.Round, voting.Key(i.Judge), i.Opening()) == seat.Commitment, "another opening")
	k.Status, seat.Choice = voting.Revealing, i.Choice
	seat.Flags |= program.SeatRevealed
	k.Revealed++
	*tallyOf(k, i.Choice) += seat.Weight
}

func tallyOf(k *program.Case, c voting.Choice) *uint64 {
	return map[voting.Choice]*uint64{voting.Accept: &k.AcceptWeight, voting.Reject: &k.RejectWeight, voting.Abstain: &k.AbstainWeight}[c]
}

// bench has the inputs for the end of a round.
type bench struct {
	r               *program.Roster
	k               *program.Case
	t               *program.Task
	creator, worker *program.Agent
}

func (s *step) bench() bench {
	b := bench{r: open[program.Roster](s, "roster"), k: open[program.Case](s, "case"), t: open[program.Task](s, "task")}
	s.is("task", b.k.Task)
	open[program.Pot](s, "pot")
	s.need(!b.t.IsDispute(), "a dispute")
	b.creator, b.worker = s.agent("creator_agent", b.t.Creator), s.agent("worker_agent", b.t.Worker)
	return b
}

func (s *step) roundEnd(b bench) rules.RoundEnd {
	return rules.RoundEnd{
		Law: rules.LawOf(b.k.Rules), Round: b.k.Round, Seats: b.k.Voting(s.slot(), b.r).Seats, Standings: b.r.Standings(b.k), Terms: b.t.Terms(),
	}
}

func (s *step) settle() {
	b := s.bench()
	view := b.k.Voting(s.slot(), b.r)
	s.need(view.CanSettle(s.now()), "not settleable")
	in := s.roundEnd(b)
	if b.k.AppealSeats > 0 {
		in.Round -= b.k.Rules.MaxRounds
	}
	end, err := rules.Settle(in)
	s.need(err == nil, "no settlement")
	decided := end.Status == voting.Decided
	votes := map[voting.Verdict]uint64{
		voting.ForWorker: b.k.AcceptWeight, voting.ForCreator: b.k.RejectWeight, voting.Undecided: against(b.k),
	}[end.Verdict]
	held := end.Status.Over() && b.k.AppealSeats == 0 && others(b.r, b.t, b.k, votes) > 0
	if held || b.k.AppealSeats > 0 { // the money comes at the end
		ballot := rules.Ballot{Reward: in.Terms.Escrow, Round: in.Round, Seats: in.Seats, Standings: in.Standings}
		if b.k.AppealSeats > 0 {
			ballot.Against = b.k.Given()
		}
		closed, err := in.Law.Close(ballot)
		s.need(err == nil, "no settlement")
		end.Seats, end.Golden, end.Status, end.Verdict = closed.Seats, closed.Golden, closed.Status, closed.Verdict
		decided = end.Status == voting.Decided
	}
	for n := range b.k.Seats {
		s.release(b, &b.k.Seats[n], end.Seats[n], held)
	}
	switch {
	case held:
		s.feed("roster", end.Golden)
		b.k.Status, b.k.Verdict, b.k.AppealBy = voting.Appealable, end.Verdict, s.now()+int64(b.k.Rules.AppealSeconds)
	case b.k.AppealSeats > 0 && end.Status.Over():
		s.feed("roster", end.Golden)
		if !decided {
			end.Verdict = voting.NoVerdict
		}
		s.finished(b, end.Verdict)
	case b.k.AppealSeats > 0:
		s.feed("roster", end.Golden)
		b.k.Status, b.k.Round = voting.AwaitingDraw, b.k.Round+1
		s.await(b.k)
	default:
		s.ended(b, end)
	}
}

// release applies a settlement to a judge. If the money is held, votes for a side wait.
func (s *step) release(b bench, seat *program.Seat, end rules.SeatEnd, held bool) {
	seat.Result = end.Result
	seat.Slashed += end.Slashed
	held = held && sided(seat)
	if held {
		seat.Flags |= program.SeatHeld
	}
	e := entryOf(b.r, seat)
	if e == nil {
		return
	}
	e.Locked -= exposed(b.k, *seat)
	if held {
		e.Locked += later(b.k, *seat)
	} else {
		e.Live--
	}
	s.answers(b.k, e)
	e.Seated++
	if counter, ok := map[voting.Result]*uint32{voting.Majority: &e.Majority, voting.Minority: &e.Minority, voting.Absent: &e.Absent, voting.Abstained: &e.Abstained}[end.Result]; ok {
		*counter++
	}
	s.lose(b.r, e, end.Slashed)
}

// answers keeps the stake of a judge that leaves for evidence about its seat.
func (s *step) answers(k *program.Case, e *program.RosterEntry) {
	if e.State == program.EntryExiting {
		e.ExitAt = max(e.ExitAt, s.now()+int64(k.Rules.EvidenceSeconds))
	}
}

// lose takes lamports from a judge's stake.
func (s *step) lose(r *program.Roster, e *program.RosterEntry, amount uint64) {
	e.Stake -= amount
	r.TotalStake -= amount
}

// entryOf returns the entry of a seat, if it still belongs to its judge.
func entryOf(r *program.Roster, seat *program.Seat) *program.RosterEntry {
	e := &r.Entries[seat.Index]
	if e.State == program.EntryFree || e.Authority != seat.Judge {
		return nil
	}
	return e
}

func (s *step) expireCase() {
	b := s.bench()
	s.need(b.k.Status == voting.AwaitingDraw && s.now() >= b.k.DrawBy, "the status, or too early")
	if b.k.AppealSeats > 0 {
		if len(b.k.Seats) == 0 { // nobody was drawn for the appeal
			switch bond := 28 * b.k.Rules.Fee; b.k.Appellant { // a proctor posted none
			case b.t.Creator:
				b.t.CreatorBond -= bond
				s.pay("creator_agent", b.creator, &bond)
			case b.t.Worker:
				b.t.WorkerBond -= bond
				s.pay("worker_agent", b.worker, &bond)
			}
		}
		s.finished(b, voting.NoVerdict)
		return
	}
	now := *b.k // its tallies without votes that were shown to be of two minds
	now.AcceptWeight, now.RejectWeight = 0, 0
	for n := range now.Seats {
		switch seat := &now.Seats[n]; {
		case !sided(seat):
		case seat.Choice == voting.Accept:
			now.AcceptWeight += seat.Weight
		default:
			now.RejectWeight += seat.Weight
		}
	}
	if len(b.k.Seats) > 0 && others(b.r, b.t, &now, against(&now)) > 0 { // a panel has looked
		b.k.AcceptWeight, b.k.RejectWeight, b.k.SeedSlot = now.AcceptWeight, now.RejectWeight, now.DrawnSlot
		b.k.Round--
		b.k.Status, b.k.Verdict, b.k.AppealBy = voting.Appealable, voting.Undecided, s.now()+int64(b.k.Rules.AppealSeconds)
		return
	}
	end, err := rules.Expire(s.roundEnd(b))
	s.need(err == nil, "no end")
	s.ended(b, end)
}

// ended applies package voting's settlement of the round.
func (s *step) ended(b bench, end rules.Settlement) {
	for n := range end.Seats {
		s.earn(b.r, &b.k.Seats[n], end.Seats[n].Earned)
	}
	b.k.Status, b.k.Verdict, b.k.Round = end.Status, end.Verdict, end.Round
	if !end.Status.Over() {
		s.feed("roster", end.Golden)
		s.await(b.k)
		return
	}
	b.k.SettledAt, b.k.Level = s.now(), 1
	if end.Status == voting.Decided {
		s.count(b, end.Verdict)
	}
	s.payOut(b, end)
}

// payOut pays everybody at the end of a case.
func (s *step) payOut(b bench, end rules.Settlement) {
	pot := open[program.Pot](s, "pot")
	pot.Allowance = min(pot.Allowance+uint64(b.k.GoldenBps), 2_560_000)
	status, resolution := program.Undecided, program.ByUndecided
	if end.Status == voting.Decided {
		status, resolution = program.Complete, program.ByVerdict
	}
	s.end(b.t, status, end.Outcome, resolution)
	if end.Outcome == voting.Paid {
		b.worker.TasksPaid++
	}
	for _, p := range end.Payments {
		if p.To == rules.Pot {
			s.feed("task", p.Amount)
			continue
		}
		role, a := "creator_agent", b.creator
		if p.To == rules.Worker {
			role, a = "worker_agent", b.worker
		}
		amount := p.Amount
		s.pay(role, a, &amount)
	}
	s.move(s.at("task"), s.at("roster"), end.Bond)
	s.feed("roster", end.Golden)
	b.t.Escrow, b.t.CreatorBond, b.t.WorkerBond, b.t.ClaimBond = 0, 0, 0, 0
}

func (s *step) earn(r *program.Roster, seat *program.Seat, amount uint64) {
	if e := entryOf(r, seat); e != nil {
		e.Rewards += amount
		r.TotalRewards += amount
		seat.Earned += amount
	}
}

func (s *step) count(b bench, v voting.Verdict) {
	won, lost := b.creator, b.worker
	if v == voting.ForWorker {
		won, lost = lost, won
	}
	won.CasesWon++
	lost.CasesLost++
}

func (s *step) slashEquivocation() {
	i := s.c.ix.(*program.SlashEquivocation)
	read[program.Config](s, "config")
	s.fixed("instructions")
	r, k := open[program.Roster](s, "roster"), open[program.Case](s, "case")
	open[program.Pot](s, "pot")
	view := k.Voting(s.slot(), r)
	seats, n, round := k.Seats, int(i.Seat), view.SeatsRound()
	first := k.AppealSeats > 0 && n < int(k.Rules.PanelSeats)
	if first {
		seats, round = k.First, k.FirstRound
	} else if k.AppealSeats > 0 {
		n -= int(k.Rules.PanelSeats)
	}
	s.need(n < len(seats), "no such seat")
	seat := &seats[n]
	e := entryOf(r, seat)
	s.need(e != nil, "not on the roster")
	s.need(s.evidence(k, round, seat.Judge, e.Peer), "no evidence")
	level := program.Case{Seats: seats, Rules: k.Rules}
	p, err := rules.SlashEquivocation(k.Status, level.Voting(s.slot(), r).Seats, n, r.Standings(&level)[n])
	s.need(!errors.Is(err, rules.ErrEquivocated), "equivocated already")
	s.need(err == nil, "no penalty")
	e.Equivocated++
	s.lose(r, e, p.Amount)
	seat.Slashed += p.Amount
	running := !first && (k.Status == voting.Revealing || k.Status == voting.Committing)
	waits := sided(seat) && (first && !k.Status.Over() || k.Status == voting.Appealable)
	switch {
	case waits && first && seat.Choice == voting.Accept:
		k.FirstAcceptWeight -= seat.Weight
	case waits && first:
		k.FirstRejectWeight -= seat.Weight
	case waits, running && seat.Flags&program.SeatRevealed != 0:
		*tallyOf(k, seat.Choice) -= seat.Weight
	}
	seat.Flags |= program.SeatEquivocated
	if !running {
		seat.Result = voting.Equivocated
	}
	s.feed("roster", p.Amount)
	if running {
		s.complete(k)
	}
}

// evidence reports whether the proof has two statements of one judge for that round with different
// commitments.
func (s *step) evidence(k *program.Case, round uint8, judge key, peer voting.Key) bool {
	if len(s.c.proof) != 2 {
		return false
	}
	blank := s.a.domain().Statement(voting.Key(k.Task), round, voting.Key(judge), voting.Hash{})
	head := blank[:len(blank)-32]
	for _, p := range s.c.proof {
		if p.Peer != peer || len(p.Message) != len(blank) || !bytes.HasPrefix(p.Message, head) {
			return false
		}
	}
	return !bytes.Equal(s.c.proof[0].Message, s.c.proof[1].Message)
}

func (s *step) closeCase() {
	k := read[program.Case](s, "case")
	s.is("wallet", k.Payer)
	s.need(k.Status.Over() && s.now() >= k.SettledAt+int64(k.Rules.EvidenceSeconds), "the status, or too early")
	if k.AppealRent > 0 && k.Appellant != k.Payer {
		s.is("appellant", k.Appellant)
		s.move(k.Payer, k.Appellant, k.AppealRent) // of what it gets here
	}
	s.close(s.at("case"), k.Payer)
}

func (s *step) publishVerdict() {
	t, k := read[program.Task](s, "task"), read[program.Case](s, "case")
	s.need(k.Task == s.at("task"), "the case of another task")
	at := s.a.at(place{kind: "verdict", a: k.Task})
	s.fixed("system")
	s.vacant("verdict", at)
	s.need(k.Status.Over(), "the status")
	s.make(s.at("payer"), at, program.VerdictAccountSize, &program.VerdictAccount{
		Bump: s.a.bumps[at], IsFinal: 1, Verdict: k.Verdict, Level: k.Level, Round: k.Round, Subject: k.Task, DecidedAt: k.SettledAt,
		AcceptWeight: k.AcceptWeight, RejectWeight: k.RejectWeight, AbstainWeight: k.AbstainWeight, SeatedWeight: k.SeatedWeight,
		Facts: s.a.prog.Facts(t, k), Creator: t.Creator, Worker: t.Worker, ResultHash: t.ResultHash, Reward: t.Reward,
	})
}

// voucher returns the voucher in a payer's message to a payee, if there is one.
func (s *step) voucher(payer, payee key, message []byte) program.Voucher {
	v := program.Voucher{Domain: s.a.domain(), Payer: payer, Payee: payee}
	if len(message) == program.VoucherSize {
		v.Cumulative = binary.LittleEndian.Uint64(message[len(message)-16:])
		v.Expires = int64(binary.LittleEndian.Uint64(message[len(message)-8:]))
	}
	return v
}
