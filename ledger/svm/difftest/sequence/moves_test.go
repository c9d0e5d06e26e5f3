package sequence_test

import (
	"slices"

	"ojud/golden"
	"ojud/ledger/program"
	"ojud/voting"
)

// pick returns one of a list.
func pick[T any](a *arena, list ...T) T { return list[a.r.IntN(len(list))] }

func (a *arena) somebody() key { return a.person(pick(a, a.court.people()...)) }
func (a *arena) someAgent() key {
	return a.person(pick(a, append([]string{"both"}, a.court.agents...)...))
}

// hash returns a hash that is never zero.
func (a *arena) hash() voting.Hash { return voting.Hash{1, byte(a.r.Uint32())} }

// tasks returns the existing tasks in a deterministic order, by address.
func (a *arena) tasks() []key {
	var all []key
	for _, name := range append([]string{"both"}, a.court.agents...) {
		creator := a.person(name)
		if agent := a.agentOf(creator); agent != nil {
			for n := agent.TasksCreated; n > 0 && n+6 > agent.TasksCreated; n-- {
				at := a.at(place{kind: "task", a: creator, n: n - 1})
				if get[program.Task](a, at) != nil || a.caseOf(at) != nil {
					all = append(all, at)
				}
			}
		}
	}
	for _, at := range sortedKeys[program.Task](a) {
		if get[program.Task](a, at).IsDispute() {
			all = append(all, at)
		}
	}
	return all
}

// lawful returns a call that advances some task, case or account, or moves the time to its next
// step.
func (a *arena) lawful() *call {
	tasks := a.tasks()
	live := slices.DeleteFunc(slices.Clone(tasks), func(k key) bool {
		t := get[program.Task](a, k)
		return t == nil || t.Status.Over()
	})
	if len(a.batches()) > 0 && a.r.IntN(5) == 0 {
		return a.golden()
	}
	switch n := a.r.IntN(20); {
	case n < 10 && a.config().Paused == 1:
		return a.reconfigure(a.config())
	case n < 4 && a.keys[a.config().PendingAuthority] != nil:
		return a.call(&program.AcceptAuthority{}, who{actor: a.config().PendingAuthority})
	case len(live) == 0 || len(live) < 3 && n == 0:
		if a.r.IntN(5) == 0 {
			return a.dispute()
		}
		return a.create(a.someAgent())
	case n <= 2:
		return a.besides()
	case n < 5 && len(tasks) > 0:
		return a.aftermath(pick(a, tasks...))
	default:
		return a.forward(live[a.r.IntN(len(live))])
	}
}

// create offers a task if its creator can pay for it.
func (a *arena) create(creator key) *call {
	agent, c, law := a.agentOf(creator), a.config(), a.law()
	if agent == nil {
		return a.call(&program.RegisterAgent{Page: uint32(c.AgentCount / program.PageEntries)}, who{actor: creator})
	}
	at := a.at(place{kind: "task", a: creator, n: agent.TasksCreated})
	i := &program.CreateTask{TaskHash: a.hash(), Seal: a.hash(), WorkSeconds: law.MinWorkSeconds + a.r.Uint32N(4_000), OnUndecided: voting.OnUndecided(1 + a.r.IntN(3))}
	i.RewardMax = min(agent.Vault, law.MinReward+a.r.Uint64N(2*sol))
	i.RewardMin = i.RewardMax
	if a.r.IntN(3) == 0 {
		i.Auction, i.AuctionSeconds = 1, 1+a.r.Uint32N(600)
		i.RewardMin = min(i.RewardMax, law.MinReward+a.r.Uint64N(i.RewardMax+1))
	}
	if a.r.IntN(3) == 0 {
		i.Seats = pick[uint8](a, 0, 3, 6, 7, 8, 14, law.PanelSeats)
		i.FeeMin = a.r.Uint64N(i.RewardMin/30 + 1)
	}
	if a.r.IntN(3) == 0 {
		i.ClaimBy = a.now() + 1 + a.r.Int64N(1_000)
	}
	w := who{actor: creator, task: at}
	l, planned := a.planned(at)
	if planned && a.r.IntN(20) != 0 {
		i.TaskHash, i.Seal = l.Task, l.Hash()
	} else if asked, there := a.asking(); there && a.r.IntN(2) == 0 {
		i.TaskHash, planned = asked, true
	}
	// Few golden cases have another engine: it makes their leaf void.
	if a.r.IntN(5) == 0 && (!planned || a.r.IntN(10) == 0) {
		i.Engine, i.EngineSeconds, i.OnSilence = engine, law.CommitSeconds+law.RevealSeconds+a.r.Uint32N(4_000), program.OnSilence(a.r.IntN(2))
		i.EngineGroup = pick(a, key{}, key{7})
		if a.r.IntN(2) == 0 {
			w.payee = a.someAgent()
			i.EngineAgent, i.EngineFee = w.payee, 1+a.r.Uint64N(i.RewardMin/9+1)
		}
	}
	return a.call(i, w)
}

