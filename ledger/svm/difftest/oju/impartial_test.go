package oju_test

import (
	"testing"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/voting"
)

// These attacks are on who may judge, and on what a judge's keys can do (ADR 0026).

// unsigned returns an instruction whose last account does not sign.
func unsigned(i onchain.Instruction) onchain.Instruction {
	return unsignedAt(i, len(i.Accounts)-1)
}

// unsignedAt returns an instruction of which one account does not sign.
func unsignedAt(i onchain.Instruction, n int) onchain.Instruction {
	return replace(i, n, onchain.AccountMeta{Address: i.Accounts[n].Address, Writable: i.Accounts[n].Writable})
}

// TestAttackOperatorDeclaredWithoutItsConsent: a creator declared a judge, or the operator of
// judges, as its own operator, and so struck them from its panels: one key for each task, free.
func TestAttackOperatorDeclaredWithoutItsConsent(t *testing.T) {
	s := alone(t)
	s.cast(9)
	for _, victim := range []string{"j0", "olga"} {
		declare := s.prog.UpdateAgent(s.at("alice"), onchain.Address{}, program.UpdateAgent{Operator: s.at(victim)})
		s.refused(program.ErrNotSigner, unsigned(declare))
		s.refused(program.ErrNotEnoughAccounts, cut(declare, 2))
		s.refused(program.ErrWrongAddress, swap(declare, 2, s.at("alice"))) // with its own signature
		s.fund("mallory", 10*sol)
		enter := s.prog.RegisterAgent(s.at("mallory"), program.RegisterAgent{Operator: s.at(victim), CardHash: hash("card")})
		s.refused(program.ErrNotSigner, unsigned(enter))
		s.refused(program.ErrNotEnoughAccounts, cut(enter, 5))
		s.refused(program.ErrWrongAddress, swap(enter, 5, s.at("mallory")))
	}
	same(t, "all nine judges sit", len(s.panel(s.seated())), 9)
}

// TestAttackJudgesOfOneOperatorStruckByAStranger: the 28 judges of a court had declared their
// operator. A creator declared the same one: no panel could be drawn, and work that was done came
// free: before, the worker lost its whole reward.
func TestAttackJudgesOfOneOperatorStruckByAStranger(t *testing.T) {
	s := alone(t)
	s.begin()
	osiris := s.at("osiris")
	for i := range 28 {
		s.fund(judgeName(i), 20*sol)
		s.ok(s.joinAs(judgeName(i), judgeName(i), sol, osiris)...)
	}
	s.weighed()
	s.refused(program.ErrNotSigner, unsigned(s.prog.UpdateAgent(s.at("alice"), onchain.Address{}, program.UpdateAgent{Operator: osiris})))
	before := s.vault("bob")
	k := s.seated()
	same(t, "seats", len(s.panel(k)), 28)
	s.round(k, all(s.panel(k), voting.Accept))
	same(t, "the worker is paid", s.vault("bob"), before+earned)
}

// TestAttackJudgeDeclaresAPartyAsItsOperator: a judge that does not want to sit, or wants another
// one not to, declared a party as its operator. That party does not sign.
func TestAttackJudgeDeclaresAPartyAsItsOperator(t *testing.T) {
	s := alone(t)
	s.cast(7)
	s.fund("late", 20*sol)
	list := s.joinAs("late", "late", sol, s.at("bob"))
	s.refused(program.ErrNotSigner, list[0], unsigned(list[1]))
	s.refused(program.ErrNotEnoughAccounts, list[0], cut(list[1], 7))
	s.refused(program.ErrWrongAddress, list[0], swap(list[1], 7, s.at("late")))
}

// TestAttackBigOperatorsTaskGetsACapturedPanel: an honest operator runs 20 of 28 judges and posts a
// task. Its 20 do not sit, so the other 8, which all belong to the attacker, were the whole panel
// and rejected every result. Now such a task cannot be claimed if fewer than min_seats are left.
func TestAttackBigOperatorsTaskGetsACapturedPanel(t *testing.T) {
	s := alone(t)
	s.begin()
	osiris := s.at("osiris")
	s.agent("honest", osiris)
	for i := range 28 {
		operator := onchain.Address{}
		if i < 22 {
			operator = osiris
		}
		s.fund(judgeName(i), 20*sol)
		s.ok(s.joinAs(judgeName(i), judgeName(i), sol, operator)...)
	}
	s.weighed()
	k := s.next("honest")
	s.ok(s.create("honest"))
	before := s.vault("bob")
	s.refused(program.ErrTooFewImpartial, s.claim(k, "bob", 0)) // six are left
	same(t, "nobody works for nothing", s.vault("bob"), before)
	s.ok(s.prog.CancelTask(s.at("honest"), k.at))
	same(t, "the creator has all back", s.vault("honest"), 100*sol)
	s.ok(s.claim(s.created(), "bob", 0)) // others trade as before
	s.fund("j28", 20*sol)
	s.ok(s.join("j28", sol)...)
	s.weighed()
	k = s.next("honest")
	s.ok(s.create("honest"))
	s.ok(s.claim(k, "bob", 0)) // seven are left
}

// TestAttackWorkerThatRunsTheJudges: the operator of most judges claims a task. The creator would
// have met the same small panel.
func TestAttackWorkerThatRunsTheJudges(t *testing.T) {
	s := alone(t)
	s.begin()
	s.agent("olga", onchain.Address{})
	for i := range 9 {
		s.fund(judgeName(i), 20*sol)
		s.ok(s.joinAs(judgeName(i), judgeName(i), sol, s.at("olga"))...)
	}
	s.weighed()
	k := s.created()
	s.refused(program.ErrTooFewImpartial, s.claim(k, "olga", 0))
	s.ok(s.claim(k, "bob", 0))
}

