package strict

import (
	"testing"

	"filippo.io/edwards25519"
)

// Every listed point vanishes when it is multiplied by the cofactor, with either sign, and together
// they are all that do.
func TestSmallOrder(t *testing.T) {
	identity := edwards25519.NewIdentityPoint()
	points := make(map[[32]byte]bool)
	for y := smallOrderY; y != ""; y = y[32:] {
		for _, sign := range []byte{0, 0x80} {
			b := [32]byte([]byte(y[:32]))
			b[31] |= sign
			if !SmallOrder(b) {
				t.Errorf("%x is not recognised", b)
			}
			p, err := new(edwards25519.Point).SetBytes(b[:])
			if err != nil {
				t.Errorf("%x is no point: %v", b, err)
				continue
			}
			if new(edwards25519.Point).MultByCofactor(p).Equal(identity) != 1 {
				t.Errorf("%x is not of small order", b)
			}
			points[[32]byte(p.Bytes())] = true
		}
	}
	if len(points) != 8 {
		t.Errorf("%d points of small order listed, there are 8", len(points))
	}
	if SmallOrder([32]byte(edwards25519.NewGeneratorPoint().Bytes())) {
		t.Error("the generator is not of small order")
	}
}