// dispute brings a dispute of others, sometimes one that was there before.
func (a *arena) dispute() *call {
	claimant, terms := a.somebody(), voting.Hash{byte(1 + a.r.IntN(40))}
	i := &program.OpenDispute{Respondent: a.somebody(), TermsHash: terms, ClaimHash: a.hash(), Amount: a.law().MinReward + a.r.Uint64N(sol)}
	for range 8 {
		if i.Respondent != claimant {
			break
		}
		i.Respondent = a.somebody()
	}
	i.Seats = pick[uint8](a, 0, 0, 7, 14, 28)
	at := a.at(place{kind: "dispute", a: claimant, b: i.Respondent, name: string(terms[:])})
	return a.call(i, who{actor: pick(a, claimant, a.somebody()), claimant: claimant, task: at})
}

// ending settles a round, or ends a case that was not drawn.
func (a *arena) ending(at key, expire bool) *call {
	t := get[program.Task](a, at)
	switch {
	case t != nil && t.IsDispute():
		return a.call(&program.SettleDispute{}, who{actor: t.Funder(), task: at})
	case expire:
		return a.call(&program.ExpireCase{}, who{task: at})
	}
	return a.call(&program.Settle{}, who{task: at})
}

// waiting returns the next step of a task that another program may decide, or of a dispute that its
// respondent may answer.
func (a *arena) waiting(at key, t *program.Task) *call {
	if t.IsDispute() {
		if t.Dispute == program.DisputeUnanswered && a.r.IntN(3) == 0 {
			return a.call(&program.JoinDispute{AnswerHash: a.hash()}, who{actor: t.Creator, task: at})
		}
		a.until(t.Deadline)
		return a.call(&program.OpenCase{}, who{actor: a.somebody(), task: at})
	}
	if a.r.IntN(3) == 0 {
		a.until(t.Deadline)
	}
	if a.now() < t.Deadline {
		a.decides(at, t.EngineGroup)
		return a.call(&program.SettleByEngine{}, who{task: at, foreign: true})
	}
	if t.OnSilence == program.EndByTerm {
		return a.call(&program.Expire{}, who{task: at})
	}
	return a.call(&program.OpenCase{}, who{actor: a.somebody(), task: at})
}

// until moves the time to at, or a little before, or past it.
func (a *arena) until(at int64) {
	if d := at - a.now() + int64(pick(a, 0, 0, 0, -1, 1, 60)); d > 0 {
		a.pass(d, uint64(d)*5/2)
	}
}

// forward returns the next step of a task.
func (a *arena) forward(at key) *call {
	t := get[program.Task](a, at)
	w := who{actor: t.Worker, task: at}
	late := a.now() >= t.Deadline && a.r.IntN(4) != 0
	if t.Deadline != 0 && t.Status != program.Judiciary && (late || a.r.IntN(14) == 0) {
		a.until(t.Deadline)
		return a.call(&program.Expire{}, who{task: at})
	}
	if t.Status < program.Verification && t.Status > program.Created && a.r.IntN(12) == 0 {
		return a.call(&program.ReleaseTask{}, w)
	}
	switch t.Status {
	case program.Created:
		return a.market(at, t)
	case program.Claimed:
		return a.call(&program.StartTask{}, w)
	case program.InProgress:
		return a.call(&program.SubmitResult{ResultHash: a.resultOf(at, t)}, w)
	case program.Verification:
		w.actor = t.Creator
		if a.r.IntN(5) == 0 {
			return a.call(&program.Accept{}, w)
		}
		return a.call(&program.Object{ObjectionHash: a.document(at, func(l golden.Leaf) voting.Hash { return l.Objection })}, w)
	case program.Disputed:
		if a.r.IntN(5) == 0 {
			return a.call(&program.Rework{}, w)
		}
		return a.call(&program.CounterObject{CounterHash: a.document(at, func(l golden.Leaf) voting.Hash { return l.Counter })}, w)
	}
	if t.Deadline != 0 {
		return a.waiting(at, t)
	}
	return a.round(at, a.caseOf(at))
}

