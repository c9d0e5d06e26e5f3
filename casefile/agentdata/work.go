package agentdata

import (
	"fmt"
	"slices"
	"strings"

	"ojud/casefile"
)

// Work says for whom, by whom and when the work of a case was done. The zero value says that nobody
// knows, as where no case is.
type Work struct {
	Creator, Worker casefile.Address
	Claimed         int64 // Unix seconds
	Submitted       int64 // Unix seconds: the result
}

// WorkOf reads it from the terms of a case. A dispute of others was brought when its respondent and
// its claimant can no longer choose what data says.
func WorkOf(t casefile.TaskTerms) Work {
	w := Work{t.Creator, t.Worker, t.ClaimedAt, t.SubmittedAt}
	if t.Prepaid {
		w.Claimed = w.Submitted
	}
	return w
}

// Pin returns the hash that the task says the bytes of an account have, if it says one.
func Pin(task casefile.Task, at casefile.Address) (hash casefile.Digest, pinned bool) {
	for _, d := range task.PDA {
		if d.SHA256 != "" && d.Account == at.String() {
			return hash, hash.UnmarshalText([]byte(d.SHA256)) == nil
		}
	}
	return hash, false
}

// Side is a party of a case, or nobody.
type Side uint8

// The sides.
const (
	Nobody Side = iota
	Creator
	Worker
)

// Ruling says why what an account says decides nothing about a result, and whom that counts
// against. The zero value says that it may decide.
type Ruling struct {
	Why     string
	Against Side
}

// owner returns the party that owns data, with its name.
func (w Work) owner(r Reading) (Side, string) {
	switch {
	case r.Owner == (casefile.Address{}):
		return Nobody, "its owner"
	case r.Owner == w.Creator:
		return Creator, "its owner, the creator,"
	case r.Owner == w.Worker:
		return Worker, "its owner, the worker,"
	}
	return Nobody, "its owner"
}

// Rule says whether data may decide about a result. It may if it is what the task pins. If the task
// does not pin it, the data of the worker has to be there when the result is handed in, and all
// other data when the work is claimed, because the worker reads it then. Otherwise who owns it
// could have any result refused or paid. So nothing else counts against a party than data of its
// own.
func (w Work) Rule(task casefile.Task, r Reading) Ruling {
	side, owner := w.owner(r)
	hash, pinned := Pin(task, r.Data)
	switch {
	case pinned && hash == r.SHA256:
		return Ruling{}
	case r.Kept():
		return Ruling{Why: "these bytes are not in the account, and the task does not say that it has their hash"}
	case pinned && side == Worker && r.UpdatedAt < w.Claimed: // nobody relied on it then
		return Ruling{Why: fmt.Sprintf("its bytes have the hash %s, and the task says %s; it was like this before the claim", r.SHA256, hash)}
	case pinned:
		return Ruling{fmt.Sprintf("%s changed it: its bytes have the hash %s, and the task says %s", owner, r.SHA256, hash), side}
	case w.Submitted == 0:
		return Ruling{}
	case side == Worker && r.UpdatedAt > w.Submitted:
		return Ruling{owner + " wrote it after the result was handed in", side}
	case side != Worker && r.UpdatedAt >= w.Claimed:
		return Ruling{owner + " wrote it after the work was claimed, and the task does not say which hash it has", side}
	}
	return Ruling{}
}

// RuleAt is Rule for a check of a place in the answer. Nobody but those with a key can make one of
// the content of private data. Bytes that somebody kept say nothing but what follows from them.
func (w Work) RuleAt(task casefile.Task, path string, r Reading) Ruling {
	ruling := w.Rule(task, r)
	switch {
	case ruling.Why != "":
		return ruling
	case r.Kept() && !slices.ContainsFunc([]string{"/data", "/private", "/bytes", "/sha256", "/value", "/text", "/base64"}, func(known string) bool {
		return path == known || strings.HasPrefix(path, known+"/")
	}):
		return Ruling{Why: "the account has other bytes now or none, so that nobody knows what it said there"}
	case !r.Private:
		return Ruling{}
	}
	for _, content := range []string{"/value", "/text", "/base64"} {
		if path == content || strings.HasPrefix(path, content+"/") {
			side, _ := w.owner(r)
			return Ruling{"it is private, so that judges cannot read its content", side}
		}
	}
	return Ruling{}
}

// reading returns the reading in an answer of a source to a request. It is not ok if the source is
// another one.
func reading(source string, asked, content []byte) (r Reading, ok bool, err error) {
	if source != Source {
		return r, false, nil
	}
	at, err := ParseQuery(asked)
	if err == nil {
		r, err = ParseReading(content, at)
	}
	return r, true, err
}

// Ruled is RuleAt for an answer of any source. Other sources have no rules. An answer that is not
// true in itself decides nothing.
func (w Work) Ruled(task casefile.Task, path, source string, asked, content []byte) Ruling {
	switch r, ok, err := reading(source, asked, content); {
	case !ok:
		return Ruling{}
	case err != nil:
		return Ruling{Why: err.Error()}
	default:
		return w.RuleAt(task, path, r)
	}
}

// Claim reports whether an answer of a source proves nothing to a reader: it is data of an agent
// that decides nothing, or the word of a party, who owns it while the task does not say which hash
// it has.
func (w Work) Claim(task casefile.Task, source string, asked, content []byte) bool {
	r, ok, err := reading(source, asked, content)
	if !ok {
		return false
	}
	side, _ := w.owner(r)
	_, pinned := Pin(task, r.Data)
	return err != nil || w.Rule(task, r).Why != "" || side != Nobody && !pinned
}

// Pins reports whether a task says which hash the data has that a request to a source is about.
func Pins(task casefile.Task, source string, asked []byte) bool {
	at, err := ParseQuery(asked)
	if source != Source || err != nil {
		return false
	}
	_, pinned := Pin(task, at)
	return pinned
}

// Names reports whether a task names the account that a request to a source is about.
func Names(task casefile.Task, source string, asked []byte) bool {
	at, err := ParseQuery(asked)
	return source == Source && err == nil && slices.Contains(named(task), at)
}
