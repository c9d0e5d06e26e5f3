package library

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/casefile"
	"ojud/casefile/agentcard"
	"ojud/casefile/pin"
	"ojud/ledger/onchain"
	"ojud/p2p"
	"ojud/voting"
)

// Publication says how many nodes took a document.
type Publication struct {
	Hash     string `json:"hash"`
	Bytes    int    `json:"bytes"`
	Accepted int    `json:"accepted"`          // nodes that have it now
	Asked    int    `json:"asked"`             // nodes that were asked
	Refusal  string `json:"refusal,omitempty"` // the last answer of a node that did not take it
}

const (
	// askEvery is the wait before a node that refused is asked again, because it may not have seen
	// the task yet.
	askEvery = 500 * time.Millisecond
	// idlePasses is the number of searches without a new node that end the publication of a
	// document that a node has taken.
	idlePasses = 2
	// askAtOnce bounds the requests under way.
	askAtOnce = 8
)

// Publish sends documents of a task to nodes, in their order. A node takes a document if the task
// on the chain names it, or a document of the task that the node has. Publish tries to place
// Config.Copies of each, and returns ErrNotPublished if no node took one. It may be repeated.
func (l *Library) Publish(ctx context.Context, task onchain.Address, docs ...Document) ([]Publication, error) {
	out := make([]Publication, 0, len(docs))
	for _, d := range docs {
		p, err := l.publish(ctx, blobPut, task, d, fmt.Sprintf("ojud task publish %s FILE", task))
		out = append(out, p)
		if err != nil {
			return out, err
		}
	}
	return out, nil
}

// nodes are where Spread gets and sends a document. Library is one.
type nodes interface {
	Fetch(ctx context.Context, hash voting.Hash) ([]byte, error)
	Publish(ctx context.Context, task onchain.Address, docs ...Document) ([]Publication, error)
}

// Spread is what a worker does before a claim: it sends the document of a task that pins data of
// agents to nodes, which then keep the pinned bytes (ADR 0159). Otherwise a creator could show the
// document from its own node alone, so that no other node ever keeps them, and remove the data
// later. A document that cannot be read now is not sent: the review of a claim says so.
func Spread(ctx context.Context, by nodes, task onchain.Address, hash voting.Hash) error {
	raw, err := by.Fetch(ctx, hash)
	if err != nil {
		return ctx.Err()
	}
	doc, err := casefile.ParseTask(raw)
	if err != nil || !slices.ContainsFunc(doc.Value.PDA, func(d pin.Data) bool { return d.SHA256 != "" }) {
		return nil
	}
	_, err = by.Publish(ctx, task, Document{Content: raw, Hash: hash})
	return err
}

// PublishCard sends the signed card of an agent to nodes, which take it if the chain names it for
// that agent. It returns ErrNotPublished if no node took it. It may be repeated.
func (l *Library) PublishCard(ctx context.Context, card agentcard.Signed) (Publication, error) {
	return l.publish(ctx, cardPut, onchain.Address(card.Authority), Document{Content: card.Content, Hash: card.Hash}, "ojud agent card publish FILE")
}

// publish sends a document of an owner, a task or an agent. again is the command that repeats it.
func (l *Library) publish(ctx context.Context, kind byte, owner onchain.Address, d Document, again string) (Publication, error) {
	if casefile.HashOf(d.Content) != d.Hash || len(d.Content) > casefile.MaxBlob {
		return Publication{}, fmt.Errorf("library: a document of %d bytes does not have the hash %s, or is larger than 1 MiB", len(d.Content), d.Hash)
	}
	first, cancel := context.WithTimeout(ctx, l.cfg.Patience)
	defer cancel()
	request := bytes.Join([][]byte{{kind}, d.Hash[:], owner[:], d.Content}, nil)
	b := &answers{asked: map[peer.ID]bool{}, took: map[peer.ID]bool{}}
	b.deadline = func() { time.AfterFunc(l.cfg.Linger, cancel) }
	for idle := 0; b.accepted() < l.cfg.Copies && idle < idlePasses && first.Err() == nil && b.fault == nil; {
		if idle++; l.offer(first, b, request) {
			idle = 0
		}
		pause(first, askEvery)
	}
	p := Publication{Hash: d.Hash.String(), Bytes: len(d.Content), Accepted: b.accepted(), Asked: len(b.asked), Refusal: b.refusal}
	switch {
	case p.Accepted > 0:
		return p, nil
	case b.fault != nil:
		return p, fmt.Errorf("%w: %s: %w", ErrNotPublished, p.Hash, b.fault)
	case ctx.Err() != nil:
		return p, fmt.Errorf("%w: %s: %w", ErrNotPublished, p.Hash, ctx.Err())
	case b.refusal == "":
		b.refusal = "no node could be reached"
	}
	return p, fmt.Errorf("%w: %s: %d nodes were asked for %s, the last answer: %s; what is on the chain stays, publish again with: %s",
		ErrNotPublished, p.Hash, p.Asked, l.cfg.Patience, b.refusal, again)
}

