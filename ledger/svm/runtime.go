package svm

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"sync"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/svm/accounts"
	"ojud/ledger/svm/sbpf"
	"ojud/voting/verifier"
)

// Config has the settings of a Runtime.
type Config struct {
	Features    accounts.Features
	LogBytes    int // log bytes kept per transaction; negative for no limit
	MaxPrograms int // verified programs kept in memory
}

// DefaultConfig is mainnet's feature set, 10,000 log bytes and 128 programs.
func DefaultConfig() Config {
	return Config{Features: accounts.MainnetFeatures(), LogBytes: defaultLogBytes, MaxPrograms: 128}
}

// Validate returns an error that names the wrong field, its limit and the fix.
func (c Config) Validate() error {
	if c.MaxPrograms < 1 {
		return fmt.Errorf("svm: config: MaxPrograms is %d, must be at least 1: set it to 128", c.MaxPrograms)
	}
	return nil
}

// Runtime executes transactions. It keeps verified programs between them, and is safe for
// concurrent use.
type Runtime struct {
	config Config
	calls  *sbpf.Environment
	spaces sync.Pool          // of *space
	signed *verifier.Verifier // payers sign many transactions, and each is simulated and executed

	mu       sync.Mutex
	programs map[solana.PublicKey]*cachedProgram
	order    []solana.PublicKey
}

// cachedProgram is a verified program, or the fact that the bytes are none.
type cachedProgram struct {
	elf     []byte
	hash    [sha256.Size]byte
	program *sbpf.Program // nil if verification failed
}

// New builds a runtime. The error is Validate's.
func New(config Config) (*Runtime, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	calls, err := sbpf.NewEnvironment(syscalls(config.Features), false)
	if err != nil {
		return nil, fmt.Errorf("svm: system calls: %w", err)
	}
	return &Runtime{
		config:   config,
		calls:    calls,
		spaces:   sync.Pool{New: func() any { return new(space) }},
		signed:   verifier.New(),
		programs: map[solana.PublicKey]*cachedProgram{},
	}, nil
}

// CheckELF loads and verifies a program without running it. deploy also applies a cluster's rules
// for new deployments. The error is an sbpf.ElfError or sbpf.VerifierError with Agave's text.
func (r *Runtime) CheckELF(elf []byte, deploy bool) error {
	calls := r.calls
	if deploy {
		strict, err := sbpf.NewEnvironment(syscalls(r.config.Features), true)
		if err != nil {
			return fmt.Errorf("svm: system calls: %w", err)
		}
		calls = strict
	}
	_, err := sbpf.Load(elf, calls)
	return err
}

// program returns the verified program for the ELF at an address, or nil if it does not verify.
func (r *Runtime) program(key solana.PublicKey, elf []byte) *sbpf.Program {
	r.mu.Lock()
	defer r.mu.Unlock()
	old := r.programs[key]
	if old != nil && sameSlice(old.elf, elf) {
		return old.program
	}
	hash := sha256.Sum256(elf)
	if old != nil && old.hash == hash {
		old.elf = elf
		return old.program
	}
	if old == nil {
		r.evict()
		r.order = append(r.order, key)
	}
	program, err := sbpf.Load(elf, r.calls)
	if err != nil {
		program = nil // a broken program is a fact about the account, not our failure
	}
	r.programs[key] = &cachedProgram{elf, hash, program}
	return program
}

// evict makes room for one more program by dropping the oldest.
func (r *Runtime) evict() {
	if len(r.order) < r.config.MaxPrograms {
		return
	}
	delete(r.programs, r.order[0])
	r.order = append(r.order[:0], r.order[1:]...)
}

// sameSlice reports whether two slices are the same memory, or short and equal.
func sameSlice(a, b []byte) bool {
	if len(a) != len(b) {
		return false
	}
	if len(a) == 0 || &a[0] == &b[0] {
		return true
	}
	return len(a) < 1024 && bytes.Equal(a, b)
}
