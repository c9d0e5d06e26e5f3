package bank

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/svm/accounts"
)

const (
	// formatVersion is the version of the whole format on disk.
	formatVersion = 1
	// genesisChunk is the number of accounts of the genesis in one write.
	genesisChunk = 16
)

// genesis identifies a chain.
type genesis struct {
	seed    []byte
	created int64 // Unix seconds
	faucet  uint64
	hash    solana.Hash
}

func (g genesis) encode() []byte {
	e := &encoder{}
	e.u8(formatVersion)
	e.bytes(g.seed)
	e.u64(uint64(g.created))
	e.u64(g.faucet)
	e.raw(g.hash[:])
	return e.out
}

func decodeGenesis(raw []byte) (genesis, error) {
	d := &decoder{rest: raw}
	if v := d.u8(); !d.bad && v != formatVersion {
		return genesis{}, fmt.Errorf("%w: it has format %d, this program reads %d: start with an empty directory",
			errCorrupt, v, formatVersion)
	}
	g := genesis{seed: append([]byte(nil), d.bytes()...), created: int64(d.u64()), faucet: d.u64(), hash: d.hash()}
	return g, d.err("genesis")
}

// create makes block 0, writes it, and opens slot 1.
func (b *Bank) create(g Genesis, now time.Time) error {
	var err error
	if g.Seed == nil && g.NewSeed != nil {
		if g.Seed, err = g.NewSeed(); err != nil {
			return fmt.Errorf("bank: genesis: make a seed: %w", err)
		}
	}
	if b.keys, err = newKeys(g.Seed); err != nil {
		return err
	}
	all, err := b.genesisAccounts(g)
	if err != nil {
		return err
	}
	b.genesis = genesis{seed: b.keys.seed, created: now.Unix(), faucet: b.config.FaucetLamports}
	b.genesis.hash = b.genesisHash(all)
	for _, a := range all {
		b.root.set(a.Key, a.Account)
	}
	first := &Block{Time: now.Unix(), Blockhash: b.genesis.hash, Hash: sha256.Sum256(b.genesis.hash[:])}
	first.IdentityBalance = b.config.IdentityLamports
	b.history.blocks = []*Block{first}
	b.hashes.push(first.Blockhash, 0)
	b.rooted = &layer{time: first.Time, blockhash: first.Blockhash}
	b.settle(b.rooted, first.Time)
	b.push(1, 0, 1, b.now(now))
	for chunk := range slices.Chunk(all, genesisChunk) {
		b.journal.add(entry{accounts: chunk})
	}
	// The genesis is written last: without it there is no chain.
	if err := b.journal.sync(); err != nil {
		return err
	}
	b.journal.add(entry{block: first, head: b.head(), genesis: b.genesis.encode()})
	return b.journal.sync()
}

// genesisAccounts lists the accounts of the genesis by address.
func (b *Bank) genesisAccounts(g Genesis) ([]accounts.Keyed, error) {
	all := map[solana.PublicKey]accounts.Account{
		b.Faucet():   {Lamports: b.config.FaucetLamports, Owner: solana.SystemProgramID, RentEpoch: accounts.RentExempt},
		b.Identity(): {Lamports: b.config.IdentityLamports, Owner: solana.SystemProgramID, RentEpoch: accounts.RentExempt},
	}
	list := append(accounts.Builtins(), g.Accounts...)
	for _, p := range g.Programs {
		if err := b.runtime.CheckELF(p.ELF, true); err != nil {
			return nil, fmt.Errorf("bank: genesis: program %s: %w", p.ID, err)
		}
		pair, err := accounts.ProgramPair(p.ID, p.ELF, p.Authority, accounts.DefaultEnvironment().Rent)
		if err != nil {
			return nil, fmt.Errorf("bank: genesis: program %s: %w", p.ID, err)
		}
		list = append(list, pair...)
	}
	for _, a := range list {
		if _, ok := all[a.Key]; ok {
			return nil, fmt.Errorf("bank: genesis: account %s is there twice", a.Key)
		}
		if a.Account.Lamports == 0 || len(a.Account.Data) > accounts.MaxData {
			return nil, fmt.Errorf("bank: genesis: account %s has no lamports, or more than %d bytes", a.Key, accounts.MaxData)
		}
		all[a.Key] = a.Account
	}
	return sorted(all), supply(maps.Values(all))
}

// supply returns an error if there are more lamports than a u64 can count.
func supply(all iter.Seq[accounts.Account]) error {
	total := uint64(0)
	for a := range all {
		if total+a.Lamports < total {
			return errors.New("bank: genesis: the accounts have more than 2^64 lamports together")
		}
		total += a.Lamports
	}
	return nil
}

// genesisHash binds the whole initial state of a chain without revealing the seed.
func (b *Bank) genesisHash(all []accounts.Keyed) solana.Hash {
	h := sha256.New()
	tag := b.keys.tag("genesis")
	h.Write([]byte("oju:devnet:genesis:v1"))
	h.Write(tag[:])
	h.Write(binary.LittleEndian.AppendUint64(nil, uint64(b.genesis.created)))
	for _, a := range all {
		h.Write(a.Key[:])
		h.Write(encodeAccount(a.Account))
	}
	return solana.Hash(h.Sum(nil))
}

// same returns an error unless a restored chain has the requested genesis.
func (b *Bank) same(g Genesis) error {
	if g.Seed != nil && !bytes.Equal(g.Seed, b.genesis.seed) {
		return fmt.Errorf("%w: it has another seed: name another directory", ErrGenesis)
	}
	for _, p := range g.Programs {
		elf, _ := accounts.ProgramELF(b.root.all[p.ID], source{b.state, -1}, math.MaxUint64)
		if !bytes.Equal(elf, p.ELF) {
			return fmt.Errorf("%w: its program %s has other code: start a new chain in another directory, "+
				"or run the version that made this one", ErrGenesis, p.ID)
		}
	}
	return nil
}
