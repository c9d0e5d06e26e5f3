package picture

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"ojud/casefile"
	"ojud/casefile/ground"
	"ojud/casefile/runs"
	"ojud/casefile/sealed"
)

// papers reads the documents of the parties, and the subject of the task.
func papers(s Scene) (out []paper, subject string) {
	t := TermsOf(s)
	if t == nil {
		return nil, ""
	}
	words := partiesOf(s)
	var code map[string]language
	for i, d := range []struct {
		who, side string
		key       casefile.Address
		hash      casefile.Digest
		bond      casefile.Amount
	}{
		{words.Creator, "creator", t.Creator, t.TaskHash, 0},
		{words.Worker, "worker", t.Worker, t.ResultHash, 0},
		{words.Creator, "creator", t.Creator, t.ObjectionHash, t.CreatorBond},
		{words.Worker, "worker", t.Worker, t.CounterHash, t.WorkerBond},
	} {
		if t.Prepaid && d.hash == (casefile.Digest{}) {
			continue // such a dispute has no answer to an answer
		}
		p := paper{Who: d.who, Did: words.Papers[i], Class: d.side, Key: d.key.String(), Hash: d.hash.String()}
		if d.bond > 0 && !t.Prepaid {
			p.Bond = sol(uint64(d.bond))
		}
		raw, ok := content(s, d.hash)
		if p.Missing = !ok; p.Missing {
			out = append(out, p)
			continue
		}
		switch i {
		case 0:
			subject, code = p.order(raw), ordersCode(raw)
		case 1:
			p.Blocks = coded(raw, code)
		default:
			p.plead(s, raw)
		}
		out = append(out, p)
	}
	return out, subject
}

// content returns the content under a hash, and whether it is here.
func content(s Scene, hash casefile.Digest) ([]byte, bool) {
	if s.Content == nil || hash == (casefile.Digest{}) {
		return nil, false
	}
	raw, err := s.Content(hash)
	return raw, err == nil && casefile.Digest(casefile.HashOf(raw)) == hash
}

// order fills in the task, and returns its subject.
func (p *paper) order(raw []byte) string {
	doc, err := casefile.ParseTask(raw)
	if err != nil {
		p.Blocks = Passages(raw)
		return ""
	}
	for _, text := range doc.Value.Instruction {
		p.Blocks = append(p.Blocks, Passage{Text: plain(text, maxLong)})
	}
	p.Blocks = append(p.Blocks, given(doc.Value.InputData)...)
	if n := len(doc.Value.DataSources); n > 0 {
		p.Blocks = append(p.Blocks, Passage{Label: "data sources", Text: Line(strings.Join(doc.Value.DataSources, ", "))})
	}
	if n := len(doc.Value.Expected); n > 0 {
		p.Blocks = append(p.Blocks, Passage{Label: "code must find " + Count(n, "thing", "things") + " in the result", Text: expected(doc.Value.Expected), Pre: true})
		p.Blocks = append(p.Blocks, programs(doc.Value.Expected)...)
	}
	if shape := value("", doc.Value.OutputSchema); shape.Text != "{}" {
		shape.Label, shape.Pre = "the result must fit this schema (output_schema)", true
		p.Blocks = append(p.Blocks, shape)
	}
	return Line(doc.Value.Instruction[0])
}

// expected writes the checks of a task, each in a line and whole. Programs have their own passages,
// and calls and queries their own lines.
func expected(all []casefile.Check) string {
	var out strings.Builder
	for i, check := range all {
		below := ""
		if check.Program != nil && check.Program.WASI == "" {
			check.Program, below = nil, fmt.Sprintf("thing %d, decided by the program below: ", i+1)
		}
		tests := check.Tests
		if check.Tests = nil; tests != nil {
			below = fmt.Sprintf("thing %d, decided by these %s: ", i+1, triesOf(tests))
		}
		out.WriteString(below + compact(check) + "\n")
		if tests != nil {
			tries(&out, tests)
		}
	}
	return strings.TrimSuffix(out.String(), "\n")
}

