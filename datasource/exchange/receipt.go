package exchange

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"ojud/casefile"
	"ojud/casefile/canon"
	"ojud/datasource"
	"ojud/datasource/anex"
	"ojud/voting"
)

// answered is the answer that a receipt describes.
type answered struct {
	seat      Seat // of the asker
	holder    casefile.DID
	terms     anex.Terms
	request   voting.Hash
	response  voting.Hash
	fetchedAt int64 // Unix seconds
	at        int64 // Unix seconds of the chain's clock
}

// receipt returns the receipt to sign, or to expect.
func (a answered) receipt(d voting.Domain) casefile.Receipt {
	return casefile.Receipt{
		Network: casefile.Digest(d.Network), Program: casefile.Address(d.Program), Case: a.seat.Case, Round: a.seat.Round, Judge: a.seat.Judge,
		Asker: a.seat.Peer, Holder: a.holder, Source: a.terms.Call.DataSource, Access: fields(a.terms.Grant.Access),
		Request: casefile.Digest(a.request), Response: casefile.Digest(a.response), Terms: casefile.Digest(a.terms.Hash()),
		Price: casefile.Amount(a.terms.Grant.Price), FetchedAt: a.fetchedAt, At: a.at,
	}
}

// window is when an answer may have been given, in Unix seconds, with a tolerance for clocks.
type window struct {
	from, until int64
	fetched     int64 // the latest time of the fetch
}

// then converts a time of this machine to Unix seconds of the chain's clock.
func then(clock func() int64, t time.Time) int64 { return clock() - int64(time.Since(t)/time.Second) }

// has reports whether the times of a receipt are inside.
func (w window) has(r casefile.Receipt) bool {
	return r.At >= w.from && r.At <= w.until && r.FetchedAt > 0 && r.FetchedAt <= w.fetched
}

// check compares the receipt of an answer with the expected one. Its errors are fixed words.
func (a answered) check(raw []byte, d voting.Domain, w window) (casefile.Receipt, error) {
	r, err := casefile.ParseReceipt(raw)
	if err != nil {
		return r, errors.New("form")
	}
	a.fetchedAt, a.at = r.FetchedAt, r.At
	want := a.receipt(d)
	return r, different([]part{
		{"network", r.Network == want.Network && r.Program == want.Program}, {"case", r.Case == want.Case}, {"round", r.Round == want.Round},
		{"judge", r.Judge == want.Judge}, {"asker", r.Asker == want.Asker}, {"holder", r.Holder == want.Holder}, {"source", r.Source == want.Source},
		{"access", slices.Equal(r.Access, want.Access)}, {"request", r.Request == want.Request}, {"response", r.Response == want.Response},
		{"price", r.Price == want.Price}, {"terms", r.Terms == want.Terms},
		{"time", w.has(r)},
		{"signature", r.Verify(d) == nil},
	})
}

// part is a part of a receipt, and whether it is the expected one.
type part struct {
	name string
	same bool
}

// different returns the name of the first part that is not the expected one as an error.
func different(parts []part) error {
	for _, p := range parts {
		if !p.same {
			return errors.New(p.name)
		}
	}
	return nil
}

func content(raw []byte, limit int) (json.RawMessage, voting.Hash, error) {
	canonical, err := canon.JSON(raw, limit)
	return canonical, casefile.HashOf(canonical), err
}

// MaxRequest is the longest request, in bytes of canonical JSON, so that it fits into a message.
const MaxRequest = 32 << 10

func question(raw []byte) (json.RawMessage, voting.Hash, error) {
	canonical, hash, err := content(raw, MaxRequest)
	if err == nil && !bytes.HasPrefix(canonical, []byte("{")) {
		err = errors.New("is no object")
	}
	if err != nil {
		return nil, hash, fmt.Errorf("%w: %w", ErrBadRequest, err)
	}
	return canonical, hash, nil
}

// cutTo reduces an answer to the granted fields.
func cutTo(answer datasource.Answer, access []string) (json.RawMessage, voting.Hash, error) {
	cut, _, err := anex.Cut(answer.Body, access)
	if err != nil {
		return nil, voting.Hash{}, fmt.Errorf("%w: %w", datasource.ErrLarge, err)
	}
	return content(cut, datasource.MaxAnswer)
}
