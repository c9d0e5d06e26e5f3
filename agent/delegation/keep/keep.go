// Package keep is the shell of agent/delegation/keeper: it checks calls, remembers them in a store
// on disk, and takes revocations and answers of people from a folder. What it says is durable
// before it says it. A Keep may be used by several goroutines at once; one process opens a folder.
package keep

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/dgraph-io/badger/v4"

	"ojud/agent/audit"
	"ojud/agent/delegation"
	"ojud/agent/delegation/keeper"
	"ojud/ledger/journal/durable"
)

// Names in the folder.
const (
	storeDir = "db"
	inboxDir = "inbox"
	askedDir = "waiting" // two files for each call that waits for a person, for those who look

	askedSuffix = ".json" // the state of the call
	asksSuffix  = ".asks" // what it is about
)

const (
	maxInbox = 1000    // files that one look at the inbox takes
	tableMem = 8 << 20 // a transaction is at most 15 % of it, far more than one event writes
	valueLog = 8 << 20
	// After about one crash in a hundred the first try to open fails over an empty file that the
	// crash left, and repairs it (badger#2207).
	openTries = 3
)

// Decision is what became of a call.
type Decision struct {
	Call    string              `json:"call"`
	State   CallState           `json:"state"`
	Why     *delegation.Refusal `json:"why,omitempty"`
	Domains []string            `json:"domains,omitempty"`
	Until   int64               `json:"until,omitempty"` // when waiting ends, Unix seconds
}

// CallState is what became of a call.
type CallState string

// The states of a call.
const (
	Admitted CallState = "admitted"
	Waiting  CallState = "waiting"
	Refused  CallState = "refused"
	Stopped  CallState = "stopped" // it was admitted, and must end
)

// Incoming is a call to be checked.
type Incoming struct {
	Invocation *delegation.Invocation
	Find       func(id string) ([]byte, bool) // the tokens of its chain
	Executor   delegation.Principal
	Domains    []string // approval domains of what is called, as the executor knows them
	Required   []string // those of them in which the executor itself wants a person's approval
	// Payload is what a person sees if the call waits. Its SHA-256 is args.input.sha256 of the
	// invocation. Nil: the input is in the invocation.
	Payload []byte
	Asker   string // who calls, in the words of the host, for a person
	// Beside is what else the executor acts on, as JSON. The invocation does not bind it; a person
	// sees it if the call waits. Nil: there is nothing.
	Beside json.RawMessage
	// Owns reports whether what is called belongs to an agent, so that chains may begin there. Nil:
	// it belongs to the executor alone.
	Owns func(subject delegation.Principal) bool
}

// Keep remembers calls, spending, revocations and answers in a folder.
type Keep struct {
	dir    string
	now    func() time.Time
	person func(delegation.Principal) bool // whose answers count
	log    Logbook

	mu     sync.Mutex
	db     *badger.DB
	asked  map[string]bool     // calls with a file in askedDir
	untold []Decision          // that Admit found in the inbox, for the next Look
	due    []audit.AgentInvoke // lines that were decided and may not be in the log
	kept   bool                // the store has such lines
	state  *keeper.Register
	broken error // of the store: nothing is decided any more
}

