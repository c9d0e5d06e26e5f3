package sequence_test

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"

	"github.com/gagliardetto/solana-go"

	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/ledger/svm"
	"ojud/ledger/svm/accounts"
	"ojud/ledger/svm/difftest"
	"ojud/ledger/tokens"
	"ojud/voting"
)

type key = onchain.Address

const (
	sol   = 1_000_000_000
	start = 1_800_000_000 // Unix seconds
)

// stage is the common part of all arenas of a worker: the program, its addresses, and the keys of
// people.
type stage struct {
	runtime *svm.Runtime
	fixed   map[key]accounts.Account // programs and sysvars
	elf     []byte
	prog    program.Program
	network voting.Hash
	payer   key // pays all fees, and does nothing else
	keys    map[key]solana.PrivateKey
	names   map[key]string
	known   map[string]key // people by name
	places  map[place]key
	bumps   map[key]uint8
	roles   map[string][]program.AccountRole
	signed  map[string]voting.Signature
}

// place names a derived address.
type place struct {
	kind string
	a, b key
	n    uint64
	name string
}

func newStage(elf []byte) (*stage, error) {
	runtime, err := svm.New(svm.DefaultConfig())
	if err != nil {
		return nil, err
	}
	s := &stage{
		runtime: runtime, fixed: map[key]accounts.Account{}, elf: elf, prog: program.New(onchain.Address(difftest.Address("oju"))),
		network: sha256.Sum256([]byte("sequences")), keys: map[key]solana.PrivateKey{}, names: map[key]string{}, known: map[string]key{},
		places: map[place]key{}, bumps: map[key]uint8{}, roles: map[string][]program.AccountRole{}, signed: map[string]voting.Signature{},
	}
	s.payer = s.person("payer")
	authority := s.person("authority")
	env := accounts.DefaultEnvironment()
	pair, err := accounts.ProgramPair(solana.PublicKey(s.prog.ID()), elf, (*solana.PublicKey)(&authority), env.Rent)
	if err != nil {
		return nil, err
	}
	for _, list := range [][]accounts.Keyed{accounts.Builtins(), accounts.Sysvars(env), pair} {
		for _, a := range list {
			s.fixed[key(a.Key)] = a.Account
		}
	}
	if err := s.tokenPrograms(); err != nil {
		return nil, err
	}
	for at, name := range map[key]string{
		s.prog.ID(): "program", onchain.SystemProgram(): "system", onchain.InstructionsAccount(): "instructions",
		s.prog.ProgramData(): "program data", s.at(place{kind: "config"}): "config", s.at(place{kind: "roster"}): "roster", s.at(place{kind: "pot"}): "pot",
	} {
		s.names[at] = name
	}
	return s, nil
}

// person returns the address of a person, whose key signs.
func (s *stage) person(name string) key {
	if at, ok := s.known[name]; ok {
		return at
	}
	k := difftest.Key(name)
	at := k.PublicKey()
	s.keys[key(at)], s.names[key(at)], s.known[name] = k, name, key(at)
	return key(at)
}

// at derives an address of the program once, because that is slow.
func (s *stage) at(p place) key {
	if at, ok := s.places[p]; ok {
		return at
	}
	var seeds [][]byte
	switch p.kind {
	case "config", "roster", "pot":
		seeds = [][]byte{[]byte(p.kind)}
	case "registry", "rules":
		seeds = [][]byte{[]byte(p.kind), binary.LittleEndian.AppendUint32(nil, uint32(p.n))}
	case "admission", "agent", "case", "pledge", "proctor", "verdict":
		seeds = [][]byte{[]byte(p.kind), p.a[:]}
	case "task":
		seeds = [][]byte{[]byte(p.kind), p.a[:], binary.LittleEndian.AppendUint64(nil, p.n)}
	case "batch":
		seeds = [][]byte{[]byte(p.kind), binary.LittleEndian.AppendUint64(nil, p.n)}
	case "dispute":
		seeds = [][]byte{[]byte(p.kind), p.a[:], p.b[:], []byte(p.name)}
	case "channel":
		seeds = [][]byte{[]byte(p.kind), p.a[:], p.b[:]}
	case "data":
		seeds = [][]byte{[]byte(p.kind), p.a[:], []byte(p.name)}
	}
	at, bump, err := solana.FindProgramAddress(seeds, solana.PublicKey(s.prog.ID()))
	if err != nil {
		panic(err) // 255 bumps in a row on the curve do not occur
	}
	s.places[p], s.bumps[key(at)] = key(at), bump
	if s.names[key(at)] == "" {
		s.names[key(at)] = fmt.Sprint(p.kind, " of ", s.name(p.a), " ", s.name(p.b), p.n, p.name)
	}
	return key(at)
}

