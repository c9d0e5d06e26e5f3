package difftest

import (
	"crypto/ed25519"
	"crypto/sha256"
	"fmt"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/svm/accounts"
)

// Key returns a fixed private key for a name, so that cases are the same on every run.
func Key(name string) solana.PrivateKey {
	seed := sha256.Sum256([]byte("difftest:" + name))
	return solana.PrivateKey(ed25519.NewKeyFromSeed(seed[:]))
}

// Address is the public half of Key.
func Address(name string) solana.PublicKey { return public(Key(name)) }

// public returns the public half that a private key ends with. PrivateKey.PublicKey computes it
// again from the seed: for all keys of all transactions that is half of the time of the tests.
func public(k solana.PrivateKey) solana.PublicKey {
	return solana.PublicKeyFromBytes(k[ed25519.SeedSize:])
}

// Wallet returns a system account with that many lamports.
func Wallet(key solana.PublicKey, lamports uint64) accounts.Keyed {
	return accounts.Keyed{Key: key, Account: accounts.Account{Lamports: lamports, RentEpoch: ^uint64(0)}}
}

// Owned returns an account of a program.
func Owned(key, owner solana.PublicKey, lamports uint64, data []byte) accounts.Keyed {
	return accounts.Keyed{Key: key, Account: accounts.Account{
		Lamports: lamports, Owner: owner, Data: data, RentEpoch: ^uint64(0),
	}}
}

// Build makes a legacy transaction that watches every account that it names. It is signed by those
// of keys that must sign; other signatures are zero.
func Build(env *accounts.Environment, payer solana.PublicKey, instructions []solana.Instruction, keys ...solana.PrivateKey) (Transaction, error) {
	tx, err := solana.NewTransaction(instructions, env.Blockhash, solana.TransactionPayer(payer))
	if err != nil {
		return Transaction{}, fmt.Errorf("difftest: build: %w", err)
	}
	return Finish(tx, keys...)
}

// Finish signs a transaction, encodes it and watches its accounts.
func Finish(tx *solana.Transaction, keys ...solana.PrivateKey) (Transaction, error) {
	message, err := tx.Message.MarshalBinary()
	if err != nil {
		return Transaction{}, fmt.Errorf("difftest: build: %w", err)
	}
	tx.Signatures = make([]solana.Signature, tx.Message.Header.NumRequiredSignatures)
	for i := range tx.Signatures {
		for _, key := range keys {
			if i >= len(tx.Message.AccountKeys) || public(key) != tx.Message.AccountKeys[i] {
				continue
			}
			if tx.Signatures[i], err = key.Sign(message); err != nil {
				return Transaction{}, fmt.Errorf("difftest: sign: %w", err)
			}
		}
	}
	raw, err := tx.MarshalBinary()
	if err != nil {
		return Transaction{}, fmt.Errorf("difftest: build: %w", err)
	}
	return Transaction{Raw: raw, Watch: tx.Message.AccountKeys}, nil
}
