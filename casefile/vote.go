package casefile

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"fmt"

	"ojud/casefile/canon"
	"ojud/voting"
)

const tagVoteObject = "oju:vote-object:v1"

// Vote is the object of seed 000 with what it lacks (protocol section 3).
type Vote struct {
	AgentID      DID       `json:"agent_id"`
	Accept       bool      `json:"accept"` // true exactly when Choice is accept
	DataAccessed []Access  `json:"data_accessed"`
	Network      Digest    `json:"network"`
	Program      Address   `json:"program"`
	Case         Address   `json:"case"`
	Judge        Address   `json:"judge"` // authority
	Round        uint8     `json:"round"`
	Choice       Choice    `json:"choice"`
	OpinionHash  Digest    `json:"opinion_hash"`
	ReceiptsRoot Digest    `json:"receipts_root"`
	Salt         Digest    `json:"salt"`
	Model        string    `json:"model"`
	Signature    Signature `json:"signature"`
}

// Ballot has the fields of a vote that the judge decides. NewVote derives the others from them and
// from the key.
type Ballot struct {
	Task         voting.Key // names the case
	Round        uint8
	Judge        voting.Key // authority
	Opening      voting.Opening
	Model        string
	DataAccessed []Access // from receipts
}

// NewVote builds and signs the vote of the node that has key, and returns it with its canonical
// form.
func NewVote(d voting.Domain, key ed25519.PrivateKey, b Ballot) (Doc[Vote], error) {
	v := Vote{
		AgentID: peerOf(key), Accept: b.Opening.Choice.Accepts(), DataAccessed: b.DataAccessed,
		Network: Digest(d.Network), Program: Address(d.Program), Case: Address(b.Task), Judge: Address(b.Judge), Round: b.Round,
		Choice: Choice(b.Opening.Choice), OpinionHash: Digest(b.Opening.Opinion), ReceiptsRoot: Digest(b.Opening.Receipts),
		Salt: Digest(b.Opening.Salt), Model: b.Model,
	}
	if v.DataAccessed == nil {
		v.DataAccessed = []Access{}
	}
	preimage, err := v.preimage()
	if err != nil {
		return Doc[Vote]{}, err
	}
	v.Signature = Signature(ed25519.Sign(key, preimage))
	return write("vote", v, MaxVote)
}

// ParseVote reads a vote that came from elsewhere. The bytes must be canonical: they are gossiped,
// and a second spelling of one vote must not be a second message. The signature is not checked
// here, see Verify.
func ParseVote(raw []byte) (Vote, error) {
	if v, ok := plainVote(raw); ok {
		return v, v.validate("vote")
	}
	if err := canon.Exact(raw, MaxVote); err != nil {
		return Vote{}, fmt.Errorf("vote: %w", err)
	}
	doc, err := read[Vote]("vote", raw, MaxVote)
	return doc.Value, err
}

// ParseNotice reads a vote as package voting checks it; it is the parse
// function of voting.DecodeNotice.
func ParseNotice(raw []byte) (voting.Vote, error) {
	v, err := ParseVote(raw)
	if err != nil {
		return voting.Vote{}, err
	}
	preimage, err := signed(raw)
	if err != nil {
		return voting.Vote{}, err
	}
	return voting.Vote{
		Network: voting.Hash(v.Network), Program: voting.Key(v.Program), Task: voting.Key(v.Case), Round: v.Round,
		Judge: voting.Key(v.Judge), Peer: voting.Key(v.AgentID), Accept: v.Accept, Opening: v.Opening(),
		Signed: preimage, Signature: voting.Signature(v.Signature), Raw: raw,
	}, nil
}

// Opening returns what opens the commitment of the vote.
func (v Vote) Opening() voting.Opening {
	return voting.Opening{
		Choice: voting.Choice(v.Choice), Opinion: voting.Hash(v.OpinionHash),
		Receipts: voting.Hash(v.ReceiptsRoot), Salt: voting.Hash(v.Salt),
	}
}

// Commitment returns the commitment that the vote opens.
func (v Vote) Commitment() voting.Hash {
	d := voting.Domain{Network: voting.Hash(v.Network), Program: voting.Key(v.Program)}
	return d.Commitment(voting.Key(v.Case), v.Round, voting.Key(v.Judge), v.Opening())
}

// Verify checks that the vote was signed by its agent for this network and program.
func (v Vote) Verify(d voting.Domain) error { return v.verify(d, nil) }

func (v Vote) verify(d voting.Domain, by Verify) error {
	if v.Network != Digest(d.Network) || v.Program != Address(d.Program) {
		return fmt.Errorf("vote: %w", ErrOtherCase)
	}
	preimage, err := v.preimage()
	if err != nil {
		return err
	}
	if !by.signed(v.AgentID, preimage, v.Signature) {
		return fmt.Errorf("vote: %w", ErrSignature)
	}
	return nil
}

// preimage returns the bytes that the node key signs: the tag and the canonical JSON of the vote
// without its signature.
func (v Vote) preimage() ([]byte, error) {
	type fields Vote
	unsigned := struct {
		fields
		Signature *Signature `json:"signature,omitempty"` // hides the one in fields
	}{fields: fields(v)}
	raw, err := encode(unsigned, MaxVote)
	if err != nil {
		return nil, fmt.Errorf("vote: %w", err)
	}
	return append([]byte(tagVoteObject), raw...), nil
}

// signed is the preimage of a vote that ParseVote has taken: its canonical form, of which the
// signature is the last field.
func signed(raw []byte) ([]byte, error) {
	covered, err := unsigned(raw, "signature")
	if err != nil {
		return nil, fmt.Errorf("vote: %w", err)
	}
	out := make([]byte, 0, len(tagVoteObject)+len(covered)+1)
	return append(append(append(out, tagVoteObject...), covered...), '}'), nil
}

// unsigned returns what stands in the canonical form of an object before its last field, which is a
// signature of that name. The bracket that closes the object is missing.
func unsigned(raw []byte, field string) ([]byte, error) {
	name := `,"` + field + `":"`
	end := len(raw) - len(name) - base64.StdEncoding.EncodedLen(ed25519.SignatureSize) - len(`"}`)
	if end < 0 || !bytes.HasPrefix(raw[end:], []byte(name)) {
		return nil, canon.ErrNotCanonical
	}
	return raw[:end], nil
}

func (v Vote) validate(document string) error {
	c := &checker{document: document}
	v.check(c, "")
	return c.err
}

// check checks a vote that stands at a path of a document.
func (v Vote) check(c *checker, path string) {
	c.round(join(path, "round"), v.Round)
	c.choice(join(path, "choice"), v.Choice)
	if v.Accept != voting.Choice(v.Choice).Accepts() {
		c.fail(join(path, "accept"), "is %t, but choice is %s", v.Accept, voting.Choice(v.Choice))
	}
	c.text(join(path, "model"), v.Model, 1, MaxModel)
	c.accesses(join(path, "data_accessed"), v.DataAccessed)
}

// peerOf returns the public half of a node key.
func peerOf(key ed25519.PrivateKey) DID { return DID(key.Public().(ed25519.PublicKey)) }
