package shell

import (
	"bytes"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ojud/agent/host"
	"ojud/agent/host/keep"
	"ojud/agent/host/manifest"
	"ojud/casefile"
	"ojud/casefile/canon"
	"ojud/ledger/journal/durable"
	"ojud/ledger/onchain"
	"ojud/ledger/transact"
)

const (
	packFormat = "ojud-agent/1"
	packDomain = "ojud/agent-file/1\x00"
	// MaxPack bounds the file of a packed agent, in bytes.
	MaxPack    = 32 << 20
	movedCalls = 1_000 // ended calls that move with an agent
	carrying   = 64    // chains of delegations
)

// Packed is an agent as one file, for another host. The agent signs it.
type Packed struct {
	Format   string              `json:"format"`
	ID       string              `json:"id"`
	Agent    casefile.DID        `json:"agent"` // who signed
	Text     string              `json:"text"`  // the file of the agent
	Memories []keep.Recollection `json:"memories"`
	At       int64               `json:"at"` // milliseconds since 1970
	// To is the operator of the host to which the agent moves. The rest is there only if it moves.
	To     string            `json:"to,omitempty"`
	Key    []byte            `json:"key,omitempty"` // sealed for To
	Card   json.RawMessage   `json:"card,omitempty"`
	Chains []carried         `json:"chains,omitempty"`
	Calls  []host.Invocation `json:"calls,omitempty"` // that ended

	Signature casefile.Signature `json:"signature"`
}

// carried is the file of a chain of delegations, by its path below the folder of agents.
type carried struct {
	Under string          `json:"under"`
	Chain json.RawMessage `json:"chain"`
}

// signed returns what the agent signs.
func (p Packed) signed() ([]byte, error) {
	p.Signature = casefile.Signature{}
	raw, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	canonical, err := canon.JSON(raw, MaxPack)
	return append([]byte(packDomain), canonical...), err
}

// ReadPacked reads the file of a packed agent as Unpack does.
func ReadPacked(path string) (p Packed, err error) {
	f, err := os.Open(path)
	if err != nil {
		return p, err
	}
	raw, err := io.ReadAll(io.LimitReader(f, MaxPack+1))
	if err = errors.Join(err, f.Close()); err != nil {
		return p, err
	}
	return Unpack(path, raw)
}

// Unpack reads a packed agent and checks its signature. Only the agent's own key makes one, so
// whoever knows the key knows whose it is. Errors begin with the path.
func Unpack(path string, raw []byte) (p Packed, err error) {
	if len(raw) > MaxPack {
		return p, fmt.Errorf("%s has more than %d bytes, which is the most for an agent", path, MaxPack)
	}
	if _, err := canon.JSON(raw, MaxPack); err != nil {
		return p, fmt.Errorf("%s is no agent: %w", path, err)
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&p); err != nil {
		return p, fmt.Errorf("%s is no agent: %w", path, err)
	}
	text, err := p.signed()
	switch {
	case err != nil:
		return p, fmt.Errorf("%s is no agent: %w", path, err)
	case p.Format != packFormat:
		return p, fmt.Errorf("%s: format is %.40q; this version reads %s", path, p.Format, packFormat)
	case !ed25519.Verify(p.Agent[:], text, p.Signature[:]):
		return p, fmt.Errorf("%s: the agent %s did not sign it, or it was changed", path, p.Agent)
	case host.ValidID(p.ID) != nil || len(p.Calls) > movedCalls || len(p.Chains) > carrying:
		return p, fmt.Errorf("%s: its id is none, or it has too many calls (%d) or chains (%d)", path, movedCalls, carrying)
	case p.To == "" && len(p.Key)+len(p.Card)+len(p.Chains)+len(p.Calls) > 0:
		return p, fmt.Errorf("%s has what belongs to a key, and does not say to whom it moves", path)
	}
	for _, m := range p.Memories {
		if m.Kind != keep.Working && m.Kind != keep.Pattern || m.Of != "" && m.Of != keep.Taught || m.When == "" || len(m.When) > keep.MaxMemory || len(m.Then) > keep.MaxMemory {
			return p, fmt.Errorf("%s: a memory is of no kind, or too long", path)
		}
	}
	return p, nil
}

