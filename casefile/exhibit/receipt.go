package exhibit

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ojud/casefile"
	"ojud/voting"
)

const sourceReceipt = "receipt of a data source"

// isReceipt reports whether an object looks like a receipt of this court.
func isReceipt(v any) bool {
	m, _ := v.(map[string]any)
	for _, name := range []string{"holder", "asker", "response", "signature", "fetched_at"} {
		if m[name] == nil {
			return false
		}
	}
	return true
}

// answers checks what "ojud source ask --json" prints, one answer of it, or a receipt alone. It
// returns nil if an object is none of these.
func (k *known) answers(m map[string]any) (out []Found) {
	if isReceipt(m) {
		return []Found{k.receipt(m, nil, nil, nil)}
	}
	if isReceipt(m["receipt"]) {
		return []Found{k.receipt(m["receipt"], m["request"], m["answer"], m["agreed"])}
	}
	list, _ := m["answers"].([]any)
	for _, item := range list {
		if a, is := item.(map[string]any); is && isReceipt(a["receipt"]) && len(out) < maxFound {
			out = append(out, k.receipt(a["receipt"], m["request"], a["answer"], a["agreed"]))
		}
	}
	return out
}

// receipt checks a receipt, and that it is for the request and the answer beside it.
func (k *known) receipt(v, request, answer, agreed any) Found {
	raw, err := canonical(v)
	id := sha256.Sum256(raw)
	if err != nil {
		return wrong(sourceReceipt, id, errors.New("it has no canonical form"))
	}
	r, err := casefile.ParseReceipt(raw)
	if err != nil {
		return wrong(sourceReceipt, id, errors.New("it is not a whole receipt"))
	}
	if err := k.right(r, request, answer, agreed); err != nil {
		return wrong(sourceReceipt, id, err)
	}
	asker, party := k.asker(r)
	holder := casefile.Address(r.Holder)
	source, holds, named := "a source that the task does not name", "whom the task does not name", k.hasSource(r.Source)
	if named {
		source = "a source that the task names"
	}
	vouched := k.names(r.Holder.String()) || k.names(holder.String())
	if vouched {
		holds = "whom the task names"
	}
	detail := fmt.Sprintf("signed by the holder %s, %s, which answered %s about %s at %s", r.Holder, holds, asker, source, when(r.At))
	if r.FetchedAt != r.At {
		detail += fmt.Sprintf(", with what it had from the source at %s", when(r.FetchedAt))
	}
	own := holder == k.Creator || holder == k.Worker
	if own {
		detail += "; the holder is a party of this case"
	}
	switch {
	case request == nil || answer == nil:
		detail += "; request or answer are not here, so that the receipt alone does not show what was answered"
	default:
		detail += "; request and answer are those of the receipt"
	}
	if r.Case != (casefile.Address{}) && k.Case == (casefile.Address{}) {
		detail += "; it is for the task " + r.Case.String()
	}
	f := say(sourceReceipt, id, !own && party && named && vouched && request != nil && answer != nil, r.Case != (casefile.Address{}) && r.Case == k.Case, detail)
	f.warn("anybody can hold a source, and judges ask holders of their own")
	return f
}

// right checks what must be right of a receipt whatever the case is.
func (k *known) right(r casefile.Receipt, request, answer, agreed any) error {
	domain := voting.Domain{Network: voting.Hash(k.Network), Program: voting.Key(k.Program)}
	if domain == (voting.Domain{}) {
		domain = voting.Domain{Network: voting.Hash(r.Network), Program: voting.Key(r.Program)}
	}
	switch err := r.Verify(domain); {
	case errors.Is(err, casefile.ErrOtherCase):
		return errors.New("it is of another court")
	case err != nil:
		return errSignature
	case r.Case != (casefile.Address{}) && k.Case != (casefile.Address{}) && r.Case != k.Case:
		return errors.New("it is bound to another task")
	case k.Case != (casefile.Address{}) && r.FetchedAt > r.At:
		return errors.New("its answer came after the time at which it was signed")
	}
	for _, part := range []struct {
		name string
		v    any
		hash casefile.Digest
	}{{"request", request, r.Request}, {"answer", answer, r.Response}, {"agreed terms", agreed, r.Terms}} {
		if part.v == nil {
			continue
		}
		raw, err := canonical(part.v)
		if err != nil || casefile.HashOf(raw) != [32]byte(part.hash) {
			return fmt.Errorf("it is for another %s", part.name)
		}
	}
	if agreed != nil {
		raw, _ := canonical(agreed)
		terms, err := casefile.ParseAgreed(raw)
		if err != nil {
			return errors.New("the agreed terms are not whole")
		}
		if field := terms.Differs(r); field != "" {
			return errors.New("it differs from the agreed terms")
		}
	}
	return nil
}

// asker says who asked, and whether that is a party of the case. Whether a judge had a seat, the
// court's own receipts show; what a party hands in may be made up by a holder of its own.
func (k *known) asker(r casefile.Receipt) (string, bool) {
	switch {
	case r.Round != 0:
		return "somebody who is a judge by the word of this receipt alone", false
	case r.Judge == k.Creator && r.Judge != casefile.Address{}:
		return "the creator", true
	case r.Judge == k.Worker && r.Judge != casefile.Address{}:
		return "the worker", true
	}
	return "somebody who is no party of this case", false
}

// hasSource reports whether the task names a source.
func (k *known) hasSource(name string) bool {
	task, err := casefile.ParseTask(k.Task)
	return err == nil && slices.ContainsFunc(task.Value.DataSources, func(s string) bool { return strings.EqualFold(s, name) })
}
