package picture

import (
	"strings"

	"ojud/ledger/onchain"
)

// Value says what the SOL of a chain is worth.
type Value struct {
	Real  bool // it is money that people pay with
	Words string
	Chain string // as the Wallet Standard names it
}

// ValueOf says what money a network has. It knows Solana's public networks by the first 32
// characters of their genesis hashes, as CAIP-2 names them.
func ValueOf(genesis onchain.Hash) Value {
	text := genesis.String()
	is := func(id string) bool { return strings.HasPrefix(text, id) }
	switch {
	case is("5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp"):
		return Value{true, "Real money: this court is on Solana's main network.", "solana:mainnet"}
	case is("EtWTRABZaYq6iMfeYKouRu166VU2xqa1"):
		return Value{false, "Test network: this court is on Solana's devnet, and its SOL is worth nothing.", "solana:devnet"}
	case is("4uhcVJyU9pJkvQyS88uRDiswHXSCkY3z"):
		return Value{false, "Test network: this court is on Solana's testnet, and its SOL is worth nothing.", "solana:testnet"}
	}
	return Value{false, "Test network: this court is on a chain of its own, and its SOL is worth nothing on Solana.", "solana:localnet"}
}
