package voting

import "fmt"

// Relay is the notice of a judge that cannot bring its commitment to the chain and asks anyone to: kind 3 of protocol section 9.
// It carries the statement, too, so that a judge that asks for two commitments has proved its equivocation.
type Relay struct {
	Commit
	Request Signature // by the node key, of Domain.RelayRequest
	Sealed  []byte    // the sealed opening: SealedSize bytes that only the judge can read, or none
}

var _ Notice = Relay{}

// RelayHeadSize is the size in bytes of a relay notice without its sealed opening.
const RelayHeadSize = CommitSize + len(Signature{})

// Encode returns the 226 bytes of the notice and the sealed opening.
func (n Relay) Encode() []byte {
	b := make([]byte, 0, RelayHeadSize+SealedSize)
	b = append(b, byte(KindRelay))
	b = n.Commit.append(b)
	b = append(b, n.Request[:]...)
	return append(b, n.Sealed...)
}

// String is for traces.
func (n Relay) String() string {
	return fmt.Sprintf("relay %s by %s", brief(n.Commitment[:]), brief(n.Judge[:]))
}

func decodeRelay(b []byte) (Notice, error) {
	if len(b) != RelayHeadSize && len(b) != RelayHeadSize+SealedSize {
		return nil, fmt.Errorf("%w: relay of %d bytes instead of %d or %d", ErrNotice, len(b), RelayHeadSize, RelayHeadSize+SealedSize)
	}
	c, err := decodeCommit(b[:CommitSize])
	if err != nil {
		return nil, err
	}
	n := Relay{Commit: c.(Commit), Request: Signature(b[CommitSize:RelayHeadSize])}
	n.Sealed = append(n.Sealed, b[RelayHeadSize:]...)
	return n, nil
}

// same reports whether two notices of one seat ask for the same.
func (n Relay) same(o Relay) bool {
	return n.Commitment == o.Commitment && string(n.Sealed) == string(o.Sealed)
}

// VerifyRelay checks that the node key peer asked for just this commitment and this sealed opening (protocol section 3). It does not
// look at the statement.
func VerifyRelay(d Domain, peer Key, n Relay) error {
	if !VerifyStrict(peer, d.RelayRequest(n.Task, n.Round, n.Judge, n.Commitment, n.Sealed), n.Request) {
		return ErrSignature
	}
	return nil
}
