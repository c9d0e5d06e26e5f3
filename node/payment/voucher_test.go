package payment

import (
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"ojud/datasource/exchange"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/voting"
)

var rewrite = flag.Bool("rewrite", false, "write the golden files anew")

// vector is the voucher of the specification.
func vector(t testing.TB) Signed {
	t.Helper()
	key := ed25519.NewKeyFromSeed(slices.Repeat([]byte{1}, 32))
	s := Signed{Voucher: program.Voucher{
		Domain: voting.Domain{Network: voting.Hash(slices.Repeat([]byte{2}, 32)), Program: voting.Key(slices.Repeat([]byte{3}, 32))},
		Payer:  onchain.Address(key.Public().(ed25519.PublicKey)), Payee: onchain.Address(slices.Repeat([]byte{4}, 32)),
		Cumulative: 9_007_199_254_740_993, Expires: 1_800_000_000,
	}}
	s.Signature = voting.Signature(ed25519.Sign(key, s.Statement()))
	return s
}

// TestVector: the specification shows a voucher as this package writes and reads it.
func TestVector(t *testing.T) {
	raw, err := vector(t).Encode()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("../../docs/protocol.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "`"+string(raw)+"`") {
		t.Errorf("docs/protocol.md does not have %s, whose statement is %s", raw, hex.EncodeToString(vector(t).Statement()))
	}
	for _, word := range []error{exchange.ErrUnpaid, exchange.ErrVoucherForm, exchange.ErrVoucherSignature, exchange.ErrVoucherParties,
		exchange.ErrVoucherLow, exchange.ErrVoucherTime, exchange.ErrVault} {
		if !strings.Contains(string(text), "`"+word.Error()+"`") {
			t.Errorf("docs/protocol.md does not have %q", word)
		}
	}
}

// TestParse: a voucher has one spelling, apart from those that canonical JSON unifies.
func TestParse(t *testing.T) {
	good := vector(t)
	raw, err := good.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := parseSigned(good.Domain, raw); err != nil || got != good {
		t.Fatal(got, err)
	}
	spaced := strings.ReplaceAll(string(raw), ",", " ,\n")
	if got, err := parseSigned(good.Domain, []byte(spaced)); err != nil || got != good {
		t.Error(got, err)
	}
	change := func(from, to string) string { return strings.Replace(string(raw), from, to, 1) }
	for name, text := range map[string]string{
		"nothing": "", "null": "null", "a list": "[]", "empty": "{}", "something behind it": string(raw) + "{}",
		"a member twice":        change(`{`, `{"expires":1800000000,`),
		"a member more":         change(`{`, `{"x":1,`),
		"another case":          change(`"expires"`, `"Expires"`),
		"both cases":            change(`{`, `{"EXPIRES":1,`),
		"a member less":         change(`"expires":1800000000,`, ``),
		"null for a member":     change(`1800000000`, `null`),
		"a fraction":            change(`1800000000`, `1800000000.5`),
		"an expiry as a text":   change(`1800000000`, `"1800000000"`),
		"an expiry before all":  change(`1800000000`, `-1`),
		"an expiry too far":     change(`1800000000`, `9007199254740993`),
		"a number for lamports": change(`"9007199254740993"`, `9007199254740993`),
		"a leading zero":        change(`"9007199254740993"`, `"09007199254740993"`),
		"more than there is":    change(`"9007199254740993"`, `"18446744073709551616"`),
		"a short signature":     change(`=="`, `"`),
	} {
		if s, err := parseSigned(good.Domain, []byte(text)); !errors.Is(err, exchange.ErrVoucherForm) {
			t.Errorf("%s: %+v %v", name, s, err)
		}
	}
	for name, text := range map[string]string{
		"another amount":  change("9007199254740993", "9007199254740992"),
		"another expiry":  change("1800000000", "1800000001"),
		"an exponent":     change("1800000000", "18e7"),
		"nothing at all":  change("9007199254740993", "0"),
		"to oneself":      strings.Replace(string(raw), good.Payee.String(), good.Payer.String(), 1),
		"from the payee":  strings.Replace(string(raw), good.Payer.String(), good.Payee.String(), 1),
		"another program": "",
	} {
		d := good.Domain
		if text == "" {
			d.Program[0] ^= 1
			text = string(raw)
		}
		if s, err := parseSigned(d, []byte(text)); !errors.Is(err, exchange.ErrVoucherSignature) {
			t.Errorf("%s: %+v %v", name, s, err)
		}
	}
	for _, expires := range []int64{-1, maxExpires + 1} {
		s := good
		if s.Expires = expires; true {
			if raw, err := s.Encode(); err == nil {
				t.Errorf("%s", raw)
			}
		}
	}
}

