package sequence_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/devnet/spl"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/svm/accounts"
	"ojud/ledger/tokens"
	"ojud/voting"
)

const (
	issued      = 1_000 // units in each token account at the beginning
	maxAccounts = 18    // of withdraw_tokens, with those for a hook
)

// coins are the mints, with their programs.
func coins() map[string]key {
	return map[string]key{"usd": tokens.SPL(), "eur": tokens.SPL(), "gbp": tokens.Token2022()}
}

// unsigned is an address for which nobody signs. Deriving a key for each would take a tenth of the
// processor time of a sequence.
func unsigned(name string) key { return sha256.Sum256([]byte(name)) }

func mintAt(coin string) key { return unsigned("mint of " + coin) }

// purse is the token account of a person, or of its agent.
func purse(coin, name string, vault bool) key {
	return unsigned(fmt.Sprint("purse ", coin, " ", name, " ", vault))
}

// tokenPrograms brings the token programs to a stage.
func (s *stage) tokenPrograms() error {
	list, err := spl.Accounts()
	for _, a := range list {
		s.fixed[key(a.Key)] = a.Account
	}
	return err
}

// mint gives agents and their keys tokens. The vault of "both" is frozen in one mint.
func (a *arena) mint() {
	a.held = map[key]tokens.TokenAccount{}
	for _, coin := range slices.Sorted(maps.Keys(coins())) {
		of, at := coins()[coin], mintAt(coin)
		mint := make([]byte, tokens.MintSize)
		mint[44], mint[45] = 6, 1
		a.place(at, of, mint)
		a.names[at] = coin
		for _, name := range append([]string{"both", "mallory"}, a.court.agents...) {
			for owner, vault := range map[key]bool{a.person(name): false, a.at(place{kind: "agent", a: a.person(name)}): true} {
				h := tokens.TokenAccount{Program: of, Mint: at, Owner: owner, Amount: issued, Frozen: coin == "gbp" && name == "both" && vault}
				data := slices.Concat(at[:], owner[:], binary.LittleEndian.AppendUint64(nil, issued), make([]byte, tokens.AccountSize-72))
				data[108] = 1
				if h.Frozen {
					data[108] = 2
				}
				p := purse(coin, name, vault)
				a.place(p, of, data)
				a.held[p], a.names[p] = h, fmt.Sprint(coin, " of ", name, " ", vault)
			}
		}
	}
}

// place puts an account of a token program on the chain.
func (a *arena) place(at, owner key, data []byte) {
	a.accounts[at] = accounts.Account{Lamports: a.rent(len(data)), Owner: solana.PublicKey(owner), Data: data, RentEpoch: accounts.RentExempt}
}

// takeTokens withdraws tokens of an agent to its key.
func (a *arena) takeTokens(name string) *call {
	coin := pick(a, slices.Sorted(maps.Keys(coins()))...)
	amount := 1 + a.r.Uint64N(max(1, a.held[purse(coin, name, true)].Amount/2))
	return a.call(&program.WithdrawTokens{Amount: amount}, who{actor: a.person(name), coin: coin, name: name})
}

// withdrawTokens is the model.
func (s *step) withdrawTokens() {
	s.ofTokens("mint", "source", "destination")
	s.need(len(s.c.metas) <= maxAccounts, "too many accounts")
	s.need(read[program.Agent](s, "agent").Authority == s.at("authority"), "not the agent")
	to, own := s.a.held[s.at("destination")]
	amount := s.c.ix.(*program.WithdrawTokens).Amount
	s.need(own && to.Owner == s.at("authority"), "to somebody else")
	s.need(amount > 0, "nothing")
	s.transfer(s.at("source"), s.at("destination"), s.at("agent"), amount)
}

// transfer moves tokens of an owner.
func (s *step) transfer(from, to, owner key, amount uint64) {
	a, there := s.a.held[from]
	b, ready := s.a.held[to]
	s.need(there && ready && a.Owner == owner, "out of another account")
	s.need(a.Mint == s.at("mint") && b.Mint == a.Mint, "another mint")
	s.need(!a.Frozen && !b.Frozen, "frozen")
	s.need(a.Amount >= amount, "not so many tokens")
	a.Amount -= amount
	b.Amount += amount
	s.held = map[key]tokens.TokenAccount{from: a, to: b}
}

