package sequence_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/devnet/spl"
	"ojud/ledger/program"
	"ojud/ledger/svm/accounts"
	"ojud/ledger/svm/difftest"
	"ojud/ledger/tokens"
)

const (
	issued      = 1_000 // units in each token account at the beginning
	maxAccounts = 18    // of withdraw_tokens, with those for a hook
)

// coins are the mints, with their programs.
func coins() map[string]key {
	return map[string]key{"usd": tokens.SPL(), "eur": tokens.SPL(), "gbp": tokens.Token2022()}
}

func mintAt(coin string) key { return key(difftest.Address("mint of " + coin)) }

// purse is the token account of a person, or of its agent.
func purse(coin, name string, vault bool) key {
	return key(difftest.Address(fmt.Sprint("purse ", coin, " ", name, " ", vault)))
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
	a.accounts[at] = accounts.Account{Lamports: a.rent(len(data)), Owner: solana.PublicKey(owner), Data: data}
}

// takeTokens withdraws tokens of an agent to its key.
func (a *arena) takeTokens(name string) *call {
	coin := pick(a, slices.Sorted(maps.Keys(coins()))...)
	amount := 1 + a.r.Uint64N(max(1, a.held[purse(coin, name, true)].Amount/2))
	return a.call(&program.WithdrawTokens{Amount: amount}, who{actor: a.person(name), coin: coin, name: name})
}

// withdrawTokens is the model.
func (s *step) withdrawTokens() {
	of := s.at("token_program")
	s.need(tokens.IsProgram(of), "no token program")
	for _, role := range []string{"mint", "source", "destination"} {
		v, ok := s.a.Account(solana.PublicKey(s.at(role)))
		s.need(ok && key(v.Owner) == of, "not of the token program")
	}
	s.need(len(s.c.metas) <= maxAccounts, "too many accounts")
	s.need(read[program.Agent](s, "agent").Authority == s.at("authority"), "not the agent")
	from, mine := s.a.held[s.at("source")]
	to, own := s.a.held[s.at("destination")]
	amount := s.c.ix.(*program.WithdrawTokens).Amount
	s.need(own && to.Owner == s.at("authority"), "to somebody else")
	s.need(amount > 0, "nothing")
	s.need(mine && from.Owner == s.at("agent"), "out of another vault")
	s.need(from.Mint == s.at("mint") && to.Mint == from.Mint, "another mint")
	s.need(!from.Frozen && !to.Frozen, "frozen")
	s.need(from.Amount >= amount, "not so many tokens")
	from.Amount -= amount
	to.Amount += amount
	s.held = map[key]tokens.TokenAccount{s.at("source"): from, s.at("destination"): to}
}

// refusedByTokens names a refusal of a token program.
func refusedByTokens(c *call, f program.Failure) (string, bool) {
	if _, ok := c.ix.(*program.WithdrawTokens); !ok {
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
	got, err := tokens.DecodeAccount(key(w.Account.Owner), w.Account.Data)
	if err != nil || *got != want {
		return fmt.Errorf("%s is %+v, the model says %+v: %w", a.name(k), got, want, err)
	}
	return nil
}

// conserved checks that tokens of a mint are neither made nor lost. It reads the chain, not the
// model.
func (a *arena) conserved() error {
	sums, purses := map[key]uint64{}, map[key]uint64{}
	for k := range a.held {
		v, err := tokens.DecodeAccount(key(a.accounts[k].Owner), a.accounts[k].Data)
		if err != nil {
			return fmt.Errorf("%s: %w", a.name(k), err)
		}
		sums[v.Mint] += v.Amount
		purses[v.Mint]++
	}
	for coin := range coins() {
		if at := mintAt(coin); sums[at] != issued*purses[at] || purses[at] == 0 {
			return fmt.Errorf("%d units of %s in %d accounts", sums[at], coin, purses[at])
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
