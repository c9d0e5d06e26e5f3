package agentdata

import "ojud/casefile"

// Work says for whom and when the work of a case was done. The zero value says that nobody knows,
// as where no case is.
type Work struct {
	Creator   casefile.Address
	Claimed   int64 // Unix seconds
	Submitted int64 // Unix seconds: the result
}

// Late says why what an account says decides nothing about the result, or nothing if it may. It
// must have been there when the work was done. What its creator wrote after the claim counts
// against the creator, who could have any result refused by it.
func (w Work) Late(r Reading) (why string, byCreator bool) {
	switch {
	case w.Submitted == 0:
		return "", false
	case r.Owner == w.Creator && r.UpdatedAt > w.Claimed:
		return "its owner is the creator, and it was written after the work was claimed", true
	case r.UpdatedAt > w.Submitted:
		return "it was written after the result was handed in", false
	}
	return "", false
}
