package cli

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ojud/casefile/ground"
	"ojud/node/library"
)

// ReasonFlags hold a party's reason: a file, or a text with exhibits, or a ground that code can
// compare with the result. Without any of them, a terminal is asked.
type ReasonFlags struct {
	file, reason              string
	at, kind, expected, found string
	counterexample            string
	exhibits                  []string
	cmd                       *cobra.Command
}

// Add adds the flags to a command.
func (p *ReasonFlags) Add(cmd *cobra.Command) {
	p.cmd = cmd
	cmd.Flags().StringVar(&p.reason, "reason", "", "why, in words for the judges")
	cmd.Flags().StringVar(&p.file, "file", "", `JSON file instead: {"reason": …, "evidence": […], "grounds": […]}`)
	cmd.Flags().StringArrayVar(&p.exhibits, "exhibit", nil, "file that proves it, at most 1 MiB (repeat for more)")
	cmd.Flags().StringVar(&p.kind, "kind", "", "what to compare: "+strings.Join(ground.Kinds(), ", "))
	cmd.Flags().StringVar(&p.at, "at", "", "JSON pointer to the place in the result, such as /lines/3; the whole result if not given")
	cmd.Flags().StringVar(&p.expected, "expected", "", "what should be there, as JSON; other text is taken as a string")
	cmd.Flags().StringVar(&p.found, "found", "", "what is there, as JSON or text")
	cmd.Flags().StringVar(&p.counterexample, "counterexample", "", "call on which the program at --at fails, such as 'median([4,1,2,3])', or tables for a query; --expected is what it should return")
}

// Read returns the document, and the exhibits to publish after it.
func (p *ReasonFlags) Read(parse func(string) (library.Document, error)) (library.Document, []library.Document, error) {
	if in, ok := p.cmd.InOrStdin().(*os.File); ok && p.reason == "" && p.file == "" && p.kind == "" && p.counterexample == "" && isTerminal(in) {
		if err := p.ask(in, p.cmd.ErrOrStderr()); err != nil {
			return library.Document{}, nil, err
		}
	}
	if p.counterexample != "" && p.kind == "" {
		p.kind = string(ground.Returns)
	}
	typed := p.kind != "" || p.at != "" || p.expected != "" || p.found != ""
	switch {
	case p.file != "" && (p.reason != "" || typed):
		return library.Document{}, nil, Usage("give --file, or --reason and a ground, not both")
	case typed && p.kind == "":
		return library.Document{}, nil, Usage("--at, --expected and --found need a kind").Next("give --kind, one of " + strings.Join(ground.Kinds(), ", "))
	case p.file == "" && p.reason == "" && !typed:
		return library.Document{}, nil, Usage("judges need a reason").Next("give --reason TEXT, --kind KIND or --file FILE")
	case p.file == "":
		var grounds []ground.Ground
		if typed {
			g := ground.Ground{Pointer: p.at, Kind: ground.Comparison(p.kind), Expected: ground.Literal(p.expected), Found: ground.Literal(p.found)}
			if p.counterexample != "" {
				call, err := ground.ReadCall(p.counterexample)
				if err != nil {
					return library.Document{}, nil, Usage("--counterexample %v", err)
				}
				g.Counterexample = call
			}
			grounds = append(grounds, g)
		}
		return library.WriteObjection(p.reason, p.exhibits, grounds...)
	}
	doc, err := parse(p.file)
	if err != nil {
		return library.Document{}, nil, err
	}
	content, err := Documents(p.exhibits, library.Exhibit)
	return doc, content, err
}

// ask asks a person for a reason or a ground.
func (p *ReasonFlags) ask(in io.Reader, out io.Writer) error {
	lines := bufio.NewScanner(io.LimitReader(in, 1<<16))
	for _, q := range []struct {
		text string
		to   *string
		skip func() bool
	}{
		{fmt.Sprintf("What is wrong? One of %s; or say it in words:", strings.Join(ground.Kinds(), ", ")), &p.kind, func() bool { return false }},
		{"Where? A JSON pointer into the result, such as /lines/3; nothing for the whole result:", &p.at, func() bool { return p.kind == "" }},
		{"For which call? Such as median([4,1,2,3]), or {\"people\":[{\"age\":30}]} for a query:", &p.counterexample, func() bool { return p.kind != string(ground.Returns) }},
		{"What should it be?", &p.expected, func() bool { return p.kind == "" || slices.Contains([]string{"missing", "extra", "unique"}, p.kind) }},
	} {
		if q.skip() {
			continue
		}
		if _, err := fmt.Fprint(out, q.text, " "); err != nil {
			return err
		}
		if !lines.Scan() {
			if err := lines.Err(); err != nil {
				return err
			}
			return nil // no more answers; what is missing is said
		}
		*q.to = strings.TrimSpace(lines.Text())
		if q.to == &p.kind && !slices.Contains(ground.Kinds(), p.kind) {
			p.kind, p.reason = "", p.kind
		}
	}
	return nil
}

// Documents reads files.
func Documents(paths []string, parse func(string) (library.Document, error)) (all []library.Document, err error) {
	for _, path := range paths {
		d, err := parse(path)
		if err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	return all, nil
}
