package verify

import (
	"fmt"
	"slices"

	"ojud/casefile"
)

// injections checks the texts that judges reported because they may be meant to steer them, and
// lists each once. A text that is in no content of the case, or not in the judge's opinion, is that
// judge's fault.
func (v *verifier) injections() (int, *fault) {
	count, f := each[casefile.InjectionBody](v, v.court().Injected)
	if f != nil {
		return 0, f
	}
	var found []*tally
	for e, b := range bodies[casefile.InjectionBody](v) {
		for i, f := range b.Findings {
			path := fmt.Sprintf("%s.body.findings[%d]", v.paths[e.Hash], i)
			if odd := v.unfounded(e, b.Round, f); odd != "" {
				v.report.note(NoteInjection, path, "%s", odd)
				continue
			}
			same := func(t *tally) bool { return t.Document == f.Document && t.Where == f.Where && t.Check == f.Check }
			k := slices.IndexFunc(found, same)
			if k < 0 {
				k = len(found)
				found = append(found, &tally{Injection: f, path: path, judges: map[casefile.DID]bool{}})
			}
			found[k].judges[e.Actor] = true
		}
	}
	for _, t := range found {
		judges := "1 judge"
		if n := len(t.judges); n > 1 {
			judges = fmt.Sprintf("%d judges", n)
		}
		v.report.note(NoteInjection, t.path, "%s found that the %s may be meant to steer its reader: %q", judges, t.Where, t.Detail)
	}
	return count, nil
}

// unfounded says why a finding does not stand: its document is no content of the case, or the
// actor's opinion does not have it.
func (v *verifier) unfounded(e casefile.CheckedEvent, round uint8, f casefile.Injection) string {
	terms := v.open.Value.Task
	if hash, ok := terms.Paper(f.Where); ok && hash != f.Document {
		return fmt.Sprintf("what it names is not the %s of this case", f.Where)
	}
	if f.Where == casefile.InExhibit && !v.exhibit(f.Document) {
		return "what it names is no exhibit of this case"
	}
	for _, hash := range v.chains[e.Actor].Opinions(round) {
		if _, ok := v.blob(hash); !ok {
			continue // noted with the vote
		}
		opinion := opinionAt(v, hash)
		if opinion.err != nil {
			continue // likewise
		}
		if !slices.ContainsFunc(opinion.value.Findings, f.Matches) {
			return "the judge's opinion has no such finding"
		}
	}
	return ""
}

// exhibit reports whether a pleading of the case names that content.
func (v *verifier) exhibit(hash casefile.Digest) bool {
	for _, pleading := range []casefile.Digest{v.open.Value.Task.ObjectionHash, v.open.Value.Task.CounterHash} {
		content, _ := v.blob(pleading)
		if o, err := casefile.ParseObjection(content); err == nil && slices.ContainsFunc(o.Value.Evidence, func(x casefile.Exhibit) bool { return x.SHA256 == hash }) {
			return true
		}
	}
	return false
}

// tally is how many judges found a thing.
type tally struct {
	casefile.Injection // as the first of them reported it
	path               string
	judges             map[casefile.DID]bool
}
