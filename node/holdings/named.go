package holdings

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"ojud/casefile"
	"ojud/casefile/agentdata"
	"ojud/casefile/pin"
	"ojud/ledger/onchain"
	"ojud/node/client"
	"ojud/node/library"
)

// ErrChanged means that data is not what a task says it is.
var ErrChanged = errors.New("holdings: the data is not what the task says")

// Named returns the data that a task document names under "pda". It is an error if an account is
// not there or is no agent's data, and ErrChanged if the task pins it by another hash.
func Named(ctx context.Context, c *client.Client, document []byte) (out []*Item, err error) {
	doc, err := casefile.ParseTask(document)
	if err != nil {
		return nil, err
	}
	for n, d := range doc.Value.PDA {
		i, err := named(ctx, c, n, d)
		if err != nil {
			return nil, err
		}
		if i != nil {
			out = append(out, i)
		}
	}
	return out, nil
}

// named reads one data that a task names. It is nil for the literal of the seed's example.
func named(ctx context.Context, c *client.Client, n int, d pin.Data) (*Item, error) {
	at, err := onchain.ParseAddress(d.Account)
	if err != nil {
		return nil, nil
	}
	i, err := Get(ctx, c, Where{Data: at})
	if at.IsZero() {
		err = fmt.Errorf("%w: %s", ErrNone, at)
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("pda[%d]: %w; name an account that \"ojud agent data list\" prints, or leave pda out", n, err)
	case d.SHA256 != "" && d.SHA256 != i.Hash.String():
		return nil, fmt.Errorf("pda[%d]: %w: the bytes of %s have the hash %s, and the task says %s", n, ErrChanged, at, i.Hash, d.SHA256)
	}
	return i, nil
}

// Pin returns a task that pins the data that it names, and the data that its checks read, by the
// hashes that the bytes have now. So nobody can change what a result is held to. A task that names
// none is returned as it is. The errors are those of Named.
func Pin(ctx context.Context, c *client.Client, task library.Document) (library.Document, error) {
	doc, err := casefile.ParseTask(task.Content)
	if err != nil {
		return task, err
	}
	all := append(doc.Value.PDA, agentdata.Asked(doc.Value)...)
	changed := len(all) > len(doc.Value.PDA)
	for n := range all {
		i, err := named(ctx, c, n, all[n])
		if err != nil {
			return task, err
		}
		if i != nil && all[n].SHA256 == "" {
			all[n].SHA256, changed = i.Hash.String(), true
		}
	}
	if !changed {
		return task, nil
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(task.Content, &members); err != nil {
		return task, fmt.Errorf("holdings: the task: %w", err)
	}
	if members["pda"], err = json.Marshal(all); err != nil {
		return task, fmt.Errorf("holdings: the task: %w", err)
	}
	raw, err := json.Marshal(members)
	if err != nil {
		return task, fmt.Errorf("holdings: the task: %w", err)
	}
	return library.ReadTask(raw)
}