// exportAgent writes an agent into a new file. With to, the operator of another host, the agent
// moves there: its key is in the file, sealed for that operator, and the agent is terminated here
// before the file is handed out. Without it the key stays, and the file makes another agent.
func exportAgent(h *Host, by Caller, id, path, to string) error {
	if by.ID != host.Operator {
		return &host.Refused{Code: host.Denied, Words: "only the operator packs agents"}
	}
	if _, err := os.Lstat(path); !filepath.IsAbs(path) || !errors.Is(err, fs.ErrNotExist) {
		return &host.Refused{Code: host.Form, Words: sprint("%.200q is there already, or is no whole path; name a new file", path)}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	kept := filepath.Join(h.dir, "moved", id+".agent")
	v, _, refused := h.core.Look(id)
	switch {
	case refused != nil:
		return refused
	case h.broken != nil:
		return h.broken
	case to != "" && v.Life == host.Terminated:
		p, err := ReadPacked(kept) // it moved, and whoever asked did not get the file
		if err != nil || p.To != to {
			return &host.Refused{Code: host.Gone, Words: sprint("agent %s is terminated, and did not move to %.80q", id, to)}
		}
		return hand(kept, path)
	case v.Life == host.Terminated || v.Missing:
		return &host.Refused{Code: host.Gone, Words: sprint("agent %s is terminated, or its file is gone", id)}
	case to != "" && v.Running > 0:
		return &host.Refused{Code: host.Busy, Words: sprint("agent %s has %d calls under way; try again when they are over", id, v.Running)}
	}
	p, err := pack(h, id, to)
	if err != nil {
		return err
	}
	raw, err := json.Marshal(p)
	if err == nil && len(raw) > MaxPack {
		err = &host.Refused{Code: host.Form, Words: sprint("agent %s has %d bytes; at most %d fit into a file", id, len(raw), MaxPack)}
	}
	if err != nil {
		return err
	}
	if to == "" {
		return durable.Create(path, raw)
	}
	if err := durable.MakeDir(filepath.Dir(kept)); err != nil {
		return err
	}
	if err := durable.WriteFile(kept, raw); err != nil {
		return err
	}
	ref := words()
	if err := h.settle(ref, host.Asked{By: by.ID, Agent: id, What: host.Terminate, Ref: ref, Now: now()}); err != nil {
		return err
	}
	return hand(kept, path)
}

// hand copies the file of an agent that has moved.
func hand(from, path string) error {
	raw, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return durable.Create(path, raw)
}

// pack makes the file of an agent. The caller holds mu.
func pack(h *Host, id, to string) (p Packed, err error) {
	m, key := h.files[id], h.keys[id]
	p = Packed{Format: packFormat, ID: id, Agent: casefile.DID(key.Address()), Text: m.Text, At: now(), To: to}
	if p.Memories, err = h.disk.Recall(id, keep.Known(host.Behalf{}), "", "", 3*m.Quota.Memories); err != nil { // what guests said stays
		return p, err
	}
	slices.Reverse(p.Memories) // the oldest first
	if to != "" {
		if err := p.take(h, m, key); err != nil {
			return p, err
		}
	}
	text, err := p.signed()
	if err != nil {
		return p, err
	}
	p.Signature = casefile.Signature(key.Sign(text))
	return p, nil
}

// take adds what belongs to the key: the key itself, card, chains and ended calls.
func (p *Packed) take(h *Host, m manifest.Manifest, key *transact.Keypair) error {
	operator, err := casefile.ParseDID(p.To)
	if err != nil {
		return &host.Refused{Code: host.Form, Words: sprint("%.80q is no did:key of an operator; the other host prints its own when it starts", p.To)}
	}
	if m.Key != directory(h.dir).key(p.ID) {
		return &host.Refused{Code: host.Denied, Words: sprint("the file of agent %s names its key, %s, which may be a wallet; move that yourself", p.ID, m.Key)}
	}
	raw, err := os.ReadFile(m.Key)
	if err != nil {
		return err
	}
	if p.Key, err = transact.SealBox(onchain.Address(operator), raw); err != nil {
		return err
	}
	if m.Card != "" {
		if p.Card, err = os.ReadFile(m.Card); err != nil {
			return err
		}
	}
	for _, d := range m.Remotes {
		under, err := filepath.Rel(h.dir, d.Under)
		if err != nil || !filepath.IsLocal(under) {
			continue // a file elsewhere on this machine
		}
		if filepath.Ext(under) != chainEnd { // the agent would be ended here, and no host would take it
			return &host.Refused{Code: host.Form, Words: sprint("the chain %.80q does not end in %s, so that no host would take it; rename it, also in the file of the agent", under, chainEnd)}
		}
		if _, err := chainFile(d.Under); err != nil {
			return err
		}
		chain, err := os.ReadFile(d.Under)
		if err != nil {
			return err
		}
		p.Chains = append(p.Chains, carried{under, chain})
	}
	return h.disk.Ended(p.ID, func(c host.Invocation) bool {
		p.Calls = append(p.Calls, c)
		return len(p.Calls) < movedCalls
	})
}

// importAgent makes an agent of a packed one, under an id of this host. A key that moves has to be
// sealed for this host's operator, and no agent of this host may have had it, alive or terminated.
func importAgent(h *Host, by Caller, path, id string) (string, error) {
	if by.ID != host.Operator {
		return id, &host.Refused{Code: host.Denied, Words: "only the operator takes agents in"}
	}
	p, err := ReadPacked(path)
	if err != nil {
		return id, &host.Refused{Code: host.Form, Words: err.Error()}
	}
	if id == "" {
		id = p.ID
	}
	m, err := directory(h.dir).parse(id, p.Text)
	if err != nil {
		return id, &host.Refused{Code: host.Form, Words: err.Error()}
	}
	if err := admitPacked(h, p, m); err != nil {
		return id, err
	}
	if err = h.Spawn(by, Seed{ID: id, Text: p.Text}); err != nil && len(p.Key) > 0 {
		if bad := dropKey(h, m); bad != nil {
			err = errors.Join(err, bad)
		}
	}
	return id, err
}

// admitPacked puts everything of a packed agent in its place before the agent is spawned, so that a
// crash leaves files that the next try writes again, and no agent without its memory.
func admitPacked(h *Host, p Packed, m manifest.Manifest) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.broken != nil {
		return h.broken
	}
	if _, _, refused := h.core.Look(m.ID); refused == nil {
		return &host.Refused{Code: host.Conflict, Words: sprint("this host has an agent %s already, or had one; take another id", m.ID)}
	}
	if refused := h.core.MaySpawn(host.Operator, "", m.Definition); refused != nil {
		return refused
	}
	if len(p.Key) > 0 {
		if err := moveIn(h, p, m); err != nil {
			return err
		}
	}
	if err := takeMemories(h, p, m); err != nil || len(p.Key) == 0 {
		return err
	}
	return takeKey(h, p, m)
}

// takeMemories puts the memories of a packed agent in the place of those of a try that broke off.
func takeMemories(h *Host, p Packed, m manifest.Manifest) error {
	if err := h.disk.Forget(m.ID); err != nil {
		return err
	}
	for _, r := range p.Memories {
		r.Likeness = 0
		if err := h.disk.Learn(m.ID, r, m.Quota.Memories); err != nil {
			return err
		}
	}
	return nil
}

// plain reports whether a text can be a part of a key of the database: it has no slash.
func plain(text string) bool {
	return text != "" && len(text) <= maxCorrelation && !strings.ContainsFunc(text, func(r rune) bool { return r < '!' || r > '~' || r == '/' })
}

// chainEnd is the ending of the file of a chain that moves with an agent.
const chainEnd = ".chain"

// place writes a new file. The same content may be there already.
func place(path string, raw []byte) error {
	err := durable.Create(path, raw)
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	there, err := os.ReadFile(path)
	if err == nil && !bytes.Equal(there, raw) {
		err = &host.Refused{Code: host.Conflict, Words: sprint("%s is there already, with another content", path)}
	}
	return err
}
