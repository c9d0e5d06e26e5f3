package sequence_test

import (
	"fmt"
	"slices"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/svm/accounts"
	"ojud/ledger/tokens"
	"ojud/voting"
)

// refusal says why the model calls something unlawful.
type refusal string

// step is the model's result of one call: the new state of every account that it touches.
type step struct {
	a     *arena
	c     *call
	post  map[key]program.Account // changed or made; nil: closed
	moved map[key]int64           // lamports
	grown map[key]int             // new sizes
	held  map[key]tokens.TokenAccount
}

// judge returns the effect of a call, or why it is unlawful (protocol sections 5 and 6).
func (a *arena) judge(c *call) (s *step, why refusal) {
	s = &step{a: a, c: c, post: map[key]program.Account{}, moved: map[key]int64{}, grown: map[key]int{}}
	defer func() {
		switch v := recover().(type) {
		case nil:
		case refusal:
			why = v
		default:
			panic(v)
		}
	}()
	s.need(c.data == nil, "the data is none of the instruction's")
	s.rights()
	model, ok := models[c.name()]
	if !ok {
		panic(fmt.Sprintf("the model does not know %s: add it to models", c.name()))
	}
	model(s)
	return s, ""
}

func (s *step) need(lawful bool, why refusal) {
	if !lawful {
		panic(why)
	}
}

// rights checks number, signers, writables and duplicates.
func (s *step) rights() {
	var twice []key
	for n, role := range s.a.rolesOf(s.c.ix) {
		if role.Optional && s.unwanted() {
			return
		}
		if n >= len(s.c.metas) {
			s.need(role.Optional && n == len(s.a.rolesOf(s.c.ix))-1, "an account is missing")
			return
		}
		at := s.c.metas[n].Address
		s.need(!role.Signer || s.c.signs(at), "no signature")
		s.need(!role.Writable || s.c.writes(at), "not writable")
		if role.Writable {
			s.need(!slices.Contains(twice, at), "an account twice")
			twice = append(twice, at)
		}
	}
}

// unwanted reports whether the last account does not count: if a task without a worker expires, the
// worker's agent is not needed, and a key that counts already, or declares nothing, need not sign.
func (s *step) unwanted() bool {
	switch i := s.c.ix.(type) {
	case *program.Expire:
		t := get[program.Task](s.a, s.c.metas[1].Address)
		return t != nil && t.Worker.IsZero()
	case *program.CreateTask:
		return i.EngineFee == 0
	case *program.SettleByEngine:
		t := get[program.Task](s.a, s.c.metas[0].Address)
		return t != nil && t.EngineFee == 0
	case *program.FinishCase:
		k := get[program.Case](s.a, s.at("case"))
		return k != nil && s.now() >= k.AppealBy
	case *program.CloseCase:
		k := get[program.Case](s.a, s.at("case"))
		return k != nil && (k.AppealRent == 0 || k.Appellant == k.Payer)
	case *program.RegisterAgent:
		return i.Operator.IsZero()
	case *program.JoinRoster:
		return i.Operator.IsZero()
	case *program.UpdateAgent:
		a := get[program.Agent](s.a, s.at("agent"))
		return i.Operator.IsZero() || a != nil && i.Operator == a.Operator
	case *program.OpenLeaf:
		b := get[program.Batch](s.a, s.at("batch"))
		return b != nil && !s.counts(b, s.leaf(i))
	case *program.ClaimReward:
		r := s.a.roster()
		n := r.Find(voting.Key(i.Judge))
		return n >= 0 && s.at("wallet") == r.Entries[n].Withdraw
	}
	return false
}

// cosigned demands the signature of a key in the optional last place.
func (s *step) cosigned(role string, by key) {
	if !s.unwanted() {
		s.is(role, by)
	}
}

