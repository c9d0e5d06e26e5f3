// Package shell runs an agent host: it reads the files of agents, keeps what the core decides on
// the disk before it acts, opens and closes agents, and makes their calls. Package agent/host/door
// serves it to programs and commands.
//
// The folder agents of a home has the files of agents (ID.toml), their keys (keys), what programs
// write (work) and the database (state).
package shell

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"ojud/agent/host"
	"ojud/agent/host/keep"
	"ojud/agent/host/manifest"
	"ojud/agent/host/mind"
	"ojud/agent/host/warden"
	"ojud/casefile"
	"ojud/casefile/agentcard"
	"ojud/ledger/journal/durable"
	"ojud/ledger/transact"
)

// Folder is the folder of agents in a home.
const Folder = "agents"

// Means are what a host needs from outside.
type Means struct {
	LookupEnv func(string) (string, bool)
	Transport http.RoundTripper // to models; nil: the network
	Log       *slog.Logger
	Ask       AskSource // nil: the host knows no court
	Reach     Reach     // nil: the host reaches no other
	// Waits is told of each call that waits for a person. It does not wait. Nil: nobody is told.
	Waits func(host.Invocation)
}

const (
	tickEvery = time.Second
	wakeTime  = time.Minute // for an agent to open
)

// errStopped is the cause of the end of calls that are stopped.
var errStopped = errors.New("the call was stopped")

// Host is a running agent host.
type Host struct {
	dir    string
	parts  Means
	disk   *keep.Disk
	warden *warden.Warden
	life   context.Context
	end    context.CancelCauseFunc
	work   sync.WaitGroup

	mu      sync.Mutex
	core    *host.Core
	files   map[string]manifest.Manifest
	keys    map[string]*transact.Keypair
	workers map[string]*mind.Worker
	waiting map[string][]chan host.Invocation // for the end of a call
	waking  map[string][]chan string          // for an agent to open; a problem, or ""
	settled map[string]*host.Refused
	stops   map[string]context.CancelCauseFunc
	acting  acting                // agents in their calls
	talks   map[string]*mind.Talk // of calls that have not started
	ill     map[string]*illness   // of services, as far as they were looked at
	broken  error                 // why nothing can be saved any more
}

// acting is what the host knows of agents that act in their calls.
type acting struct {
	by      map[string]Caller          // programs, by the word that they show
	purses  map[string]*mind.Purse     // of calls under way
	asked   map[string]int             // questions and calls of other hosts, by the call they were made in
	asking  chan struct{}              // has room for those under way
	far     map[string]map[string]*far // calls of other hosts by their ids, by the call they were made in
	address string                     // of the host, for programs
	outside []string                   // of the host, for callers of other machines
	turns   turns                      // of signed calls that arrive; taken before mu
}

// Open opens the agents of a home, and goes on where the last host ended.
func Open(home string, parts Means) (h *Host, err error) {
	parts.Log = cmp.Or(parts.Log, slog.New(slog.DiscardHandler))
	if parts.LookupEnv == nil {
		parts.LookupEnv = os.LookupEnv
	}
	h = &Host{
		dir: filepath.Join(home, Folder), parts: parts, files: map[string]manifest.Manifest{}, keys: map[string]*transact.Keypair{},
		workers: map[string]*mind.Worker{}, waiting: map[string][]chan host.Invocation{}, waking: map[string][]chan string{},
		settled: map[string]*host.Refused{}, stops: map[string]context.CancelCauseFunc{}, acting: acting{by: map[string]Caller{}, purses: map[string]*mind.Purse{}, asked: map[string]int{}, far: map[string]map[string]*far{}, asking: make(chan struct{}, maxAsking)}, talks: map[string]*mind.Talk{}, ill: map[string]*illness{},
	}
	h.life, h.end = context.WithCancelCause(context.Background())
	if err := durable.MakeDir(h.dir); err != nil {
		return nil, err
	}
	if h.disk, err = keep.Open(filepath.Join(h.dir, "state"), parts.Log); err != nil {
		return nil, err
	}
	if err := h.guard(home); err != nil {
		return nil, errors.Join(err, h.disk.Close())
	}
	if err := h.begin(); err != nil {
		h.end(err)
		return nil, errors.Join(err, h.warden.Close(), h.disk.Close())
	}
	return h, nil
}

