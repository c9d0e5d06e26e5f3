package oju_test

import (
	"encoding/binary"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/svm/accounts"
	"ojud/ledger/svm/difftest"
)

// seeds returns the seeds of an account's address, from its own content. They are nil if it is no
// account of the program.
func seeds(a program.Account) [][]byte {
	switch a := a.(type) {
	case *program.Config:
		return [][]byte{[]byte("config")}
	case *program.Rules:
		return [][]byte{[]byte("rules"), binary.LittleEndian.AppendUint32(nil, a.Number)}
	case *program.Roster:
		return [][]byte{[]byte("roster")}
	case *program.Pot:
		return [][]byte{[]byte("pot")}
	case *program.RegistryPage:
		return [][]byte{[]byte("registry"), binary.LittleEndian.AppendUint32(nil, a.Page)}
	case *program.Agent:
		return [][]byte{[]byte("agent"), a.Authority[:]}
	case *program.AgentData:
		return [][]byte{[]byte("data"), a.Authority[:], []byte(a.Name)}
	case *program.Task:
		return [][]byte{[]byte("task"), a.Creator[:], binary.LittleEndian.AppendUint64(nil, a.ID)}
	case *program.Case:
		return [][]byte{[]byte("case"), a.Task[:]}
	case *program.Channel:
		return [][]byte{[]byte("channel"), a.Payer[:], a.Payee[:]}
	}
	return nil
}

// renamed turns an account into another one of its kind, in the same state. It returns false if
// there is only one of that kind.
func (s *scene) renamed(a program.Account) bool {
	switch a := a.(type) {
	case *program.Rules:
		a.Number, a.Until = a.Number+1_000, a.From // one version only is in force
	case *program.Agent:
		a.Authority = onchain.Address(difftest.Address("twin"))
	case *program.AgentData:
		a.Name = "twin"
	case *program.Task:
		a.ID += 1_000
	case *program.Case:
		a.Task = s.prog.Task(onchain.Address(difftest.Address("twin")), 1)
	case *program.Channel:
		a.Payer = onchain.Address(difftest.Address("twin"))
	default:
		return false
	}
	return true
}

// bumped writes the bump of its address into an account's bytes.
func bumped(data []byte, id onchain.Address, a program.Account) (onchain.Address, []byte, error) {
	at, bump, err := solana.FindProgramAddress(seeds(a), solana.PublicKey(id))
	if err != nil {
		return onchain.Address(at), nil, err
	}
	data = append([]byte(nil), data...)
	data[9] = bump
	return onchain.Address(at), data, nil
}

// twin returns another account of the same kind, as the program itself would have made it: of
// another task, case, agent …
func (s *scene) twin(genuine accounts.Account) (onchain.Address, accounts.Account, bool) {
	a, err := program.DecodeAccount(genuine.Data)
	if err != nil || !s.renamed(a) {
		return onchain.Address{}, accounts.Account{}, false
	}
	at, data, err := bumped(a.Encode(), s.prog.ID(), a)
	if err != nil {
		s.t.Fatal(err)
	}
	genuine.Data = data
	return at, genuine, true
}

// foreign returns the account that another program would have made from the same seeds and bytes.
func (s *scene) foreign(genuine accounts.Account) (onchain.Address, accounts.Account, bool) {
	a, err := program.DecodeAccount(genuine.Data)
	if err != nil {
		return onchain.Address{}, accounts.Account{}, false
	}
	other := difftest.Address("another program")
	at, data, err := bumped(genuine.Data, onchain.Address(other), a)
	if err != nil {
		s.t.Fatal(err)
	}
	genuine.Data, genuine.Owner = data, other
	return at, genuine, true
}
