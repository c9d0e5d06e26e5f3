package sequence_test

import (
	"ojud/ledger/program"
	"ojud/voting"
	"ojud/voting/rules"
)

// bonds returns the bonds of an objection and of a counter-objection in a task.
func (s *step) bonds(c *program.Rules, t *program.Task) (creator, worker uint64) {
	creator, worker, err := t.Law(c.Params).Bonds(t.Reward, t.Seats)
	s.need(err == nil, "the bonds are no numbers")
	return creator, worker
}

func (s *step) createTask() {
	i, c := s.c.ix.(*program.CreateTask), read[program.Config](s, "config")
	a := open[program.Agent](s, "agent")
	creator, at := s.at("authority"), s.at("task")
	s.fixed("system")
	s.need(a.Authority == creator, "not the agent")
	s.vacant("task", s.a.at(place{kind: "task", a: creator, n: a.TasksCreated}))
	s.need(c.Paused == 0, "paused")
	r := s.inForce()
	first := i.Auction == voting.Auction(0)
	s.need(r.MinReward <= i.RewardMin && i.RewardMin <= i.RewardMax && (!first || i.RewardMin == i.RewardMax), "bad reward")
	s.need(first && i.AuctionSeconds == 0 || !first && i.AuctionSeconds >= 1 && i.AuctionSeconds <= 2_592_000, "bad auction")
	s.need(i.WorkSeconds >= r.MinWorkSeconds && i.WorkSeconds <= 31_536_000 && (i.ClaimBy == 0 || i.ClaimBy > s.now()), "bad time")
	s.need(i.Auction <= 1 && i.OnUndecided >= 1 && i.OnUndecided <= 3 && !i.TaskHash.IsZero() && !i.Seal.IsZero(), "bad terms")
	seats := i.Seats
	if seats == 0 {
		seats = r.PanelSeats
	}
	known := seats == r.PanelSeats || (seats == 7 || seats == 14) && seats >= r.MinSeats && seats < r.PanelSeats
	s.need(known && (i.FeeMin == 0 || i.RewardMin/i.FeeMin >= uint64(seats)+voting.MaxSeats), "bad seats or fee")
	cover, err := r.Law().Cover(read[program.Roster](s, "roster").Weight)
	s.need(r.CoverBps == 0 || err == nil && i.RewardMax <= cover, "more than the cover")
	s.engineTerms(i, r)
	s.debit(a, i.RewardMax)
	s.make(creator, at, program.TaskSize, &program.Task{
		Bump: s.a.bumps[at], Status: program.Created, Auction: i.Auction, OnUndecided: i.OnUndecided, ID: a.TasksCreated, Creator: creator,
		CreatorOperator: a.Operator, TaskHash: i.TaskHash, RewardMin: i.RewardMin, RewardMax: i.RewardMax, Escrow: i.RewardMax,
		CreatedAt: s.now(), ClaimBy: i.ClaimBy, AuctionSeconds: i.AuctionSeconds, WorkSeconds: i.WorkSeconds, TradeBps: r.TradeBps, ClaimBps: r.ClaimBps, AuctionFrom: s.market(c), Rules: r.Number, Seal: i.Seal,
		Engine: i.Engine, EngineGroup: i.EngineGroup, EngineAgent: i.EngineAgent, EngineFee: i.EngineFee, EngineSeconds: i.EngineSeconds, OnSilence: i.OnSilence, Seats: seats, FeeMin: i.FeeMin,
	})
	a.TasksCreated++
	s.move(s.at("agent"), at, i.RewardMax)
}

// by opens the task, which must be in that status, for its creator or worker.
func (s *step) by(role string, status program.TaskStatus) *program.Task {
	t := open[program.Task](s, "task")
	party := t.Creator
	if role == "worker" {
		party = t.Worker
	}
	s.need(s.at(role) == party, refusal("not the "+role))
	s.need(t.Status == status, "the status")
	return t
}

func (s *step) inTime(t *program.Task) { s.need(s.now() < t.Deadline, "too late") }

// step moves the task to its next status.
func (s *step) step(t *program.Task, to program.TaskStatus, deadline int64) {
	t.Status, t.Deadline = to, deadline
	if to.Over() {
		t.FinishedAt = s.now()
	}
}

