package voting

import "fmt"

// Signed is a commitment and the node key's signature of its statement.
type Signed struct {
	Commitment Hash
	Signature  Signature
}

// Commit is the notice of a seat's commitment: kind 1 of protocol section 9.
type Commit struct {
	Task  Key
	Round uint8
	Judge Key // authority
	Signed
}

// Vote is the notice of a seat's vote object: kind 2 of protocol section 9. Its JSON belongs to the
// caller, who fills in the fields from it (package casefile); this package keeps Raw and checks the
// rest against the chain.
type Vote struct {
	Network Hash
	Program Key
	Task    Key
	Round   uint8
	Judge   Key
	Peer    Key  // from agent_id
	Accept  bool // must say the same as Choice
	Opening
	Signed    []byte // what the signature is over: "oju:vote-object:v1" ‖ canonical JSON without `signature`
	Signature Signature
	Raw       []byte // the canonical JSON as it travels, at most MaxVote bytes
}

// Notice is a message between nodes about a round: a Commit or a Vote.
type Notice interface {
	// Seat names the seat that the notice speaks for.
	Seat() (task Key, round uint8, judge Key)
	// Encode returns the bytes that travel on the stream and on the topic.
	Encode() []byte
	fmt.Stringer
}

var (
	_ Notice = Commit{}
	_ Notice = Vote{}
)

// Seat names the seat that the commit speaks for.
func (n Commit) Seat() (Key, uint8, Key) { return n.Task, n.Round, n.Judge }

// Seat names the seat that the vote speaks for.
func (n Vote) Seat() (Key, uint8, Key) { return n.Task, n.Round, n.Judge }

// String is for traces.
func (n Commit) String() string {
	return fmt.Sprintf("commit %s by %s", brief(n.Commitment[:]), brief(n.Judge[:]))
}

// String is for traces.
func (n Vote) String() string { return fmt.Sprintf("vote %s by %s", n.Choice, brief(n.Judge[:])) }

// brief is enough of a hash or key to tell two apart in a trace.
func brief(b []byte) string { return fmt.Sprintf("%x", b[:4]) }

// Evidence is two statements of one judge in one round with different commitments.
// slash_equivocation needs them.
type Evidence struct {
	Task  Key
	Round uint8
	Judge Key
	Peer  Key // the node key that signed both
	A, B  Signed
}

// Verify checks that e proves equivocation in domain d.
func (e Evidence) Verify(d Domain) error {
	if e.A.Commitment == e.B.Commitment {
		return fmt.Errorf("voting: evidence against %s: both statements are the same", brief(e.Judge[:]))
	}
	for _, s := range [...]Signed{e.A, e.B} {
		if err := verifyStatement(d, e.Peer, e.Task, e.Round, e.Judge, s); err != nil {
			return fmt.Errorf("evidence against %s: %w", brief(e.Judge[:]), err)
		}
	}
	return nil
}

// Relay is the notice of a judge that cannot bring its commitment to the chain and asks anyone to:
// kind 3 of protocol section 9. It carries the statement, too, so that a judge that asks for two
// commitments has proved its equivocation.
type Relay struct {
	Commit
	Request Signature // by the node key, of Domain.RelayRequest
	Sealed  []byte    // the sealed opening: SealedSize bytes that only the judge can read, or none
}

var _ Notice = Relay{}

// relayHeadSize is the size in bytes of a relay notice without its sealed opening.
const relayHeadSize = commitSize + len(Signature{})

// Encode returns the 226 bytes of the notice and the sealed opening.
func (n Relay) Encode() []byte {
	b := make([]byte, 0, relayHeadSize+SealedSize)
	b = append(b, byte(kindRelay))
	b = n.Commit.append(b)
	b = append(b, n.Request[:]...)
	return append(b, n.Sealed...)
}

// String is for traces.
func (n Relay) String() string {
	return fmt.Sprintf("relay %s by %s", brief(n.Commitment[:]), brief(n.Judge[:]))
}

func decodeRelay(b []byte) (Notice, error) {
	if len(b) != relayHeadSize && len(b) != relayHeadSize+SealedSize {
		return nil, fmt.Errorf("%w: relay of %d bytes instead of %d or %d", errNotice, len(b), relayHeadSize, relayHeadSize+SealedSize)
	}
	c, err := decodeCommit(b[:commitSize])
	if err != nil {
		return nil, err
	}
	n := Relay{Commit: c.(Commit), Request: Signature(b[commitSize:relayHeadSize])}
	n.Sealed = append(n.Sealed, b[relayHeadSize:]...)
	return n, nil
}

// same reports whether two notices of one seat ask for the same.
func (n Relay) same(o Relay) bool {
	return n.Commitment == o.Commitment && string(n.Sealed) == string(o.Sealed)
}

// VerifyRelay checks that the node key peer asked for just this commitment and this sealed opening
// (protocol section 3). It does not look at the statement.
func VerifyRelay(d Domain, peer Key, n Relay) error {
	if !VerifyStrict(peer, d.RelayRequest(n.Task, n.Round, n.Judge, n.Commitment, n.Sealed), n.Request) {
		return errSignature
	}
	return nil
}
