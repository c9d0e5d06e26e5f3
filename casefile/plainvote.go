package casefile

import (
	"encoding"
	"strconv"

	"ojud/casefile/canon"
)

// voteFields is how many fields a vote has; none may be missing.
const voteFields = 14

// plainVote reads a vote that is plain (see there) without reflection: every judge of a round reads
// all votes of all others, and the reader of any document took twice as long as the signature. ok
// is false if it is no vote, or may be one in another spelling: then the usual way decides, and
// names the fault.
func plainVote(raw []byte) (v Vote, ok bool) {
	if len(raw) > MaxVote {
		return v, false
	}
	good := 0
	whole := canon.Object(raw, func(key, member []byte) {
		if v.plainField(string(key), member) {
			good++
		}
	})
	return v, whole && good == voteFields
}

// plainField fills one field, and reports whether there is one of that name that takes the value.
func (v *Vote) plainField(name string, raw []byte) bool {
	switch name {
	case "accept":
		v.Accept = string(raw) == "true"
		return v.Accept || string(raw) == "false"
	case "round":
		n, err := strconv.ParseUint(string(raw), 10, 8)
		v.Round = uint8(n)
		return err == nil
	case "data_accessed":
		if string(raw) == "[]" {
			v.DataAccessed = []Access{}
			return true
		}
		return decode("vote", raw, &v.DataAccessed, name) == nil
	}
	text, ok := canon.Unescaped(raw)
	if name == "model" {
		v.Model = string(text)
		return ok
	}
	field := v.textField(name)
	return ok && field != nil && field.UnmarshalText(text) == nil
}

// textField is the field of a name, of those that have a form of their own; nil: none of them.
func (v *Vote) textField(name string) encoding.TextUnmarshaler {
	switch name {
	case "agent_id":
		return &v.AgentID
	case "network":
		return &v.Network
	case "program":
		return &v.Program
	case "case":
		return &v.Case
	case "judge":
		return &v.Judge
	case "choice":
		return &v.Choice
	case "opinion_hash":
		return &v.OpinionHash
	case "receipts_root":
		return &v.ReceiptsRoot
	case "salt":
		return &v.Salt
	case "signature":
		return &v.Signature
	}
	return nil
}
