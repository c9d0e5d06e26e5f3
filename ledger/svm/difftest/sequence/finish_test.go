package sequence_test

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/voting"
)

// give sends lamports to an account of the program from outside. They must not count.
func (a *arena) give() {
	from, to := a.somebody(), a.another(key{})
	if v, ok := a.accounts[to]; (!ok || onchain.Address(v.Owner) != a.prog.ID()) && a.keys[to] != nil || a.fixed[to].Lamports != 0 {
		return
	}
	amount := pick[uint64](a, 890_880, 1_000_000, 2_000_000_000)
	if a.lamports(from) < amount {
		return
	}
	if !a.plain([]onchain.Instruction{onchain.Transfer(from, to, amount)}) {
		return
	}
	if _, ok := a.book[to]; ok {
		a.extra[to] += amount
	}
	a.seen.reached["lamports given from outside"]++
}

// plain sends instructions of other programs, and reports whether they were carried out.
func (a *arena) plain(list []onchain.Instruction) bool {
	tx, err := compile(a.payer, list, onchain.Hash(a.env.Blockhash))
	if err != nil {
		panic(err) // of instructions that are always the same
	}
	if a.record != nil {
		a.record(sent{a.env, a.accounts, list})
	}
	r := a.runtime.Simulate(tx, &a.env, a, false)
	if r.Err != nil {
		return false
	}
	for _, w := range r.Writes {
		a.accounts[key(w.Key)] = w.Account
	}
	return true
}

// depth records the situations that a sequence reached.
func (a *arena) depth(seen *coverage) {
	for _, v := range a.book {
		switch v := v.(type) {
		case *program.Case:
			seen.case_(v)
		case *program.Roster:
			for _, e := range v.Entries {
				if e.Equivocated > 0 {
					seen.reached["equivocation"]++
				}
				if e.State == program.EntryFree {
					seen.reached["judge that left"]++
				}
			}
		}
	}
}

func (v *coverage) case_(k *program.Case) {
	switch {
	case k.Verdict == voting.ForWorker:
		v.reached["verdict for the worker"]++
	case k.Verdict == voting.ForCreator:
		v.reached["verdict for the creator"]++
	case k.Verdict == voting.Undecided:
		v.reached["undecided"]++
	}
	if k.Applied == 1 {
		v.reached["golden case applied"]++
	} else if k.Golden != 0 {
		v.reached["golden case open"]++
	}
	switch {
	case k.Level == 2 && k.Verdict != k.FirstVerdict:
		v.reached["reversed"]++
	case k.Level == 2:
		v.reached["confirmed"]++
	case k.AppealSeats > 0 && k.Status.Over():
		v.reached["appeal without a verdict"]++
	case k.AppealSeats > 0:
		v.reached["appealed"]++
	case k.AppealBy > 0:
		v.reached["could be appealed"]++
	}
	switch k.Round {
	case 2:
		v.reached["second round"]++
	case 3:
		v.reached["third round"]++
	}
}

// sortedKeys returns the accounts of a type in a deterministic order.
func sortedKeys[T any](a *arena) []key {
	all := slices.DeleteFunc(slices.Collect(maps.Keys(a.book)), func(k key) bool { return get[T](a, k) == nil })
	slices.SortFunc(all, func(x, y key) int { return bytes.Compare(x[:], y[:]) })
	return all
}

// finish brings everything to its end by any allowed caller: no one can keep a task from ending, or
// lock money in the program.
func (a *arena) finish() error {
	for _, at := range sortedKeys[program.Task](a) {
		for n := 0; !get[program.Task](a, at).Status.Over(); n++ {
			if n == 32 {
				return fmt.Errorf("%s does not end: %+v", a.name(at), get[program.Task](a, at))
			}
			if err := a.must(a.crank(at)); err != nil {
				return err
			}
		}
	}
	return firstOf(a.endBatches, a.closeAll, a.payAll, a.leaveAll, a.emptied)
}

