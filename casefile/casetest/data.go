package casetest

import (
	"crypto/ed25519"
	"slices"

	"ojud/casefile"
	"ojud/casefile/agentdata"
)

// Agree returns the terms that fit a receipt.
func Agree(r casefile.Receipt) casefile.Agreed {
	return casefile.Agreed{Format: "anex-terms/1", Asker: r.Asker, Holder: r.Holder, Identity: r.Asker.String(), Owner: r.Judge.String(), RequestType: "evidence",
		Access: r.Access, Promise: []string{}, Price: r.Price, Source: r.Source, Case: r.Case, Round: r.Round, Judge: r.Judge}
}

// ask has the holders of a plan answer a seat. Requests and answers are content.
func (w *World) ask(r *round, i int) (receipts []casefile.Receipt, accessed []casefile.Access, err error) {
	s, act := r.seats[i], r.acts[i]
	if !act.Ask {
		return nil, []casefile.Access{}, nil
	}
	request := w.Store.Keep([]byte(`{"id":"1843"}`))
	body := &casefile.DataBody{Round: r.number, Source: "site.post", Request: request, Receipts: []casefile.Receipt{}, Failures: []casefile.Failure{}}
	if act.Held != nil {
		body.Source, body.Request = agentdata.Source, w.Store.Keep([]byte(`{"data":"`+casefile.Address{}.String()+`"}`))
	}
	r.data[i] = body
	for k := range act.Holders {
		answer := []byte(`{"author":"ojud","text":"hello"}`)
		if act.Lies && k == act.Holders-1 {
			answer = []byte(`{"author":"ojud","text":"something else"}`)
		}
		if act.Held != nil {
			answer = act.Held(k)
		}
		holder := w.keyOf(r.seats[(i+1+k)%len(r.seats)].Judge)
		if act.Strange {
			holder = NodeKey("stranger:%d", k)
		}
		if act.Claims != "" {
			body.Standings = append(body.Standings, act.Claims)
		}
		receipt := casefile.Receipt{
			Network: casefile.Digest(w.Domain.Network), Program: casefile.Address(w.Domain.Program), Case: casefile.Address(w.Task),
			Round: r.number, Judge: casefile.Address(s.Judge), Asker: casefile.DID(s.Peer), Holder: casefile.DID(holder.Public().(ed25519.PublicKey)),
			Source: body.Source, Access: []string{"author", "text"},
			Request: body.Request, Response: w.Store.Keep(answer), Price: 1000, FetchedAt: w.now, At: w.now,
		}
		if act.Fetched != 0 {
			receipt.FetchedAt = act.Fetched
		}
		terms, err := Agree(receipt).Encode()
		if err != nil {
			return nil, nil, err
		}
		receipt.Terms = w.Store.Keep(terms)
		if receipt, err = receipt.Sign(holder); err != nil {
			return nil, nil, err
		}
		body.Receipts = append(body.Receipts, receipt)
	}
	if act.Holders == 0 {
		body.Failures = append(body.Failures, casefile.Failure{Reason: "data unavailable: no node has the source"})
	}
	accessed, err = casefile.Accesses(body.Receipts, casefile.DID(s.Peer))
	return body.Receipts, accessed, err
}

// testifyData records the answers to a seat, and lets the holders say that they answered, before
// the vote.
func (w *World) testifyData(r *round, i int, key ed25519.PrivateKey) ([]casefile.Access, error) {
	body := r.data[i]
	if body == nil {
		return nil, nil
	}
	if _, err := w.Log.Append(key, casefile.KindData, *body, w.now); err != nil {
		return nil, err
	}
	for k, receipt := range body.Receipts {
		if r.acts[i].Strange {
			break // they have no seat, and say nothing
		}
		holder := (i + 1 + k) % len(r.seats)
		if r.acts[holder].Silent || holder < i { // who has spoken already leaves it to the asker
			continue
		}
		if _, err := w.Log.Append(w.keyOf(r.seats[holder].Judge), casefile.KindReceipt, casefile.ReceiptBody{Receipt: receipt}, w.now); err != nil {
			return nil, err
		}
	}
	return casefile.Accesses(body.Receipts, casefile.DID(r.seats[i].Peer))
}

// cited adds receipts to the evidence of a finding, if the plan says so.
func cited(f casefile.Finding, receipts []casefile.Receipt, is bool) (casefile.Finding, error) {
	if !is {
		return f, nil
	}
	f.Evidence = slices.Clone(f.Evidence)
	for _, r := range receipts {
		hash, err := r.Hash()
		if err != nil {
			return f, err
		}
		f.Evidence = append(f.Evidence, "receipt:"+casefile.Digest(hash).String())
	}
	return f, nil
}