// triesOf says what tests try, and in which language.
func triesOf(t *runs.Tests) string {
	switch {
	case len(t.SQL) > 0:
		return "queries in SQL"
	case len(t.Python) > 0:
		return "calls in Python"
	}
	return "calls in JavaScript"
}

// tries writes each call with what it has to return, and each query with its tables, in a line.
func tries(out *strings.Builder, t *runs.Tests) {
	for _, call := range append(t.JavaScript[:len(t.JavaScript):len(t.JavaScript)], t.Python...) {
		args := make([]string, len(call.Args))
		for i, arg := range call.Args {
			args[i] = compact(arg)
		}
		fmt.Fprintf(out, "  %s(%s) must return %s%s\n", call.Function, strings.Join(args, ", "), compact(call.Returns), runs.Within(call.Within))
	}
	for _, query := range t.SQL {
		fmt.Fprintf(out, "  %s\n", compact(query))
	}
}

// compact writes a value as JSON in a line.
func compact(value any) string {
	var out bytes.Buffer
	lines := json.NewEncoder(&out)
	lines.SetEscapeHTML(false) // a template escapes what it writes, and < is easier to read
	if err := lines.Encode(value); err != nil {
		return Line(err.Error())
	}
	return plain(strings.TrimSuffix(out.String(), "\n"), maxProgram)
}

// given shows what the creator gives the worker for the task.
func given(items []json.RawMessage) (out []Passage) {
	for i, item := range items {
		parts := Passages(item)
		if len(out)+len(parts) > maxBlocks {
			return append(out, Passage{Label: "given", Text: fmt.Sprintf("%d more things, which the case file has", len(items)-i)})
		}
		for _, b := range parts {
			b.Label = strings.TrimSpace("given " + b.Label)
			out = append(out, b)
		}
	}
	return out
}

// plead fills in an objection or its answer.
func (p *paper) plead(s Scene, raw []byte) {
	doc, err := casefile.ParseObjection(raw)
	if err != nil {
		p.Blocks = Passages(raw)
		return
	}
	p.Blocks = []Passage{{Text: plain(doc.Value.Reason, maxLong)}}
	if said := ground.Reason(doc.Value.Grounds); said != "" && said != doc.Value.Reason {
		p.Blocks = append(p.Blocks, Passage{Label: "what code compares with the result", Text: plain(said, maxLong)})
	}
	for n, e := range doc.Value.Evidence {
		one := exhibit{Text: fmt.Sprintf("%s (%d bytes)", Line(e.Name), e.Bytes)}
		if n < maxImages && e.Bytes <= maxImage {
			p.show(s, e, &one)
		}
		p.Exhibits = append(p.Exhibits, one)
	}
}

// show shows an exhibit that is here, if it is a picture or opens a sealed check.
func (p *paper) show(s Scene, e casefile.Exhibit, one *exhibit) {
	raw, here := content(s, e.SHA256)
	if !here {
		return
	}
	if i, ok := imageIn(raw); ok {
		one.Image = i.shown()
	} else if text, opens := sealed.Text(raw); opens {
		p.Blocks = append(p.Blocks, Passage{Label: "a sealed check, which the creator opened" + otherwise(s, e.SHA256), Text: plain(text, maxLong), Pre: true})
	}
}

// otherwise says of a sealed check for another result that it settles nothing.
func otherwise(s Scene, seal casefile.Digest) string {
	t := TermsOf(s)
	if t == nil {
		return ""
	}
	raw, here := content(s, t.TaskHash)
	if task, err := casefile.ParseTask(raw); here && err == nil {
		for _, k := range task.Value.Expected {
			if k.Sealed != nil && *k.Sealed == seal && k.Rework != t.Reworks {
				return "; it was sealed for " + sealed.For(k) + ", and not for this one, so that it settles nothing"
			}
		}
	}
	return ""
}
