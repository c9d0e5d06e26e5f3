package sequence_test

import (
	"crypto/sha256"

	"ojud/ledger/program"
	"ojud/voting"
	"ojud/voting/rules"
)

func (s *step) openDispute() {
	i, c, law, r := s.c.ix.(*program.OpenDispute), read[program.Config](s, "config"), s.inForce(), read[program.Roster](s, "roster")
	payer, claimant, at, told := s.at("payer"), s.at("claimant"), s.at("task"), s.at("verdict")
	s.fixed("system")
	s.vacant("task", s.a.at(place{kind: "dispute", a: claimant, b: i.Respondent, name: string(i.TermsHash[:])}))
	s.vacant("verdict", s.a.at(place{kind: "verdict", a: at}))
	s.need(i.Respondent != claimant, "with itself")
	s.need(c.Paused == 0, "paused")
	seats := i.Seats
	if seats == 0 {
		seats = law.PanelSeats
	}
	s.need(i.Amount >= law.MinReward, "too little")
	s.need(seats == law.PanelSeats || (seats == 7 || seats == 14) && seats >= law.MinSeats && seats < law.PanelSeats, "bad seats")
	s.need(!i.Respondent.IsZero() && !i.TermsHash.IsZero() && !i.ClaimHash.IsZero(), "nobody or nothing")
	t := &program.Task{
		Bump: s.a.bumps[at], OnUndecided: voting.SplitEscrow, Dispute: program.DisputeUnanswered, Creator: i.Respondent, Worker: claimant, WorkerOperator: payer,
		TaskHash: i.TermsHash, ResultHash: i.ClaimHash, ObjectionHash: sha256.Sum256(program.Unanswered()), CounterHash: sha256.Sum256(program.Unreplied()),
		RewardMin: i.Amount, RewardMax: i.Amount, Reward: i.Amount, CreatedAt: s.now(), TradeBps: law.TradeBps, Rules: law.Number, Seats: seats,
	}
	s.impartial(r, law, t.Parties())
	cover, err := law.Law().Cover(r.Weight)
	s.need(law.CoverBps == 0 || err == nil && i.Amount <= cover, "more than the cover")
	fee, err := law.Law().Fee(i.Amount)
	s.need(err == nil && fee < 1<<56, "the fee is no number")
	t.WorkerBond = fee * uint64(seats)
	s.make(payer, at, program.TaskSize, t)
	s.make(payer, told, program.VerdictAccountSize, &program.VerdictAccount{
		Bump: s.a.bumps[told], Joined: program.DisputeUnanswered, Subject: at, Creator: i.Respondent, Worker: claimant, ResultHash: i.ClaimHash, Reward: i.Amount,
	})
	s.move(payer, at, t.WorkerBond)
	s.step(t, program.Judiciary, s.now()+int64(law.AnswerSeconds))
}

func (s *step) joinDispute() {
	i, t := s.c.ix.(*program.JoinDispute), open[program.Task](s, "task")
	s.need(s.at("respondent") == t.Creator, "not the respondent")
	s.waits(t)
	s.need(t.Dispute == program.DisputeUnanswered, "no dispute, or answered")
	s.inTime(t)
	s.need(!i.AnswerHash.IsZero(), "no hash")
	t.ObjectionHash, t.Dispute = i.AnswerHash, program.DisputeJoined
	s.step(t, program.Judiciary, s.now())
}

func (s *step) settleDispute() {
	b := bench{r: open[program.Roster](s, "roster"), k: open[program.Case](s, "case"), t: open[program.Task](s, "task")}
	s.is("task", b.k.Task)
	open[program.Pot](s, "pot")
	v := open[program.VerdictAccount](s, "verdict")
	s.need(v.Subject == b.k.Task, "the verdict about another")
	s.is("payer", b.t.WorkerOperator)
	in, back := s.roundEnd(b), uint64(0)
	var end rules.Settlement
	var err error
	if b.k.Status == voting.AwaitingDraw {
		s.need(s.now() >= b.k.DrawBy, "too early")
		if len(b.k.Seats) == 0 { // nobody was ever drawn
			in.Terms.WorkerBond, back = 0, b.t.WorkerBond
		}
		end, err = rules.Expire(in)
	} else {
		view := b.k.Voting(s.slot(), b.r)
		s.need(view.CanSettle(s.now()), "not settleable")
		end, err = rules.Settle(in)
	}
	s.need(err == nil, "no settlement")
	if b.k.Status != voting.AwaitingDraw {
		for n := range b.k.Seats {
			s.release(b, &b.k.Seats[n], end.Seats[n], false)
		}
	}
	for n := range end.Seats {
		s.earn(b.r, &b.k.Seats[n], end.Seats[n].Earned)
	}
	b.k.Status, b.k.Verdict, b.k.Round = end.Status, end.Verdict, end.Round
	s.move(s.at("task"), s.at("roster"), end.Bond) // first: the golden pot may get more than all stakes
	s.feed("roster", end.Golden)
	if !end.Status.Over() {
		s.await(b.k)
		return
	}
	b.k.SettledAt, b.k.Level = s.now(), 1
	status, resolution := program.Undecided, program.ByUndecided
	if end.Status == voting.Decided {
		status, resolution = program.Complete, program.ByVerdict
	}
	s.end(b.t, status, end.Outcome, resolution)
	s.need(len(end.Payments) == 0, "a dispute pays nobody")
	s.move(s.at("task"), s.at("payer"), back)
	b.t.WorkerBond = 0
	s.wrote(v, b)
}

// wrote makes the verdict of a dispute final.
func (s *step) wrote(v *program.VerdictAccount, b bench) {
	k := b.k
	v.IsFinal, v.Verdict, v.Level, v.Round, v.Joined, v.DecidedAt = 1, k.Verdict, k.Level, k.Round, b.t.Dispute, k.SettledAt
	v.AcceptWeight, v.RejectWeight, v.AbstainWeight, v.SeatedWeight = k.AcceptWeight, k.RejectWeight, k.AbstainWeight, k.SeatedWeight
	v.Facts = s.a.prog.Facts(b.t, k)
}