// pay moves an amount that the task counted into the vault of a party.
func (s *step) pay(role string, a *program.Agent, amount *uint64) {
	a.Vault += *amount
	s.move(s.at("task"), s.at(role), *amount)
	*amount = 0
}

func (s *step) end(t *program.Task, to program.TaskStatus, outcome voting.Outcome, resolution program.Resolution) {
	t.Outcome, t.Resolution = outcome, resolution
	s.step(t, to, 0)
}

func (s *step) cancelTask() {
	t := open[program.Task](s, "task")
	s.need(t.Creator == s.at("authority") && t.Status == program.Created, "not the creator, or claimed")
	a := s.agent("agent", t.Creator)
	s.end(t, program.Cancelled, voting.Refunded, program.ByCancellation)
	s.pay("agent", a, &t.Escrow)
}

func (s *step) claimTask() {
	i, t := s.c.ix.(*program.ClaimTask), open[program.Task](s, "task")
	c, r := s.rules(t), read[program.Roster](s, "roster")
	config := read[program.Config](s, "config")
	s.need(config.Paused == 0, "paused")
	worker := s.at("worker")
	a := s.agent("worker_agent", worker)
	s.need(t.Creator != worker && t.LastWorker != worker && t.EngineAgent != worker, "barred")
	s.need(t.Status == program.Created, "the status")
	s.need(t.ClaimBy == 0 || s.now() < t.ClaimBy, "too late")
	price, err := t.Offer().Price(s.market(config))
	s.need(err == nil && price >= i.MinReward, "the price")
	parties := t.Parties()
	parties.Worker, parties.WorkerOperator = voting.Key(worker), voting.Key(a.Operator)
	s.impartial(r, c, parties)
	bond, err := rules.Law{ClaimBps: t.ClaimBps}.Claim(t.RewardMax)
	s.need(err == nil, "the bond is no number")
	t.ClaimBond = s.bond("worker_agent", a, bond)
	t.AuctionRun = uint32(min(int64(t.AuctionSeconds), max(0, s.market(config)-t.AuctionFrom)))
	t.Reward, t.ClaimedAt, t.Worker, t.WorkerOperator = price, s.now(), worker, a.Operator
	t.Claims = uint8(min(255, int(t.Claims)+1))
	a.TasksClaimed++
	s.step(t, program.Claimed, s.now()+int64(t.WorkSeconds))
}

// impartial demands that judges enough are left for a case of these parties.
func (s *step) impartial(r *program.Roster, c *program.Rules, parties voting.Parties) {
	left := 0
	for _, e := range r.Entries {
		sits := e.State == program.EntryActive && e.Weight > 0 && e.Owned%2 == 1 && e.Stake > 0 && e.Stake >= c.MinStake/2
		if sits && !parties.Conflicts(voting.Key(e.Authority)) && !parties.Conflicts(voting.Key(e.Operator)) {
			left++
		}
	}
	s.need(left >= int(c.MinSeats), "too few judges for these two")
}

// releaseTask gives a claim back for nothing, in the tenth of the time that all claims of the task
// have together.
func (s *step) releaseTask() {
	t := open[program.Task](s, "task")
	read[program.Config](s, "config")
	s.need(s.at("worker") == t.Worker, "not the worker")
	a := s.agent("worker_agent", t.Worker)
	s.need((t.Status == program.Claimed || t.Status == program.InProgress) && t.SubmittedAt == 0, "the status")
	held := max(0, s.now()-t.ClaimedAt)
	s.need(int64(t.ReleasedSeconds)+held < int64(t.WorkSeconds/10), "too late")
	t.ReleasedSeconds += uint32(max(1, held))
	s.reopen(t)
	s.pay("worker_agent", a, &t.ClaimBond)
}

// market is the chain's time without the time of all pauses.
func (s *step) market(c *program.Config) int64 {
	if c.Paused == 1 {
		return c.PausedAt - int64(c.PausedSeconds)
	}
	return s.now() - int64(c.PausedSeconds)
}

// reopen returns a task to the market. Its auction has not run since the claim.
func (s *step) reopen(t *program.Task) {
	t.AuctionFrom = s.market(read[program.Config](s, "config")) - int64(t.AuctionRun)
	t.Reward, t.SubmittedAt = 0, 0
	t.LastWorker, t.Worker, t.WorkerOperator = t.Worker, key{}, key{}
	t.ResultHash, t.ObjectionHash = voting.Hash{}, voting.Hash{}
	s.step(t, program.Created, 0)
}

