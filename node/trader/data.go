package trader

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"ojud/agent/judge"
	"ojud/casefile"
	"ojud/casefile/agentdata"
	"ojud/ledger/onchain"
	"ojud/node/client"
	"ojud/node/holdings"
)

// Datum is data of an agent that a task names, as a worker reads it. The content is the word of a
// stranger.
type Datum struct {
	agentdata.Reading
	// Why says why the content is not here.
	Why string `json:"why,omitempty"`
}

// data reads the data that a task names. For the content of private data it asks the host of their
// owner, under the owner's grant, and keeps the receipt.
func (w *Worker) data(ctx context.Context, name string, order []byte) (out []Datum, err error) {
	task, err := onchain.ParseAddress(name)
	if err != nil {
		return nil, err
	}
	items, err := holdings.Named(ctx, w.Client, order)
	if err != nil {
		return nil, err
	}
	for _, i := range items {
		d := Datum{Reading: i.Reading()}
		if i.Private {
			d = w.handed(ctx, task, i)
		}
		out = append(out, d)
	}
	return out, nil
}

// handed asks for the key of private data, and opens them.
func (w *Worker) handed(ctx context.Context, task onchain.Address, i *holdings.Item) Datum {
	d := Datum{Reading: i.Reading()}
	if w.Key == nil {
		d.Why = "this worker has no key with which it could ask"
		return d
	}
	got, err := w.fetch(ctx, holdings.Ask{Where: holdings.Where{Data: onchain.Address(i.Data)}, Task: task})
	if err == nil {
		err = w.store.receipt(got.Receipt)
	}
	if err != nil {
		d.Why = fmt.Sprintf("its key was not handed over: %.400s", err)
		return d
	}
	open := d.Reading
	open.Private = false
	open = open.Fill(got.Content)
	d.Value, d.Text, d.Base64 = open.Value, open.Text, open.Base64
	return d
}

// keyWait is how long a worker asks for a key. A creator may grant it only when the task is there.
const keyWait = 30 * time.Second

// fetch asks for the key of private data until it is handed over, or keyWait is over.
func (w *Worker) fetch(ctx context.Context, a holdings.Ask) (got holdings.Handed, err error) {
	until, cancel := context.WithTimeout(ctx, keyWait)
	defer cancel()
	for {
		if got, err = holdings.Fetch(until, w.Client, w.Key, a, holdings.Net{}); err == nil {
			return got, nil
		}
		select {
		case <-until.Done():
			return got, err
		case <-time.After(fetchPause):
		}
	}
}

// evidence answers questions about data of agents for the judge that a trader asks. It has no other
// source.
type evidence []agentdata.Reading

var _ judge.Evidence = evidence(nil)

// Ask implements judge.Evidence.
func (e evidence) Ask(_ context.Context, r judge.Request) ([]judge.Answer, error) {
	if r.DataSource != agentdata.Source {
		return nil, judge.ErrUnavailable
	}
	data, err := agentdata.ParseQuery(r.Request)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", judge.ErrBadRequest, err)
	}
	for _, a := range e {
		if a.Data == data {
			raw, err := a.Encode()
			return []judge.Answer{{Content: raw, Receipt: casefile.HashOf(raw), Standing: casefile.OwnSource, Weight: 1}}, err
		}
	}
	return nil, judge.ErrUnavailable
}

// held reads the public data that a task names, for a judge. What cannot be read is left out.
func (e *engine) held(ctx context.Context, order []byte) (out []agentdata.Reading) {
	items, err := holdings.Named(ctx, e.Client, order)
	if err != nil {
		return nil // the judge says that it was not answered
	}
	for _, i := range items {
		out = append(out, i.Reading())
	}
	return out
}

// pinned returns an order whose data is pinned, or why it cannot be posted: it names data that is
// not there, or is not what it says.
func pinned(ctx context.Context, c *client.Client, o order) (order, string, error) {
	doc, err := holdings.Pin(ctx, c, o.document)
	if errors.Is(err, holdings.ErrNone) || errors.Is(err, holdings.ErrChanged) {
		return o, err.Error(), nil
	}
	if err == nil {
		o.document, o.Document = doc, hex.EncodeToString(doc.Hash[:])
	}
	return o, "", err
}
