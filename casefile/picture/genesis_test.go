package picture

import (
	"testing"

	"github.com/mr-tron/base58"

	"ojud/ledger/onchain"
)

// TestValue: only the main network of Solana has real money, and a wallet hears the right chain.
func TestValue(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d": "solana:mainnet", "EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG": "solana:devnet",
		"4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY": "solana:testnet", "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdqKuc147dw2N9d": "solana:localnet",
	} {
		raw, err := base58.Decode(text)
		if err != nil || len(raw) != 32 {
			t.Fatal(len(raw), err)
		}
		if v := ValueOf(onchain.Hash(raw)); v.Chain != want || v.Real != (want == "solana:mainnet") || v.Words == "" {
			t.Errorf("%s: %+v", text, v)
		}
	}
}