// holding is the address of the associated token account of the pledge of a task.
func (a *arena) holding(task, of, mint key) key {
	owner := a.at(place{kind: "pledge", a: task})
	id := place{kind: "holding", a: owner, b: mint, name: string(of[:])}
	if at, ok := a.places[id]; ok {
		return at
	}
	at, _, err := solana.FindProgramAddress([][]byte{owner[:], of[:], mint[:]}, solana.PublicKey(tokens.AssociatedProgram()))
	if err != nil {
		panic(err) // 255 bumps in a row on the curve do not occur
	}
	a.places[id], a.names[key(at)] = key(at), "holding of "+a.name(owner)
	return key(at)
}

// ofTokens demands that accounts are of the token program.
func (s *step) ofTokens(roles ...string) key {
	of := s.at("token_program")
	s.need(tokens.IsProgram(of), "no token program")
	for _, role := range roles {
		v, ok := s.a.Account(solana.PublicKey(s.at(role)))
		s.need(ok && key(v.Owner) == of, "not of the token program")
	}
	return of
}

func (s *step) pledgeTokens() {
	of := s.ofTokens("mint", "source", "holding")
	s.fixed("system")
	task, at, authority := s.at("task"), s.at("pledge"), s.at("authority")
	s.vacant("pledge", s.a.at(place{kind: "pledge", a: task}))
	s.is("holding", s.a.holding(task, of, s.at("mint")))
	t := read[program.Task](s, "task")
	s.need(t.Creator == authority && t.Status == program.Created, "not of the creator, or claimed")
	s.need(read[program.Agent](s, "agent").Authority == authority, "not the agent")
	amount := s.c.ix.(*program.PledgeTokens).Amount
	s.need(amount > 0, "nothing")
	s.make(authority, at, program.PledgeSize, &program.Pledge{Bump: s.a.bumps[at], Task: task, Mint: s.at("mint"), Amount: amount})
	s.transfer(s.at("source"), s.at("holding"), s.at("agent"), amount)
}

func (s *step) payPledge() {
	of, p := s.ofTokens("mint", "holding", "destination"), open[program.Pledge](s, "pledge")
	s.is("task", p.Task)
	s.is("mint", p.Mint)
	s.is("holding", s.a.holding(p.Task, of, p.Mint))
	t, party := read[program.Task](s, "task"), read[program.Agent](s, "agent").Authority
	s.is("wallet", t.Creator)
	s.need(party == t.Creator || party == t.Worker, "no party")
	s.need(s.a.held[s.at("destination")].Owner == s.at("agent"), "to somebody else")
	s.need(t.Status.Over(), "not over")
	creator, worker := due(p, t)
	units, rest := creator, worker
	if party != t.Creator {
		units, rest = worker, creator
		p.WorkerPaid = 1
	} else {
		p.CreatorPaid = 1
	}
	s.need(units > 0, "nothing")
	holding := s.at("holding")
	if rest == 0 {
		units = s.a.held[holding].Amount
	}
	s.transfer(holding, s.at("destination"), s.at("pledge"), units)
	if rest == 0 {
		s.held[holding] = tokens.TokenAccount{}
		s.move(holding, t.Creator, s.a.lamports(holding))
		s.close(s.at("pledge"), t.Creator)
	}
}

// due returns what the parties are still to get of a pledge.
func due(p *program.Pledge, t *program.Task) (creator, worker uint64) {
	switch t.Outcome {
	case voting.Paid:
		worker = p.Amount
	case voting.Split:
		worker = p.Amount / 2
	}
	creator = p.Amount - worker
	if p.CreatorPaid == 1 {
		creator = 0
	}
	if p.WorkerPaid == 1 {
		worker = 0
	}
	return creator, worker
}

// pledge promises tokens beside a task. The account that holds them is made before.
func (a *arena) pledge(at key, t *program.Task) *call {
	coin := pick(a, slices.Sorted(maps.Keys(coins()))...)
	if h := a.holding(at, coins()[coin], mintAt(coin)); a.held[h].Mint.IsZero() {
		a.openHolding(at, coin, h)
	}
	return a.call(&program.PledgeTokens{Amount: 1 + a.r.Uint64N(issued/2)}, who{actor: t.Creator, task: at, coin: coin, name: a.names[t.Creator]})
}

