package megabrain

import (
	"context"
	"errors"
	"sync"
	"time"

	"ojud/ledger/brain"
	"ojud/ledger/onchain"
	"ojud/megabrain/finding"
)

// nodes are the memory nodes that classes name. A nil one knows of none.
type nodes struct {
	reach func(address string) Archive
	made  func(ctx context.Context, at onchain.Address, t *brain.TaskAccount) (brain.Told, error)

	mu    sync.Mutex
	known map[[32]byte][]string // by the identifier of the class
	tried map[looked]time.Time  // when a document was looked for in vain
}

// looked is where the document of a class was looked for: at the nodes that a task names. So the
// task of a stranger holds up no other.
type looked struct {
	class [32]byte
	task  onchain.Address
}

// The bounds of what is remembered of classes.
const (
	maxKnown  = 1024
	tryAgain  = time.Minute      // for a document that nobody has
	namedTime = 30 * time.Second // for all that one action asks of the nodes of a class
	maxRoom   = 200              // bytes of a task's metadata
)

// archives are the nodes at these addresses.
func (n *nodes) archives(addresses []string) (out []Archive) {
	if n == nil || n.reach == nil {
		return nil
	}
	for _, at := range addresses {
		out = append(out, n.reach(at))
	}
	return out
}

// Among is the folder with the nodes that a class or a task names, for a view: nothing is kept.
func (m Means) Among(addresses []string) Folder {
	n := nodes{reach: m.Named}
	m.Folder.Named, m.Folder.Passing = n.archives(addresses), true
	return m.Folder
}

// of are the nodes that the document of a class names, as far as it was read.
func (n *nodes) of(class [32]byte) []string {
	if n == nil {
		return nil
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.known[class]
}

// storeOf is the store of a class, with the memory nodes that its document names. If neither this
// machine nor the owner's nodes have the document, the nodes are asked that the metadata of a task
// name. Seen is a task of the class; the zero value is none. Without a document, the store has the
// nodes that the task names; for a minute after a vain look, none.
func storeOf(ctx context.Context, d *Desk, c *brain.ClassAccount, s Seen) (Folder, error) {
	if d.nodes == nil || d.nodes.reach == nil {
		return d.store, nil
	}
	n, store := d.nodes, d.store
	store.Until = time.Now().Add(namedTime)
	n.mu.Lock()
	named, known := n.known[c.ID]
	late := time.Since(n.tried[looked{c.ID, s.At}]) < tryAgain
	n.mu.Unlock()
	if known {
		store.Named = n.archives(named)
		return store, nil
	}
	raw, err := store.Get(ctx, c.ID)
	if errors.Is(err, errNoContent) && late {
		return store, nil
	}
	if errors.Is(err, errNoContent) && s.Task != nil && n.made != nil {
		told, bad := n.made(ctx, s.At, s.Task)
		if bad != nil {
			return store, bad
		}
		store.Named = n.archives(finding.Nodes(string(told.Metadata)))
		raw, err = store.Get(ctx, c.ID)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.known) >= maxKnown || len(n.tried) >= maxKnown || n.known == nil || n.tried == nil {
		n.known, n.tried = map[[32]byte][]string{}, map[looked]time.Time{}
	}
	switch {
	case errors.Is(err, errNoContent), errors.Is(err, ErrTooLarge):
		n.tried[looked{c.ID, s.At}] = time.Now()
		return store, nil
	case err != nil:
		return store, err
	}
	of, _, err := finding.ReadClass(raw)
	if err != nil {
		of.Memory = nil // no document of a class: it names nothing
	}
	n.known[c.ID], store.Named = of.Memory, n.archives(of.Memory)
	return store, nil
}

// storeFor is the store of the class of a task.
func storeFor(ctx context.Context, d *Desk, s Seen) (Folder, error) {
	if d.nodes == nil || d.nodes.reach == nil {
		return d.store, nil
	}
	c, err := d.Class(ctx, s.Task.Parties.Class)
	if err != nil {
		return Folder{}, err
	}
	return storeOf(ctx, d, c, s)
}

// Give gives content of a task to the memory nodes: an attachment, or a list of them. It says how
// many nodes there are.
func (d *Desk) Give(ctx context.Context, at onchain.Address, content []byte) (nodes int, err error) {
	s, err := d.Task(ctx, at)
	if err != nil {
		return 0, err
	}
	store, err := storeFor(ctx, d, s)
	if err != nil {
		return 0, err
	}
	return len(store.Archives) + len(store.Named), store.Give(ctx, content)
}
