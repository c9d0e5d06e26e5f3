package casefile_test

import (
	"encoding"
	"encoding/hex"
	"strings"
	"testing"

	"ojud/casefile"
)

func TestDID(t *testing.T) {
	// The Ed25519 example of the did:key specification.
	const text = "did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK"
	d, err := casefile.ParseDID(text)
	if err != nil {
		t.Fatal(err)
	}
	if got := hex.EncodeToString(d[:]); got != "2e6fcce36701dc791488e0d0b1745cc1e33a4c1c9fcc41c63bd343dbbe0970e6" {
		t.Errorf("key %s", got)
	}
	if d.String() != text {
		t.Errorf("back to %s", d)
	}
}

// Every value has one spelling.
func TestTextRefuses(t *testing.T) {
	var (
		address casefile.Address
		digest  casefile.Digest
		did     casefile.DID
		amount  casefile.Amount
		sig     casefile.Signature
		tx      casefile.TxID
	)
	for _, c := range []struct {
		into encoding.TextUnmarshaler
		text string
	}{
		{&address, ""}, {&address, "0OIl"}, {&address, "1111"}, {&address, strings.Repeat("1", 33)}, {&address, strings.Repeat("z", 44)},
		{&address, strings.Repeat("1", 1<<20)}, {&address, " 11111111111111111111111111111111"},
		{&digest, ""}, {&digest, strings.Repeat("A", 64)}, {&digest, strings.Repeat("a", 63)}, {&digest, strings.Repeat("g", 64)},
		{&did, ""}, {&did, "did:key:"}, {&did, "did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2do"}, {&did, "did:web:example.org"},
		{&did, "did:key:z6LSbysY2xFMRpGMhb7tFTLMpeuPRaqaWM1yECx2AtzE3KCc"}, // X25519
		{&amount, ""}, {&amount, "-1"}, {&amount, "01"}, {&amount, "+1"}, {&amount, "1.0"}, {&amount, "18446744073709551616"}, {&amount, "1_0"},
		{&sig, ""}, {&sig, "AA=="}, {&sig, strings.Repeat("A", 85) + "B=="}, {&sig, strings.Repeat("A", 86)}, {&sig, strings.Repeat("A", 43) + "\n" + strings.Repeat("A", 43) + "=="},
		{&tx, ""}, {&tx, strings.Repeat("1", 63)},
	} {
		if err := c.into.UnmarshalText([]byte(c.text)); err == nil {
			t.Errorf("%T takes %.60q", c.into, c.text)
		}
	}
}

func FuzzText(f *testing.F) {
	f.Add("did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK")
	f.Add("11111111111111111111111111111111")
	f.Add("18446744073709551615")
	f.Add(strings.Repeat("A", 86) + "==")
	f.Fuzz(func(t *testing.T, text string) {
		a, err1 := casefile.ParseAddress(text)
		d, err2 := casefile.ParseDID(text)
		if err1 == nil && a.String() != text || err2 == nil && d.String() != text {
			t.Fatalf("%q became %s, %s", text, a, d)
		}
		for _, v := range []interface {
			encoding.TextUnmarshaler
			encoding.TextMarshaler
		}{new(casefile.Address), new(casefile.Digest), new(casefile.DID), new(casefile.Amount), new(casefile.Signature), new(casefile.TxID), new(casefile.Content)} {
			if v.UnmarshalText([]byte(text)) != nil {
				continue
			}
			if back, err := v.MarshalText(); err != nil || string(back) != text {
				t.Fatalf("%T: %q became %q, %v", v, text, back, err)
			}
		}
	})
}
