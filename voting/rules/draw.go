package rules

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"ojud/voting"
)

// tagDraw keeps the preimage of a draw's seed apart from those of package voting (protocol section
// 3).
const tagDraw = "oju:draw:v1"

// errTooFewJudges is returned when fewer than min_seats judges may sit (protocol section 8,
// TooFewJudges).
var errTooFewJudges = errors.New("voting: too few judges to draw from")

// Lot names a draw. Its seed is sha256("oju:draw:v1" ‖ program ‖ task ‖ round ‖ drawn slot u64 ‖
// slot hash).
type Lot struct {
	Program   voting.Key
	Task      voting.Key
	Round     uint8
	DrawnSlot uint64
	SlotHash  voting.Hash // SlotHashes entry of DrawnSlot
}

// Seed hashes the lot.
func (l Lot) Seed() voting.Hash {
	b := make([]byte, 0, 128)
	b = append(b, tagDraw...)
	b = append(b, l.Program[:]...)
	b = append(b, l.Task[:]...)
	b = append(b, l.Round)
	b = binary.LittleEndian.AppendUint64(b, l.DrawnSlot)
	b = append(b, l.SlotHash[:]...)
	return sha256.Sum256(b)
}

// maxNumbers is how many numbers a draw takes at most. It skips candidates that could lose too much
// already, and a Roster full of them must not make a draw too dear.
const maxNumbers = 128

// Even a draw that skips some fills the largest panel.
const _ = uint(maxNumbers - voting.MaxSeats - 1)

// Draw seats at most panelSeats candidates by weight without replacement (protocol section 6).
// eligible is in roster order, as Eligible returns it. The seats come in the order in which they
// were drawn. If the busy ones that it met weigh as much as those seated, it is refused: else
// whoever keeps the others busy would choose the panel.
func Draw(seed voting.Hash, eligible []voting.Candidate, panelSeats, minSeats uint8) ([]voting.Seat, error) {
	u, err := newUrn(seed, eligible)
	if err != nil {
		return nil, err
	}
	seats := make([]voting.Seat, 0, min(int(panelSeats), len(eligible)))
	var seated, busy uint64
	for range maxNumbers {
		if len(u.left) == 0 || len(seats) == int(panelSeats) {
			break
		}
		c := u.take()
		if c.Seat > 0 {
			seats = append(seats, voting.Seat{Judge: c.Judge, Peer: c.Peer, Index: c.Index, Weight: c.Seat})
		}
		if seated, err = sum(seated, c.Seat); err == nil {
			busy, err = sum(busy, c.Busy)
		}
		if err != nil {
			return nil, err
		}
	}
	if len(seats) == 0 || len(seats) < int(minSeats) {
		return nil, fmt.Errorf("%w: %d of %d", errTooFewJudges, len(seats), minSeats)
	}
	if seated <= busy {
		return nil, fmt.Errorf("%w: those seated weigh %d lamports, the busy ones %d", errTooFewJudges, seated, busy)
	}
	return seats, nil
}

// Replay checks that a draw from the candidates gives just these seats, with these weights: the
// chain skipped every other candidate that it drew. Which of them could lose too much already, only
// the Roster of that moment shows.
func Replay(seed voting.Hash, eligible []voting.Candidate, panelSeats, minSeats uint8, seats []voting.Seat) error {
	weights := map[uint16]uint64{}
	for _, s := range seats {
		weights[s.Index] = s.Weight
	}
	seen := append([]voting.Candidate(nil), eligible...)
	for i := range seen {
		seen[i].Busy = 0
		if seen[i].Seat = weights[seen[i].Index]; seen[i].Seat > seen[i].Weight {
			return fmt.Errorf("voting: the seat of candidate %d weighs %d lamports, the candidate %d", seen[i].Index, seen[i].Seat, seen[i].Weight)
		}
	}
	drawn, err := Draw(seed, seen, panelSeats, minSeats)
	if err != nil {
		return err
	}
	if len(drawn) != len(seats) {
		return fmt.Errorf("voting: there are %d seats; the draw gives %d", len(seats), len(drawn))
	}
	for i := range drawn {
		if drawn[i].Index != seats[i].Index {
			return fmt.Errorf("voting: seat %d is entry %d; the draw gives %d", i, seats[i].Index, drawn[i].Index)
		}
	}
	return nil
}

// urn holds the candidates that are not seated yet.
type urn struct {
	seed    voting.Hash
	counter uint32
	total   uint64 // weight of left
	left    []voting.Candidate
}

func newUrn(seed voting.Hash, eligible []voting.Candidate) (*urn, error) {
	u := &urn{seed: seed, left: append([]voting.Candidate(nil), eligible...)}
	for i, c := range eligible {
		if c.Weight == 0 {
			return nil, fmt.Errorf("voting: candidate %d has no weight", i)
		}
		total, err := sum(u.total, c.Weight)
		if err != nil {
			return nil, fmt.Errorf("voting: weight of all candidates: %w", err)
		}
		u.total = total
	}
	return u, nil
}

// take draws the next candidate.
func (u *urn) take() voting.Candidate {
	r := u.number() % u.total
	i := 0
	for r >= u.left[i].Weight {
		r -= u.left[i].Weight
		i++
	}
	c := u.left[i]
	u.left = append(u.left[:i], u.left[i+1:]...)
	u.total -= c.Weight
	return c
}

// number returns the next number below the largest multiple of total, so that the remainder favours
// no candidate.
func (u *urn) number() uint64 {
	excess := -u.total % u.total // 2^64 mod total
	for {
		b := binary.LittleEndian.AppendUint32(u.seed[:len(u.seed):len(u.seed)], u.counter)
		digest := sha256.Sum256(b)
		u.counter++
		if x := binary.LittleEndian.Uint64(digest[:8]); x <= math.MaxUint64-excess {
			return x
		}
	}
}
