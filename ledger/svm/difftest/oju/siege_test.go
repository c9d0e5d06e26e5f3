package oju_test

import (
	"fmt"
	"maps"
	"slices"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/svm/accounts"
	"ojud/ledger/svm/difftest"
	"ojud/voting"
)

// attack sends an instruction in every wrong way, when it is first used and when it is first used
// with these accounts present: with other data, with fewer accounts, without signatures, and with
// wrong accounts. Both sides must agree on the result. The program's own suite checks that the
// result is right.
func (s *scene) attack(list []onchain.Instruction) {
	s.t.Helper()
	before, i := list[:len(list)-1], list[len(list)-1]
	data := i.Data
	decoded, err := program.DecodeInstruction(data)
	if err != nil {
		s.t.Fatal(err)
	}
	way := decoded.InstructionName()
	for _, m := range i.Accounts {
		_, ok := s.accounts[m.Address]
		way += fmt.Sprint(" ", ok)
	}
	if s.attacked[way] {
		return
	}
	s.attacked[way] = true
	try := func(changed onchain.Instruction) { s.trial(append(slices.Clone(before), changed)...) }
	s.garble(i, data, try)
	for n := range i.Accounts {
		try(cut(i, n))
		s.disarm(i, n, try)
		s.forge(i, n, decoded.Accounts()[n], try)
		for m := range i.Accounts {
			if m != n && !i.Accounts[m].Signer {
				try(swap(i, m, i.Accounts[n].Address))
			}
		}
	}
}

// trial sends, and restores everything if it succeeded: for example, the signer may not matter.
func (s *scene) trial(list ...onchain.Instruction) {
	s.t.Helper()
	held := maps.Clone(s.accounts)
	if r := s.send(list...); r.Err == nil {
		s.flush()
		s.accounts = held
	}
}

// garble sends data that is too short or too long, and an instruction that does not exist.
func (s *scene) garble(i onchain.Instruction, data []byte, try func(onchain.Instruction)) {
	unknown := slices.Clone(data)
	unknown[7] ^= 1
	for _, b := range [][]byte{nil, data[:len(data)-1], append(slices.Clone(data), 0), unknown} {
		try(with(i, b))
	}
}

// disarm removes an account's rights.
func (s *scene) disarm(i onchain.Instruction, n int, try func(onchain.Instruction)) {
	meta := i.Accounts[n]
	if meta.Signer {
		try(replace(i, n, onchain.AccountMeta{Address: meta.Address, Writable: meta.Writable}))
	}
	if meta.Writable {
		try(replace(i, n, onchain.AccountMeta{Address: meta.Address, Signer: meta.Signer}))
	}
}

// forge replaces an account: by nothing, by a copy elsewhere, and by copies with another owner,
// kind, version, bump or size. These are elsewhere and, for owner, kind and bump, also in its own
// place.
func (s *scene) forge(i onchain.Instruction, n int, role program.AccountRole, try func(onchain.Instruction)) {
	at := i.Accounts[n].Address
	if role.Signer {
		return
	}
	try(swap(i, n, onchain.Address(difftest.Address("elsewhere"))))
	genuine, ok := s.accounts[at]
	if !ok && role.Writable { // the instruction makes it, and another account is there already
		s.put(at, accounts.Account{Lamports: sol, Owner: solana.BPFLoaderUpgradeableProgramID, Data: make([]byte, 8)})
		try(i)
		s.put(at, accounts.Account{})
	}
	if !ok || onchain.Address(genuine.Owner) != s.prog.ID() {
		return
	}
	for what, a := range forgeries(genuine) {
		there := difftest.Address(fmt.Sprint("forged ", what, at))
		s.plant(onchain.Address(there), a)
		try(swap(i, n, onchain.Address(there)))
	}
	for _, a := range []accounts.Account{forgeries(genuine)[1], forgeries(genuine)[2], forgeries(genuine)[5]} {
		s.put(at, a)
		try(i)
	}
	s.put(at, genuine)
}