// answers collects the answers of nodes.
type answers struct {
	mu       sync.Mutex
	asked    map[peer.ID]bool
	took     map[peer.ID]bool
	refusal  string
	fault    error  // a local fault, with which no node can take it
	deadline func() // called at the first acceptance
}

func (b *answers) accepted() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.took)
}

func (b *answers) has(p peer.ID) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.took[p]
}

func (b *answers) answer(p peer.ID, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.asked[p] = true
	switch {
	case err == nil:
		if len(b.took) == 0 {
			b.deadline()
		}
		b.took[p] = true
	case errors.Is(err, p2p.ErrBadRequest), errors.Is(err, p2p.ErrTooLarge):
		b.fault = err
	case !errors.Is(err, context.Canceled):
		b.refusal = err.Error()
	}
}

// offer asks every node that has not taken the document yet, once. It reports whether another
// pass may help: no node took the document so far, or it asked a node.
func (l *Library) offer(ctx context.Context, b *answers, request []byte) (more bool) {
	var all sync.WaitGroup
	room := make(chan struct{}, askAtOnce)
	for _, p := range l.peers() {
		if b.has(p) {
			continue
		}
		room <- struct{}{}
		if b.accepted() >= l.cfg.Copies || ctx.Err() != nil {
			break
		}
		more = true
		all.Go(func() {
			defer func() { <-room }()
			_, err := l.ask(ctx, p, request)
			b.answer(p, err)
		})
	}
	all.Wait()
	return more || b.accepted() == 0
}

// pause waits for a time, or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// Fetch gets content by its hash from any node that has it, and checks the hash. It returns
// ErrNoContent if no node sends it within Config.Patience.
func (l *Library) Fetch(ctx context.Context, hash voting.Hash) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, l.cfg.Patience)
	defer cancel()
	last := errors.New("no node could be reached")
	lacks := map[peer.ID]bool{}
	for pass := 0; ctx.Err() == nil && pass < fetchPasses; pass++ {
		if content, err := l.fetch(ctx, hash, lacks); err == nil {
			return content, nil
		} else if !errors.Is(err, errAskedAll) {
			last = err
		}
		pause(ctx, askEvery)
	}
	return nil, fmt.Errorf("%w: %s: of %d nodes asked within %s none sent it; the last answer: %w", ErrNoContent, hash, len(lacks), l.cfg.Patience, last)
}

// errAskedAll means that every known node has said that it lacks some content.
var errAskedAll = errors.New("library: all nodes were asked")

// fetch asks nodes once, but none that said that it lacks the content. It asks several at a time
// and in an order of chance: nodes that are slow or silent must not hide the one that has it,
// neither now nor at the next call.
func (l *Library) fetch(ctx context.Context, hash voting.Hash, lacks map[peer.ID]bool) (content []byte, err error) {
	type answer struct {
		from    peer.ID
		content []byte
		err     error
	}
	peers := slices.DeleteFunc(l.peers(), func(p peer.ID) bool { return lacks[p] })
	rand.Shuffle(len(peers), func(i, k int) { peers[i], peers[k] = peers[k], peers[i] })
	ctx, cancel := context.WithCancel(ctx)
	answers, room := make(chan answer, len(peers)), make(chan struct{}, askAtOnce)
	var all sync.WaitGroup
	defer all.Wait()
	defer cancel()
	for _, p := range peers {
		all.Go(func() {
			select {
			case room <- struct{}{}:
				defer func() { <-room }()
				content, err := l.ask(ctx, p, append([]byte{blobGet}, hash[:]...))
				answers <- answer{p, content, err}
			case <-ctx.Done():
				answers <- answer{p, nil, ctx.Err()}
			}
		})
	}
	err = errAskedAll
	for range peers {
		switch a := <-answers; {
		case a.err == nil && casefile.HashOf(a.content) == hash:
			return a.content, nil
		case a.err == nil:
			err, lacks[a.from] = fmt.Errorf("%s answered with other content", a.from), true
		default:
			err = a.err
			if errors.Is(err, p2p.ErrNotFound) {
				lacks[a.from] = true
			}
		}
	}
	return nil, err
}

// fetchPasses bounds how often Fetch asks new nodes, and nodes that did not answer.
const fetchPasses = 6
