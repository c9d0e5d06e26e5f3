package trader

import (
	"context"
	"fmt"
	"slices"

	"ojud/casefile"
	"ojud/ledger"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/node/client/owned"
)

// maxLoose is how many data a task may name without pinning them, so that a worker looks at it.
const maxLoose = 8

// loose says of each task what of its data somebody can change after the result: data that a check
// reads, or data of the creator, and the task does not pin it. It is empty if there is none.
func (m *market) loose(ctx context.Context, tasks []ledger.Keyed[program.Task], orders []casefile.Task) ([]string, error) {
	out, all := make([]string, len(tasks)), make([][]owned.Data, len(tasks))
	var unknown []onchain.Address
	owners := map[casefile.Address]casefile.Address{} // of this look, so that the map is bounded
	for i, order := range orders {
		all[i] = slices.DeleteFunc(owned.List(order), func(d owned.Data) bool { return d.Pinned })
		if len(all[i]) > maxLoose {
			out[i] = fmt.Sprintf("it names %d data of agents without their sha256, so that their owners can change them", len(all[i]))
			continue
		}
		for _, d := range all[i] {
			owner, ok := m.owners[d.At]
			if ok {
				owners[d.At] = owner
			} else if !d.Asked && !slices.Contains(unknown, onchain.Address(d.At)) {
				unknown = append(unknown, onchain.Address(d.At))
			}
		}
	}
	m.owners = owners
	for some := range slices.Chunk(unknown, readAccounts) {
		accounts, _, err := m.office.Accounts(ctx, some...)
		if err != nil {
			return nil, err
		}
		for i, account := range accounts {
			if account == nil || account.Owner != m.office.Program().ID() {
				continue // it may come
			}
			if d, err := program.DecodeAgentData(account.Data); err == nil {
				m.owners[casefile.Address(some[i])] = casefile.Address(d.Authority)
			}
		}
	}
	for i, k := range tasks {
		for _, d := range all[i] {
			owner, known := m.owners[d.At]
			switch {
			case out[i] != "":
			case d.Asked:
				out[i] = fmt.Sprintf("a check of it reads %s, which it does not pin by a sha256, so that its owner can change it after the result", d.Place)
			case !known:
				out[i] = fmt.Sprintf("it names %s without a sha256, and nobody knows whose it is", d.Place)
			case owner == casefile.Address(k.Value.Creator):
				out[i] = fmt.Sprintf("its creator owns %s, which it does not pin by a sha256, and can change it after the result", d.Place)
			}
		}
	}
	return out, nil
}