func (s *stage) name(k key) string {
	if name, ok := s.names[k]; ok {
		return name
	}
	if k.IsZero() {
		return ""
	}
	return k.String()[:8]
}

// rolesOf returns the accounts of an instruction. Their list is parsed once.
func (s *stage) rolesOf(i program.Instruction) []program.AccountRole {
	name := i.InstructionName()
	if _, ok := s.roles[name]; !ok {
		s.roles[name] = i.Accounts()
	}
	return s.roles[name]
}

func (s *stage) domain() voting.Domain {
	return voting.Domain{Network: s.network, Program: voting.Key(s.prog.ID())}
}

// arena is a chain for one sequence, with the book: the model's content of every account of the
// program.
type arena struct {
	*stage
	env      accounts.Environment
	accounts map[key]accounts.Account
	book     map[key]program.Account // shared with other arenas: replaced, never changed
	extra    map[key]uint64          // lamports of an account that are not counted
	said     map[ballot]voting.Opening
	plans    map[uint64]*plan // of batches
	held     map[key]tokens.TokenAccount
	court    court
	r        *rand.Rand
	entropy  uint64 // of the chain's hashes
	window   int    // slot hashes that the chain remembers

	seen   *coverage
	faults faults
	story  func(format string, args ...any) // nil: no story
	record func(sent)                       // nil: no recording
}

// ballot is a seat's vote.
type ballot struct {
	task, judge key
	round       uint8
}

// Account makes an arena the source of the runtime.
func (a *arena) Account(address solana.PublicKey) (accounts.Account, bool) {
	k := key(address)
	if v, ok := a.accounts[k]; ok {
		return v, true
	}
	v, ok := a.fixed[k]
	return v, ok
}

// fork returns an independent copy of the arena.
func (a *arena) fork(r *rand.Rand) *arena {
	b := *a
	b.accounts, b.book, b.extra, b.said = maps.Clone(a.accounts), maps.Clone(a.book), maps.Clone(a.extra), maps.Clone(a.said)
	b.plans, b.held = maps.Clone(a.plans), maps.Clone(a.held)
	b.r, b.entropy = r, r.Uint64()
	b.window = 3 + r.IntN(12)
	return &b
}

func (a *arena) now() int64              { return a.env.Clock.UnixTimestamp }
func (a *arena) slot() uint64            { return a.env.Clock.Slot }
func (a *arena) lamports(k key) uint64   { return a.accounts[k].Lamports }
func (a *arena) rent(size int) uint64    { return a.env.Rent.MinimumBalance(size) }
func (a *arena) config() *program.Config { return get[program.Config](a, a.at(place{kind: "config"})) }
func (a *arena) version(number uint32) *program.Rules {
	return get[program.Rules](a, a.at(place{kind: "rules", n: uint64(number)}))
}

// law returns the version of the rules that is in force.
func (a *arena) law() *program.Rules {
	for n := a.config().Rules; ; n-- {
		if v := a.version(n); v.InForce(a.now()) {
			return v
		}
	}
}
func (a *arena) roster() *program.Roster { return get[program.Roster](a, a.at(place{kind: "roster"})) }
func (a *arena) caseOf(k key) *program.Case {
	return get[program.Case](a, a.at(place{kind: "case", a: k}))
}
func (a *arena) agentOf(k key) *program.Agent {
	return get[program.Agent](a, a.at(place{kind: "agent", a: k}))
}

// get returns the account of that type at an address, or nil if there is none.
func get[T any](a *arena, k key) *T {
	v, _ := any(a.book[k]).(*T)
	return v
}

// pass moves the time by seconds, with five slots in two seconds. Some slots have no block.
func (a *arena) pass(seconds int64, slots uint64) {
	c := &a.env.Clock
	c.UnixTimestamp += seconds
	c.Slot += slots
	if slots == 0 {
		return
	}
	a.env.SlotHashes = make([]accounts.SlotHash, 0, a.window)
	for slot := c.Slot - 1; len(a.env.SlotHashes) < a.window && slot > 0; slot-- {
		h := sha256.Sum256(binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, a.entropy), slot))
		if h[31]%5 != 0 {
			a.env.SlotHashes = append(a.env.SlotHashes, accounts.SlotHash{Slot: slot, Hash: h})
		}
	}
}
