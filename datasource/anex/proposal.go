package anex

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// Proposal is the response in a PROPOSE: the part of a CFP that the holder grants, and its price.
// Names have no suffix; one with (m) is read as the name.
type Proposal struct {
	Access  []string // access names, none wider than those asked for
	Promise []string // promises of the CFP to which the holder agrees
	Price   uint64   // lamports for each data REQUEST that is answered by INFORM; 0, which may be left out, is free
}

func (p Proposal) encode() json.RawMessage {
	response := object(pair{"access", quotes(p.Access)}, pair{"promise", quotes(p.Promise)}, pair{"price", lamports(p.Price, false)})
	return object(pair{"response", response})
}

// readProposal reads the content of a PROPOSE of FIPA-Contract-Net.
func readProposal(content json.RawMessage) (Proposal, error) {
	outer := newForm("content of PROPOSE", "", content)
	response := outer.object("response", len(content))
	if err := outer.done(); err != nil {
		return Proposal{}, err
	}
	f := newForm("content of PROPOSE", "response.", response)
	p := Proposal{Access: Texts(f.names("access", true)), Promise: Texts(f.names("promise", false))}
	p.Price, _ = f.amount("price")
	return p, f.done()
}

// Hash is a SHA-256; in JSON it is lower-case hex.
type Hash [32]byte

// String returns the hex form.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// acceptance is the content of an ACCEPT-PROPOSAL: the hash of the accepted terms.
func acceptance(terms Hash) json.RawMessage {
	return object(pair{"response", quote("Accepted.")}, pair{"terms", quote(terms.String())})
}

// readAcceptance returns the hash of the terms that the asker accepted.
func readAcceptance(content json.RawMessage) (Hash, error) {
	var h Hash
	f := newForm("content of ACCEPT-PROPOSAL", "", content)
	f.text("response", 0, maxText)
	text := f.text("terms", 2*len(h), 2*len(h))
	if _, err := hex.Decode(h[:], []byte(text)); err != nil || h.String() != text {
		f.fail("terms", "is no SHA-256 in lower-case hex")
	}
	return h, f.done()
}

// DataRequest is the content of a data REQUEST: the request object of the oju seed.
type DataRequest struct {
	DataSource string          // name of the source: 1..64 bytes
	Request    json.RawMessage // the source's arguments: an object
}

func (r DataRequest) encode() json.RawMessage {
	return object(pair{"data_source", quote(r.DataSource)}, pair{"request", r.Request})
}

func readDataRequest(content json.RawMessage) (DataRequest, error) {
	f := newForm("content of REQUEST", "", content)
	r := DataRequest{DataSource: f.text("data_source", 1, maxSource), Request: f.object("request", len(content))}
	return r, f.done()
}

// spelled returns the request, spelled as the other side will read it.
func (r DataRequest) spelled() (DataRequest, error) {
	request, err := Spell(r.Request, MaxMessage-maxHead)
	if err != nil {
		return r, fmt.Errorf("request: %w", err)
	}
	r.Request = request
	return readDataRequest(r.encode())
}

// answer is the content of the INFORM that brings data.
type answer struct {
	data    json.RawMessage // any JSON of at most MaxData bytes
	receipt json.RawMessage // an object of at most MaxReceipt bytes
}

func (a answer) encode() json.RawMessage {
	return object(pair{"data", a.data}, pair{"receipt", a.receipt})
}

func readAnswer(content json.RawMessage) (answer, error) {
	f := newForm("content of INFORM", "", content)
	a := answer{f.need("data"), f.object("receipt", MaxReceipt)}
	if len(a.data) > MaxData {
		f.fail("data", "has %d bytes; at most %d", len(a.data), MaxData)
	}
	return a, f.done()
}
