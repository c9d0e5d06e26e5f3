package signed

import (
	"fmt"
	"strings"

	"ojud/agent/judge/prose"
	"ojud/casefile"
	"ojud/casefile/exhibit"
	"ojud/voting"
)

// exhibited begins the checks of exhibits. What it begins decides nothing.
const exhibited = "exhibit/"

// maxSigned bounds the findings about signed texts of the exhibits of a party.
const maxSigned = 8

// Shown are the exhibits of an objection or a counter-objection that can be read.
type Shown struct {
	Name     string // of the document, as findings spell it
	Evidence []casefile.Exhibit
}

// Exhibits compares exhibits with the sizes and hashes that the parties declared, as far as the
// content is here, and says what code finds in those that somebody signed by another protocol. A
// text that was shown before counts once. A broken copy of it is another text: whoever shows that
// one first takes nothing from the right one. Each party has places of its own.
func Exhibits(all []Shown, content map[voting.Hash][]byte, m exhibit.Matter) (out []casefile.Finding) {
	before := map[exhibit.Found]string{}
	for _, p := range all {
		count := 0
		if len(p.Evidence) > 0 {
			out = append(out, declared(p, content))
		}
		for i, e := range p.Evidence {
			raw, here := content[[32]byte(e.SHA256)]
			if !here || casefile.HashOf(raw) != [32]byte(e.SHA256) {
				continue
			}
			place := fmt.Sprintf("%s/evidence[%d]", p.Name, i)
			for n, f := range exhibit.Read(raw, m) {
				check := place
				if n > 0 {
					check += fmt.Sprintf("/%d", n)
				}
				if count++; count > maxSigned {
					break
				}
				same := f
				if f.Outcome == casefile.Pass {
					same.Detail = ""
				}
				if first, is := before[same]; is {
					f.Outcome, f.Detail = casefile.Unknown, "it is the same as "+first+", and counts once"
				} else {
					before[same] = check
				}
				out = append(out, casefile.Finding{
					Check: exhibited + check, Outcome: f.Outcome, Detail: prose.Clean(f.Kind+": "+f.Detail, casefile.MaxDetail),
					Evidence: []string{fmt.Sprintf("%s:/evidence/%d", p.Name, i)},
				})
			}
		}
	}
	return out
}

// declared compares the exhibits of a document with what it says of them.
func declared(p Shown, content map[voting.Hash][]byte) casefile.Finding {
	var wrong, absent []string
	for _, e := range p.Evidence {
		raw, here := content[[32]byte(e.SHA256)]
		switch {
		case !here:
			absent = append(absent, prose.Quote(e.Name))
		case casefile.HashOf(raw) != [32]byte(e.SHA256) || uint64(len(raw)) != e.Bytes:
			wrong = append(wrong, fmt.Sprintf("%s has %d bytes instead of %d or another hash", prose.Quote(e.Name), len(raw), e.Bytes))
		}
	}
	outcome, detail := casefile.Pass, fmt.Sprintf("all %d exhibits are as declared", len(p.Evidence))
	switch {
	case len(wrong) > 0:
		outcome, detail = casefile.Fail, strings.Join(wrong, "; ")
	case len(absent) > 0:
		outcome, detail = casefile.Unknown, "missing: "+strings.Join(absent, ", ")
	}
	return casefile.Finding{Check: exhibited + p.Name, Outcome: outcome, Detail: prose.Clean(detail, casefile.MaxDetail), Evidence: []string{p.Name + ":/evidence"}}
}