func (s *step) startTask() {
	t := s.by("worker", program.Claimed)
	s.inTime(t)
	s.step(t, program.InProgress, t.Deadline)
}

func (s *step) submitResult() {
	i, t := s.c.ix.(*program.SubmitResult), s.by("worker", program.InProgress)
	c := s.rules(t)
	s.inTime(t)
	s.need(!i.ResultHash.IsZero(), "no hash")
	creator, excess := s.agent("creator_agent", t.Creator), t.Escrow-t.Reward
	t.ResultHash, t.SubmittedAt, t.Escrow = i.ResultHash, s.now(), t.Reward
	s.step(t, program.Verification, s.now()+int64(c.VerifySeconds))
	s.pay("creator_agent", creator, &excess)
}

// reward pays the worker the escrow, and the Pot its share.
func (s *step) reward(t *program.Task, a *program.Agent) {
	a.TasksPaid++
	trade, err := rules.Trade(t.Escrow, t.TradeBps)
	s.need(err == nil, "the share is no number")
	t.Escrow -= trade
	s.feed("task", trade)
	s.pay("worker_agent", a, &t.Escrow)
	s.pay("worker_agent", a, &t.ClaimBond)
}

// feed moves an amount that an account counted into the Pot.
func (s *step) feed(from string, amount uint64) {
	open[program.Pot](s, "pot").Golden += amount
	s.move(s.at(from), s.at("pot"), amount)
}

func (s *step) accept() {
	t := s.by("creator", program.Verification)
	s.agent("creator_agent", t.Creator)
	a := s.agent("worker_agent", t.Worker)
	open[program.Pot](s, "pot")
	s.end(t, program.Complete, voting.Paid, program.ByAcceptance)
	s.reward(t, a)
}

// bond moves a bond from a vault to the task.
func (s *step) bond(role string, a *program.Agent, amount uint64) uint64 {
	s.debit(a, amount)
	s.move(s.at(role), s.at("task"), amount)
	return amount
}

func (s *step) object() {
	i, t := s.c.ix.(*program.Object), s.by("creator", program.Verification)
	c := s.rules(t)
	a := s.agent("creator_agent", t.Creator)
	s.inTime(t)
	s.need(!i.ObjectionHash.IsZero(), "no hash")
	amount, _ := s.bonds(c, t)
	t.CreatorBond = s.bond("creator_agent", a, amount)
	t.ObjectionHash = i.ObjectionHash
	s.step(t, program.Disputed, s.now()+int64(c.AnswerSeconds))
}

func (s *step) rework() {
	t := s.by("worker", program.Disputed)
	c := s.rules(t)
	a := s.agent("creator_agent", t.Creator)
	s.inTime(t)
	s.need(t.Reworks < c.MaxReworks, "often enough")
	t.Reworks++
	s.step(t, program.InProgress, s.now()+int64(t.WorkSeconds))
	s.pay("creator_agent", a, &t.CreatorBond)
}

func (s *step) counterObject() {
	i, t := s.c.ix.(*program.CounterObject), s.by("worker", program.Disputed)
	c := s.rules(t)
	a := s.agent("worker_agent", t.Worker)
	s.fixed("system")
	s.vacant("case", s.a.at(place{kind: "case", a: s.at("task")}))
	s.inTime(t)
	s.need(!i.CounterHash.IsZero(), "no hash")
	_, amount := s.bonds(c, t)
	s.debit(a, amount)
	s.move(s.at("worker_agent"), s.at("task"), amount)
	t.WorkerBond, t.CounterHash = amount, i.CounterHash
	if !t.Engine.IsZero() {
		s.step(t, program.Judiciary, s.now()+int64(t.EngineSeconds))
		return
	}
	s.step(t, program.Judiciary, 0)
	s.newCase(t, c, "worker")
}