func firstOf(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// await moves the time to at, unless it has passed.
func (a *arena) await(at int64) {
	if d := at - a.now(); d > 0 {
		a.pass(d, uint64(d)*5/2)
	}
}

// never is a time that no clock reaches: a task waits for ever if its claim_by is further away.
const never = 100 * 365 * 86_400

// crank returns the call by which an outsider brings a task to its end if its parties and judges do
// nothing. A task without claim_by waits for ever, and only its creator can take it back.
func (a *arena) crank(at key) *call {
	t := get[program.Task](a, at)
	w := who{task: at}
	switch t.Status {
	case program.Created:
		if t.ClaimBy == 0 || t.ClaimBy > a.now()+never {
			return a.call(&program.CancelTask{}, who{actor: t.Creator, task: at})
		}
		a.await(t.ClaimBy)
		return a.call(&program.Expire{}, w)
	case program.Judiciary:
		if t.Deadline != 0 { // the engine stays silent
			a.await(t.Deadline)
			if t.OnSilence == program.EndByTerm {
				return a.call(&program.Expire{}, w)
			}
			return a.call(&program.OpenCase{}, who{actor: a.payer, task: at})
		}
		k := a.caseOf(at)
		if k.Status == voting.AwaitingDraw {
			a.await(k.DrawBy)
			return a.ending(at, true)
		}
		if k.Status == voting.Appealable {
			a.await(k.AppealBy)
			return a.call(&program.FinishCase{}, w)
		}
		a.await(k.RevealEnds)
		return a.ending(at, false)
	}
	a.await(t.Deadline)
	return a.call(&program.Expire{}, w)
}

// endBatches ends all batches: nobody can keep a deposit locked.
func (a *arena) endBatches() error {
	for _, at := range sortedKeys[program.Batch](a) {
		b := get[program.Batch](a, at)
		if b.Fair() {
			a.await(b.KeepUntil)
		} else if b.Opened < b.Leaves {
			a.await(b.OpenBy)
		}
		if err := a.must(a.call(&program.CloseBatch{}, who{batch: b.Number, wallet: b.Proctor})); err != nil {
			return err
		}
	}
	return nil
}

func (a *arena) closeAll() error {
	for _, at := range sortedKeys[program.Case](a) {
		k := get[program.Case](a, at)
		a.await(k.SettledAt + int64(k.Rules.EvidenceSeconds))
		if err := a.must(a.call(&program.CloseCase{}, who{task: k.Task, wallet: k.Payer})); err != nil {
			return err
		}
	}
	if err := a.payPledges(); err != nil {
		return err
	}
	for _, at := range sortedKeys[program.Task](a) {
		t := get[program.Task](a, at)
		a.await(t.FinishedAt + int64(a.version(t.Rules).EvidenceSeconds))
		if err := a.must(a.call(&program.CloseTask{}, who{task: at, wallet: t.Funder()})); err != nil {
			return err
		}
	}
	return nil
}

// payAll empties the vaults.
func (a *arena) payAll() error {
	for _, at := range sortedKeys[program.Agent](a) {
		if v := get[program.Agent](a, at); v.Vault > 0 {
			if err := a.must(a.call(&program.Withdraw{Amount: v.Vault}, who{actor: v.Authority})); err != nil {
				return err
			}
		}
	}
	return a.takeAllTokens()
}

// leaveAll lets every judge take its rewards and its stake.
func (a *arena) leaveAll() error {
	for _, e := range a.roster().Entries {
		if e.State == program.EntryFree {
			continue
		}
		var calls []*call
		if e.Rewards > 0 {
			calls = append(calls, a.call(&program.ClaimReward{Judge: e.Authority}, who{wallet: e.Withdraw}))
		}
		if e.State == program.EntryActive {
			calls = append(calls, a.call(&program.BeginExit{Judge: e.Authority}, who{actor: e.Withdraw}))
		}
		for _, c := range calls {
			if err := a.must(c); err != nil {
				return err
			}
		}
		a.await(a.roster().Entries[a.roster().Find(voting.Key(e.Authority))].ExitAt)
		for a.roster().Entries[a.roster().Find(voting.Key(e.Authority))].Counted() {
			a.await(a.roster().SeasonAt + int64(a.law().SeasonSeconds))
			if err := a.must(a.call(&program.BeginSeason{}, who{})); err != nil {
				return err
			}
		}
		if err := a.must(a.call(&program.WithdrawStake{Judge: e.Authority}, who{actor: e.Withdraw, wallet: e.Authority})); err != nil {
			return err
		}
	}
	return nil
}

// emptied checks that only rents, unclaimed winnings, the Pot and lamports from outside are left.
func (a *arena) emptied() error {
	r := a.roster()
	if r.TotalStake+r.TotalRewards != 0 || r.Active != 0 {
		return fmt.Errorf("the empty roster has %+v", r)
	}
	for k, v := range a.book {
		left := a.lamports(k) - a.rent(len(a.accounts[k].Data)) - a.extra[k]
		if pot, ok := v.(*program.Pot); ok {
			left -= pot.Golden
		}
		if left != 0 {
			return fmt.Errorf("%s still holds %d lamports", a.name(k), left)
		}
	}
	return nil
}
