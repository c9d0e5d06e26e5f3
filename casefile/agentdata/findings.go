package agentdata

import (
	"fmt"
	"strings"

	"ojud/casefile"
	"ojud/voting"
)

// Findings lets a judge read the data that a task names, at most eight accounts of them. Ask asks
// Source, and returns the answer with its receipt. The findings decide nothing: they say what was
// read, and what it is worth. Class is the prefix of their names.
func Findings(task casefile.Task, done Work, class string, ask func(request []byte) (content []byte, receipt voting.Hash, err error)) (out []casefile.Finding) {
	for i, at := range named(task) {
		f := casefile.Finding{Check: fmt.Sprintf("%spda[%d]", class, i), Outcome: casefile.Unknown, Evidence: []string{"task:/pda"}}
		if i == maxRead {
			f.Detail = fmt.Sprintf("the task names more data than the %d accounts that a judge reads", maxRead)
			return append(out, f)
		}
		var content []byte
		var receipt voting.Hash
		asked, err := request(at)
		if err == nil {
			content, receipt, err = ask(asked)
		}
		var a Reading
		if err == nil {
			f.Evidence = append(f.Evidence, "receipt:"+casefile.Digest(receipt).String())
			a, err = ParseReading(content, at)
		}
		ruling := done.Rule(task, a)
		switch {
		case err != nil:
			f.Detail = fmt.Sprintf("the data %s could not be read: %s", at, strings.ToValidUTF8(fmt.Sprintf("%.300s", err), "?"))
		case ruling.Why != "":
			f.Detail = fmt.Sprintf("the data %s of %s decides nothing: %s", a.Name, a.Owner, ruling.Why)
		case a.Kept():
			f.Outcome, f.Detail = casefile.Pass, fmt.Sprintf("read what the task names as the data %s, from somebody who kept it: %d bytes, sha256 %s; the account has other bytes now, or none", at, a.Bytes, a.SHA256)
		case a.Private:
			f.Detail = fmt.Sprintf("the data %s of %s is private, so that its %d bytes are not known here; sha256 %s", a.Name, a.Owner, a.Bytes, a.SHA256)
		default:
			f.Outcome, f.Detail = casefile.Pass, fmt.Sprintf("read the data %s of %s: %d bytes, sha256 %s", a.Name, a.Owner, a.Bytes, a.SHA256)
			if _, pinned := Pin(task, at); pinned {
				f.Detail += ", as the task says"
			}
		}
		out = append(out, f)
	}
	return out
}
