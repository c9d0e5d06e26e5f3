package client

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"github.com/gagliardetto/solana-go"
)

// Lamports is an amount. In JSON it is a decimal string.
type Lamports uint64

// MarshalText implements encoding.TextMarshaler.
func (l Lamports) MarshalText() ([]byte, error) { return strconv.AppendUint(nil, uint64(l), 10), nil }

// UnmarshalText reads the JSON form.
func (l *Lamports) UnmarshalText(text []byte) error {
	n, err := strconv.ParseUint(string(text), 10, 64)
	if err != nil {
		return fmt.Errorf("client: %.40q is no number of lamports", text)
	}
	*l = Lamports(n)
	return nil
}

// String is the amount for people, in SOL without trailing zeros: "0.05 SOL".
func (l Lamports) String() string {
	whole, rest := uint64(l)/solana.LAMPORTS_PER_SOL, uint64(l)%solana.LAMPORTS_PER_SOL
	text := strconv.FormatUint(whole, 10)
	if rest > 0 {
		text += "." + strings.TrimRight(fmt.Sprintf("%09d", rest), "0")
	}
	return text + " SOL"
}

// ParseLamports reads what a person writes: "1000000" (lamports) or "0.5sol", "2 SOL".
func ParseLamports(text string) (Lamports, error) {
	trimmed := strings.ToLower(strings.TrimSpace(text))
	number, inSOL := strings.CutSuffix(trimmed, "sol")
	fail := fmt.Errorf("%.40q is no amount; write lamports (1000000) or SOL (0.5sol), without a sign, with at most nine decimals", text)
	if !inSOL {
		n, ok := parseDigits(strings.ReplaceAll(number, "_", ""))
		if !ok {
			return 0, fail
		}
		return Lamports(n), nil
	}
	whole, decimals, _ := strings.Cut(strings.TrimSpace(number), ".")
	if len(decimals) > 9 || whole == "" && decimals == "" {
		return 0, fail
	}
	w, okWhole := parseDigits("0" + whole)
	d, okDecimals := parseDigits("0" + decimals + strings.Repeat("0", 9-len(decimals)))
	over, product := bits.Mul64(w, solana.LAMPORTS_PER_SOL)
	sum, carry := bits.Add64(product, d, 0)
	if !okWhole || !okDecimals || over > 0 || carry > 0 {
		return 0, fail
	}
	return Lamports(sum), nil
}

// parseDigits reads digits and nothing else: no sign, no blanks.
func parseDigits(s string) (uint64, bool) {
	for _, r := range s {
		if r < '0' || r > '9' {
			return 0, false
		}
	}
	n, err := strconv.ParseUint(s, 10, 64)
	return n, err == nil
}

// Argument is the amount as ParseLamports reads it: "0.05sol".
func (l Lamports) Argument() string { return strings.ToLower(strings.ReplaceAll(l.String(), " ", "")) }