// wallet returns the account that lamports go to: the owner's, or another wallet.
func (s *step) wallet(owner key, amount uint64) key {
	at := s.at("wallet")
	v, ok := s.a.Account(solana.PublicKey(at))
	s.need(at == owner || !ok || onchain.Address(v.Owner) == onchain.SystemProgram(), "no wallet")
	s.need(amount == 0 || s.a.lamports(at)+amount >= s.a.rent(0), "less than the rent of a new wallet")
	return at
}

// at returns the account in a place, or zero if there is none.
func (s *step) at(role string) key {
	for n, r := range s.a.rolesOf(s.c.ix) {
		if r.Name == role && n < len(s.c.metas) {
			return s.c.metas[n].Address
		}
	}
	return key{}
}

// is demands a certain account in a place.
func (s *step) is(role string, want key) {
	s.need(s.at(role) == want, refusal("another "+role))
}

func (s *step) fixed(roles ...string) {
	for _, role := range roles {
		s.is(role, s.a.resolve(role, who{}))
	}
}

// read returns the account of that type in a place.
func read[T any](s *step, role string) *T {
	v := get[T](s.a, s.at(role))
	s.need(v != nil, refusal("no "+role))
	return v
}

// open returns a copy that may be changed.
func open[T any](s *step, role string) *T {
	at := s.at(role)
	if v, ok := any(s.post[at]).(*T); ok {
		return v
	}
	read[T](s, role)
	v := clone(s.a.book[at])
	s.post[at] = v
	return any(v).(*T)
}

func clone(v program.Account) program.Account {
	switch v := v.(type) {
	case *program.Config:
		c := *v
		return &c
	case *program.Rules:
		c := *v
		return &c
	case *program.RegistryPage:
		c := *v
		c.Entries = slices.Clone(v.Entries)
		return &c
	case *program.Agent:
		c := *v
		return &c
	case *program.AgentData:
		c := *v
		c.Grants, c.Content = slices.Clone(v.Grants), slices.Clone(v.Content)
		return &c
	case *program.Task:
		c := *v
		return &c
	case *program.Roster:
		c := *v
		c.Entries = slices.Clone(v.Entries)
		return &c
	case *program.Case:
		c := *v
		c.Seats, c.First = slices.Clone(v.Seats), slices.Clone(v.First)
		return &c
	case *program.Channel:
		c := *v
		return &c
	case *program.Pot:
		c := *v
		return &c
	case *program.Admission:
		c := *v
		return &c
	case *program.VerdictAccount:
		c := *v
		return &c
	case *program.Pledge:
		c := *v
		return &c
	case *program.Proctor:
		c := *v
		return &c
	case *program.Batch:
		c := *v
		return &c
	}
	panic(fmt.Sprintf("the model does not know an account of type %T: add it to clone", v))
}

// rules reads the version of the rules that a task is under.
func (s *step) rules(t *program.Task) *program.Rules {
	r := read[program.Rules](s, "rules")
	s.need(r.Number == t.Rules, "another version of the rules")
	return r
}

// inForce reads the version of the rules that is in force.
func (s *step) inForce() *program.Rules {
	r := read[program.Rules](s, "rules")
	s.need(r.From <= s.now() && (r.Until == 0 || s.now() < r.Until), "rules that are not in force")
	return r
}

// agent opens the agent of an authority in a place.
func (s *step) agent(role string, authority key) *program.Agent {
	a := open[program.Agent](s, role)
	s.need(a.Authority == authority, refusal("another "+role))
	return a
}

// move moves lamports. A wallet cannot give more than it holds.
func (s *step) move(from, to key, amount uint64) {
	held := int64(s.a.lamports(from)) + s.moved[from]
	s.need(amount <= 1<<62 && int64(amount) <= held, "not so many lamports")
	s.moved[from] -= int64(amount)
	s.moved[to] += int64(amount)
}