// begin reads what there is and starts the core.
func (h *Host) begin() error {
	agents, err := h.disk.Agents()
	if err != nil {
		return err
	}
	saved := map[string]host.Agent{}
	for _, a := range agents {
		saved[a.ID] = a
	}
	all, err := h.read(agents)
	if err != nil {
		return err
	}
	var known []host.Known
	for _, m := range all {
		a, there := saved[m.ID]
		if there && a.Life == host.Terminated {
			if err := h.archive(m); err != nil {
				return err
			}
			continue
		}
		key, err := h.identity(m, there)
		if err != nil {
			return err
		}
		did := casefile.DID(key.Address()).String()
		if there && a.DID != did {
			return fmt.Errorf("%s is another key than agent %s had (%s); put that one back, or give the agent a new id", m.Key, m.ID, a.DID)
		}
		for _, a := range agents {
			if a.DID == did && a.ID != m.ID && a.Life == host.Terminated {
				return fmt.Errorf("agent %s has the key of agent %s, which was terminated or has moved to another host; give it a key of its own", m.ID, a.ID)
			}
		}
		h.files[m.ID], h.keys[m.ID] = m, key
		h.warden.Add(Signer{key})
		known = append(known, host.Known{Definition: m.Definition, DID: did})
	}
	calls, err := h.disk.Under()
	if err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	core, plan := host.New(now(), known, agents, calls)
	h.core = core
	brokenOff(h, calls)
	if err := h.carry(plan); err != nil {
		return err
	}
	return h.recover(calls)
}

