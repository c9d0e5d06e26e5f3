package sequence_test

import (
	"math"
	"slices"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/tokens"
	"ojud/voting"
)

// bent returns a good call with a fault. It may still be lawful: the model decides.
func (a *arena) bent(c *call) *call {
	b := *c
	b.metas = slices.Clone(c.metas)
	n := 0
	if len(b.metas) > 0 {
		n = a.r.IntN(len(b.metas))
	}
	switch a.r.IntN(12) {
	case 0, 1, 2:
		b.wrong = "another account"
		b.metas[n].Address = a.another(b.metas[n].Address)
	case 3:
		b.wrong = "two accounts exchanged"
		m := a.r.IntN(len(b.metas))
		b.metas[n].Address, b.metas[m].Address = b.metas[m].Address, b.metas[n].Address
	case 4:
		b.wrong = "an account twice"
		b.metas[n].Address = b.metas[a.r.IntN(len(b.metas))].Address
	case 5:
		b.wrong = "no signature"
		b.metas[n].Signer = false
	case 6:
		b.wrong = "not writable"
		b.metas[n].Writable = false
	case 7:
		b.wrong = "too few or too many accounts"
		if b.metas = b.metas[:n]; a.r.IntN(2) == 0 {
			b.metas = append(slices.Clone(c.metas), onchain.AccountMeta{Address: a.another(key{}), Writable: true})
		}
	case 8:
		b.wrong = "other bytes"
		b.data = program.EncodeInstruction(c.ix)
		switch k := a.r.IntN(3); k {
		case 0:
			b.data = b.data[:a.r.IntN(len(b.data))]
		case 1:
			b.data = append(b.data, byte(a.r.Uint32()))
		default:
			b.data[a.r.IntN(8)] ^= 1 << a.r.IntN(8)
		}
	case 9:
		b.wrong = "another proof"
		b.proof = a.otherProof(c.proof)
	default:
		b.wrong = "other arguments"
		b.ix = a.edge(c.ix)
	}
	for i := range b.metas { // accounts outside of the program can always be made to sign
		if m := &b.metas[i]; m.Signer && a.keys[m.Address] == nil {
			m.Signer = false
		}
	}
	return &b
}

// another returns an existing account of the same kind, or of any kind.
func (a *arena) another(k key) key {
	if a.keys[k] != nil && a.r.IntN(4) != 0 {
		return a.somebody()
	}
	agent, tasks := a.someAgent(), a.tasks()
	task := a.at(place{kind: "task", a: agent})
	if len(tasks) > 0 {
		task = pick(a, tasks...)
	}
	coin, name := pick(a, "usd", "eur", "gbp"), pick(a, append([]string{"both", "mallory"}, a.court.agents...)...)
	if tokens.IsProgram(key(a.accounts[k].Owner)) && a.r.IntN(4) != 0 {
		return pick(a, mintAt(coin), purse(coin, name, true), purse(coin, name, false))
	}
	return pick(a,
		coins()[coin], purse(coin, name, a.r.IntN(2) == 0), task, task, a.at(place{kind: "case", a: task}), a.at(place{kind: "case", a: task}), a.at(place{kind: "verdict", a: task}), a.at(place{kind: "agent", a: agent}), a.at(place{kind: "agent", a: agent}),
		a.at(place{kind: "config"}), a.at(place{kind: "roster"}), a.at(place{kind: "rules", n: 1}), a.at(place{kind: "rules", n: 2}), a.at(place{kind: "pot"}), a.at(place{kind: "registry"}), a.at(place{kind: "batch"}), a.at(place{kind: "batch", n: 1}), a.at(place{kind: "proctor", a: a.person("mallory")}), a.at(place{kind: "data", a: agent, name: "notes"}),
		a.at(place{kind: "channel", a: agent, b: a.someAgent()}), a.somebody(), a.prog.ID(), onchain.InstructionsAccount(), onchain.SystemProgram(),
	)
}

func (a *arena) otherProof(old []program.SelfContained) []program.SelfContained {
	foreign := a.says("node of mallory", []byte("oju:vote:v1 and so on"))
	if len(old) == 0 {
		return pick(a, []program.SelfContained{foreign}, []program.SelfContained{foreign, foreign})
	}
	forged := a.says("node of mallory", old[0].Message)
	return pick(a, nil, old[:1], append(slices.Clone(old), foreign), []program.SelfContained{forged}, []program.SelfContained{old[0], old[0]},
		append([]program.SelfContained{forged}, old[1:]...), []program.SelfContained{foreign})
}

