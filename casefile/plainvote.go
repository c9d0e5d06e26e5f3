package casefile

import "unicode/utf8"

// plainVote reads a vote that is plain (see package canon) in one pass: every judge of a round
// reads all votes of all others. ok is false if it is no vote, or may be one in another spelling:
// then the usual way decides, and names the fault.
func plainVote(raw []byte) (v Vote, ok bool) {
	ok = len(raw) <= MaxVote && utf8.Valid(raw) && shapes.Fill(raw, &v)
	return v, ok
}
