package content

import (
	"context"
	"slices"

	"ojud/casefile"
	"ojud/voting"
)

// pinned returns the hashes that a task document says of data of agents; none if it cannot be read.
func pinned(task []byte) (out []voting.Hash) {
	_, all := pins(task)
	for _, hash := range all {
		if !slices.Contains(out, hash) {
			out = append(out, hash)
		}
	}
	return out
}

// pins returns the accounts that a task document pins, and their hashes. Two accounts may have the
// same hash: if one is gone, the other may still have the bytes.
func pins(task []byte) (at []voting.Key, hashes []voting.Hash) {
	doc, err := casefile.ParseTask(task)
	if err != nil {
		return nil, nil // the judges weigh this fault of the creator
	}
	for _, d := range doc.Value.PDA {
		account, bad := casefile.ParseAddress(d.Account)
		var hash casefile.Digest
		if bad != nil || d.SHA256 == "" || hash.UnmarshalText([]byte(d.SHA256)) != nil {
			continue
		}
		at, hashes = append(at, voting.Key(account)), append(hashes, voting.Hash(hash))
	}
	return at, hashes
}

// keepPinned keeps the data of agents that a task pins, as long as the task itself. Its owner may
// change it or take it away later, and then these bytes still say what the work was held to. If the
// chain does not answer, others may still hand them in.
func (c *Content) keepPinned(task voting.Key, document []byte) {
	at, hashes := pins(document)
	if len(at) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), c.cfg.Timeout)
	defer cancel()
	all, err := c.chain.FindData(ctx, at)
	if err != nil {
		c.log.Info("the data that a task pins is not kept, because the chain does not answer", "task", casefile.Address(task), "err", err)
		return
	}
	for i, d := range all {
		if d == nil || casefile.HashOf(d.Content) != hashes[i] {
			continue // others may have the bytes
		}
		if err := c.keepFor(task, d.Content); err != nil {
			c.log.Warn("the data that a task pins is not kept", "task", casefile.Address(task), "err", err)
			return
		}
		c.provide(hashes[i])
	}
}