// amount returns an amount at an edge.
func (a *arena) amount(old uint64) uint64 {
	return pick(a, 0, 1, old-1, old+1, old*2, math.MaxUint64, 1<<63, 1<<50, 1<<52, math.MaxInt64)
}

// edge changes an argument.
func (a *arena) edge(i program.Instruction) program.Instruction {
	small := func(old uint8) uint8 { return pick(a, 0, old-1, old+1, 4, 27, 28, 255) }
	switch v := i.(type) {
	case *program.Deposit:
		return &program.Deposit{Amount: a.amount(v.Amount)}
	case *program.Withdraw:
		agent := a.agentOf(a.someAgent())
		return &program.Withdraw{Amount: pick(a, a.amount(v.Amount), agent.Vault, agent.Vault+1)}
	case *program.WithdrawTokens:
		return &program.WithdrawTokens{Amount: pick(a, a.amount(v.Amount), 2*issued, issued)}
	case *program.PledgeTokens:
		return &program.PledgeTokens{Amount: pick(a, a.amount(v.Amount), issued)}
	case *program.TopUp:
		return &program.TopUp{Amount: a.amount(v.Amount)}
	case *program.JoinRoster:
		c := *v
		c.Stake = pick(a, a.amount(v.Stake), a.law().MinStake, a.law().MinStake-1)
		c.Withdraw = pick(a, v.Withdraw, v.Withdraw, key{})
		c.Operator = pick(a, v.Operator, a.somebody(), key{})
		return &c
	case *program.UpdateAgent:
		return &program.UpdateAgent{Operator: pick(a, a.somebody(), key{}), CardHash: v.CardHash}
	case *program.BeginExit:
		return &program.BeginExit{Judge: pick(a, a.somebody(), key{})}
	case *program.WithdrawStake:
		return &program.WithdrawStake{Judge: pick(a, a.somebody(), key{})}
	case *program.ChangeWithdraw:
		return &program.ChangeWithdraw{Judge: pick(a, v.Judge, a.somebody()), Withdraw: pick(a, v.Withdraw, key{})}
	case *program.ClaimReward:
		return &program.ClaimReward{Judge: pick(a, a.somebody(), key{})}
	case *program.CreateTask:
		c := *v
		switch a.r.IntN(10) {
		case 0:
			c.RewardMin = a.amount(v.RewardMin)
		case 1:
			c.RewardMax = a.amount(v.RewardMax)
		case 2:
			c.RewardMin, c.RewardMax = math.MaxUint64, math.MaxUint64
		case 3:
			c.Auction = voting.Auction(small(uint8(v.Auction)))
		case 4:
			c.AuctionSeconds = pick[uint32](a, 0, 1, 2_592_000, 2_592_001, math.MaxUint32)
		case 5:
			c.WorkSeconds = pick[uint32](a, 0, 31_536_000, 31_536_001, math.MaxUint32)
		case 6:
			c.ClaimBy = pick(a, 1, a.now(), a.now()-1, math.MaxInt64, math.MinInt64, -1)
		case 7:
			c.OnUndecided = voting.OnUndecided(small(2))
		case 8:
			c.Engine, c.EngineSeconds, c.OnSilence = pick(a, c.Engine, engine, a.prog.ID()), pick(a, c.EngineSeconds, 0, 2_592_001), program.OnSilence(a.r.IntN(3))
		default:
			c.TaskHash = voting.Hash{}
		}
		return &c
	case *program.OpenDispute:
		c := *v
		switch a.r.IntN(5) {
		case 0:
			c.Amount = pick(a, 0, a.law().MinReward-1, a.law().MinReward, math.MaxUint64)
		case 1:
			c.Seats = small(v.Seats)
		case 2:
			c.Respondent = pick(a, key{}, a.somebody())
		case 3:
			c.TermsHash = voting.Hash{}
		default:
			c.ClaimHash = voting.Hash{}
		}
		return &c
	case *program.JoinDispute:
		return &program.JoinDispute{}
	case *program.ClaimTask:
		return &program.ClaimTask{MinReward: a.amount(sol)}
	case *program.SubmitResult:
		return &program.SubmitResult{}
	case *program.Object:
		return &program.Object{}
	case *program.CounterObject:
		return &program.CounterObject{}
	case *program.Commit:
		c := *v
		c.Round, c.Commitment, c.Sealed = small(v.Round), pick(a, v.Commitment, voting.Hash{}), make([]byte, pick(a, 0, 92, 93, 94))
		return &c
	case *program.RelayCommit:
		c := *v
		switch a.r.IntN(4) {
		case 0:
			c.Round = small(v.Round)
		case 1:
			c.Judge = a.somebody()
		case 2:
			c.Commitment = voting.Hash{9}
		default:
			c.Sealed = make([]byte, 93-len(v.Sealed))
		}
		return &c
	case *program.Reveal:
		c := *v
		switch a.r.IntN(5) {
		case 0:
			c.Round = small(v.Round)
		case 1:
			c.Judge = a.somebody()
		case 2:
			c.Choice = voting.Choice(small(uint8(v.Choice)))
		case 3:
			c.Salt = voting.Hash{}
		default:
			c.OpinionHash = voting.Hash{7}
		}
		return &c
	case *program.SlashEquivocation:
		return &program.SlashEquivocation{Seat: small(v.Seat)}
	case *program.RegisterAgent:
		return &program.RegisterAgent{Page: pick[uint32](a, 1, math.MaxUint32)}
	case *program.WriteData:
		return a.edgeOfData(*v)
	case *program.Grant:
		c := *v
		c.Flags = small(v.Flags)
		return &c
	case *program.ProposeRules:
		return a.edgeOfRules(*v)
	case *program.CommitBatch:
		c := *v
		switch a.r.IntN(3) {
		case 0:
			c.Leaves = pick[uint32](a, 0, 1, 64, 65, 256, 257, math.MaxUint32)
		case 1:
			c.Deposit = a.amount(v.Deposit)
		default:
			c.Root = voting.Hash{}
		}
		return &c
	case *program.OpenLeaf:
		return a.edgeOfLeaf(*v)
	case *program.UpholdChallenge:
		return &program.UpholdChallenge{Generator: v.Generator, Seed: a.hash()}
	case *program.AppealChallenge:
		return &program.AppealChallenge{Generator: v.Generator, Seed: a.hash()}
	case *program.Pause:
		return &program.Pause{Paused: small(v.Paused)}
	case *program.ProposeAuthority:
		return &program.ProposeAuthority{Authority: pick(a, key{}, a.prog.ID(), a.somebody())}
	}
	return i
}