func (a *arena) market(at key, t *program.Task) *call {
	switch n := a.r.IntN(10); {
	case n == 0:
		return a.call(&program.CancelTask{}, who{actor: t.Creator, task: at})
	case n == 1 && t.ClaimBy != 0 && t.ClaimBy < a.now()+never:
		a.until(t.ClaimBy)
		return a.call(&program.Expire{}, who{task: at})
	case n < 4 && get[program.Pledge](a, a.at(place{kind: "pledge", a: at})) == nil:
		return a.pledge(at, t)
	}
	worker := a.someAgent()
	for range 8 {
		if worker != t.Creator && worker != t.LastWorker {
			break
		}
		worker = a.someAgent()
	}
	return a.call(&program.ClaimTask{}, who{actor: worker, task: at})
}

// round returns the next step of a case.
func (a *arena) round(at key, k *program.Case) *call {
	switch k.Status {
	case voting.AwaitingDraw:
		return a.awaiting(at, k)
	case voting.Committing:
		return a.committing(at, k)
	case voting.Revealing:
		return a.revealing(at, k)
	}
	if k.Status == voting.Appealable {
		return a.appealable(at, k)
	}
	return a.aftermath(at)
}

// appealable returns the next step of a case whose loser may appeal.
func (a *arena) appealable(at key, k *program.Case) *call {
	t := get[program.Task](a, at)
	lost := loser(k, t, pick(a, t.Creator, t.Worker))
	if c := a.contested(at, k, t); c != nil && a.r.IntN(3) != 0 {
		return c
	}
	switch a.r.IntN(8) {
	case 0:
		return a.equivocate(at, k)
	case 1:
		return a.call(&program.FinishCase{}, who{task: at, loser: lost})
	case 2:
		a.until(k.AppealBy)
		return a.call(&program.FinishCase{}, who{task: at})
	}
	return a.call(&program.Appeal{}, who{actor: lost, task: at})
}

func (a *arena) awaiting(at key, k *program.Case) *call {
	if r := a.roster(); r.Active < uint32(k.Rules.MinSeats) && a.r.IntN(3) != 0 {
		name := pick(a, a.court.people()...)
		return a.join(name, name, a.law().MinStake+a.r.Uint64N(sol), key{})
	}
	if a.r.IntN(16) == 0 || a.now() >= k.DrawBy {
		a.until(k.DrawBy)
		return a.ending(at, true)
	}
	if a.slot() <= k.SeedSlot+3 {
		a.pass(1, k.SeedSlot+3-min(a.slot(), k.SeedSlot)+uint64(a.r.IntN(3)))
	}
	return a.call(&program.Draw{}, who{task: at})
}

func (a *arena) committing(at key, k *program.Case) *call {
	if a.r.IntN(20) == 0 {
		return a.equivocate(at, k)
	}
	var left []int
	for n, seat := range k.Seats {
		if seat.Flags == 0 {
			left = append(left, n)
		}
	}
	// In a large panel most seats are skipped, so that a sequence reaches the end of the round.
	if len(left) > 0 && a.now() < k.CommitEnds && a.r.IntN(4+2*len(left)) >= 3*min(1, len(k.Seats)/12)+1 {
		judge := k.Seats[pick(a, left...)].Judge
		return a.commit(at, k.Round, judge, a.r.IntN(5) == 0)
	}
	a.until(k.CommitEnds)
	if a.now() >= k.CommitEnds {
		return a.revealing(at, k)
	}
	return a.ending(at, false)
}

func (a *arena) revealing(at key, k *program.Case) *call {
	var left []int
	for n, seat := range k.Seats {
		if seat.Flags == program.SeatCommitted {
			left = append(left, n)
		}
	}
	switch {
	case a.r.IntN(25) == 0:
		return a.equivocate(at, k)
	case len(left) > 0 && a.now() < k.RevealEnds && a.r.IntN(10) != 0:
		judge := k.Seats[pick(a, left...)].Judge
		return a.reveal(at, k.Round, judge)
	case len(left) > 0:
		a.until(k.RevealEnds)
	}
	return a.ending(at, false)
}