// Open opens the folder, or makes it. Person says whose answers count. The log gets a call that was
// checked before it is decided, and what became of it before that is said.
func Open(dir string, now func() time.Time, person func(delegation.Principal) bool, log Logbook) (*Keep, error) {
	for _, sub := range []string{inboxDir, askedDir} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o700); err != nil {
			return nil, fmt.Errorf("keep: %w", err)
		}
	}
	opts := badger.DefaultOptions(filepath.Join(dir, storeDir)).WithSyncWrites(true).WithMemTableSize(tableMem).
		WithNumMemtables(2).WithBlockCacheSize(1 << 20).WithValueLogFileSize(valueLog).WithNumCompactors(2).
		WithMetricsEnabled(false).WithLogger(nil)
	var db *badger.DB
	var err error
	for range openTries {
		if db, err = badger.Open(opts); err == nil {
			break
		}
	}
	if err != nil {
		return nil, fmt.Errorf("keep: %s: %w; if another process has it open, ask that one", dir, err)
	}
	k := &Keep{dir: dir, now: now, person: person, log: log, db: db, state: keeper.New()}
	err = db.View(func(txn *badger.Txn) error {
		it := txn.NewIterator(badger.DefaultIteratorOptions)
		defer it.Close()
		for it.Rewind(); it.Valid(); it.Next() {
			key := string(it.Item().KeyCopy(nil))
			if err := it.Item().Value(func(v []byte) error {
				if key == linesKey {
					k.kept = true
					return json.Unmarshal(v, &k.due)
				}
				return k.state.Load(key, v)
			}); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		k.asked, err = files(filepath.Join(dir, askedDir), askedSuffix)
	}
	if err == nil {
		err = k.publish()
	}
	if err == nil {
		err = k.sweep()
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return k, nil
}

// publish makes the files of calls that wait the same as the state says.
func (k *Keep) publish() error {
	waiting := map[string]bool{}
	for id, c := range k.state.Open() {
		if !c.Waiting {
			continue
		}
		waiting[id] = true
		if k.asked[id] {
			continue
		}
		raw, err := json.Marshal(c)
		if err == nil {
			err = durable.WriteFile(filepath.Join(k.dir, askedDir, id+askedSuffix), raw)
		}
		if err != nil {
			return fmt.Errorf("keep: %w", err)
		}
		k.asked[id] = true
	}
	for id := range k.asked {
		if waiting[id] {
			continue
		}
		if err := os.Remove(filepath.Join(k.dir, askedDir, id+askedSuffix)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("keep: %w", err)
		}
		delete(k.asked, id)
		if err := k.drop(id); err != nil {
			return err
		}
	}
	return nil
}

// Close closes the store.
func (k *Keep) Close() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	var err error
	if k.broken == nil {
		if k.kept && len(k.due) == 0 { // so that the next one need not look for them in the log
			err = k.db.Update(func(txn *badger.Txn) error { return txn.Delete([]byte(linesKey)) })
		}
		k.broken = errors.New("keep: it is closed")
	}
	return errors.Join(err, k.db.Close())
}

// fail remembers that the store failed: the state is ahead of the disk, so nothing may be decided.
func (k *Keep) fail(err error) error {
	k.broken = fmt.Errorf("keep: the store of %s failed, and nothing is decided until it is opened again: %w", k.dir, err)
	return k.broken
}

// Admit checks a call with its chain and decides about it. The verdict is durable; an error says
// that there is none. An admitted call reserves what it may spend until Settle.
func (k *Keep) Admit(c Incoming) (Decision, error) {
	id, now := c.Invocation.ID(), k.now()
	if s := c.Invocation.Subject; s != c.Executor && (c.Owns == nil || !c.Owns(s)) {
		return Decision{Call: id, State: Refused, Why: delegation.Refuse(delegation.InvalidSubject, "sub", "the call is about %s, and what is called belongs to %s", s, c.Executor)}, nil
	}
	// Policies of strangers may take long, so nobody else waits for this. The Register knows links
	// that were taken back.
	links, err := delegation.Verify(c.Invocation, delegation.Check{Now: now, Executor: c.Executor, Find: c.Find, Skew: delegation.Skew})
	var p delegation.Permit
	if err == nil {
		p, err = delegation.Permitted(c.Invocation, links)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	found, failed := k.drain()
	k.untold = append(k.untold, found...)
	if failed != nil {
		return Decision{}, failed
	}
	act := audit.AgentInvoke{From: c.Invocation.Issuer, To: c.Executor, Capability: c.Invocation.Command, Call: id}
	for _, d := range links {
		act.Chain = append(act.Chain, d.ID())
	}
	var r *delegation.Refusal
	if errors.As(err, &r) {
		act.Result, act.Reason = string(Refused), r.Error()
		return Decision{Call: id, State: Refused, Why: r}, k.log.Append(act)
	}
	if err != nil {
		return Decision{}, err
	}
	act.Result = "asked"
	if err := k.log.Append(act); err != nil {
		return Decision{}, err
	}
	asked := keeper.Asked{Call: id, Permit: p, Caller: c.Invocation.Issuer, Executor: c.Executor, Expires: c.Invocation.Expires, Domains: c.Domains, Required: c.Required, Now: now.Unix()}
	if err := k.present(c, links); err != nil {
		return Decision{}, err
	}
	v, err := one(k.step(asked, told(func(string) audit.AgentInvoke { return act })))
	if err == nil {
		err = k.publish()
	}
	if err == nil && len(c.Domains) > 0 && !k.asked[id] {
		err = k.drop(id)
	}
	return v, err
}

func one(out []Decision, err error) (Decision, error) {
	if err != nil || len(out) == 0 {
		return Decision{}, err
	}
	return out[0], nil
}

// Settle says what a call did spend, and for the log the hash of its outcome, or "" if nobody
// attested one. The verdict is empty, or says why this is refused.
func (k *Keep) Settle(call string, spent delegation.Amounts, outcome string) (Decision, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	act := k.acts(call)
	act.Outcome = outcome
	act.Result, act.Reason = "settled", fmt.Sprintf("%d lamports, %d tokens, %d microdollars", spent[0], spent[1], spent[2])
	return one(k.step(keeper.Settled{Call: call, Spent: spent}, func(refused []Decision) []audit.AgentInvoke {
		if len(refused) > 0 {
			return nil
		}
		return []audit.AgentInvoke{act}
	}))
}

// acts is what the audit log says of an open call.
func (k *Keep) acts(call string) audit.AgentInvoke {
	act := actOf(k.state.Open()[call])
	act.Call = call
	return act
}

func actOf(c keeper.OpenCall) audit.AgentInvoke {
	return audit.AgentInvoke{From: c.Caller, To: c.Executor, Capability: c.Command, Chain: c.Links}
}

// Look takes revocations and answers from the folder and lets time pass. It returns what became of
// calls that waited. A host calls it every second or so.
func (k *Keep) Look() ([]Decision, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	found, err := k.drain()
	out := append(k.untold, found...)
	k.untold = nil
	if err != nil {
		return out, err
	}
	waiting := k.state.Open()
	more, err := k.step(keeper.Passed{Now: k.now().Unix()}, told(func(call string) audit.AgentInvoke { return actOf(waiting[call]) }))
	if err == nil {
		err = k.publish()
	}
	return append(out, more...), err
}

// Open returns the calls that run or wait.
func (k *Keep) Open() map[string]keeper.OpenCall {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.state.Open()
}

// Revoked reports whether a link was taken back.
func (k *Keep) Revoked(link string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.state.IsRevoked(link)
}

// Spent returns what was spent under a link, and what open calls may still spend.
func (k *Keep) Spent(link string) (spent, reserved delegation.Amounts) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.state.Spent(link)
}

// drain takes the files of the inbox. A file that is no revocation and no answer is removed.
func (k *Keep) drain() (out []Decision, err error) {
	names, err := list(filepath.Join(k.dir, inboxDir))
	if err != nil {
		return nil, fmt.Errorf("keep: inbox: %w", err)
	}
	for _, name := range names {
		path := filepath.Join(k.dir, inboxDir, name)
		raw, err := readBounded(path, delegation.MaxBundle)
		if err != nil {
			return out, fmt.Errorf("keep: inbox: %w", err)
		}
		var verdicts []Decision
		if link, bad := delegation.ParseRevocation(raw); bad == nil {
			open := k.state.Open()
			verdicts, err = k.step(keeper.Revoked{Link: link.ID(), Expires: link.Expires}, func(ended []Decision) []audit.AgentInvoke {
				revoked := audit.AgentInvoke{Capability: "/ucan/revoke", Chain: []string{link.ID()}, Result: "revoked"}
				return append([]audit.AgentInvoke{revoked}, told(func(call string) audit.AgentInvoke { return actOf(open[call]) })(ended)...)
			})
		} else if a, bad := delegation.ParseApproval(raw); bad == nil && k.person(a.By) {
			act := k.acts(a.Call)
			verdicts, err = k.step(keeper.Answered{Call: a.Call, Yes: a.Yes, Now: k.now().Unix()}, told(func(string) audit.AgentInvoke { return act }))
		}
		if err != nil {
			return out, err
		}
		out = append(out, verdicts...)
		if err := os.Remove(path); err != nil {
			return out, fmt.Errorf("keep: inbox: %w", err)
		}
	}
	return out, nil
}
