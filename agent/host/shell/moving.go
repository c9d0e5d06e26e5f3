package shell

import (
	"errors"
	"os"
	"path/filepath"

	"ojud/agent/host"
	"ojud/agent/host/manifest"
	"ojud/casefile"
	"ojud/ledger/journal/durable"
	"ojud/ledger/transact"
)

// dropKey takes back the key of an agent that was not spawned. Otherwise the next agent of that id
// would have it.
func dropKey(h *Host, m manifest.Manifest) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, _, refused := h.core.Look(m.ID); refused == nil {
		return nil // another agent of that id is there by now
	}
	return os.Remove(m.Key)
}

// ownerKey loads the key of the host's operator.
func ownerKey(h *Host) (*transact.Keypair, error) {
	return transact.LoadKeypair(filepath.Join(h.dir, "keys", host.Operator+".json"))
}

// takeKey puts the key of an agent in its place, after everything else: a key that is there without
// its agent would be that of the next agent with the id.
func takeKey(h *Host, p Packed, m manifest.Manifest) error {
	owner, err := ownerKey(h)
	if err != nil {
		return err
	}
	raw, err := owner.OpenBox(p.Key)
	if err != nil {
		return &host.Refused{Code: host.Form, Words: "the key in the file cannot be opened: " + err.Error()}
	}
	if err := durable.MakeDir(filepath.Join(h.dir, "keys")); err != nil {
		return err
	}
	if err := place(m.Key, raw); err != nil {
		return err
	}
	key, err := transact.LoadKeypair(m.Key)
	if err == nil && casefile.DID(key.Address()) != p.Agent {
		err = &host.Refused{Code: host.Form, Words: "the key in the file is another than that which signed it"}
	}
	if err != nil {
		return errors.Join(err, os.Remove(m.Key))
	}
	return nil
}

// moveIn takes over what belongs to a key. The caller holds mu.
func moveIn(h *Host, p Packed, m manifest.Manifest) error {
	owner, err := ownerKey(h)
	if err != nil {
		return err
	}
	if self := casefile.DID(owner.Address()).String(); p.To != self {
		return &host.Refused{Code: host.Denied, Words: sprint("the agent moves to the operator %.80q, and here is %s", p.To, self)}
	}
	for _, v := range h.core.Portraits() {
		if v.DID == p.Agent.String() {
			return &host.Refused{Code: host.Conflict, Words: sprint("agent %s of this host has that key, or had it; no two agents have one key", v.ID)}
		}
	}
	if len(p.Card) > 0 {
		if err := place(filepath.Join(h.dir, m.ID+".card.json"), p.Card); err != nil {
			return err
		}
	}
	for _, c := range p.Chains {
		if !filepath.IsLocal(c.Under) || filepath.Ext(c.Under) != chainEnd {
			return &host.Refused{Code: host.Form, Words: sprint("the chain %.80q is no file of the ending %s below the folder of agents", c.Under, chainEnd)}
		}
		path := filepath.Join(h.dir, c.Under)
		if err := durable.MakeDir(filepath.Dir(path)); err != nil {
			return err
		}
		if err := place(path, c.Chain); err != nil {
			return err
		}
	}
	if m.ID != p.ID {
		return nil // its calls are those of another address
	}
	past := host.Consequence{}
	for _, c := range p.Calls {
		_, there, err := h.disk.Call(c.ID)
		if err != nil {
			return err
		}
		if !there && c.Stage == host.Over && c.Target.Agent == m.ID && plain(c.ID) && plain(c.Caller) && plain(c.Correlation) && plain(c.Target.Capability) {
			past.Calls = append(past.Calls, c)
		}
	}
	return h.disk.Save(past)
}
