package client

import (
	"encoding/json"
	"math/big"
	"strings"
	"testing"
)

func TestParseLamports(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Lamports{
		"0lamports": 0, "1000000lamports": 1_000_000, "1_000_000 Lamports": 1_000_000, "0.5sol": 500_000_000, "2 SOL": 2_000_000_000, " 1sol ": 1_000_000_000,
		".5sol": 500_000_000, "1.sol": 1_000_000_000, "0.000000001sol": 1, "18446744073709551615lamports": 1<<64 - 1, "18446744073.709551615sol": 1<<64 - 1,
	} {
		if got, err := ParseLamports(text); err != nil || got != want {
			t.Errorf("%q: %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{
		"", "sol", ".sol", "lamports", "0", "1", "1000000", "1_000", "1.5lamports", "-1lamports", "-1", "+1", "1.5", "-1sol", "+1sol", "1e9", "1,5sol", "0.0000000001sol", "18446744073709551616", "18446744073.709551616sol",
		"99999999999999999999sol", "1 000", "１", "0x10", "1.2.3sol", "NaN", "1lamport",
	} {
		if got, err := ParseLamports(text); err == nil {
			t.Errorf("%q is %d", text, got)
		}
	}
}

// FuzzParseLamports compares with exact arithmetic, and parses its own output again.
func FuzzParseLamports(f *testing.F) {
	for _, s := range []string{"1lamports", "1", "0.5sol", "18446744073.709551615sol", "1e9", "1/2sol"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := ParseLamports(text)
		if err != nil {
			return
		}
		plain := strings.ToLower(strings.TrimSpace(text))
		number, inSOL := strings.CutSuffix(plain, "sol")
		number = strings.TrimSuffix(number, "lamports")
		want, ok := new(big.Rat).SetString(strings.TrimSpace(strings.ReplaceAll(number, "_", "")))
		if !ok {
			t.Fatalf("%q is %d, and no number", text, got)
		}
		if inSOL {
			want.Mul(want, big.NewRat(1e9, 1))
		}
		if want.Cmp(new(big.Rat).SetInt(new(big.Int).SetUint64(uint64(got)))) != 0 {
			t.Errorf("%q is %d, want %s", text, got, want)
		}
		for _, again := range []string{got.String(), got.Argument()} {
			if back, err := ParseLamports(again); err != nil || back != got {
				t.Errorf("%d is written %q and read as %d, %v", got, again, back, err)
			}
		}
	})
}

func TestLamportsJSON(t *testing.T) {
	t.Parallel()
	raw, err := json.Marshal(Lamports(1<<64 - 1))
	if err != nil || string(raw) != `"18446744073709551615"` {
		t.Fatalf("%s, %v", raw, err)
	}
	var back Lamports
	if err := json.Unmarshal(raw, &back); err != nil || back != 1<<64-1 {
		t.Errorf("%d, %v", back, err)
	}
	if err := json.Unmarshal([]byte(`"1.5"`), &back); err == nil {
		t.Error("1.5 lamports")
	}
	for l, want := range map[Lamports]string{0: "0 SOL", 1: "0.000000001 SOL", 1_500_000_000: "1.5 SOL", 12_000_000_000: "12 SOL"} {
		if l.String() != want {
			t.Errorf("%d: %q", uint64(l), l.String())
		}
	}
}

// FuzzLamportsJSON checks that an amount in JSON has only one spelling.
func FuzzLamportsJSON(f *testing.F) {
	f.Add(`"1000"`)
	f.Add(`"18446744073709551616"`)
	f.Add(`5`)
	f.Fuzz(func(t *testing.T, text string) {
		var l Lamports
		if json.Unmarshal([]byte(text), &l) != nil {
			return
		}
		var back Lamports
		raw, err := json.Marshal(l)
		if err == nil {
			err = json.Unmarshal(raw, &back)
		}
		if err != nil || back != l {
			t.Fatalf("%s became %s: %v", text, raw, err)
		}
	})
}
