package client

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"ojud/ledger/onchain"
)

// Lamports is an amount of money. In JSON it is a decimal string, because JavaScript rounds large
// numbers.
type Lamports uint64

// MarshalText implements encoding.TextMarshaler.
func (l Lamports) MarshalText() ([]byte, error) { return strconv.AppendUint(nil, uint64(l), 10), nil }

// UnmarshalText reads the JSON form.
func (l *Lamports) UnmarshalText(text []byte) error {
	n, err := strconv.ParseUint(string(text), 10, 64)
	if err != nil {
		return fmt.Errorf("client: %.40q is not a number of lamports", text)
	}
	*l = Lamports(n)
	return nil
}

// String returns the amount in SOL without trailing zeros: "0.05 SOL".
func (l Lamports) String() string { return onchain.SOL(uint64(l)) }

// ParseLamports reads an amount with its unit: "0.5sol", "2 SOL" or "1000lamports". It refuses a
// number without a unit.
func ParseLamports(text string) (Lamports, error) {
	trimmed := strings.ToLower(strings.TrimSpace(text))
	wrong := fmt.Errorf("%.40q is not an amount; write it with its unit and without a sign, such as 0.5sol or 1000lamports", text)
	if number, ok := strings.CutSuffix(trimmed, "lamports"); ok {
		n, ok := parseDigits(strings.ReplaceAll(strings.TrimSpace(number), "_", ""))
		if !ok {
			return 0, wrong
		}
		return Lamports(n), nil
	}
	number, inSOL := strings.CutSuffix(trimmed, "sol")
	if n, ok := parseDigits(strings.ReplaceAll(number, "_", "")); ok && !inSOL {
		return 0, fmt.Errorf("%.40q has no unit; write %dlamports, or SOL such as 0.5sol", text, n)
	}
	whole, decimals, _ := strings.Cut(strings.TrimSpace(number), ".")
	if !inSOL || len(decimals) > 9 || whole == "" && decimals == "" {
		return 0, wrong
	}
	w, okWhole := parseDigits("0" + whole)
	d, okDecimals := parseDigits("0" + decimals + strings.Repeat("0", 9-len(decimals)))
	over, product := bits.Mul64(w, onchain.LamportsPerSOL)
	sum, carry := bits.Add64(product, d, 0)
	if !okWhole || !okDecimals || over > 0 || carry > 0 {
		return 0, wrong
	}
	return Lamports(sum), nil
}

// parseDigits reads digits. It refuses signs and blanks, and accepts no empty text.
func parseDigits(s string) (uint64, bool) {
	for _, r := range s {
		if r < '0' || r > '9' {
			return 0, false
		}
	}
	n, err := strconv.ParseUint(s, 10, 64)
	return n, err == nil
}

// Argument returns the amount as ParseLamports reads it: "0.05sol".
func (l Lamports) Argument() string { return strings.ToLower(strings.ReplaceAll(l.String(), " ", "")) }
