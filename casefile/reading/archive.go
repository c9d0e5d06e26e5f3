package reading

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"ojud/casefile"
	"ojud/voting"
)

// Archive rebuilds the log of a case that is no longer followed, from what the store and blobs have
// of it. Who sat in a round is taken from the draw facts that most actors name who sit by them:
// only events of seats were ever stored. So it has the events of a case of which too few judges
// have spoken to establish anything.
//
// ErrNoCase: nothing of the case is stored, or no facts of a draw. Other errors are those of the
// store and of blobs.
func Archive(d voting.Domain, task voting.Key, store casefile.Store, blobs casefile.Blobs) (*casefile.Log, error) {
	events, err := store.List(task)
	if err != nil {
		return nil, fmt.Errorf("casefile: archive: %w", err)
	}
	l := casefile.NewLog(d, task, store, nil)
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

// storedDraw returns the draw facts of a round that most actors name who have a seat by them, of
// those that are here; ErrNoBlob if none are.
func storedDraw(events []casefile.Event, round uint8, blobs casefile.Blobs) (casefile.DrawFact, error) {
	claims := map[casefile.Digest]map[casefile.DID]bool{}
	for _, e := range events {
		if body, err := e.ParsedBody(); err == nil && e.Kind == casefile.KindDraw && casefile.RoundOf(body) == round {
			hash := e.Names()[0]
			if claims[hash] == nil {
				claims[hash] = map[casefile.DID]bool{}
			}
			claims[hash][e.Actor] = true
		}
	}
	var best casefile.DrawFact
	most := 0
	for _, hash := range slices.SortedFunc(maps.Keys(claims), casefile.Digest.Compare) {
		content, err := blobs.Blob(voting.Hash(hash))
		if errors.Is(err, casefile.ErrNoBlob) {
			continue
		}
		if err != nil {
			return best, err
		}
		doc, err := casefile.ReadFact[casefile.DrawFact](casefile.KindDraw, content)
		if err != nil || doc.Value.Round != round {
			continue
		}
		seated := 0
		for _, c := range doc.Value.Candidates {
			if claims[hash][c.Peer] && slices.Contains(doc.Value.Seats, c.Index) {
				seated++
			}
		}
		if seated > most {
			best, most = doc.Value, seated
		}
	}
	if most == 0 {
		return best, casefile.ErrNoBlob
	}
	return best, nil
}