// read reads the files of the folder, and the saved texts of agents that were spawned.
func (h *Host) read(agents []host.Agent) (all []manifest.Manifest, err error) {
	names, err := filepath.Glob(filepath.Join(h.dir, "*.toml"))
	if err != nil {
		return nil, err
	}
	if len(names) > host.MaxAgents {
		return nil, fmt.Errorf("%s has %d files of agents; the limit is %d", h.dir, len(names), host.MaxAgents)
	}
	from := map[string]string{}
	take := func(m manifest.Manifest, where string) error {
		if other := from[m.ID]; other != "" {
			return fmt.Errorf("%s: id is %q as that of %s; give each agent its own", where, m.ID, other)
		}
		from[m.ID] = where
		all = append(all, m)
		return nil
	}
	for _, name := range names {
		m, err := manifest.Read(name)
		if err == nil {
			err = take(m, name)
		}
		if err != nil {
			return nil, err
		}
	}
	for _, a := range agents {
		if a.Text == "" {
			continue
		}
		m, err := directory(h.dir).parse(a.ID, a.Text)
		if err == nil {
			err = take(m, "the agent that was spawned")
		}
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// directory is that of a host, with the keys that it makes.
type directory string

// parse reads the text of an agent that is spawned. Its id and its key are its own.
func (d directory) parse(id, text string) (manifest.Manifest, error) {
	if err := host.ValidID(id); err != nil {
		return manifest.Manifest{}, &host.Wrong{Field: "id", Problem: err.Error()}
	}
	m, err := manifest.Parse([]byte(text), filepath.Join(string(d), id+".toml"), id)
	m.ID, m.Key, m.Card = id, d.key(id), ""
	return m, err
}

// key is the place of the key that the host makes for an agent.
func (d directory) key(id string) string { return filepath.Join(string(d), "keys", id+".json") }

// identity loads the key of an agent. It makes one only for an agent that never lived, and only at
// the host's own place: in place of a key that is missing, it would be another agent. A card has to
// be of this key.
func (h *Host) identity(m manifest.Manifest, lived bool) (*transact.Keypair, error) {
	load := transact.LoadKeypair
	if m.Key == directory(h.dir).key(m.ID) && !lived {
		load = func(path string) (*transact.Keypair, error) {
			key, created, err := transact.LoadOrCreateKeypair(path)
			if created {
				h.parts.Log.Info("made the key of an agent", "agent", m.ID, "file", path)
			}
			return key, err
		}
	}
	key, err := load(m.Key)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("agent %s: there is no key file %s; put it back, or give the agent a new id", m.ID, m.Key)
	}
	if err != nil {
		return nil, fmt.Errorf("agent %s: key %s: %w", m.ID, m.Key, err)
	}
	if m.Card == "" {
		return key, nil
	}
	raw, err := os.ReadFile(m.Card)
	if err != nil {
		return nil, fmt.Errorf("agent %s: card: %w", m.ID, err)
	}
	card, err := agentcard.Parse(raw)
	if err != nil {
		return nil, fmt.Errorf("agent %s: %s %w", m.ID, m.Card, err)
	}
	if card.Authority != casefile.Address(key.Address()) {
		return nil, fmt.Errorf("agent %s: %s is the card of %s, and the key of the agent is %s; sign it with that: ojud agent card sign", m.ID, m.Card, card.Authority, key.Address())
	}
	return key, nil
}

// archive puts the key of a terminated agent away, and forgets what the agent remembered.
func (h *Host) archive(m manifest.Manifest) error {
	if err := h.disk.Forget(m.ID); err != nil {
		return err
	}
	folder := filepath.Join(h.dir, "keys", "archive")
	if err := durable.MakeDir(folder); err != nil {
		return err
	}
	if m.Key != directory(h.dir).key(m.ID) {
		return nil // a key that the file names may be a wallet, or another agent's; it stays where it is
	}
	err := os.Rename(m.Key, filepath.Join(folder, m.ID+".json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it is there already
	}
	if err != nil {
		return err
	}
	return durable.Sync(filepath.Dir(m.Key), folder)
}

func now() int64 { return time.Now().UnixMilli() }

// Run lets time pass until ctx ends or the host is broken, and closes the host.
func (h *Host) Run(ctx context.Context) error {
	tick := time.NewTicker(tickEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return h.Close()
		case <-h.life.Done():
			return errors.Join(context.Cause(h.life), h.Close())
		case <-tick.C:
			err := h.look()
			h.mu.Lock()
			err = errors.Join(err, h.step(host.Ticked{Now: now()}))
			checkServices(h, now())
			h.mu.Unlock()
			if err != nil {
				return errors.Join(err, h.Close())
			}
		}
	}
}

// Close stops calls under way, closes agents and the database. The calls end as cancelled.
func (h *Host) Close() error {
	h.end(errStopped)
	h.work.Wait()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.broken = cmp.Or(h.broken, errStopped)
	var err error
	for _, w := range h.workers {
		err = errors.Join(err, w.Close())
	}
	clear(h.workers)
	return errors.Join(err, h.warden.Close(), h.disk.Close())
}

// Serves tells programs of agents where the host is.
func (h *Host) Serves(address string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.acting.address = address
}

// Pass returns who shows a word.
func (h *Host) Pass(word string) (Caller, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	c, ok := h.acting.by[word]
	return c, ok
}

// words makes a random text that nobody can guess.
func words() string { return rand.Text() }

// Inspect reads the files of a home's agents. It returns the key files of the agents whose files
// can be used, by their ids, and what is wrong in the other files. The error is that of reading the
// folder; it wraps fs.ErrNotExist if there is none.
func Inspect(home string) (keys map[string]string, bad []error, err error) {
	names, err := os.ReadDir(filepath.Join(home, Folder))
	if err != nil {
		return nil, nil, err
	}
	keys = map[string]string{}
	for _, f := range names { // sorted
		if filepath.Ext(f.Name()) != ".toml" {
			continue
		}
		m, err := manifest.Read(filepath.Join(home, Folder, f.Name()))
		if err != nil {
			bad = append(bad, err)
			continue
		}
		keys[m.ID] = m.Key
	}
	return keys, bad, nil
}
