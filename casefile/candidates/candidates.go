// Package candidates says who could be drawn into a round. The facts of a draw name the candidates
// of a small court themselves. A large court has more than a document has room for: its facts name
// those that were drawn, and lists of all, which are content of their own (protocol section 10). A
// list has the entries of a part of the Roster, so that many cases of a season share it.
package candidates

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"ojud/casefile"
	"ojud/voting"
)

const (
	// most is how many candidates the facts of a draw name themselves.
	most = 1024
	// part is how many entries of the Roster a list is about.
	part = 2048
	// row is how many bytes of a list a candidate has: index, weight, judge, node key, operator.
	row = 2 + 8 + 3*32
)

// The largest list is a document, and the facts name enough of them for every judge of a court.
const (
	_ = uint(casefile.MaxDocument - part*row)
	_ = uint(casefile.MaxLists*part - voting.MaxJudges)
)

// errList is the error of a list that no node writes so.
var errList = errors.New("candidates: a list of the candidates is wrong")

// Draw builds the facts of a draw from facts with all candidates, and the lists that they name. A
// court of at most 1,024 candidates has no lists.
func Draw(f casefile.DrawFact) (doc casefile.Doc[casefile.DrawFact], lists [][]byte, err error) {
	if len(f.Candidates) > most {
		lists = written(f.Candidates)
		for _, list := range lists {
			f.Lists = append(f.Lists, casefile.Digest(casefile.HashOf(list)))
		}
		f.Candidates = drawn(f.Candidates, f.Seats)
	}
	doc, err = casefile.NewDraw(f)
	return doc, lists, err
}

// Of returns all candidates of a draw, in the order of the Roster. Content comes from blob, whose
// errors are passed on.
func Of(f casefile.DrawFact, blob func(casefile.Digest) ([]byte, error)) ([]casefile.Candidate, error) {
	if len(f.Lists) == 0 {
		return f.Candidates, nil
	}
	var all []casefile.Candidate
	for i, hash := range f.Lists {
		list, err := blob(hash)
		if err == nil {
			all, err = read(all, list)
		}
		if err != nil {
			return nil, fmt.Errorf("lists[%d]: %w", i, err)
		}
	}
	if len(all) <= most {
		return nil, fmt.Errorf("%w: %d candidates have no lists", errList, len(all))
	}
	if !slices.Equal(f.Candidates, drawn(all, f.Seats)) {
		return nil, fmt.Errorf("%w: candidates are not those of the lists that were drawn", errList)
	}
	return all, nil
}

// drawn returns the candidates that have seats.
func drawn(all []casefile.Candidate, seats []uint16) (out []casefile.Candidate) {
	for _, c := range all {
		if slices.Contains(seats, c.Index) {
			out = append(out, c)
		}
	}
	return out
}

// written writes the lists of candidates in the order of the Roster.
func written(all []casefile.Candidate) (lists [][]byte) {
	for i, c := range all {
		if i == 0 || c.Index/part != all[i-1].Index/part {
			lists = append(lists, nil)
		}
		last := &lists[len(lists)-1]
		*last = binary.LittleEndian.AppendUint16(*last, c.Index)
		*last = binary.LittleEndian.AppendUint64(*last, uint64(c.Weight))
		*last = append(append(append(*last, c.Judge[:]...), c.Peer[:]...), c.Operator[:]...)
	}
	return lists
}

// read adds the candidates of a list to those of the lists before it.
func read(all []casefile.Candidate, list []byte) ([]casefile.Candidate, error) {
	if n := len(list); n == 0 || n%row != 0 || n > part*row {
		return nil, fmt.Errorf("%w: it has %d bytes", errList, n)
	}
	before := len(all)
	for ; len(list) > 0; list = list[row:] {
		c := casefile.Candidate{
			Index: binary.LittleEndian.Uint16(list), Weight: casefile.Amount(binary.LittleEndian.Uint64(list[2:])),
			Judge: casefile.Address(list[10:42]), Peer: casefile.DID(list[42:74]), Operator: casefile.Address(list[74:row]),
		}
		switch n := len(all); {
		case c.Index >= voting.MaxJudges || c.Weight < 1 || c.Weight > voting.MaxSeatWeight:
			return nil, fmt.Errorf("%w: candidate %d weighs %d", errList, c.Index, c.Weight)
		case n > 0 && c.Index <= all[n-1].Index:
			return nil, fmt.Errorf("%w: candidate %d is not in the order of the Roster", errList, c.Index)
		case n > 0 && (n == before) == (c.Index/part == all[n-1].Index/part):
			return nil, fmt.Errorf("%w: candidate %d is in the list of another part of the Roster", errList, c.Index)
		}
		all = append(all, c)
	}
	return all, nil
}