// commit makes up an opening and commits to it, either itself or through a relay.
func (a *arena) commit(at key, round uint8, judge key, relay bool) *call {
	o := voting.Opening{Choice: voting.Choice(pick(a, 1, 1, 1, 2, 2, 3)), Opinion: a.hash(), Receipts: a.hash(), Salt: a.hash()}
	seed := at[0]
	if k := a.caseOf(at); k != nil && k.AppealSeats > 0 { // those of an appeal often do not agree with the first
		seed += at[1] % 2
	}
	if a.r.IntN(3) != 0 { // judges of a level mostly agree
		o.Choice = voting.Choice(1 + seed%2)
	}
	a.said[ballot{at, judge, round}] = o
	commitment := a.domain().Commitment(voting.Key(at), round, voting.Key(judge), o)
	sealed := pick(a, nil, make([]byte, 93))
	if !relay {
		return a.call(&program.Commit{Round: round, Commitment: commitment, Sealed: sealed}, who{actor: judge, task: at})
	}
	c := a.call(&program.RelayCommit{Round: round, Judge: judge, Commitment: commitment, Sealed: sealed}, who{task: at})
	c.proof = []program.SelfContained{a.says(a.node(judge), a.domain().RelayRequest(voting.Key(at), round, voting.Key(judge), commitment, sealed))}
	return c
}

func (a *arena) reveal(at key, round uint8, judge key) *call {
	o := a.said[ballot{at, judge, round}]
	return a.call(&program.Reveal{
		Round: round, Judge: judge, Choice: o.Choice, OpinionHash: o.Opinion, ReceiptsRoot: o.Receipts, Salt: o.Salt,
	}, who{task: at})
}

// node returns the name of the key of a judge's node.
func (a *arena) node(judge key) string { return "node of " + a.names[judge] }

// equivocate proves that the judge of some seat signed two statements.
func (a *arena) equivocate(at key, k *program.Case) *call {
	if len(k.Seats) == 0 {
		return a.call(&program.SlashEquivocation{}, who{task: at})
	}
	n := a.r.IntN(len(k.Seats))
	view := k.Voting(a.slot(), nil)
	number, seat, round := n, k.Seats[n], view.SeatsRound()
	switch {
	case k.AppealSeats > 0 && a.r.IntN(2) == 0:
		number = a.r.IntN(len(k.First))
		seat, round = k.First[number], k.FirstRound
	case k.AppealSeats > 0:
		number += int(k.Rules.PanelSeats)
	}
	c := a.call(&program.SlashEquivocation{Seat: uint8(number)}, who{task: at})
	for commitment := range byte(2) {
		message := a.domain().Statement(voting.Key(at), round, voting.Key(seat.Judge), voting.Hash{1, commitment})
		c.proof = append(c.proof, a.says(a.node(seat.Judge), message))
	}
	return c
}

// aftermath returns a remaining call for a task that may be over.
func (a *arena) aftermath(at key) *call {
	t, k := get[program.Task](a, at), a.caseOf(at)
	switch n := a.r.IntN(8); {
	case k != nil && n < 2 && len(k.Seats) > 0:
		return a.equivocate(at, k)
	case k != nil && t != nil && n < 4:
		return a.call(&program.PublishVerdict{}, who{actor: a.somebody(), task: at})
	case k != nil && k.Status.Over() && n < 6:
		a.until(k.SettledAt + int64(k.Rules.EvidenceSeconds))
		return a.call(&program.CloseCase{}, who{task: at, wallet: k.Payer})
	case t != nil && t.Status.Over():
		if k != nil {
			a.until(t.FinishedAt + int64(a.version(t.Rules).EvidenceSeconds))
		}
		if c := a.paying(at, t); c != nil && a.r.IntN(5) != 0 {
			return c
		}
		return a.call(&program.CloseTask{}, who{task: at, wallet: t.Funder()})
	}
	return a.besides()
}

