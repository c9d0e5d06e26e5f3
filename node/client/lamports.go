package client

import (
	"fmt"
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
	n, err := onchain.ParseSOL(text)
	return Lamports(n), err
}

// Argument returns the amount as ParseLamports reads it: "0.05sol".
func (l Lamports) Argument() string { return strings.ToLower(strings.ReplaceAll(l.String(), " ", "")) }
