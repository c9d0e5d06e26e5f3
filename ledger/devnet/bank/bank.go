package bank

import (
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/svm"
	"ojud/ledger/svm/accounts"
)

// Bank is the chain. It is safe for concurrent use: one writer at a time, and several readers at
// once.
type Bank struct {
	*state
	log      *slog.Logger
	runtime  *svm.Runtime
	keys     keys
	genesis  genesis
	journal  *journal
	airdrops atomic.Uint64 // made unique so far
	offset   time.Duration // chain's clock less the caller's; guarded by mu
}

// state is the chain as readers see it: the accounts at each commitment level, and the past.
type state struct {
	config   Config
	features accounts.Features

	mu      sync.RWMutex
	root    *accountSet // finalized
	rooted  *layer      // newest finalized slot
	layers  []*layer    // later slots; the last one is open
	hashes  *blockhashes
	history *history
}

// Open opens the chain in config.Dir, or creates it from the genesis. now is the time of the first
// slot that it opens. observer gets every Event, and must not block or call back; it may be nil.
// log must not be nil.
//
// The error is ErrLocked, ErrGenesis, ErrCorrupt, or one of the configuration, the genesis or the
// disk.
func Open(config Config, g Genesis, now time.Time, observer func(Event), log *slog.Logger) (*Bank, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	rules := svm.DefaultConfig()
	runtime, err := svm.New(rules)
	if err != nil {
		return nil, err
	}
	var s store = memory{}
	if config.Dir != "" {
		if s, err = openDisk(config.Dir, log); err != nil {
			return nil, err
		}
	}
	if observer == nil {
		observer = func(Event) {}
	}
	b := &Bank{
		log: log, runtime: runtime, journal: &journal{store: s, publish: observer},
		state: &state{
			config: config, features: rules.Features, root: newAccountSet(), hashes: newBlockhashes(), history: newHistory(config),
		},
	}
	if err := b.start(g, now); err != nil {
		if closing := s.close(); closing != nil {
			log.Warn("the chain's store did not close", "err", closing)
		}
		return nil, err
	}
	return b, nil
}

// start restores the chain, or creates it.
func (b *Bank) start(g Genesis, now time.Time) error {
	s, err := b.journal.store.load()
	if err != nil {
		return err
	}
	if s == nil {
		return b.create(g, now)
	}
	if err := b.restore(s, g); err != nil {
		return err
	}
	b.log.Info("chain restored", "slot", s.head.slot, "transactions", s.head.next, "accounts", len(s.accounts))
	return b.Seal(now)
}

// Close writes the queue and unlocks the directory. Later calls return ErrClosed.
func (b *Bank) Close() error { return b.journal.close() }

// Sync returns when everything that was visible before the call is durable.
func (b *Bank) Sync() error { return b.journal.sync() }

// Failure returns the error that stopped the bank, or nil while it works.
func (b *Bank) Failure() error { return b.journal.failure() }

// GenesisHash identifies the chain.
func (b *Bank) GenesisHash() solana.Hash { return b.genesis.hash }

// GenesisTime is the time when the chain began, in Unix seconds.
func (b *Bank) GenesisTime() int64 { return b.genesis.created }

// Identity is the validator identity, which gets all fees. It is the leader of every slot.
func (b *Bank) Identity() solana.PublicKey { return b.keys.identity }

// VoteAccount is the address that the validator's vote account would have.
func (b *Bank) VoteAccount() solana.PublicKey { return b.keys.vote }

// Faucet is the account that pays airdrops.
func (b *Bank) Faucet() solana.PublicKey { return b.keys.faucet }

// Config returns the configuration that the bank was opened with.
func (b *Bank) Config() Config { return b.config }

// now returns the chain's clock at the caller's time. It never goes back.
func (b *Bank) now(caller time.Time) int64 {
	at := caller.Add(b.offset).Unix()
	if len(b.layers) > 0 {
		at = max(at, b.open().time)
	}
	return at
}

// head describes the open slot.
func (b *Bank) head() *head {
	l := b.open()
	return &head{
		slot: l.slot, parent: l.parent, height: l.height, time: l.time,
		epochStart: l.env.Clock.EpochStartTimestamp, offset: int64(b.offset),
		first: l.first, next: b.history.next(), signatures: l.signatures, fees: l.fees,
	}
}

// broken stops the bank permanently and returns the reason.
func (b *Bank) broken(format string, args ...any) error {
	err := fmt.Errorf("%w: "+format, append([]any{ErrBroken}, args...)...)
	b.journal.fail(err)
	return err
}
