package tokens

import (
	"encoding/binary"
	"errors"
	"fmt"

	"ojud/ledger/onchain"
)

// Sizes of accounts without extensions, and places in them.
const (
	MintSize    = 82
	AccountSize = 165

	multisigSize = 355 // no account of either kind has this size
	kindAt       = AccountSize
	extensionsAt = kindAt + 1
	kindMint     = 1
	kindAccount  = 2
	maxAccount   = 1 << 16 // bytes that are looked at
	ownerAt      = 32      // where an account names its owner
)

// ErrNoMint and ErrNoAccount mean that an account is something else.
var (
	ErrNoMint    = errors.New("tokens: it is no mint of SPL Token or Token-2022")
	ErrNoAccount = errors.New("tokens: it is no token account")
)

// Mint is a kind of token.
type Mint struct {
	Address, Program onchain.Address
	Supply           uint64
	Decimals         uint8
	Authority        onchain.Address // may make tokens; zero: nobody
	Freezer          onchain.Address // may freeze accounts; zero: nobody
	Extensions       []Extension     // of Token-2022
}

// TokenAccount is an account that holds tokens.
type TokenAccount struct {
	Program, Mint, Owner onchain.Address
	Amount               uint64
	Frozen               bool
}

// DecodeMint reads a mint. The error is ErrNoMint if the account is something else.
func DecodeMint(at, owner onchain.Address, data []byte) (*Mint, error) {
	tail, err := tail(owner, data, MintSize, kindMint)
	const initialized = 45
	if err != nil || data[initialized] != 1 {
		return nil, fmt.Errorf("%w: %s", ErrNoMint, at)
	}
	m := &Mint{
		Address: at, Program: owner, Supply: binary.LittleEndian.Uint64(data[36:]), Decimals: data[44],
		Authority: perhaps(data), Freezer: perhaps(data[46:]),
	}
	if m.Extensions, err = extensions(tail); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrNoMint, at, err)
	}
	return m, nil
}

// DecodeAccount reads a token account. The error is ErrNoAccount if it is something else.
func DecodeAccount(owner onchain.Address, data []byte) (*TokenAccount, error) {
	const stateAt, frozen = 108, 2
	if _, err := tail(owner, data, AccountSize, kindAccount); err != nil || data[stateAt] == 0 || data[stateAt] > frozen {
		return nil, ErrNoAccount
	}
	return &TokenAccount{
		Program: owner, Mint: onchain.Address(data[:32]), Owner: onchain.Address(data[ownerAt:64]),
		Amount: binary.LittleEndian.Uint64(data[64:]), Frozen: data[stateAt] == frozen,
	}, nil
}

// tail returns the extensions of an account of a kind.
func tail(owner onchain.Address, data []byte, size int, kind byte) ([]byte, error) {
	switch {
	case !IsProgram(owner), len(data) > maxAccount, len(data) < size:
		return nil, ErrNoAccount
	case len(data) == size:
		return nil, nil
	case owner != Token2022(), len(data) == multisigSize, len(data) < extensionsAt, data[kindAt] != kind:
		return nil, ErrNoAccount
	}
	return data[extensionsAt:], nil
}

// perhaps reads a key that need not be there: a u32 that is 1, and the key.
func perhaps(b []byte) (a onchain.Address) {
	if binary.LittleEndian.Uint32(b) == 1 {
		copy(a[:], b[4:])
	}
	return a
}