func (a *arena) edgeOfData(c program.WriteData) program.Instruction {
	switch a.r.IntN(5) {
	case 0:
		c.DataName = pick(a, "", "A", "a b", "notes\x00", "0123456789012345678901234567890123", "é", "x")
	case 1:
		c.Len = pick[uint32](a, 0, program.MaxData, program.MaxData+1, math.MaxUint32)
	case 2:
		c.Offset = pick(a, c.Len, c.Len+1, math.MaxUint32)
	case 3:
		c.Bytes = make([]byte, pick(a, program.MaxWrite, program.MaxWrite+1, int(min(c.Len, 900))+1))
	default:
		c.Len, c.Offset, c.Bytes = math.MaxUint32, math.MaxUint32, []byte{1}
	}
	return &c
}

func (a *arena) edgeOfLeaf(c program.OpenLeaf) program.Instruction {
	switch a.r.IntN(6) {
	case 0:
		c.Index = pick(a, c.Index+1, c.Index^1, 255, 256, math.MaxUint32)
	case 1:
		c.Answer = pick[voting.Choice](a, 0, 3-min(c.Answer, 2), 3, 255)
	case 2:
		c.Path = make([]byte, pick(a, 0, 31, 32, 64, 256, 288))
	case 3:
		c.Seed = voting.Hash{}
	case 4:
		c.CounterHash = voting.Hash{9}
	default:
		c.Generator = voting.Hash{}
	}
	return &c
}

func (a *arena) edgeOfRules(c program.ProposeRules) program.Instruction {
	p := &c.Params
	switch a.r.IntN(10) {
	case 0:
		p.MinSeats = p.PanelSeats + 1
	case 1:
		p.MaxSeatWeight = pick[uint64](a, 0, 1<<50+1, math.MaxUint64)
	case 2:
		p.CommitSeconds = pick[uint32](a, 0, 1, 59, 60)
	case 3:
		p.RiskBps = pick[uint16](a, 1_000, 1_001, 10_000)
	case 4:
		p.CooldownSeconds = 0
	case 5:
		p.EvidenceSeconds, p.CooldownSeconds = math.MaxUint32, math.MaxUint32
	case 6:
		p.DrawDelaySlots = pick[uint16](a, 0, 1, 256, 257)
	case 7:
		p.MaxJudges = pick[uint16](a, 0, uint16(p.MinSeats), program.MaxJudges, program.MaxJudges+1)
	case 8:
		p.MinReward = 0
	default:
		p.DrawSeconds, p.CommitSeconds = 86_401, 0
	}
	return &c
}

