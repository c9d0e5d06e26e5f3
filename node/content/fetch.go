package content

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"ojud/agent/judge"
	"ojud/agent/judge/signed"
	"ojud/casefile"
	"ojud/casefile/agentdata"
	"ojud/casefile/sealed"
	"ojud/ledger/journal/blob"
	"ojud/ledger/program"
	"ojud/node/network"
	"ojud/node/work"
	"ojud/voting"
)

const (
	// nextPeerAfter is how long a peer may be silent before the next one is asked too. A dead peer
	// must not use up the time that the judge has for its opinion.
	nextPeerAfter = 250 * time.Millisecond
	// maxAsked bounds the peers that are asked for one piece of content at a time.
	maxAsked = 4
	// maxProviders bounds the peers that the DHT is asked for.
	maxProviders = 4
)

// Fetch gets content from here, from likely peers, from peers that the DHT names, or from any
// connected peer. It keeps the content as long as nothing else needs the room.
func (c *Content) Fetch(ctx context.Context, hash voting.Hash, likely []peer.ID) ([]byte, error) {
	content, here, err := c.get(ctx, hash, likely)
	if err != nil || here {
		return content, err
	}
	if _, err := c.store.Put(content); err != nil && !errors.Is(err, blob.ErrFull) {
		return nil, err
	}
	return content, nil
}

// FetchFor gets content of a case as Fetch does. It keeps the content for the case if there is
// room, and if it has at most that many bytes. Content comes with an error only if the disk failed.
func (c *Content) FetchFor(ctx context.Context, task voting.Key, hash voting.Hash, most int, likely []peer.ID) ([]byte, error) {
	content, _, err := c.get(ctx, hash, likely)
	if err != nil {
		return nil, err
	}
	if len(content) > most {
		return content, nil
	}
	return content, c.keepFor(task, content)
}

// get gets content, and reports whether it was here.
func (c *Content) get(ctx context.Context, hash voting.Hash, likely []peer.ID) (content []byte, here bool, err error) {
	if content, err := c.store.Blob(hash); err == nil {
		return content, true, nil
	}
	asked := map[peer.ID]bool{c.host.ID(): true}
	for _, source := range []func() []peer.ID{
		func() []peer.ID { return c.ConnectedFirst(likely) },
		func() []peer.ID { return c.providers(ctx, hash) },
		c.host.Peers,
	} {
		var peers []peer.ID
		for _, p := range source() {
			if !asked[p] {
				asked[p] = true
				peers = append(peers, p)
			}
		}
		content, err := hedge(ctx, peers, func(ctx context.Context, p peer.ID) ([]byte, error) { return c.FetchFrom(ctx, p, hash) })
		if err == nil {
			return content, false, nil
		}
		if ctx.Err() != nil {
			return nil, false, ctx.Err()
		}
	}
	return nil, false, fmt.Errorf("content %s: %w", hash, blob.ErrNotFound)
}

// FetchFrom gets content from one peer and checks its hash. It does not keep the content.
func (c *Content) FetchFrom(ctx context.Context, p peer.ID, hash voting.Hash) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, c.cfg.Timeout)
	defer cancel()
	content, err := c.host.Request(ctx, p, stream, append([]byte{opGet}, hash[:]...))
	if err != nil {
		return nil, err
	}
	if casefile.HashOf(content) != hash {
		c.host.Penalize(p, network.PointsInvalid, "blob")
		return nil, errors.New("content: the answer of a peer does not have the hash that was asked for")
	}
	return content, nil
}

// ConnectedFirst puts the peers to which there is a connection before the others.
func (c *Content) ConnectedFirst(peers []peer.ID) []peer.ID {
	connected := map[peer.ID]bool{}
	for _, p := range c.host.Peers() {
		connected[p] = true
	}
	out := slices.Clone(peers)
	slices.SortStableFunc(out, func(a, b peer.ID) int {
		switch {
		case connected[a] == connected[b]:
			return 0
		case connected[a]:
			return -1
		}
		return 1
	})
	return out
}

// providers returns the peers that have content according to the DHT; none if the DHT does
// not answer in time.
func (c *Content) providers(ctx context.Context, hash voting.Hash) []peer.ID {
	ctx, cancel := context.WithTimeout(ctx, c.cfg.Timeout)
	defer cancel()
	infos, err := c.host.FindProviders(ctx, hash[:], maxProviders)
	if err != nil {
		return nil
	}
	out := make([]peer.ID, len(infos))
	for i := range infos {
		out[i] = infos[i].ID
	}
	return out
}

// errNobody means that none of the peers had the content.
var errNobody = errors.New("content: no peer answered")

