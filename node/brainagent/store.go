package brainagent

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"ojud/agent/work"
	"ojud/ledger/journal/durable"
)

// state is what an agent knows beside the chain.
type state struct {
	Seats map[string]*place `json:"seats"` // by task; those that are over are not in it
	// Appeals are the agent's appeals against golden tasks, by task.
	Appeals map[string]*appeal `json:"appeals,omitempty"`

	Earned uint64 `json:"earned,string"`
	Lost   uint64 `json:"lost,string"`
	work.Use
}

// place is the agent's seat in a task.
type place struct {
	Made     uint64   `json:"made,string"` // slot: a task may be made again at its address
	Class    string   `json:"class"`
	Attempt  int      `json:"attempt"`
	Restarts int      `json:"restarts"` // of the agent while an answer was made
	Making   bool     `json:"making"`
	Asked    uint8    `json:"asked,omitempty"` // workers that it was asked about before further ones came
	Fault    string   `json:"fault,omitempty"`
	Risk     uint64   `json:"risk,string"` // what the task holds of its stake
	Bond     uint64   `json:"bond,string"` // of the outcome that it posted
	Contest  *contest `json:"contest,omitempty"`

	answer bool // it was made, and is in the folder
}

// contest is the agent's dispute about an outcome.
type contest struct {
	Calls  [3]uint8 `json:"calls"` // who had been called when the outcome was posted; see calls
	Poster string   `json:"poster"`
	Stake  uint64   `json:"stake,string"`
	Fee    uint64   `json:"fee,string"`
	Prize  uint64   `json:"prize,string"` // the poster's bond, which it gets if the court is with it
	Landed bool     `json:"landed"`       // the chain has it; another's may have come first
	Lost   bool     `json:"lost"`         // the court was not with it, and that is counted
}

// The limits of the folder.
const (
	maxState  = 16 << 20
	maxAnswer = 256 << 10
)

// store is the folder of an agent. One process at a time has it.
type store struct {
	dir  string
	lock *durable.Lock
}

func openStore(dir string, into *state) (*store, error) {
	if err := durable.MakeDir(filepath.Join(dir, "answers")); err != nil {
		return nil, fmt.Errorf("brainagent: %w", err)
	}
	lock, err := durable.Acquire(filepath.Join(dir, "lock"))
	if errors.Is(err, durable.ErrLocked) {
		return nil, fmt.Errorf("brainagent: another process works in %s; end that one first: %w", dir, err)
	}
	if err != nil {
		return nil, fmt.Errorf("brainagent: %w", err)
	}
	s := &store{dir, lock}
	raw, err := s.read("state.json", maxState)
	if err == nil {
		err = json.Unmarshal(raw, into)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, errors.Join(fmt.Errorf("brainagent: %s: %w", filepath.Join(dir, "state.json"), err), lock.Release())
	}
	return s, nil
}

func (s *store) close() error { return s.lock.Release() }

func (s *store) read(name string, most int64) ([]byte, error) {
	path := filepath.Join(s.dir, name)
	info, err := os.Stat(path)
	if err == nil && info.Size() > most {
		err = fmt.Errorf("it has %d bytes, more than %d", info.Size(), most)
	}
	if err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

// save stores the state. What it says is done after it.
func (s *store) save(v *state) error {
	raw, err := json.MarshalIndent(v, "", " ")
	if err == nil {
		err = durable.WriteFile(filepath.Join(s.dir, "state.json"), raw)
	}
	if err != nil {
		return fmt.Errorf("brainagent: %w", err)
	}
	return nil
}

func (p *place) answerFile(task string) string {
	name := fmt.Sprintf("%s-%d.json", task, p.Made)
	if p.Asked > 0 {
		name = fmt.Sprintf("%s-%d-%d.json", task, p.Made, p.Asked)
	}
	return filepath.Join("answers", name)
}

// keep stores what was made.
func (s *store) keep(name string, content []byte) error {
	if err := durable.WriteFile(filepath.Join(s.dir, name), content); err != nil {
		return fmt.Errorf("brainagent: %w", err)
	}
	return nil
}

// has reports whether something was made.
func (s *store) has(name string) bool {
	_, err := os.Stat(filepath.Join(s.dir, name))
	return err == nil
}

// drop removes what was made for a task that is over.
func (s *store) drop(name string) error {
	err := os.Remove(filepath.Join(s.dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