// wild returns any instruction, about anything, by anybody.
func (a *arena) wild() *call {
	tasks := a.tasks()
	w := who{
		actor: a.somebody(), wallet: a.somebody(), payer: a.someAgent(), payee: a.someAgent(), page: uint32(a.r.IntN(2)),
		coin: pick(a, "usd", "eur", "gbp"), name: pick(a, append([]string{"both"}, a.court.agents...)...),
		data: a.at(place{kind: "data", a: a.someAgent(), name: "notes"}), task: a.at(place{kind: "task", a: a.someAgent()}),
	}
	if len(tasks) > 0 {
		w.task, w.golden, w.batch = pick(a, tasks...), pick(a, tasks...), a.r.Uint64N(3)
	}
	hash, judge := a.hash(), a.somebody()
	round := uint8(1 + a.r.IntN(3))
	return a.call(pick[program.Instruction](a,
		&program.InitConfig{Network: hash, Params: a.law().Params}, &program.ProposeRules{Params: a.law().Params}, &program.WithdrawRules{}, &program.GiveUp{},
		&program.ProposeAuthority{Authority: w.actor}, &program.AcceptAuthority{}, &program.Pause{Paused: 1},
		&program.OpenCourt{}, &program.AdmitJudge{Judge: judge}, &program.RevokeAdmission{},
		&program.RegisterAgent{Page: w.page}, &program.UpdateAgent{CardHash: hash}, &program.Deposit{Amount: 1}, &program.Withdraw{Amount: 1}, &program.WithdrawTokens{Amount: 1}, &program.PledgeTokens{Amount: 1}, &program.PayPledge{},
		&program.WriteData{DataName: "notes", Len: 1}, &program.Grant{Task: w.task, Grantee: judge, Flags: 2}, &program.Revoke{Task: w.task, Grantee: judge, ID: a.r.Uint64N(3)},
		&program.CloseData{}, &program.CreateTask{TaskHash: hash, Seal: hash, RewardMin: sol, RewardMax: sol, WorkSeconds: 90, OnUndecided: 1},
		&program.CancelTask{}, &program.ClaimTask{}, &program.ReleaseTask{}, &program.StartTask{}, &program.SubmitResult{ResultHash: hash},
		&program.Accept{}, &program.Object{ObjectionHash: hash}, &program.Rework{}, &program.CounterObject{CounterHash: hash}, &program.Expire{},
		&program.JoinRoster{Peer: voting.Key(judge), Withdraw: judge, Stake: sol}, &program.TopUp{Amount: 1}, &program.BeginExit{Judge: judge},
		&program.WithdrawStake{Judge: judge}, &program.ChangeWithdraw{Judge: judge, Withdraw: w.actor},
		&program.ClaimReward{Judge: w.wallet}, &program.BeginSeason{}, &program.Draw{}, &program.Commit{Round: round, Commitment: hash},
		&program.RelayCommit{Round: round, Judge: judge, Commitment: hash}, &program.Reveal{Round: round, Judge: judge, Choice: 1}, &program.Settle{},
		&program.ExpireCase{}, &program.Appeal{}, &program.FinishCase{}, &program.SlashEquivocation{Seat: uint8(a.r.IntN(4))}, &program.CloseTask{}, &program.CloseCase{}, &program.PullPayment{}, &program.PublishVerdict{}, &program.SettleByEngine{}, &program.OpenCase{},
		&program.OpenDispute{Respondent: judge, TermsHash: hash, ClaimHash: hash, Amount: sol}, &program.JoinDispute{AnswerHash: hash}, &program.SettleDispute{},
		&program.AdmitProctor{Proctor: judge}, &program.RevokeProctor{}, &program.CommitBatch{Root: hash, Leaves: 2, Deposit: sol},
		&program.OpenLeaf{TaskHash: hash, ResultHash: hash, Answer: 1, Path: make([]byte, 32)}, &program.ApplyLeaf{}, &program.CloseBatch{}, &program.UpholdChallenge{Generator: hash, Seed: hash}, &program.AppealChallenge{Generator: hash, Seed: hash},
	), w)
}
