package view

import (
	"fmt"
	"io"
	"strings"

	"ojud/node/client"
	"ojud/node/client/compare"
)

// Report writes what the check of a case file found: the verdict about the file, the failed checks,
// the checks that could not run, the passed checks, what supports the file, and the notes.
// The name is what the report calls the case, and the path is what a command needs.
func Report(name, path string, r client.Report, court compare.Compared) func(io.Writer) error {
	return func(w io.Writer) error {
		p := &printer{w: w}
		p.verdict(name, path, r, court)
		p.checks(r)
		for _, t := range r.Testimony {
			round := ""
			if t.Round > 0 {
				round = fmt.Sprintf(" of round %d", t.Round)
			}
			p.line("%s%s: %d of %d judges signed it, with %s of %s of the stake", testifiedTo[t.Fact], round, t.Seats, t.Of,
				client.Lamports(t.Weight), client.Lamports(t.Total))
		}
		for _, panel := range r.Panels {
			p.line("votes of round %d: %s; for the earlier rounds this is the word of the exporter alone", panel.Round, panel)
		}
		p.notes(r)
		return p.err
	}
}

// testifiedTo names the facts that judges sign.
var testifiedTo = map[string]string{"open": "the opening", "draw": "the draw", "settle": "the settlement", "outcome": "the outcome"}

// printer writes escaped lines until one fails.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintln(p.w, Wrap(Escape(fmt.Sprintf(format, args...)), 0))
	}
}

func (p *printer) verdict(file, path string, r client.Report, court compare.Compared) {
	switch {
	case r.Pending():
		p.line("%s: NOT VERIFIED YET: testimony is still coming; export the case again in a minute", file)
		return
	case !r.OK():
		p.line("%s: NOT VERIFIED", file)
		return
	}
	switch {
	case court.Fault != "":
		p.line("%s: NOT VERIFIED: %s", file, court.Fault)
	case court.With != "":
		p.line("%s: verified, and the court's chain has the same verdict", file)
	default:
		p.line("%s: verified: it is consistent, but it was not compared with a court", file)
		p.line("seven judges of any roster can write such a file; compare it: ojud case verify %s --chain", path)
	}
	p.line("case %s, %s, verdict %s", r.Case, Count(r.Rounds, "round"), client.VerdictWord(r))
}

func (p *printer) checks(r client.Report) {
	var failed, passed [][]string
	for _, c := range r.Checks {
		switch c.State {
		case client.CheckFailed:
			failed = append(failed, []string{"failed", string(c.Name), c.Path + ": " + c.Detail})
		case client.CheckSkipped:
			// Skipped checks stand below the failed check that they need.
		default:
			passed = append(passed, []string{"passed", string(c.Name), looked(string(c.Name), c.Count)})
			if c.Missing > 0 {
				passed[len(passed)-1] = []string{"not in the file", string(c.Name), fmt.Sprintf("%d, and %d are not in the file", c.Count, c.Missing)}
			}
		}
	}
	for _, f := range r.Refuted {
		failed = append(failed, []string{"refuted", f.Check, f.Detail + " (whatever the judges say)"})
	}
	p.table(failed)
	var causes []string
	names := map[string][]string{}
	for _, c := range r.NotRun() {
		cause := string(c.Because)
		if names[cause] == nil {
			causes = append(causes, cause)
		}
		names[cause] = append(names[cause], string(c.Name))
	}
	for _, cause := range causes {
		p.line("not run, because %s failed: %s", cause, strings.Join(names[cause], ", "))
	}
	p.table(passed)
}

// looked says how much a check looked at.
func looked(check string, count int) string {
	switch {
	case check == "form":
		return Count(count, "byte")
	case count == 0:
		return "this case has nothing of the kind"
	}
	return Count(count, "item")
}

func (p *printer) table(rows [][]string) {
	if p.err == nil && len(rows) > 0 {
		p.err = Table(p.w, nil, rows)
	}
}

// notes writes the notes grouped by kind, each group below a line about its meaning.
func (p *printer) notes(r client.Report) {
	if len(r.Notes) == 0 {
		return
	}
	p.line("%s about parties and judges, which are not faults of the file", Count(len(r.Notes), "note"))
	written := map[string]bool{}
	for _, first := range r.Notes {
		kind := string(first.Kind)
		if written[kind] {
			continue
		}
		written[kind] = true
		p.line("%s: %s", kind, first.Kind.Meaning())
		for _, n := range r.Notes {
			if n.Kind == first.Kind {
				p.line("  %s: %s", n.Path, n.Detail)
			}
		}
	}
}
