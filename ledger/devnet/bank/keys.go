package bank

import (
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"github.com/gagliardetto/solana-go"
)

// seedSize is the length of a genesis seed in bytes.
const seedSize = 32

// keys are derived from the seed. The identity needs no private key, because it only receives.
type keys struct {
	seed      []byte
	faucetKey solana.PrivateKey
	faucet    solana.PublicKey
	identity  solana.PublicKey
	vote      solana.PublicKey // the vote account in getVoteAccounts; it does not exist
}

func newKeys(seed []byte) (keys, error) {
	if len(seed) != seedSize {
		return keys{}, fmt.Errorf("bank: genesis: the seed has %d bytes, it must have %d", len(seed), seedSize)
	}
	k := keys{seed: append([]byte(nil), seed...)}
	faucet, err := k.derive("faucet")
	if err != nil {
		return keys{}, err
	}
	identity, err := k.derive("identity")
	if err != nil {
		return keys{}, err
	}
	k.faucetKey, k.faucet, k.identity = faucet, faucet.PublicKey(), identity.PublicKey()
	k.vote = solana.PublicKey(k.tag("vote"))
	return k, nil
}

func (k keys) derive(name string) (solana.PrivateKey, error) {
	secret, err := hkdf.Key(sha256.New, k.seed, nil, "oju:devnet:"+name, ed25519.SeedSize)
	if err != nil {
		return nil, fmt.Errorf("bank: genesis: derive the %s key: %w", name, err)
	}
	return solana.PrivateKey(ed25519.NewKeyFromSeed(secret)), nil
}

// tag returns a value that belongs to this seed and does not reveal it.
func (k keys) tag(name string) [sha256.Size]byte {
	mac := hmac.New(sha256.New, k.seed)
	mac.Write([]byte("oju:devnet:" + name))
	return [sha256.Size]byte(mac.Sum(nil))
}

// blockhash returns the hash that transactions name. It cannot be foreseen without the seed, and is
// bound to the block's transactions.
func (k keys) blockhash(parent solana.Hash, slot uint64, content [sha256.Size]byte) solana.Hash {
	mac := hmac.New(sha256.New, k.seed)
	mac.Write([]byte("oju:devnet:blockhash"))
	mac.Write(parent[:])
	mac.Write(binary.LittleEndian.AppendUint64(nil, slot))
	mac.Write(content[:])
	return solana.Hash(mac.Sum(nil))
}
