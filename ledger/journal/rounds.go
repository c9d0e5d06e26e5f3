package journal

import (
	"encoding/binary"
	"fmt"

	"ojud/casefile"
	"ojud/casefile/panel"
	"ojud/voting"
)

// Rounds keeps decided rounds that the node saw on the chain, each once. Unlike most of the journal
// they cannot be had again when the chain has closed the case; with them, only the lines of a case
// file about the agreement of its panel are lost.
type Rounds struct{ journal *Journal }

// Rounds returns the store of decided rounds.
func (j *Journal) Rounds() Rounds { return Rounds{j} }

// Put keeps a decided round for good before it returns, in place of an earlier form.
func (r Rounds) Put(p panel.DecidedRound) error {
	value, err := encodePast(p)
	if err != nil {
		return err
	}
	return r.journal.write("round", item{pastKey(p), value})
}

// Drop removes rounds, in transactions of at most 1,000.
func (r Rounds) Drop(all ...panel.DecidedRound) error {
	items := make([]item, len(all))
	for i, p := range all {
		items[i] = item{key: pastKey(p)}
	}
	return r.journal.writeAll("drop round", items, dropBatch)
}

// All returns every round, by case and number.
func (r Rounds) All() ([]panel.DecidedRound, error) {
	return values(r.journal, []byte{pastKind}, func(key, value []byte) (panel.DecidedRound, error) {
		return decodePast(key[1:], value)
	})
}

func pastKey(p panel.DecidedRound) []byte { return key(pastKind, p.Case[:], []byte{p.Round}) }

// The bytes of a round: when it was settled (little endian) ‖ verdict, then judge ‖ choice for each
// seat.
const (
	pastHead = 8 + 1
	pastSeat = 32 + 1
)

func encodePast(p panel.DecidedRound) ([]byte, error) {
	b := append(binary.LittleEndian.AppendUint64(nil, uint64(p.At)), byte(p.Verdict))
	for _, v := range p.Votes {
		b = append(append(b, v.Judge[:]...), byte(v.Choice))
	}
	if _, err := decodePast(pastKey(p)[1:], b); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	return b, nil
}

func decodePast(key, b []byte) (p panel.DecidedRound, err error) {
	const _ = uint(3 - voting.Verdicts) // is a round with a fourth verdict decided?
	if len(key) != 33 || len(b) < pastHead || (len(b)-pastHead)%pastSeat != 0 || len(b) > pastHead+voting.MaxSeats*pastSeat {
		return p, fmt.Errorf("decided round of %d bytes under a key of %d", len(b), len(key))
	}
	p.Case, p.Round = casefile.Address(key[:32]), key[32]
	p.At, p.Verdict = int64(binary.LittleEndian.Uint64(b)), casefile.Verdict(b[8])
	for rest := b[pastHead:]; len(rest) > 0; rest = rest[pastSeat:] {
		v := panel.DecidedVote{Judge: casefile.Address(rest[:32]), Choice: casefile.Choice(rest[32])}
		if v.Choice > casefile.Choice(voting.Choices) {
			return p, fmt.Errorf("decided round with the choice %d", rest[32])
		}
		p.Votes = append(p.Votes, v)
	}
	if v := voting.Verdict(p.Verdict); p.Round < 1 || p.Round > casefile.MaxRound || v != voting.ForWorker && v != voting.ForCreator {
		return p, fmt.Errorf("round %d with the verdict %d is not decided", p.Round, b[8])
	}
	return p, nil
}
