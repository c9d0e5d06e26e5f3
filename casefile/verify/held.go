package verify

import (
	"fmt"

	"ojud/casefile"
	"ojud/casefile/agentdata"
)

// held notes answers about data of agents whose content has another hash than they say, or that are
// about another account than was asked for, judges that read different content at one address, and
// data that decides nothing, because somebody changed it.
func (v *verifier) held() {
	type reading struct {
		by   casefile.DID
		hash casefile.Digest
	}
	first, noted := map[casefile.Digest]reading{}, map[casefile.Digest]bool{}
	done, told := agentdata.WorkOf(v.open.Value.Task), map[casefile.Digest]bool{}
	var task casefile.Task // without one, nothing is pinned
	if raw, ok := v.blob(v.open.Value.Task.TaskHash); ok {
		if doc, err := casefile.ParseTask(raw); err == nil {
			task = doc.Value
		}
	}
	for e, b := range bodies[casefile.DataBody](v) {
		if b.Source != agentdata.Source {
			continue
		}
		for i, r := range b.Receipts {
			raw, ok := v.blob(r.Response)
			if !ok {
				continue // a note says that it is missing
			}
			path := fmt.Sprintf("%s.body.receipts[%d].response", v.paths[e.Hash], i)
			asked, ok := v.blob(r.Request)
			if !ok {
				continue // likewise
			}
			at, err := agentdata.ParseQuery(asked)
			var a agentdata.Reading
			if err == nil {
				a, err = agentdata.ParseReading(raw, at)
			}
			if err != nil {
				v.report.note(NoteData, path, "%s signed an answer that is not true in itself: %v", r.Holder, err)
				continue
			}
			if ruling := done.Rule(task, a); ruling.Why != "" && !told[r.Response] {
				told[r.Response] = true
				v.report.note(NoteData, path, "the data %s decides nothing here: %s", a.Data, ruling.Why)
			}
			if a.Kept() {
				continue // what the account says now is not in it
			}
			known, ok := first[r.Request]
			if !ok {
				first[r.Request] = reading{r.Holder, a.SHA256}
			} else if known.hash != a.SHA256 && !noted[r.Request] {
				noted[r.Request] = true
				v.report.note(NoteData, path, "%s read the data %s with the hash %s, and %s with the hash %s: its owner changed it meanwhile, or one of them lies",
					known.by, a.Data, known.hash, r.Holder, a.SHA256)
			}
		}
	}
}
