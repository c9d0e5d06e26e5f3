package casefile

import (
	"bytes"
	"crypto/ed25519"
	"fmt"
	"reflect"
	"slices"

	"ojud/voting"
)

const tagReceipt = "oju:receipt:v1"

// The limits of a receipt.
const (
	MaxReceipt  = 8 << 10 // bytes, canonical
	maxAnswers  = 8       // receipts of one request
	maxTwofold  = 8       // holders that one actor accuses in a case
	maxFailures = 16      // of one request
	maxWhy      = 256     // bytes, why a holder gave nothing
)

// Receipt is a holder's signed proof of its answer to a judge (protocol section 12). Request and
// Response are the hashes of canonical JSON, Terms is that of what both agreed on. No event takes
// one with Round zero: a judge got it besides any case, or a party by its own key, the Judge then.
type Receipt struct {
	Network   Digest    `json:"network"`
	Program   Address   `json:"program"`
	Case      Address   `json:"case"`
	Round     uint8     `json:"round"`
	Judge     Address   `json:"judge"` // authority of the seat, or of the judge, for which was asked
	Asker     DID       `json:"asker"` // its node
	Holder    DID       `json:"holder"`
	Source    string    `json:"source"`
	Access    []string  `json:"access"` // what of the answer was agreed on; empty: all of it
	Request   Digest    `json:"request"`
	Response  Digest    `json:"response"`
	Terms     Digest    `json:"terms"`
	Price     Amount    `json:"price"`      // lamports
	FetchedAt int64     `json:"fetched_at"` // when the holder had it from its source, Unix seconds of the chain's clock
	At        int64     `json:"at"`         // when it was answered, Unix seconds of the chain's clock
	Signature Signature `json:"signature"`
}

// Sign signs the receipt as its holder, whose DID is filled in.
func (r Receipt) Sign(key ed25519.PrivateKey) (Receipt, error) {
	r.Holder = peerOf(key)
	if r.Access == nil {
		r.Access = []string{}
	}
	if err := r.validate("receipt"); err != nil {
		return r, err
	}
	preimage, err := r.preimage()
	if err != nil {
		return r, err
	}
	r.Signature = Signature(ed25519.Sign(key, preimage))
	return r, nil
}

// ParseReceipt reads a receipt that came from elsewhere. The signature is not checked here, see
// Verify.
func ParseReceipt(raw []byte) (Receipt, error) {
	doc, err := read[Receipt]("receipt", raw, MaxReceipt)
	return doc.Value, err
}

// Encode returns the canonical JSON of the receipt.
func (r Receipt) Encode() ([]byte, error) {
	doc, err := write("receipt", r, MaxReceipt)
	return doc.Raw, err
}

// Hash names the receipt, signature included: the root of a round's receipts is in the commitment.
func (r Receipt) Hash() (voting.Hash, error) {
	raw, err := encode(r, MaxReceipt)
	return HashOf(raw), err
}

// Question names what was asked in a case, whoever asked: the hash of source, request and access.
func (r Receipt) Question() voting.Hash {
	return HashOf(fmt.Appendf(nil, "%q %s %q", r.Source, r.Request, r.Access))
}

// Contradicts reports whether a holder gave two different answers to one question of one case.
func (r Receipt) Contradicts(o Receipt) bool {
	return r.Holder == o.Holder && r.Network == o.Network && r.Program == o.Program && r.Case == o.Case && r.Round != 0 && o.Round != 0 &&
		r.Question() == o.Question() && r.Response != o.Response
}

// Verify checks that the receipt was signed by its holder for this network and program.
func (r Receipt) Verify(d voting.Domain) error { return r.verify(d, nil) }

func (r Receipt) verify(d voting.Domain, by Verify) error {
	if r.Network != Digest(d.Network) || r.Program != Address(d.Program) {
		return fmt.Errorf("receipt: %w", ErrOtherCase)
	}
	preimage, err := r.preimage()
	if err != nil {
		return err
	}
	if !by.signed(r.Holder, preimage, r.Signature) {
		return fmt.Errorf("receipt: %w", ErrSignature)
	}
	return nil
}

// preimage returns the bytes that the holder signs: the tag and the canonical JSON of the receipt
// without its signature.
func (r Receipt) preimage() ([]byte, error) {
	type fields Receipt
	unsigned := struct {
		fields
		Signature *Signature `json:"signature,omitempty"` // hides the one in fields
	}{fields: fields(r)}
	raw, err := encode(unsigned, MaxReceipt)
	if err != nil {
		return nil, fmt.Errorf("receipt: %w", err)
	}
	return append([]byte(tagReceipt), raw...), nil
}

func (r Receipt) validate(document string) error {
	c := &checker{document: document}
	r.check(c, "")
	return c.err
}

// check checks a receipt that stands at a path of a document.
func (r Receipt) check(c *checker, path string) {
	if r.Round != 0 || r.Case != (Address{}) && r.Asker != DID(r.Judge) { // a party asks by its own key, in round 0
		c.round(join(path, "round"), r.Round)
	}
	c.name(join(path, "source"), r.Source)
	if r.FetchedAt <= 0 {
		c.fail(join(path, "fetched_at"), "is %d; it is a time in Unix seconds, at least 1", r.FetchedAt)
	}
	if r.Access == nil {
		c.fail(join(path, "access"), "missing; write [] for the whole answer")
	}
	c.count(join(path, "access"), len(r.Access), maxSpecifics, "names")
	for i, name := range r.Access {
		c.text(fmt.Sprintf("%s[%d]", join(path, "access"), i), name, 1, maxRef)
	}
}

// Accesses lists the data that a vote with these receipts of the node self was built on: one entry
// for each holder and source, in the order of the receipts' hashes. A node's own source has no
// agent_id (seed 000).
func Accesses(receipts []Receipt, self DID) ([]Access, error) {
	byHash := make(map[voting.Hash]Receipt, len(receipts))
	hashes, err := hashesOf(receipts)
	for i, hash := range hashes {
		byHash[hash] = receipts[i]
	}
	slices.SortFunc(hashes, func(a, b voting.Hash) int { return bytes.Compare(a[:], b[:]) })
	out := []Access{}
	for _, hash := range hashes {
		r := byHash[hash]
		a := Access{Tool: r.Source, Specifics: r.Access}
		if r.Holder != self {
			a.AgentID = &r.Holder
		}
		if !slices.ContainsFunc(out, func(b Access) bool { return reflect.DeepEqual(a, b) }) {
			out = append(out, a)
		}
	}
	return out, err
}

// hashesOf are the hashes of receipts, in their order.
func hashesOf(receipts []Receipt) ([]voting.Hash, error) {
	hashes := make([]voting.Hash, len(receipts))
	for i, r := range receipts {
		hash, err := r.Hash()
		if err != nil {
			return nil, err
		}
		hashes[i] = hash
	}
	return hashes, nil
}

// Receipts is the root over receipts that a vote commits to.
func Receipts(receipts []Receipt) (voting.Hash, error) {
	hashes, err := hashesOf(receipts)
	if err != nil {
		return voting.Hash{}, err
	}
	return voting.ReceiptsRoot(hashes), nil
}
