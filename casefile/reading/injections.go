package reading

import (
	"slices"
	"strings"

	"ojud/casefile"
)

// receiptRef begins the reference of a finding to a receipt.
const receiptRef = "receipt:"

// Injections are the findings of an opinion that an injection event names, of the papers of a task
// and of the answers that the judge was given in that round; findings about other content are left
// out. At most casefile.MaxInjections.
func Injections(o casefile.Opinion, papers casefile.TaskTerms, receipts []casefile.Receipt) (out []casefile.Injection, err error) {
	for _, f := range o.Findings {
		if _, ours := f.Injection(casefile.Digest{}, ""); !ours {
			continue
		}
		for _, ref := range f.Evidence {
			document, where, err := found(ref, papers, receipts)
			if err != nil {
				return nil, err
			}
			i, _ := f.Injection(document, where)
			if where != "" && !slices.Contains(out, i) && len(out) < casefile.MaxInjections {
				out = append(out, i)
			}
		}
	}
	return out, nil
}

// found is the content that a finding names as its evidence; no place if it is none of these.
func found(ref string, papers casefile.TaskTerms, receipts []casefile.Receipt) (casefile.Digest, casefile.Place, error) {
	if hash, ok := strings.CutPrefix(ref, receiptRef); ok {
		for _, r := range receipts {
			named, err := r.Hash()
			if err != nil {
				return casefile.Digest{}, "", err
			}
			if casefile.Digest(named).String() == hash {
				return r.Response, casefile.InData, nil
			}
		}
		return casefile.Digest{}, "", nil
	}
	part, rest, _ := strings.Cut(ref, ":")
	if where := casefile.Place(part); where == casefile.InExhibit {
		var hash casefile.Digest
		if hash.UnmarshalText([]byte(rest)) == nil {
			return hash, casefile.InExhibit, nil
		}
	} else if hash, ok := papers.Paper(where); ok {
		return hash, where, nil
	}
	return casefile.Digest{}, "", nil
}
