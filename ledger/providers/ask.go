package providers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"ojud/ledger/onchain"
	"ojud/ledger/rpc"
)

// question is one call.
type question struct {
	method string
	params []any
	least  uint64 // an answer must come from that slot or a later one
	clock  int    // which of the accounts is the chain's clock; -1: none
}

// compared reports whether all providers must agree on the answer.
func (q question) compared() bool {
	switch q.method {
	case "getMultipleAccounts", "getGenesisHash", "getMinimumBalanceForRentExemption":
		return true
	case "getTransaction", "getSignaturesForAddress": // final ones do not change; others are hints
		return option(q.params, "commitment") == "finalized"
	}
	return false
}

// option returns an option of the last parameter, nil if it is not there.
func option(params []any, name string) any {
	if len(params) == 0 {
		return nil
	}
	options, ok := params[len(params)-1].(map[string]any)
	if !ok {
		return nil
	}
	return options[name]
}

func leastSlot(params []any) uint64 {
	least, _ := option(params, "minContextSlot").(uint64)
	return least
}

// clockAt returns which account of a question is the chain's clock, or -1.
func clockAt(method string, params []any) int {
	if method != "getMultipleAccounts" {
		return -1
	}
	addresses, _ := params[0].([]onchain.Address)
	return slices.Index(addresses, onchain.ClockAccount())
}

// answer is what one provider said.
type answer struct {
	from *provider
	raw  json.RawMessage
	err  error
}

// ask asks providers at once. It does not wait for those that take much longer than the first; they
// count as silent, and are left out if blame is set.
func (p *Pool) ask(ctx context.Context, all []*provider, q question, blame bool) []answer {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	got := make(chan answer, len(all))
	for _, v := range all {
		go func() {
			a := answer{from: v}
			_, a.err = v.caller.Once(ctx, q.method, q.params, &a.raw)
			got <- a
		}()
	}
	out := make([]answer, 0, len(all))
	late := make(<-chan time.Time)
	for len(out) < len(all) {
		select {
		case a := <-got:
			if out = append(out, a); a.err == nil && len(all) > 1 && len(out) < len(all) {
				t := time.NewTimer(grace)
				defer t.Stop()
				late = t.C
			}
		case <-late:
			cancel()
			for len(out) < len(all) {
				a := <-got
				if a.err != nil {
					a.err = fmt.Errorf("%w: %s takes %v longer than others", rpc.ErrUnavailable, a.from.name, grace)
				}
				out = append(out, a)
			}
		}
	}
	if blame {
		p.blame(out)
	}
	return out
}

// blame leaves out those that failed although another answered.
func (p *Pool) blame(all []answer) {
	if !slices.ContainsFunc(all, func(a answer) bool { return a.err == nil }) {
		return
	}
	for _, a := range all {
		switch {
		case a.err == nil, errors.Is(a.err, context.Canceled), errors.Is(a.err, rpc.ErrStale):
		case errors.Is(a.err, rpc.ErrUnavailable), errors.Is(a.err, rpc.ErrRateLimited), errors.Is(a.err, rpc.ErrAnswer):
			p.leave(a.from, silent, a.err.Error())
		}
	}
}

// any asks one provider after the other until one answers. Each call begins with another one, so
// that none sees all questions or can hide something from all of them.
func (p *Pool) any(ctx context.Context, q question, out any, check func() error, final []error) error {
	ctx, cancel := context.WithTimeout(ctx, p.cfg.Patience)
	defer cancel()
	for n := 0; ; n++ {
		err := p.anyOnce(ctx, q, out, check)
		isFinal := func(class error) bool { return errors.Is(err, class) }
		if err == nil || !rpc.Retryable(err) || slices.ContainsFunc(final, isFinal) || ctx.Err() != nil {
			return err
		}
		if rpc.Wait(ctx, rpc.Backoff(n, p.cfg.BackoffMin, p.cfg.BackoffMax)) != nil {
			return err
		}
	}
}

// anyOnce asks each provider at most once.
func (p *Pool) anyOnce(ctx context.Context, q question, out any, check func() error) (last error) {
	all := p.usable()
	first := int(p.turn.Add(1) % uint64(len(all)))
	empty := json.RawMessage(nil)
	for i := range all {
		v := all[(first+i)%len(all)]
		var raw json.RawMessage
		_, err := v.caller.Once(ctx, q.method, q.params, &raw)
		if err == nil && string(raw) == "null" { // a transaction that this one does not have
			empty = raw
			continue
		}
		if err == nil {
			err = decode(raw, q.method, out)
		}
		if err == nil && check != nil {
			err = check()
		}
		if err == nil {
			p.praise(v)
			return nil
		}
		if last == nil || rpc.Retryable(err) {
			last = err
		}
	}
	if empty != nil {
		return decode(empty, q.method, out)
	}
	return last
}

// merge asks all providers and makes one careful answer of theirs.
func (p *Pool) merge(ctx context.Context, q question, out any, check func() error) error {
	ctx, cancel := context.WithTimeout(ctx, p.cfg.Patience)
	defer cancel()
	for n := 0; ; n++ {
		all := p.ask(ctx, p.usable(), q, true)
		var raws []json.RawMessage
		for _, a := range all {
			if a.err == nil {
				raws = append(raws, a.raw)
				p.praise(a.from)
			}
		}
		err := all[0].err
		if len(raws) > 0 {
			var one json.RawMessage
			if one, err = merges[q.method](raws, p.turn.Add(1)); err == nil {
				err = decode(one, q.method, out)
			}
			if err == nil && check != nil {
				err = check()
			}
		}
		if err == nil || !rpc.Retryable(err) || ctx.Err() != nil || rpc.Wait(ctx, rpc.Backoff(n, p.cfg.BackoffMin, p.cfg.BackoffMax)) != nil {
			return err
		}
	}
}

// decode reads a result.
func decode(raw json.RawMessage, method string, out any) error {
	if err := json.Unmarshal(raw, out); err != nil {
		return fmt.Errorf("%w: %s: %w", rpc.ErrAnswer, method, err)
	}
	return nil
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