// forgeries returns copies of an account. The first is a true one.
func forgeries(genuine accounts.Account) []accounts.Account {
	bend := func(at int) accounts.Account {
		a := genuine
		a.Data = slices.Clone(genuine.Data)
		a.Data[at]--
		return a
	}
	cut := func(n int) accounts.Account {
		a := genuine
		a.Data = slices.Clone(genuine.Data[:n])
		return a
	}
	stolen, longer := genuine, genuine
	stolen.Owner = solana.PublicKey(onchain.SystemProgram())
	longer.Data = append(slices.Clone(genuine.Data), 0)
	return []accounts.Account{genuine, stolen, bend(0), bend(8), cut(len(genuine.Data) - 1), bend(9), longer, cut(8), cut(3)}
}

// plant puts an account in an empty place without ending the case.
func (s *scene) plant(at onchain.Address, a accounts.Account) {
	if _, ok := s.accounts[at]; ok {
		s.put(at, a)
		return
	}
	s.store(accounts.Keyed{Key: solana.PublicKey(at), Account: a})
	if s.open != nil {
		s.open.Accounts = append(s.open.Accounts, accounts.Keyed{Key: solana.PublicKey(at), Account: a})
	}
}

func siegeScenes() map[string]func(*scene) {
	return map[string]func(*scene){
		"everything": func(s *scene) {
			s.attacked, s.listed = map[string]bool{}, 1
			s.cast(15, withGolden)
			s.ok(s.prog.TopUp(s.at("j0"), program.TopUp{Amount: 1}))
			s.ok(s.prog.UpdateAgent(s.at("alice"), onchain.Address{}, program.UpdateAgent{}))
			s.operated()
			s.ok(s.prog.Withdraw(s.at("alice"), program.Withdraw{Amount: 1}))
			s.siegeOfTokens()
			s.siegeOfAuthority()
			s.siegeOfTasks()
			s.siegeOfCases()
			s.ok(s.prog.OpenCourt(s.config().Authority))
			s.ok(s.prog.GiveUp(s.config().Authority))
		},
	}
}

// operated lets operators sign for agents and for a judge, whose withdraw key is another one.
func (s *scene) operated() {
	s.t.Helper()
	s.agent("eve", s.at("olga"))
	s.ok(s.prog.UpdateAgent(s.at("eve"), s.at("olga"), program.UpdateAgent{Operator: s.at("oscar")}))
	s.fund("hot", 20*sol)
	s.admitted("hot")
	s.ok(s.joinWith("hot", "hot", program.JoinRoster{Operator: s.at("oscar"), Withdraw: s.at("cold"), Stake: sol})...)
	s.weighed()
}

// siegeOfAuthority hands the court over and announces rules.
func (s *scene) siegeOfAuthority() {
	next := s.fund("next", sol)
	s.ok(s.idle())
	s.ok(s.admit("authority", "gone"))
	s.ok(s.expel("authority", "gone"))
	s.ok(s.prog.ProposeAuthority(s.at("authority"), program.ProposeAuthority{Authority: next}))
	s.ok(s.prog.AcceptAuthority(next))
	s.ok(s.announce())
	s.ok(s.takeBack())
	s.ok(s.announce())
}

func (s *scene) siegeOfTasks() {
	s.ok(s.release(s.claimed()))
	paid := s.claimed()
	s.ok(s.notes("hello"))
	s.ok(s.notes("hello again"))
	s.ok(s.grant(paid, onchain.Address{}, 3))
	s.ok(s.revoke("alice", paid, onchain.Address{}))
	s.ok(s.prog.CloseData(s.at("alice"), s.notesAt()))
	s.ok(s.start(paid))
	for range 2 {
		s.ok(s.submit(paid))
		if s.taskOf(paid).Reworks > 0 {
			break
		}
		s.ok(s.object(paid))
		s.ok(s.rework(paid))
	}
	s.ok(s.accept(paid))
	s.ok(s.prog.CancelTask(s.at("alice"), s.created().at))
	missed := s.claimed()
	s.pass(3_600)
	s.ok(s.expire(missed))
	unclaimed := s.created(func(c *program.CreateTask) { c.ClaimBy = s.now() + 1 })
	s.pass(1)
	s.ok(s.expire(unclaimed))
}

