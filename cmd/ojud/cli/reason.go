package cli

import (
	"github.com/spf13/cobra"

	"ojud/node/library"
)

// ReasonFlags hold a party's reason: a file, or a text with exhibits.
type ReasonFlags struct {
	file, reason string
	exhibits     []string
}

// Add adds the flags to a command.
func (p *ReasonFlags) Add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&p.reason, "reason", "", "why, in words for the judges")
	cmd.Flags().StringVar(&p.file, "file", "", `JSON file instead: {"reason": …, "evidence": […]}`)
	cmd.Flags().StringArrayVar(&p.exhibits, "exhibit", nil, "file that proves it, at most 1 MiB (repeat for more)")
}

// Read returns the document, and the exhibits to publish after it.
func (p *ReasonFlags) Read(parse func(string) (library.Document, error)) (library.Document, []library.Document, error) {
	switch {
	case p.file != "" && p.reason != "":
		return library.Document{}, nil, Usage("give --reason or --file, not both")
	case p.file == "" && p.reason == "":
		return library.Document{}, nil, Usage("judges need a reason").Next("give --reason TEXT or --file FILE")
	case p.reason != "":
		return library.WriteObjection(p.reason, p.exhibits)
	}
	doc, err := parse(p.file)
	if err != nil {
		return library.Document{}, nil, err
	}
	content, err := Documents(p.exhibits, library.Exhibit)
	return doc, content, err
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