// brokenInto returns a court in which the judge hot has earned something. Its node, with the
// voting key, is the attacker's; its withdraw key is not there.
func brokenInto(t *testing.T) *scene {
	s := alone(t)
	s.cast(7)
	s.fund("hot", 20*sol)
	s.fund("cold", sol)
	s.ok(s.joinWith("hot", "hot", program.JoinRoster{Withdraw: s.at("cold"), Stake: 5 * sol})...)
	s.weighed()
	k := s.seated()
	s.round(k, all(s.panel(k), voting.Accept))
	return s
}

// TestAttackNodeBrokenInto: who breaks into a judge's node has its voting key. Before, that was the
// key of the stake and of the rewards: everything left after the cooldown. Now none of it does.
func TestAttackNodeBrokenInto(t *testing.T) {
	s := brokenInto(t)
	hot, cold, loot := s.at("hot"), s.at("cold"), s.at("loot")
	s.refused(program.ErrNotAuthority, s.exit("hot"))
	s.refused(program.ErrNotSigner, unsignedAt(s.prog.BeginExit(cold, s.law().Number, program.BeginExit{Judge: hot}), 0))
	s.refused(program.ErrNotAuthority, s.prog.ChangeWithdraw(hot, program.ChangeWithdraw{Judge: hot, Withdraw: loot}))
	s.refused(program.ErrNotEnoughAccounts, s.reward("hot"))
	toLoot := s.prog.ClaimReward(cold, loot, program.ClaimReward{Judge: hot})
	s.refused(program.ErrNotSigner, unsigned(toLoot))
	s.refused(program.ErrWrongAddress, swap(toLoot, 2, hot))
	earned := s.entry("hot").Rewards
	before := s.accounts[cold].Lamports
	s.ok(s.prog.ClaimReward(cold, cold, program.ClaimReward{Judge: hot})) // for anybody, to the withdraw key
	same(t, "rewards", s.accounts[cold].Lamports, before+earned)
	s.ok(s.prog.BeginExit(cold, s.law().Number, program.BeginExit{Judge: hot})) // the owner leaves: the attacker cannot take the stake then, either
	s.pass(172_800)
	s.refused(program.ErrNotAuthority, s.leave("hot"))
	s.refused(program.ErrNotAuthority, s.prog.WithdrawStake(hot, loot, program.WithdrawStake{Judge: hot}))
	s.released("hot")
	s.ok(s.prog.WithdrawStake(cold, s.at("safe"), program.WithdrawStake{Judge: hot}))
	same(t, "stake", s.accounts[s.at("safe")].Lamports, 5*sol)
}

// TestAttackWithdrawKeyOfAnother: a withdraw key of one judge has no power over another judge, also
// if it is that judge's voting key, and a judge that names a stranger only gives to it.
func TestAttackWithdrawKeyOfAnother(t *testing.T) {
	s := brokenInto(t)
	s.fund("mallory", 20*sol)
	s.ok(s.joinWith("mallory", "mallory", program.JoinRoster{Withdraw: s.at("hot"), Stake: sol})...)
	s.refused(program.ErrNotAuthority, s.prog.BeginExit(s.at("mallory"), s.law().Number, program.BeginExit{Judge: s.at("hot")}))
	s.refused(program.ErrNotAuthority, s.prog.BeginExit(s.at("hot"), s.law().Number, program.BeginExit{Judge: s.at("hot")}))
	s.refused(program.ErrNotOnRoster, s.prog.BeginExit(s.at("cold"), s.law().Number, program.BeginExit{Judge: s.at("cold")}))
	s.ok(s.prog.BeginExit(s.at("hot"), s.law().Number, program.BeginExit{Judge: s.at("mallory")})) // it is mallory's gift
	s.ok(s.prog.ChangeWithdraw(s.at("cold"), program.ChangeWithdraw{Judge: s.at("hot"), Withdraw: s.at("j0")}))
	s.refused(program.ErrNotAuthority, s.prog.BeginExit(s.at("cold"), s.law().Number, program.BeginExit{Judge: s.at("hot")})) // the old key is over
	s.ok(s.prog.BeginExit(s.at("j0"), s.law().Number, program.BeginExit{Judge: s.at("hot")}))
	same(t, "j0 itself stays", s.entry("j0").State, program.EntryActive)
}

// TestAttackWithdrawKeyLost: without the withdraw key the stake stays, whoever asks. The judge can
// still vote and earn, and the voting key does not become the withdraw key.
func TestAttackWithdrawKeyLost(t *testing.T) {
	s := brokenInto(t)
	s.pass(365 * 86_400)
	s.refused(program.ErrNotAuthority, s.exit("hot"))
	s.refused(program.ErrNotExiting, s.prog.WithdrawStake(s.at("cold"), s.at("cold"), program.WithdrawStake{Judge: s.at("hot")}))
	s.fund("hot", 20*sol)
	s.refused(program.ErrAlreadyOnRoster, s.join("hot", sol)...)
	s.refused(program.ErrWrongOwner, s.prog.ClaimReward(s.at("cold"), s.prog.Config(), program.ClaimReward{Judge: s.at("hot")})) // nobody could get it out
	s.fund("late", 20*sol)
	s.refused(program.ErrNoWithdrawKey, s.joinWith("late", "late", program.JoinRoster{Stake: sol})...) // lost from the start
	k := s.seated()
	s.round(k, all(s.panel(k), voting.Accept))
	s.refused(program.ErrNoWithdrawKey, s.prog.ChangeWithdraw(s.at("cold"), program.ChangeWithdraw{Judge: s.at("hot")}))
}
