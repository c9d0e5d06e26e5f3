// Package onchain holds the plain types of a ledger with accounts: addresses, hashes, signatures
// and instructions. They are arrays and structs without behaviour beyond their text form, so that
// code that uses them does not depend on a client library or on one chain.
package onchain

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"github.com/mr-tron/base58"
)

// LamportsPerSOL is the number of the smallest units of money in one SOL.
const LamportsPerSOL uint64 = 1_000_000_000

// SOL writes an amount of lamports in SOL without trailing zeros: "0.05 SOL".
func SOL(lamports uint64) string {
	text := strconv.FormatUint(lamports/LamportsPerSOL, 10)
	if rest := lamports % LamportsPerSOL; rest > 0 {
		text += "." + strings.TrimRight(fmt.Sprintf("%09d", rest), "0")
	}
	return text + " SOL"
}

// Address names an account. Its text form is base58.
type Address [32]byte

// Hash is a hash that the chain shows in base58: of its genesis, or of a block.
type Hash [32]byte

// Signature is the first signature of a transaction, which names it. Its text form is base58.
type Signature [64]byte

// Instruction is one call of a program.
type Instruction struct {
	Program  Address
	Accounts []AccountMeta
	Data     []byte
}

// AccountMeta is the part that an account has in an instruction.
type AccountMeta struct {
	Address  Address
	Signer   bool
	Writable bool
}

// ParseAddress reads an address in base58.
func ParseAddress(text string) (a Address, err error) { return a, a.UnmarshalText([]byte(text)) }

// IsZero reports whether a is the zero address, which stands for "none".
func (a Address) IsZero() bool { return a == Address{} }

// String returns the base58 form.
func (a Address) String() string { return base58.Encode(a[:]) }

// MarshalText returns the base58 form.
func (a Address) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalText reads the base58 form.
func (a *Address) UnmarshalText(text []byte) error { return decode(a[:], text, "address") }

// IsZero reports whether h is zero.
func (h Hash) IsZero() bool { return h == Hash{} }

// String returns the base58 form.
func (h Hash) String() string { return base58.Encode(h[:]) }

// MarshalText returns the base58 form.
func (h Hash) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// UnmarshalText reads the base58 form.
func (h *Hash) UnmarshalText(text []byte) error { return decode(h[:], text, "hash") }

// parseSignature reads a signature in base58.
func parseSignature(text string) (s Signature, err error) { return s, s.UnmarshalText([]byte(text)) }

// IsZero reports whether s is zero, which stands for "none".
func (s Signature) IsZero() bool { return s == Signature{} }

// String returns the base58 form.
func (s Signature) String() string { return base58.Encode(s[:]) }

// MarshalText returns the base58 form.
func (s Signature) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the base58 form.
func (s *Signature) UnmarshalText(text []byte) error { return decode(s[:], text, "signature") }

// decode reads base58 of exactly the size of out.
func decode(out, text []byte, what string) error {
	const longest = 88 // 64 bytes
	if len(text) > longest {
		return fmt.Errorf("no base58 %s of %d bytes: %d characters are too many", what, len(out), len(text))
	}
	raw, err := base58.Decode(string(text))
	if err != nil {
		return fmt.Errorf("no base58 %s of %d bytes: %w", what, len(out), err)
	}
	if len(raw) != len(out) {
		return fmt.Errorf("no base58 %s of %d bytes: it has %d", what, len(out), len(raw))
	}
	copy(out, raw)
	return nil
}

// Programs and accounts of Solana that instructions name.
const (
	system       = "11111111111111111111111111111111"
	clock        = "SysvarC1ock11111111111111111111111111111111"
	instructions = "Sysvar1nstructions1111111111111111111111111"
)

// SystemProgram is the address of the system program, which is zero.
func SystemProgram() Address { return known(system) }

// ClockAccount is the address of the account that holds the chain's clock.
func ClockAccount() Address { return known(clock) }

// InstructionsAccount is the address of the account that shows a transaction's own instructions.
func InstructionsAccount() Address { return known(instructions) }

func known(text string) Address {
	a, err := ParseAddress(text)
	if err != nil {
		panic(err) // the constants above are tested
	}
	return a
}

// Transfer moves lamports between wallets. The sender signs.
func Transfer(from, to Address, lamports uint64) Instruction {
	return Instruction{
		Program:  SystemProgram(),
		Accounts: []AccountMeta{{Address: from, Signer: true, Writable: true}, {Address: to, Writable: true}},
		Data:     binary.LittleEndian.AppendUint64([]byte{2, 0, 0, 0}, lamports),
	}
}
