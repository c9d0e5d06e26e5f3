package verify

import (
	"fmt"

	"ojud/casefile"
	"ojud/casefile/agentdata"
)

// held notes answers about data of agents whose content has another hash than they say, and judges
// that read different content at one address.
func (v *verifier) held() {
	type reading struct {
		by   casefile.DID
		hash casefile.Digest
	}
	first, noted := map[casefile.Digest]reading{}, map[casefile.Digest]bool{}
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
			a, err := agentdata.ParseReading(raw)
			if err != nil {
				v.report.note(NoteData, path, "%s signed an answer that is not true in itself: %v", r.Holder, err)
				continue
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
