package reading

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"ojud/casefile"
	"ojud/voting"
)

// Archive rebuilds the log of a case that is no longer followed, from what the store and blobs have
// of it. Who sat in a round is taken from the draw facts that most of the stored events name: only
// events of seats were ever stored.
//
// ErrNoCase: nothing of the case is stored, or no facts of a draw. Other errors are those of the
// store and of blobs.
func Archive(d voting.Domain, task voting.Key, store casefile.Store, blobs casefile.Blobs) (*casefile.Log, error) {
	events, err := store.List(task)
	if err != nil {
		return nil, fmt.Errorf("casefile: archive: %w", err)
	}
	l := casefile.NewLog(d, task, store)
	seated := false
	for round := uint8(1); round <= casefile.MaxRound; round++ {
		draw, err := storedDraw(events, round, blobs)
		if errors.Is(err, casefile.ErrNoBlob) {
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
		return nil, fmt.Errorf("%w: %s", casefile.ErrNoCase, casefile.Address(task))
	}
	return l, l.Load()
}

// storedDraw returns the draw facts of a round that most events name, of those that are here;
// ErrNoBlob if none are.
func storedDraw(events []casefile.Event, round uint8, blobs casefile.Blobs) (casefile.DrawFact, error) {
	claims := map[casefile.Digest]int{}
	for _, e := range events {
		if body, err := e.ParsedBody(); err == nil && e.Kind == casefile.KindDraw && casefile.RoundOf(body) == round {
			claims[e.Names()[0]]++
		}
	}
	var hashes []casefile.Digest
	for hash := range claims {
		hashes = append(hashes, hash)
	}
	slices.SortFunc(hashes, func(a, b casefile.Digest) int {
		return cmp.Or(cmp.Compare(claims[b], claims[a]), a.Compare(b))
	})
	for _, hash := range hashes {
		content, err := blobs.Blob(voting.Hash(hash))
		if errors.Is(err, casefile.ErrNoBlob) {
			continue
		}
		if err != nil {
			return casefile.DrawFact{}, err
		}
		if doc, err := casefile.ReadFact[casefile.DrawFact](casefile.KindDraw, content); err == nil && doc.Value.Round == round {
			return doc.Value, nil
		}
	}
	return casefile.DrawFact{}, casefile.ErrNoBlob
}