// openHolding makes the associated token account of a pledge.
func (a *arena) openHolding(task key, coin string, h key) {
	owner := a.at(place{kind: "pledge", a: task})
	m := &tokens.Mint{Address: mintAt(coin), Program: coins()[coin]}
	open, err := tokens.CreateAssociated(a.payer, owner, m)
	if err != nil {
		panic(err) // a derived address
	}
	if a.plain([]onchain.Instruction{open}) {
		a.held[h] = tokens.TokenAccount{Program: m.Program, Mint: m.Address, Owner: owner}
	}
}

// paying pays what somebody is due of the pledge of a task that is over; nil if there is none.
func (a *arena) paying(at key, t *program.Task) *call {
	p := get[program.Pledge](a, a.at(place{kind: "pledge", a: at}))
	if p == nil {
		return nil
	}
	party := t.Worker
	if creator, worker := due(p, t); worker == 0 || creator > 0 && a.r.IntN(2) == 0 {
		party = t.Creator
	}
	for coin := range coins() {
		if mintAt(coin) == p.Mint {
			return a.call(&program.PayPledge{}, who{actor: party, task: at, coin: coin, name: a.names[party], vaults: true, wallet: t.Creator})
		}
	}
	return nil
}

// payPledges pays all pledges of tasks that are over. The freezer thaws all accounts before.
func (a *arena) payPledges() error {
	for k, h := range a.held {
		if h.Frozen {
			v := a.accounts[k]
			v.Data = bytes.Clone(v.Data)
			v.Data[108], h.Frozen = 1, false
			a.accounts[k], a.held[k] = v, h
		}
	}
	for _, at := range sortedKeys[program.Pledge](a) {
		for range 2 {
			p := get[program.Pledge](a, at)
			if p == nil {
				break
			}
			if err := a.must(a.paying(p.Task, get[program.Task](a, p.Task))); err != nil {
				return err
			}
		}
	}
	return nil
}

// refusedByTokens names a refusal of a token program.
func refusedByTokens(c *call, f program.Failure) (string, bool) {
	switch c.ix.(type) {
	case *program.WithdrawTokens, *program.PledgeTokens, *program.PayPledge:
	default:
		return "", false
	}
	known := []uint32{1, 3, 4, 17} // not enough, another mint, another owner, frozen
	if f.HasCustom && slices.Contains(known, f.Custom) {
		return fmt.Sprint("the token program: ", f.Custom), true
	}
	return "the token program: " + f.Kind, f.Kind == "InvalidAccountData"
}

// coinsAgree compares an account of a token program with the model.
func (a *arena) coinsAgree(s *step, w accounts.Keyed) error {
	k, old := key(w.Key), a.accounts[key(w.Key)]
	want, changed := s.held[k]
	if !changed {
		if w.Account.Owner != old.Owner || !bytes.Equal(w.Account.Data, old.Data) {
			return fmt.Errorf("%s has changed", a.name(k))
		}
		return nil
	}
	if want.Mint.IsZero() {
		if w.Account.Lamports != 0 {
			return fmt.Errorf("%s is not closed", a.name(k))
		}
		return nil
	}
	got, err := tokens.DecodeAccount(key(w.Account.Owner), w.Account.Data)
	if err != nil || *got != want {
		return fmt.Errorf("%s is %+v, the model says %+v: %w", a.name(k), got, want, err)
	}
	return nil
}

// conserved checks that tokens of a mint are neither made nor lost. It reads the chain, not the
// model.
func (a *arena) conserved() error {
	sums := map[key]uint64{}
	for k := range a.held {
		v, err := tokens.DecodeAccount(key(a.accounts[k].Owner), a.accounts[k].Data)
		if err != nil {
			return fmt.Errorf("%s: %w", a.name(k), err)
		}
		sums[v.Mint] += v.Amount
	}
	for coin := range coins() {
		if want := uint64(issued * 2 * (len(a.court.agents) + 2)); sums[mintAt(coin)] != want {
			return fmt.Errorf("%d units of %s, not %d", sums[mintAt(coin)], coin, want)
		}
	}
	return nil
}

// takeAllTokens empties the vaults of all tokens that are not frozen.
func (a *arena) takeAllTokens() error {
	for _, name := range append([]string{"both"}, a.court.agents...) {
		for _, coin := range slices.Sorted(maps.Keys(coins())) {
			h := a.held[purse(coin, name, true)]
			if h.Amount == 0 || h.Frozen {
				continue
			}
			if err := a.must(a.call(&program.WithdrawTokens{Amount: h.Amount}, who{actor: a.person(name), coin: coin, name: name})); err != nil {
				return err
			}
		}
	}
	return a.conserved()
}
