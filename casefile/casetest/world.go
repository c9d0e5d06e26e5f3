// Package casetest builds complete cases for tests: judges with keys, a panel that votes by a
// script, the facts as a chain would have them, and the bundle. Everything is derived from fixed
// seeds, so that two builds of a script are the same bytes. It is no part of the program.
package casetest

import (
	"cmp"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"sync"

	"ojud/casefile"
	"ojud/casefile/panel"
	"ojud/voting"
	"ojud/voting/rules"
)

// World is a court with its judges and one case.
type World struct {
	Domain  voting.Domain
	Task    voting.Key // names the case
	Creator voting.Key
	Worker  voting.Key
	Rules   voting.Rules
	Judges  []Judge // roster order
	Store   *Memory
	Log     *casefile.Log
	Seen    []panel.DecidedRound // what the exporter saw of other cases
	Golden  Golden               // the leaf of a golden case

	terms   casefile.TaskTerms
	slot    uint64
	now     int64
	stakes  map[voting.Key]uint64
	sat     map[voting.Key]bool
	drawn   map[voting.Key]bool // into the last round of the first level
	outcome casefile.OutcomeFact

	script Script
	appeal *casefile.Appeal
	first  *round // of the first verdict, if it can be appealed
}

// Judge is a judge of the roster.
type Judge struct {
	Authority voting.Key
	Key       ed25519.PrivateKey // of its node
	Stake     uint64             // lamports
}

// Peer returns the node's public key.
func (j Judge) Peer() voting.Key { return voting.Key(j.Key.Public().(ed25519.PublicKey)) }

// Key derives 32 bytes from a name.
func Key(format string, args ...any) voting.Key {
	return sha256.Sum256(fmt.Appendf(nil, "casetest:"+format, args...))
}

// NodeKey derives a node key from a name.
func NodeKey(format string, args ...any) ed25519.PrivateKey {
	seed := Key("node:"+format, args...)
	return ed25519.NewKeyFromSeed(seed[:])
}

// txID derives a transaction signature from a name.
func txID(name string) (tx casefile.TxID) {
	a, b := Key("tx1:%s", name), Key("tx2:%s", name)
	copy(tx[:32], a[:])
	copy(tx[32:], b[:])
	return tx
}

// Rules are the defaults of the main network (protocol section 4).
func Rules() voting.Rules {
	return voting.Rules{
		CommitSeconds: 420, RevealSeconds: 180, DrawSeconds: 1800, EvidenceSeconds: 86400,
		MaxRounds: 2, PanelSeats: voting.MaxSeats, MinSeats: 7, DrawDelaySlots: 2,
		Preset: uint8(rules.PayTruth), Fee: 1_000_000, RiskBps: 1_000, GoldenGain: 10, GoldenLoss: 4, Absence: 2,
	}
}

// newWorld makes a court of n judges with stakes from 1 to 10 SOL, and opens a case about a task.
func newWorld(s Script) (*World, error) {
	w := &World{
		Domain:  voting.Domain{Network: voting.Hash(Key("network")), Program: Key("program")},
		Creator: Key("creator"), Worker: Key("worker"), Rules: Rules(), Store: &Memory{},
		script: s, slot: 1000, now: 1_760_000_000, stakes: map[voting.Key]uint64{}, sat: map[voting.Key]bool{}, drawn: map[voting.Key]bool{},
	}
	w.Task = taskAddress(w.Domain.Program, w.Creator, cmp.Or(s.ID, 7))
	for i := range s.Judges {
		j := Judge{Authority: Key("authority:%d", i), Key: NodeKey("%d", i), Stake: 1_000_000_000 + uint64(i)*311_111_111}
		w.Judges = append(w.Judges, j)
		w.stakes[j.Authority] = j.Stake
	}
	w.Log = casefile.NewLog(w.Domain, w.Task, w.Store, nil)
	if s.Golden {
		return w, w.golden()
	}
	return w, w.documents(s.Documents)
}