// vacant demands that an address is empty.
func (s *step) vacant(role string, at key) {
	s.is(role, at)
	v, ok := s.a.Account(solana.PublicKey(at))
	s.need(!ok || len(v.Data) == 0 && onchain.Address(v.Owner) == onchain.SystemProgram(), "it is there already")
}

// make makes an account. Lamports that were sent there before reduce the payment.
func (s *step) make(payer, at key, size int, v program.Account) {
	s.move(payer, at, s.a.lack(at, size))
	s.post[at], s.grown[at] = v, size
}

func (a *arena) lack(at key, size int) uint64 {
	rent := a.rent(size)
	return rent - min(rent, a.lamports(at))
}

// close removes an account.
func (s *step) close(at, to key) {
	s.move(at, to, s.a.lamports(at))
	s.post[at] = nil
}

func (s *step) now() int64   { return s.a.now() }
func (s *step) slot() uint64 { return s.a.slot() }

// proof returns the one self-contained signature of the preceding Ed25519 instruction.
func (s *step) proof() (program.SelfContained, bool) {
	if len(s.c.proof) != 1 {
		return program.SelfContained{}, false
	}
	return s.c.proof[0], true
}

// models has the effect of each instruction.
var models = map[string]func(*step){
	"init_config":   func(s *step) { s.need(false, "it is there already") },
	"propose_rules": (*step).proposeRules, "withdraw_rules": (*step).withdrawRules, "propose_authority": (*step).proposeAuthority, "accept_authority": (*step).acceptAuthority,
	"give_up": (*step).giveUp, "pause": (*step).pause, "open_court": (*step).openCourt,
	"admit_judge": (*step).admitJudge, "revoke_admission": (*step).revokeAdmission, "register_agent": (*step).registerAgent, "update_agent": (*step).updateAgent,
	"deposit": (*step).deposit, "withdraw": (*step).withdraw, "withdraw_tokens": (*step).withdrawTokens, "pledge_tokens": (*step).pledgeTokens, "pay_pledge": (*step).payPledge, "write_data": (*step).writeData, "grant": (*step).grant,
	"revoke": (*step).revoke, "close_data": (*step).closeData,
	"create_task": (*step).createTask, "cancel_task": (*step).cancelTask, "claim_task": (*step).claimTask, "release_task": (*step).releaseTask,
	"start_task": (*step).startTask, "submit_result": (*step).submitResult,
	"accept": (*step).accept, "object": (*step).object, "rework": (*step).rework, "counter_object": (*step).counterObject,
	"expire": (*step).expire, "close_task": (*step).closeTask,
	"join_roster": (*step).joinRoster, "top_up": (*step).topUp, "begin_exit": (*step).beginExit,
	"begin_season": (*step).beginSeason, "withdraw_stake": (*step).withdrawStake, "change_withdraw": (*step).changeWithdraw, "claim_reward": (*step).claimReward,
	"draw": (*step).draw, "commit": (*step).commit, "relay_commit": (*step).relayCommit, "reveal": (*step).reveal,
	"settle": (*step).settle, "expire_case": (*step).expireCase, "appeal": (*step).appeal, "finish_case": (*step).finishCase, "slash_equivocation": (*step).slashEquivocation,
	"close_case": (*step).closeCase, "pull_payment": (*step).pullPayment,
	"publish_verdict": (*step).publishVerdict, "settle_by_engine": (*step).settleByEngine, "open_case": (*step).openCase,
	"open_dispute": (*step).openDispute, "join_dispute": (*step).joinDispute, "settle_dispute": (*step).settleDispute,
	"admit_proctor": (*step).admitProctor, "revoke_proctor": (*step).revokeProctor, "commit_batch": (*step).commitBatch,
	"open_leaf": (*step).openLeaf, "apply_leaf": (*step).applyLeaf, "close_batch": (*step).closeBatch, "uphold_challenge": (*step).upholdChallenge,
	"appeal_challenge": (*step).appealChallenge,
}

var _ accounts.Snapshot = (*arena)(nil)
