package casefile

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"ojud/voting"
)

// Archive rebuilds the log of a case that is no longer followed, from what the store and blobs have
// of it. Who sat in a round is taken from the draw facts that most of the stored events name: only
// events of seats were ever stored.
//
// ErrNoCase: nothing of the case is stored, or no facts of a draw. Other errors are those of the
// store and of blobs.
func Archive(d voting.Domain, task voting.Key, store Store, blobs Blobs) (*Log, error) {
	events, err := store.List(task)
	if err != nil {
		return nil, fmt.Errorf("casefile: archive: %w", err)
	}
	l := NewLog(d, task, store)
	seated := false
	for round := uint8(1); round <= MaxRound; round++ {
		draw, err := storedDraw(events, round, blobs)
		if errors.Is(err, ErrNoBlob) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("casefile: archive: draw of round %d: %w", round, err)
		}
		for _, c := range draw.Candidates {
			if slices.Contains(draw.Seats, c.Index) {
				l.Seat(round, voting.Key(c.Peer), voting.Key(c.Judge))
				seated = true
			}
		}
	}
	if !seated {
		return nil, fmt.Errorf("%w: %s", ErrNoCase, Address(task))
	}
	return l, l.Load()
}

// storedDraw returns the draw facts of a round that most events name, of those that are here;
// ErrNoBlob if none are.
func storedDraw(events []Event, round uint8, blobs Blobs) (DrawFact, error) {
	claims := map[Digest]int{}
	for _, e := range events {
		if body, err := e.ParsedBody(); err == nil && e.Kind == KindDraw && topicOf(e.Kind, body).round == round {
			claims[e.Names()[0]]++
		}
	}
	var hashes []Digest
	for hash := range claims {
		hashes = append(hashes, hash)
	}
	slices.SortFunc(hashes, func(a, b Digest) int {
		return cmp.Or(cmp.Compare(claims[b], claims[a]), a.Compare(b))
	})
	for _, hash := range hashes {
		content, err := blobs.Blob(voting.Hash(hash))
		if errors.Is(err, ErrNoBlob) {
			continue
		}
		if err != nil {
			return DrawFact{}, err
		}
		if doc, err := read[DrawFact]("draw facts", content, MaxDocument); err == nil && doc.Value.Round == round {
			return doc.Value, nil
		}
	}
	return DrawFact{}, ErrNoBlob
}
