package providers

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"ojud/ledger/rpc"
)

// merges are the methods whose answers differ between honest providers, with the careful answer
// made of those of all.
var merges = map[string]func(all []json.RawMessage, turn uint64) (json.RawMessage, error){
	"getSignatureStatuses":        statuses,
	"getEpochInfo":                epochInfo,
	"getLatestBlockhash":          blockhash,
	"simulateTransaction":         simulation,
	"getRecentPrioritizationFees": fees,
}

// each decodes all answers.
func each[T any](all []json.RawMessage) ([]T, error) {
	out := make([]T, len(all))
	for i, raw := range all {
		if err := json.Unmarshal(raw, &out[i]); err != nil {
			return nil, fmt.Errorf("%w: %w", rpc.ErrAnswer, err)
		}
	}
	return out, nil
}

// signatureStatus is what one provider says about a transaction.
type signatureStatus struct {
	Slot          uint64          `json:"slot"`
	Confirmations *uint64         `json:"confirmations"`
	Err           json.RawMessage `json:"err"`
	Status        string          `json:"confirmationStatus"`
}

// rank orders the states of a transaction.
func (s *signatureStatus) rank() int {
	switch {
	case s == nil:
		return 0
	case s.Status == "finalized" || s.Status == "" && s.Confirmations == nil:
		return 3
	case s.Status == "confirmed":
		return 2
	}
	return 1
}

// statuses says that a transaction landed only if all say so, and that it is unknown only if all do
// not know it. Between these it is on its way: it is sent on, and not signed anew.
func statuses(all []json.RawMessage, _ uint64) (json.RawMessage, error) {
	got, err := each[rpc.Contexted[[]*signatureStatus]](all)
	if err != nil {
		return nil, err
	}
	out := got[0]
	for _, g := range got[1:] {
		if len(g.Value) != len(out.Value) {
			return nil, fmt.Errorf("%w: %d statuses and %d", rpc.ErrAnswer, len(g.Value), len(out.Value))
		}
		out.Context.Slot = min(out.Context.Slot, g.Context.Slot)
		for i, s := range g.Value {
			out.Value[i] = lesser(out.Value[i], s)
		}
	}
	return json.Marshal(out)
}

func lesser(a, b *signatureStatus) *signatureStatus {
	if a == nil && b == nil {
		return nil
	}
	if a == nil || b == nil || string(a.Err) != string(b.Err) && a.rank() > 1 && b.rank() > 1 {
		known := cmp.Or(a, b)
		return &signatureStatus{Slot: known.Slot, Confirmations: new(uint64), Status: "processed"}
	}
	if b.rank() < a.rank() {
		return b
	}
	return a
}

// epochInfo is the one that is least far: a transaction must not count as expired too early.
func epochInfo(all []json.RawMessage, _ uint64) (json.RawMessage, error) {
	got, err := each[struct {
		Block uint64 `json:"blockHeight"`
	}](all)
	if err != nil {
		return nil, err
	}
	least := 0
	for i := range got {
		if got[i].Block < got[least].Block {
			least = i
		}
	}
	return all[least], nil
}

// validBlocks is for how many blocks a blockhash is taken.
const validBlocks = 150

// latest is a blockhash as providers tell of it.
type latest struct {
	Blockhash string `json:"blockhash"`
	LastValid uint64 `json:"lastValidBlockHeight"`
}

// blockhash takes those of the providers in turn, so that a wrong one costs one signing. Its last
// block is bounded by what the others say: otherwise a transaction might never expire.
func blockhash(all []json.RawMessage, turn uint64) (json.RawMessage, error) {
	got, err := each[rpc.Contexted[*latest]](all)
	if err != nil {
		return nil, err
	}
	got = slices.DeleteFunc(got, func(g rpc.Contexted[*latest]) bool { return g.Value == nil })
	if len(got) == 0 {
		return nil, fmt.Errorf("%w: no blockhash", rpc.ErrAnswer)
	}
	least := got[0].Value.LastValid
	for _, g := range got {
		least = min(least, g.Value.LastValid)
	}
	one := got[turn%uint64(len(got))]
	one.Value.LastValid = min(one.Value.LastValid, least+validBlocks)
	return json.Marshal(one)
}

// simulation is the one that succeeds and takes the most, if one does. A refusal that a provider
// made up must not stop a vote; a success that it made up costs a fee.
func simulation(all []json.RawMessage, _ uint64) (json.RawMessage, error) {
	got, err := each[rpc.Contexted[*struct {
		Err   json.RawMessage `json:"err"`
		Units uint64          `json:"unitsConsumed"`
	}]](all)
	if err != nil {
		return nil, err
	}
	best := -1
	for i, g := range got {
		if g.Value == nil || len(g.Value.Err) > 0 && string(g.Value.Err) != "null" {
			continue
		}
		if best < 0 || g.Value.Units > got[best].Value.Units {
			best = i
		}
	}
	return all[max(best, 0)], nil
}

// fees is the middle one of what the providers say that others paid.
func fees(all []json.RawMessage, _ uint64) (json.RawMessage, error) {
	got, err := each[[]struct {
		Fee float64 `json:"prioritizationFee"`
	}](all)
	if err != nil {
		return nil, err
	}
	order := make([]int, len(got))
	sums := make([]float64, len(got))
	for i, list := range got {
		order[i] = i
		for _, f := range list {
			sums[i] += f.Fee / float64(len(list))
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(sums[a], sums[b]) })
	return all[order[(len(order)-1)/2]], nil
}