// join returns the proof and the joining of a judge.
func (a *arena) join(name, node string, stake uint64, operator key) *call {
	at := a.person(name)
	proof := a.says("node of "+node, a.domain().JoinProof(voting.Key(at)))
	i := &program.JoinRoster{Peer: proof.Peer, Operator: operator, Withdraw: pick(a, at, at, a.somebody()), Stake: stake}
	c := a.call(i, who{actor: at, operator: operator})
	c.proof = []program.SelfContained{proof}
	return c
}

// admit admits a judge, or revokes its admission if it is admitted already.
func (a *arena) admit(judge key) *call {
	w := who{actor: a.config().Authority, judge: judge}
	if w.actor.IsZero() {
		w.actor = a.somebody()
	}
	if v := get[program.Admission](a, a.at(place{kind: "admission", a: judge})); v != nil {
		w.wallet = v.Payer
		return a.call(&program.RevokeAdmission{}, w)
	}
	return a.call(&program.AdmitJudge{Judge: judge}, w)
}

// withdraws returns the withdraw key of a judge, or the judge itself if it is not on the Roster.
func (a *arena) withdraws(judge key) key {
	r := a.roster()
	if n := r.Find(voting.Key(judge)); n >= 0 {
		return r.Entries[n].Withdraw
	}
	return judge
}

// pull returns a voucher and the pull of its amount.
func (a *arena) pull(signer, payer, payee key, cumulative uint64, expires int64) *call {
	v := program.Voucher{Domain: a.domain(), Payer: payer, Payee: payee, Cumulative: cumulative, Expires: expires}
	c := a.call(&program.PullPayment{}, who{actor: signer, payer: payer, payee: payee})
	c.proof = []program.SelfContained{a.says(a.names[payer], v.Statement())}
	return c
}

// besides returns a call that does not belong to a task.
func (a *arena) besides() *call {
	r, c := a.roster(), a.law()
	name := pick(a, a.court.people()...)
	at := a.person(name)
	agent := a.someAgent()
	switch a.r.IntN(25) {
	case 18, 19, 20, 21:
		return a.golden()
	case 16:
		a.until(r.SeasonAt + int64(c.SeasonSeconds))
		return a.call(&program.BeginSeason{}, who{})
	case 0, 13:
		return a.join(name, name, c.MinStake+a.r.Uint64N(sol), pick(a, key{}, a.someAgent()))
	case 1:
		return a.call(&program.TopUp{Amount: 1 + a.r.Uint64N(sol)}, who{actor: at})
	case 2:
		if r.Active <= uint32(c.MinSeats)+1 && a.r.IntN(3) != 0 {
			return a.join(name, name, c.MinStake, key{})
		}
		return a.call(&program.BeginExit{Judge: at}, who{actor: a.withdraws(at)})
	case 3, 4:
		if n := r.Find(voting.Key(at)); n >= 0 && r.Entries[n].State == program.EntryExiting {
			a.until(r.Entries[n].ExitAt)
		}
		return a.call(&program.WithdrawStake{Judge: at}, who{actor: a.withdraws(at), wallet: a.somebody()})
	case 5:
		return a.call(&program.ClaimReward{Judge: at}, who{wallet: a.withdraws(at)})
	case 6:
		return a.call(&program.ClaimReward{Judge: at}, who{actor: a.withdraws(at), wallet: a.somebody()})
	case 14:
		return a.call(&program.ChangeWithdraw{Judge: at, Withdraw: a.somebody()}, who{actor: a.withdraws(at)})
	case 7:
		return a.call(&program.Withdraw{Amount: 1 + a.r.Uint64N(sol)}, who{actor: agent})
	case 8:
		return a.call(&program.Deposit{Amount: 1 + a.r.Uint64N(sol)}, who{actor: a.somebody(), agent: a.at(place{kind: "agent", a: agent})})
	case 9:
		operator := pick(a, key{}, a.somebody())
		return a.call(&program.UpdateAgent{Operator: operator, CardHash: a.hash()}, who{actor: agent, operator: operator})
	case 10:
		payee := a.someAgent()
		return a.pull(a.somebody(), agent, payee, a.r.Uint64N(sol), a.now()+1+a.r.Int64N(100))
	case 24:
		return a.takeTokens(pick(a, append([]string{"both"}, a.court.agents...)...))
	case 12, 15:
		return a.reconfigure(a.config())
	}
	return a.dataOf(agent)
}