// hedge asks peers in their order until one answers. It asks the next peer if one has failed or if
// none has answered for nextPeerAfter, but never more than maxAsked at once.
func hedge(ctx context.Context, peers []peer.ID, ask func(context.Context, peer.ID) ([]byte, error)) ([]byte, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type answer struct {
		content []byte
		err     error
	}
	answers := make(chan answer, len(peers))
	silence := time.NewTicker(nextPeerAfter)
	defer silence.Stop()
	asking := 0
	for next := true; ; next = asking < maxAsked {
		if next && len(peers) > 0 {
			p := peers[0]
			peers = peers[1:]
			asking++
			go func() {
				content, err := ask(ctx, p)
				answers <- answer{content, err}
			}()
		}
		if asking == 0 {
			return nil, cmp.Or(ctx.Err(), errNobody) // they may have failed because the time is over
		}
		select {
		case a := <-answers:
			if a.err == nil {
				return a.content, nil
			}
			asking--
		case <-silence.C:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// judgingPart is the part of an opinion's time that is reserved for judging: one in judgingPart.
const judgingPart = 4

// openingPart is the part of an opinion's time after which no judge waits for an opening: one in
// openingPart. A creator that names an opening and never shows it should not take the time of all.
const openingPart = 4

// Brief gathers the documents of a case for a judge's opinion, which is due at the deadline. It
// asks peers again and again for missing documents until a quarter of the time is left. A party
// that did not make its document available bears the loss, and no other: all that the documents
// name is fetched as soon as they are here, whatever else is missing.
func (c *Content) Brief(ctx context.Context, b judge.Brief) (judge.Brief, error) {
	terms, err := c.cases.Terms(ctx, b.Case)
	if err != nil {
		return b, err
	}
	left := time.Until(b.Deadline)
	ctx, cancel := context.WithDeadline(ctx, b.Deadline.Add(-left/judgingPart))
	defer cancel()
	patience := time.Now().Add(left / openingPart)
	c.Follow(b.Case, terms)
	content, tried := map[voting.Hash][]byte{}, map[voting.Hash]bool{}
	b.Work = agentdata.Work{Creator: casefile.Address(terms.Creator), Worker: casefile.Address(terms.Worker), Claimed: terms.ClaimedAt, Submitted: terms.SubmittedAt}
	if b.Reworks = terms.Reworks; terms.IsDispute() {
		b.Work.Claimed, b.Work.Submitted = terms.CreatedAt, terms.CreatedAt
		b.Parties = signed.Parties{Respondent: voting.Key(terms.Creator), Claimant: voting.Key(terms.Worker)}
	}
	b.Exhibits, b.Modules = map[voting.Hash][]byte{}, map[voting.Hash][]byte{}
	var named []voting.Hash
	known, far := false, outside{found: make(chan map[voting.Hash][]byte, 1)}
	for first := true; ; first = false {
		whole := c.gather(ctx, b.Case, documents(terms), content, first)
		b.Task = judge.Open(terms.TaskHash, content[terms.TaskHash], casefile.ParseTask)
		b.Result = judge.Open(terms.ResultHash, content[terms.ResultHash], casefile.ParseResult)
		b.Objection = judge.Open(terms.ObjectionHash, content[terms.ObjectionHash], casefile.ParseObjection)
		b.Counter = judge.Open(terms.CounterHash, content[terms.CounterHash], casefile.ParseCounterObjection)
		open := c.gather(ctx, b.Case, openings(b), b.Exhibits, first)
		c.gather(ctx, b.Case, c.modules(terms.TaskHash), b.Modules, first)
		c.gather(ctx, b.Case, c.untried(terms, tried), b.Exhibits, first)
		if !known {
			named, err = c.named(ctx, b.Case, terms, content[terms.TaskHash], content[terms.ResultHash])
			known = err == nil && content[terms.TaskHash] != nil && content[terms.ResultHash] != nil
			if late := time.Now().Add(elsewhereTime + c.cfg.Every); known && len(named) > 0 && patience.Before(late) {
				patience = late // a party may have kept its claim back until nobody would look outside
			}
		}
		lacking := c.lacking(named, b.Result.Raw, b.Objection.Raw)
		if !c.gather(ctx, b.Case, lacking, b.Exhibits, first) {
			if far.take(b.Exhibits); time.Now().Before(patience) {
				c.elsewhere(ctx, b, content[terms.TaskHash], content[terms.ResultHash], lacking, &far)
			}
			open = false
		}
		if whole && known && (open || time.Now().After(patience)) || !work.Pause(ctx, c.cfg.Every) {
			return b, nil
		}
	}
}

// gather tries once to fetch each content of a case that is not in into yet, and reports whether
// all is. A hash may be among them twice, because a party may hand in what the other party wrote.
func (c *Content) gather(ctx context.Context, task voting.Key, hashes []voting.Hash, into map[voting.Hash][]byte, tell bool) (whole bool) {
	whole = true
	for _, h := range hashes {
		if into[h] != nil || h == (voting.Hash{}) { // nobody handed in the zero hash
			continue
		}
		if content, err := c.FetchFor(ctx, task, h, MaxBlob, c.cases.SeatPeers(task)); err == nil {
			into[h] = content
			continue
		} else if tell {
			c.log.Info("content of the case is not here yet", "case", casefile.Address(task), "hash", h, "err", err)
		}
		whole = false
	}
	return whole
}

// openings are the openings of sealed checks for this result that the objection names. They are
// fetched as documents are, because votes depend on them.
func openings(b judge.Brief) (out []voting.Hash) {
	for _, e := range b.Objection.Value.Evidence {
		if slices.Contains(sealed.Hashes(b.Task.Value, b.Reworks), e.SHA256) {
			out = append(out, voting.Hash(e.SHA256))
		}
	}
	return out
}

// How long a search outside of the court takes at most, and when the next one begins.
const (
	elsewhereTime  = 20 * time.Second
	elsewhereEvery = 15 * time.Second
)

// outside is the search of a brief outside of the court.
type outside struct {
	begun time.Time
	busy  bool
	found chan map[voting.Hash][]byte
}

// take takes what was found.
func (o *outside) take(into map[voting.Hash][]byte) {
	select {
	case found := <-o.found:
		o.busy = false
		maps.Copy(into, found)
	default:
	}
}

// elsewhere searches outside of the court, in the background. What is found is kept here, so that
// other judges get it.
func (c *Content) elsewhere(ctx context.Context, b judge.Brief, terms, claim []byte, lacking []voting.Hash, far *outside) {
	if claim == nil || far.busy || time.Since(far.begun) < elsewhereEvery {
		return
	}
	far.begun, far.busy = time.Now(), true
	lacking = slices.DeleteFunc(lacking, func(h voting.Hash) bool { return b.Exhibits[h] != nil })
	c.work.Go(func() {
		ctx, stop := context.WithTimeout(ctx, elsewhereTime)
		defer stop()
		found, err := c.Further.Elsewhere(ctx, b.Case, terms, claim, lacking)
		for h, content := range found {
			kept := c.keepFor(b.Case, content)
			if kept == nil {
				c.provide(h)
			}
			err = errors.Join(err, kept)
		}
		if err != nil {
			c.log.Info("content of the case is not found elsewhere", "case", casefile.Address(b.Case), "err", err)
		}
		far.found <- found
	})
}

// lacking are those of these contents that no document of the dispute shows.
func (c *Content) lacking(named []voting.Hash, documents ...[]byte) (out []voting.Hash) {
	if len(named) == 0 {
		return nil
	}
	var shown []voting.Hash
	for _, d := range documents {
		shown = append(shown, c.Further.Shown(d)...)
	}
	for _, h := range named {
		if !slices.Contains(shown, h) {
			out = append(out, h)
		}
	}
	return out
}

// untried are the exhibits that the pleadings name and that were not asked for. Each is asked for
// once.
func (c *Content) untried(terms *program.Task, tried map[voting.Hash]bool) (out []voting.Hash) {
	for _, pleading := range []voting.Hash{terms.ObjectionHash, terms.CounterHash} {
		for _, e := range c.exhibits(pleading) {
			if h := voting.Hash(e.SHA256); e.Bytes <= MaxBlob && !tried[h] {
				tried[h] = true
				out = append(out, h)
			}
		}
	}
	return out
}

// exhibitsTime bounds the search for all exhibits of a case file.
const exhibitsTime = 30 * time.Second

// GatherDocuments tries once to fetch what a task names and is not here, for a case file: its
// documents and modules, and then the exhibits of the pleadings, with the openings of sealed
// checks. The search for exhibits is over after half a minute, because a party may name many that
// nobody has.
func (c *Content) GatherDocuments(ctx context.Context, task voting.Key) {
	terms, err := c.cases.Terms(ctx, task)
	if err != nil {
		return // the case file shows which documents are missing
	}
	c.gatherAll(ctx, task, documents(terms))
	c.gatherAll(ctx, task, c.modules(terms.TaskHash))
	ctx, cancel := context.WithTimeout(ctx, exhibitsTime)
	defer cancel()
	c.gatherAll(ctx, task, c.untried(terms, map[voting.Hash]bool{}))
}

// gatherAll tries once to fetch each content, until ctx ends.
func (c *Content) gatherAll(ctx context.Context, task voting.Key, hashes []voting.Hash) {
	_, followed := c.cases.Follows(task)
	for _, h := range hashes {
		var err error
		if followed {
			_, err = c.FetchFor(ctx, task, h, MaxBlob, c.cases.SeatPeers(task))
		} else {
			_, err = c.Fetch(ctx, h, nil)
		}
		if err != nil {
			c.log.Info("content of the case cannot be fetched", "case", casefile.Address(task), "hash", h, "err", err)
		}
	}
}