// newCase opens the case of a task. The account in that place pays the rent.
func (s *step) newCase(t *program.Task, c *program.Rules, payer string) {
	at := s.at("case")
	fee, err := t.Law(c.Params).Fee(t.Reward)
	s.need(err == nil, "the fee is no number")
	k := &program.Case{Bump: s.a.bumps[at], Status: voting.AwaitingDraw, Round: 1, Task: s.at("task"), Payer: s.at(payer), OpenedAt: s.now(), Seats: []program.Seat{}}
	k.Rules = voting.Rules{
		MaxRounds: c.MaxRounds, PanelSeats: t.Seats, MinSeats: c.MinSeats, DrawDelaySlots: c.DrawDelaySlots,
		CommitSeconds: c.CommitSeconds, RevealSeconds: c.RevealSeconds, EvidenceSeconds: c.EvidenceSeconds, DrawSeconds: c.DrawSeconds,
		Preset: c.Preset, Fee: fee, RiskBps: c.RiskBps, GoldenGain: c.GoldenGain, GoldenLoss: c.GoldenLoss, Absence: c.Absence, Minority: c.Minority, Reversal: c.Reversal, AppealSeconds: c.AppealSeconds,
	}
	if t.IsDispute() {
		k.Rules.AppealSeconds = 0
	}
	k.MinStake, k.MaxSeatWeight, k.GoldenBps = c.MinStake, c.MaxSeatWeight, c.GoldenBps
	s.await(k)
	s.make(s.at(payer), at, program.CaseSize(int(t.Seats)), k)
}

// await makes a round wait for its block.
func (s *step) await(k *program.Case) {
	k.SeedSlot, k.DrawBy = s.slot()+uint64(k.Rules.DrawDelaySlots), s.now()+int64(k.Rules.DrawSeconds)
}

func (s *step) expire() {
	t := open[program.Task](s, "task")
	read[program.Config](s, "config")
	creator := s.agent("creator_agent", t.Creator)
	open[program.Pot](s, "pot")
	var worker *program.Agent
	if !t.Worker.IsZero() {
		worker = s.agent("worker_agent", t.Worker)
	}
	switch t.Status {
	case program.Created:
		s.need(t.ClaimBy != 0 && s.now() >= t.ClaimBy, "too early")
		s.end(t, program.Expired, voting.Refunded, program.ByExpiry)
		s.pay("creator_agent", creator, &t.Escrow)
	case program.Claimed, program.InProgress:
		s.need(s.now() >= t.Deadline, "too early")
		worker.TasksMissed++
		s.reopen(t)
		if t.ReleasedSeconds > 0 { // others used the time to give it back
			s.feed("task", t.ClaimBond)
			t.ClaimBond = 0
		}
		s.pay("creator_agent", creator, &t.ClaimBond)
	case program.Verification:
		s.need(s.now() >= t.Deadline, "too early")
		s.end(t, program.Complete, voting.Paid, program.ByCreatorSilence)
		s.reward(t, worker)
	case program.Disputed:
		s.need(s.now() >= t.Deadline, "too early")
		s.end(t, program.Complete, voting.Refunded, program.ByWorkerSilence)
		s.pay("creator_agent", creator, &t.Escrow)
		s.pay("creator_agent", creator, &t.CreatorBond)
		s.pay("worker_agent", worker, &t.ClaimBond)
	case program.Judiciary:
		s.waits(t)
		s.need(t.OnSilence == program.EndByTerm, "its terms")
		s.need(s.now() >= t.Deadline, "too early")
		outcome := byTerm(t)
		s.end(t, program.Undecided, outcome, program.ByEngineSilence)
		lost := map[voting.Outcome][2]uint64{
			voting.Refunded: {t.CreatorBond, 0}, voting.Paid: {0, t.WorkerBond}, voting.Split: {t.CreatorBond / 2, t.WorkerBond / 2},
		}[outcome]
		t.CreatorBond, t.WorkerBond = t.CreatorBond-lost[0], t.WorkerBond-lost[1]
		s.feed("task", lost[0]+lost[1])
		s.divide(t, creator, worker, outcome)
	default:
		s.need(false, "the status")
	}
}

func (s *step) closeTask() {
	t := read[program.Task](s, "task")
	c := s.rules(t)
	s.vacant("pledge", s.a.at(place{kind: "pledge", a: s.at("task")}))
	s.is("wallet", t.Funder())
	s.need(t.Status.Over(), "the status")
	judged := t.Resolution == program.ByVerdict || t.Resolution == program.ByUndecided
	s.need(!judged || s.now() >= t.FinishedAt+int64(c.EvidenceSeconds), "too early")
	s.close(s.at("task"), t.Funder())
}