// FuzzParse: any accepted voucher is signed, and has one form.
func FuzzParse(f *testing.F) {
	good := vector(f)
	raw, err := good.Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(raw))
	f.Add([]byte(`{"cumulative":"1","expires":1,"payee":"","payer":"","signature":""}`))
	f.Add([]byte(`{`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		parsed, err := parse(raw)
		if err != nil {
			return
		}
		s := Signed{program.Voucher{Domain: good.Domain, Payer: onchain.Address(*parsed.Payer), Payee: onchain.Address(*parsed.Payee),
			Cumulative: uint64(*parsed.Cumulative), Expires: *parsed.Expires}, voting.Signature(*parsed.Signature)}
		again, err := s.Encode()
		if err != nil {
			t.Fatalf("%s cannot be written: %v", raw, err)
		}
		back, err := parse(again)
		if err != nil || *back.Expires != s.Expires || uint64(*back.Cumulative) != s.Cumulative || *back.Signature != *parsed.Signature {
			t.Fatalf("%s became %s: %v", raw, again, err)
		}
		if s, err := parseSigned(good.Domain, raw); err == nil && s.Verify(s.Signature) != nil {
			t.Fatalf("%s is not signed", raw)
		}
	})
}

// FuzzRecord: an unreadable record is an error. A readable one stays the same when it is written
// again.
func FuzzRecord(f *testing.F) {
	_, disks := scene(f)
	for _, d := range disks {
		for _, v := range d.values {
			f.Add(v)
		}
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		reread[bill](t, raw)
		reread[promise](t, raw)
		reread[account](t, raw)
		reread[debt](t, raw)
	})
}

func reread[T comparable](t *testing.T, raw []byte) {
	v, err := decode[T]("k", raw)
	if err != nil {
		return
	}
	again, err := json.Marshal(v)
	if err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	if back, err := decode[T]("k", again); err != nil || back != v {
		t.Fatalf("%s became %s: %v", raw, again, err)
	}
}

// scene leaves a record of every kind on two disks.
func scene(t testing.TB) (c *chainOf, disks map[string]*disk) {
	t.Helper()
	c, alice, bob := newPair(t, 1<<40)
	for n, price := range []uint64{300, 400, 500} {
		b, raw := sold(t, alice, bob, n, price)
		if n == 2 {
			continue // its voucher is lost
		}
		if err := bob.Accept(t.Context(), b, raw); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := alice.Authorize(t.Context(), alice.bill("nobody", 11, 7)); err == nil {
		t.Fatal("paid to nobody")
	}
	return c, map[string]*disk{"alice": alice.disk, "bob": bob.disk}
}

// TestGolden: records on disk are as they were when this file was written, because a new version
// must read the promises of an old one. go test ./node/payment -run TestGolden -rewrite
func TestGolden(t *testing.T) {
	_, disks := scene(t)
	var out strings.Builder
	for _, name := range []string{"alice", "bob"} {
		if err := disks[name].Each(nil, func(key, value []byte) error {
			_, err := fmt.Fprintf(&out, "%s %c %x %s\n", name, key[0], key[1:], value)
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	const path = "testdata/records.golden"
	if *rewrite {
		if err := os.WriteFile(path, []byte(out.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if out.String() != string(want) {
		t.Errorf("the records are\n%snot\n%s", out.String(), want)
	}
	for line := range strings.Lines(string(want)) {
		parts := strings.SplitN(strings.TrimSpace(line), " ", 4)
		read := map[string]func(string, []byte) error{"b": check[bill], "p": check[promise], "r": check[account], "d": check[debt]}[parts[1]]
		if err := read("k", []byte(parts[3])); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
}

func check[T any](key string, raw []byte) error {
	_, err := decode[T](key, raw)
	return err
}