// documents writes what the parties wrote and fixes the terms.
func (w *World) documents(p Documents) error {
	task, err := casefile.ParseTask([]byte(cmp.Or(p.Task, taskJSON)))
	if err != nil {
		return err
	}
	result, err := casefile.ParseResult([]byte(cmp.Or(p.Result, ResultJSON)))
	if err != nil {
		return err
	}
	objection, err := casefile.ParseObjection([]byte(cmp.Or(p.Objection, objectionJSON)))
	if err != nil {
		return err
	}
	counter, err := casefile.ParseCounterObjection([]byte(cmp.Or(p.Counter, counterJSON)))
	if err != nil {
		return err
	}
	if p.Module != nil {
		w.Store.Keep(p.Module)
	}
	w.terms = casefile.TaskTerms{
		Creator: casefile.Address(w.Creator), Worker: casefile.Address(w.Worker), ID: cmp.Or(w.script.ID, 7),
		TaskHash: w.Store.Keep(task.Raw), ResultHash: w.Store.Keep(result.Raw),
		ObjectionHash: w.Store.Keep(objection.Raw), CounterHash: w.Store.Keep(counter.Raw),
		Reward: 500_000_001, CreatorBond: 100_000_000, WorkerBond: 56_000_001, TradeBps: 50, OnUndecided: casefile.OnUndecided(cmp.Or(w.script.Term, voting.SplitEscrow)),
	}
	return nil
}

// The documents of the case.
const (
	taskJSON      = `{"instruction":["You should write exactly 3 lines about owls"],"output_schema":{"text":"string"},"expected":[{"path":"/text","lines":3}]}`
	ResultJSON    = `{"text":"owls fly\nowls see\nowls <hoot> & sleep"}`
	objectionJSON = `{"reason":"The result has 2 lines."}`
	counterJSON   = `{"reason":"It has 3, count them."}`
)

// Terms returns what the task held when the case opened.
func (w *World) Terms() rules.Terms {
	return rules.Terms{
		Escrow: uint64(w.terms.Reward), CreatorBond: uint64(w.terms.CreatorBond), WorkerBond: uint64(w.terms.WorkerBond),
		OnUndecided: voting.OnUndecided(w.terms.OnUndecided), TradeBps: w.terms.TradeBps,
	}
}

// taskAddress is a hash of the seeds of a Task account, with the first bump that a real address
// could have.
func taskAddress(program, creator voting.Key, id uint64) voting.Key {
	b := append([]byte("task"), creator[:]...)
	b = binary.LittleEndian.AppendUint64(b, id)
	b = append(append(b, 255), program[:]...)
	return sha256.Sum256(append(b, "ProgramDerivedAddress"...))
}

// Memory is a store of events and content that forgets when the test ends.
type Memory struct {
	mu     sync.Mutex
	events []casefile.Event
	blobs  map[voting.Hash][]byte
}

// Put keeps an event.
func (m *Memory) Put(e casefile.Event) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.events = append(m.events, e)
	return nil
}

// List returns the events of a case.
func (m *Memory) List(task voting.Key) ([]casefile.Event, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(m.events), func(e casefile.Event) bool { return e.Case != casefile.Address(task) }), nil
}

// Keep keeps content and returns its hash.
func (m *Memory) Keep(content []byte) casefile.Digest {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.blobs == nil {
		m.blobs = map[voting.Hash][]byte{}
	}
	hash := casefile.HashOf(content)
	m.blobs[hash] = content
	return casefile.Digest(hash)
}

// Lose forgets content.
func (m *Memory) Lose(hash voting.Hash) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.blobs, hash)
}

// Blob returns content.
func (m *Memory) Blob(hash voting.Hash) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	content, ok := m.blobs[hash]
	if !ok {
		return nil, casefile.ErrNoBlob
	}
	return content, nil
}
