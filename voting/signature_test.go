package voting

import (
	"crypto/ed25519"
	"crypto/sha512"
	"errors"
	"testing"

	"filippo.io/edwards25519"
)

// testKey is the node key number i.
func testKey(i byte) (ed25519.PrivateKey, Key) {
	seed := fill(i)
	key := ed25519.NewKeyFromSeed(seed[:])
	return key, Key(key.Public().(ed25519.PublicKey))
}

func signStatement(key ed25519.PrivateKey, d Domain, task Key, round uint8, judge Key, commitment Hash) Signed {
	return Signed{commitment, Signature(ed25519.Sign(key, d.Statement(task, round, judge, commitment)))}
}

func TestVerifyStatement(t *testing.T) {
	key, peer := testKey(1)
	task, judge := Key(fill(3)), Key(fill(4))
	s := signStatement(key, testDomain, task, 1, judge, fill(5))
	if err := verifyStatement(testDomain, peer, task, 1, judge, s); err != nil {
		t.Fatal(err)
	}
	elsewhere := testDomain
	elsewhere.Network[0]++
	_, stranger := testKey(2)
	for name, err := range map[string]error{
		"network":    verifyStatement(elsewhere, peer, task, 1, judge, s),
		"peer":       verifyStatement(testDomain, stranger, task, 1, judge, s),
		"task":       verifyStatement(testDomain, peer, fill(9), 1, judge, s),
		"round":      verifyStatement(testDomain, peer, task, 2, judge, s),
		"judge":      verifyStatement(testDomain, peer, task, 1, fill(9), s),
		"commitment": verifyStatement(testDomain, peer, task, 1, judge, Signed{fill(9), s.Signature}),
		"signature":  verifyStatement(testDomain, peer, task, 1, judge, Signed{s.Commitment, Signature{}}),
	} {
		if !errors.Is(err, errSignature) {
			t.Errorf("other %s: %v", name, err)
		}
	}
}

// A judge can make a signature with the identity as nonce point: the standard library takes it,
// Solana's program does not.
func TestStrictRefusesSmallNonce(t *testing.T) {
	seed := fill(1)
	_, peer := testKey(1)
	message := []byte("statement")
	digest := sha512.Sum512(seed[:])
	secret, err := new(edwards25519.Scalar).SetBytesWithClamping(digest[:32])
	if err != nil {
		t.Fatal(err)
	}
	var sig Signature
	copy(sig[:], edwards25519.NewIdentityPoint().Bytes())
	h := sha512.New()
	h.Write(sig[:32])
	h.Write(peer[:])
	h.Write(message)
	k, err := new(edwards25519.Scalar).SetUniformBytes(h.Sum(nil))
	if err != nil {
		t.Fatal(err)
	}
	copy(sig[32:], new(edwards25519.Scalar).Multiply(k, secret).Bytes())
	if !ed25519.Verify(peer[:], message, sig[:]) {
		t.Fatal("the standard library refuses it: this test tests nothing")
	}
	if VerifyStrict(peer, message, sig) {
		t.Error("taken, although the program would refuse it as evidence")
	}
}

func TestStrictRefusesSmallKey(t *testing.T) {
	message := []byte("statement")
	peer := Key{1} // the identity: any scalar fits
	var sig Signature
	s := edwards25519.NewScalar()
	copy(sig[:], edwards25519.NewIdentityPoint().ScalarBaseMult(s).Bytes())
	if !ed25519.Verify(peer[:], message, sig[:]) {
		t.Fatal("the standard library refuses it: this test tests nothing")
	}
	if VerifyStrict(peer, message, sig) {
		t.Error("taken")
	}
}

func TestEvidence(t *testing.T) {
	key, peer := testKey(1)
	task, judge := Key(fill(3)), Key(fill(4))
	good := Evidence{
		Task: task, Round: 1, Judge: judge, Peer: peer,
		A: signStatement(key, testDomain, task, 1, judge, fill(5)), B: signStatement(key, testDomain, task, 1, judge, fill(6)),
	}
	if err := good.Verify(testDomain); err != nil {
		t.Fatal(err)
	}
	same, forged, moved := good, good, good
	same.B = same.A
	forged.B.Signature[5] ^= 1
	moved.Round = 2
	for name, e := range map[string]Evidence{"same": same, "forged": forged, "other round": moved} {
		if e.Verify(testDomain) == nil {
			t.Errorf("%s: taken", name)
		}
	}
}