// dataOf returns a call about an agent's data.
func (a *arena) dataOf(agent key) *call {
	name := pick(a, "notes", "x")
	at := a.at(place{kind: "data", a: agent, name: name})
	d := get[program.AgentData](a, at)
	size := a.r.Uint32N(2_000)
	write := &program.WriteData{DataName: name, Len: size, Offset: a.r.Uint32N(size + 1)}
	write.Bytes = make([]byte, min(a.r.Uint32N(300), size-write.Offset))
	w := who{actor: agent, data: at, agent: a.at(place{kind: "agent", a: agent}), task: a.prog.ID()}
	tasks := a.tasks()
	if len(tasks) > 0 {
		w.task = pick(a, tasks...)
	}
	switch n := a.r.IntN(8); {
	case d == nil || n < 1:
		return a.call(write, w)
	case n < 3 || len(d.Grants) == 0:
		return a.call(&program.Grant{Task: w.task, Grantee: pick(a, key{}, a.someAgent()), Flags: uint8(1 + a.r.IntN(3))}, w)
	case n < 7:
		g := pick(a, d.Grants...)
		if w.task = g.Task; n < 5 {
			var id uint64
			w.creator, id = a.maker(g.Task)
			return a.call(&program.Revoke{Task: g.Task, Grantee: g.Grantee, ID: id}, w)
		}
		w.actor, write.Len = pick(a, g.Grantee, a.someAgent()), uint32(len(d.Content))
		write.Offset, write.Bytes = 0, make([]byte, min(a.r.IntN(300), len(d.Content)))
		if w.actor.IsZero() {
			w.actor = a.someAgent()
		}
		return a.call(write, w)
	}
	return a.call(&program.CloseData{}, w)
}

// maker returns the creator and the number of a task that is or was there.
func (a *arena) maker(task key) (key, uint64) {
	for _, name := range append([]string{"both"}, a.court.agents...) {
		creator := a.person(name)
		if agent := a.agentOf(creator); agent != nil {
			for n := range agent.TasksCreated + 1 { // one that is not there yet, too
				if a.at(place{kind: "task", a: creator, n: n}) == task {
					return creator, n
				}
			}
		}
	}
	return a.someAgent(), 0
}

// reconfigure does what the authority may do: it announces rules, pauses the court, or hands it
// over.
func (a *arena) reconfigure(c *program.Config) *call {
	w := who{actor: c.Authority, latest: true}
	if c.Authority.IsZero() {
		w.actor = a.somebody()
	}
	if c.Paused == 1 {
		return a.call(&program.Pause{}, w)
	}
	last := a.version(c.Rules)
	if last.From > a.now() && a.r.IntN(2) == 0 {
		w.back = true
		return a.call(&program.WithdrawRules{}, w)
	}
	switch n := a.r.IntN(40); {
	case c.Listed == 1 && n < 6:
		return a.call(&program.OpenCourt{}, w)
	case c.Listed == 1 && n < 20 || n == 4:
		return a.admit(a.somebody())
	case n < 4:
		return a.call(&program.GiveUp{}, w)
	case n < 8:
		return a.call(&program.Pause{Paused: 1}, w)
	case n < 24:
		return a.call(&program.ProposeAuthority{Authority: pick(a, key{}, a.somebody(), a.somebody())}, w)
	}
	if last.From > a.now() && a.r.IntN(2) == 0 {
		a.until(last.From)
	}
	i := &program.ProposeRules{Params: last.Params}
	switch p := &i.Params; a.r.IntN(7) {
	case 0:
		p.CreatorBps, p.WorkerBps = uint16(a.r.IntN(10_002)), uint16(a.r.IntN(10_001))
	case 1:
		p.Minority, p.Absence, p.RiskBps = uint16(a.r.IntN(42)), uint16(a.r.IntN(42)), uint16(a.r.IntN(1_200))
	case 2:
		p.PanelSeats = uint8(1 + a.r.IntN(30))
	case 3:
		p.EvidenceSeconds = a.r.Uint32N(100_000)
	case 4:
		p.MaxReworks, p.MaxRounds = uint8(a.r.IntN(4)), uint8(a.r.IntN(5))
	case 5:
		p.CommitSeconds, p.VerifySeconds, p.MinStake = 30+a.r.Uint32N(600), 30+a.r.Uint32N(600), 1+a.r.Uint64N(p.MaxSeatWeight)
	}
	return a.call(i, w)
}