// siegeOfEngines lets another program decide a task, and be silent about one.
func (s *scene) siegeOfEngines() {
	s.agent("engineer", onchain.Address{})
	decided := s.contestedWith(s.byEngine)
	s.says(decided, voting.ForWorker)
	s.ok(s.settleByEngine(decided))
	silent := s.contestedWith(s.byEngine)
	s.pass(600)
	s.ok(s.openCase(silent, "carol"))
}

// siegeOfDisputes brings two disputes of others, of which the respondent answers one.
func (s *scene) siegeOfDisputes() {
	s.fund("claire", 10*sol)
	s.fund("paula", 10*sol)
	for _, terms := range []string{"silent", "terms"} {
		s.ok(s.bring("paula", "claire", "bob", terms, sevenSeats))
	}
	silent, k := s.dispute("claire", "bob", "silent"), s.dispute("claire", "bob", "terms")
	s.ok(s.answer(k))
	s.ok(s.openCase(k, "carol"))
	s.draw(k)
	s.settledDispute(k, voting.Accept)
	s.pass(28_800)
	s.ok(s.openCase(silent, "carol"))
	s.pass(1_800)
	s.ok(s.settleDispute(silent))
}

func (s *scene) siegeOfAppeals() {
	appealed, waived := s.seated(seven), s.seated(seven)
	for _, k := range []task{appealed, waived} {
		s.round(k, all(s.panel(k), voting.Accept))
	}
	s.no(program.ErrNotLoser, swap(s.appeal(appealed, "bob"), 2, s.prog.Agent(s.at("alice"))))
	s.ok(s.appeal(appealed, "alice"))
	s.draw(appealed)
	s.round(appealed, all(s.panel(appealed), voting.Accept))
	s.pass(3_600)
	s.ok(s.finish(waived, ""))
	s.pass(86_400)
	s.ok(s.prog.CloseCase(appealed.at, s.at("bob"), s.at("alice")))
}

func (s *scene) siegeOfCases() {
	expired := s.contested()
	s.pass(1_800)
	s.ok(s.expireCase(expired))
	s.siegeOfEngines()
	s.siegeOfDisputes()
	s.ok(s.pull("alice", "bob", 5, s.now()+60)...)
	s.ok(s.pull("alice", "bob", 9, s.now()+60)...)
	judged := s.seated()
	s.ok(s.relay(judged, s.asked(judged, 1, "j0", voting.Accept))...)
	s.commits(judged, all(s.others(judged, "j0"), voting.Accept))
	s.reveals(judged, all(s.panel(judged), voting.Accept))
	s.ok(s.settle(judged))
	s.ok(s.publish(judged, "carol"))
	s.siegeOfBatches()
	s.ok(s.slash(judged, 1, "j1")...)
	s.ok(s.reward("j0"))
	s.fund("cold", sol)
	s.fund("safe", sol)
	s.ok(s.prog.ClaimReward(s.at("cold"), s.at("safe"), program.ClaimReward{Judge: s.at("hot")}))
	s.ok(s.prog.ChangeWithdraw(s.at("cold"), program.ChangeWithdraw{Judge: s.at("hot"), Withdraw: s.at("safe")}))
	s.siegeOfAppeals()
	s.ok(s.exit("j2"))
	s.pass(172_800)
	s.released("j2")
	s.ok(s.leave("j2"))
	s.ok(s.prog.CloseCase(judged.at, s.at("bob"), onchain.Address{}))
	s.ok(s.prog.CloseTask(judged.at, s.at("alice"), s.under(judged)))
}
