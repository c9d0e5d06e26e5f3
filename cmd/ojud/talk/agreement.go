package talk

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"ojud/agent/talk"
	"ojud/cmd/ojud/cli"
	"ojud/cmd/ojud/view"
	"ojud/node/library"
)

// Agreements returns the group of commands about agreements.
func Agreements(a *cli.App) *cobra.Command {
	cmd := cli.Group(&cobra.Command{
		Use:   "agreement",
		Short: "Show and verify what agents agreed on and signed",
		Long: `An agreement is one file: the terms that agents accepted, two in a conversation (ojud agent talk)
or several in a meeting (ojud agent meet), and the signatures of all over the SHA-256 of the terms.
ojud dispute open --agreement takes it as the terms of a dispute. None of these commands needs a
network.`,
		Example: `  ojud agreement list --home ~/alice
  ojud agreement verify ~/alice/agreements/53a9b63f782b6e5adbe771e65cfacb2ae3c13042.json`,
	})
	cmd.AddCommand(newAgreementShow(a), newAgreementVerify(a), newAgreementList(a))
	return cmd
}

// ReadAgreement reads the file of an agreement, and checks it if verify is set.
func ReadAgreement(path string, verify bool) (out talk.Agreement, err error) {
	raw, err := library.ReadFile(path, 2*talk.MaxAgreement)
	if err != nil {
		return out, cli.Usage("%v", err)
	}
	if out, err = talk.ParseAgreement(raw); err != nil {
		return out, cli.Fail("%s: %v", path, err)
	}
	if verify {
		if err := out.Verify(); err != nil {
			return out, cli.Fail("%s does not verify: %v", path, err)
		}
	}
	return out, nil
}

func newAgreementShow(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "show FILE",
		Short: "Show the terms of an agreement and whether all signed",
		Long: `Show prints who agreed on what, and checks the signatures. --json prints the agreement itself.
The exit status is 1 if the file is no agreement.`,
		Example: `  ojud agreement show ~/alice/agreements/53a9b63f782b6e5adbe771e65cfacb2ae3c13042.json
  ojud agreement show agreement.json --json | jq .deal`,
		Args: cli.Takes(1, "a file with an agreement"),
		RunE: func(_ *cobra.Command, args []string) error {
			v, err := ReadAgreement(args[0], false)
			if err != nil {
				return err
			}
			return a.Show(v, agreementSheet(v, args[0]).Write)
		},
	}
}

func newAgreementVerify(a *cli.App) *cobra.Command {
	var ontology []string
	cmd := &cobra.Command{
		Use:   "verify FILE",
		Short: "Check that all parties signed an agreement",
		Long: `Verify checks the form of an agreement and the signatures of its parties, and nobody else's. The
exit status is 1 if a signature is missing or does not fit. It proves what they accepted, not that
anybody did it. With --ontology it also compares the deal with that vocabulary, if the agreement
names it, and says which vocabularies of the agreement it did not see.`,
		Example: `  ojud agreement verify agreement.json --ontology o.json
  ojud agreement verify agreement.json
  ojud agreement verify agreement.json --json | jq -r .hash`,
		Args: cli.Takes(1, "a file with an agreement"),
		RunE: func(cmd *cobra.Command, args []string) error {
			v, err := ReadAgreement(args[0], true)
			if err != nil {
				return err
			}
			words, err := vocabularies(cmd.Context(), ontology)
			if err != nil {
				return err
			}
			if err := words.Deal(v.Ontologies, v.Deal); err != nil {
				return cli.Fail("%s: %v", args[0], err)
			}
			unknown := words.Unknown(v.Ontologies)
			s := agreementSheet(v, args[0])
			s.Add("not seen", strings.Join(unknown, ", "))
			return a.Show(map[string]any{"hash": v.Hash(), "asker": v.Asker, "holder": v.Holder, "unknown_vocabularies": append([]string{}, unknown...)}, s.Write)
		},
	}
	cmd.Flags().StringArrayVar(&ontology, "ontology", nil, "vocabulary (a JSON Schema): https://... or FILE; may be given again")
	return cmd
}

func newAgreementList(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the agreements of the home",
		Long: `List shows the agreements that conversations of this home ended in. They are files in the folder
agreements of the home. One that is signed "by you alone" is not agreed: you accepted the terms with
your signature, and the other side has not signed, or said that it failed. It has your signature,
may sign later, and may show both in a dispute, so keep the file.`,
		Example: `  ojud agreement list --home ~/alice
  ojud agreement list --json | jq -r .file`,
		Args: cli.Takes(0),
		RunE: func(*cobra.Command, []string) error {
			home, err := a.HomeDir()
			if err != nil {
				return err
			}
			files, err := filepath.Glob(filepath.Join(home, "agreements", "*.json"))
			if err != nil {
				return err
			}
			all := []listed{}
			for _, file := range files {
				v, err := ReadAgreement(file, false)
				if err != nil {
					return err
				}
				all = append(all, listed{file, v.Hash(), v.RequestType, v.Asker, v.Holder, v.At, signed(v, file)})
			}
			return cli.List(a, all, "There is no agreement in this home.", []string{"at", "about", "asker", "holder", "signed", "file"},
				func(l listed) []string { return []string{l.At, l.About, l.Asker, l.Holder, l.Signed, l.File} })
		},
	}
}

// listed is an item of list.
type listed struct {
	File   string `json:"file"`
	Hash   string `json:"hash"`
	About  string `json:"about"`
	Asker  string `json:"asker"`
	Holder string `json:"holder"`
	At     string `json:"at"`
	Signed string `json:"signed"`
}

// signed says who signed an agreement in a file.
func signed(v talk.Agreement, file string) string {
	err := v.Verify()
	switch {
	case err == nil && len(v.Parties) > 0:
		return "by all"
	case err == nil:
		return "by both"
	case !strings.HasSuffix(file, alone):
	case len(v.Signatures) == 1 && (v.SignedBy(v.Asker) || v.SignedBy(v.Holder)):
		return "by you alone"
	}
	return fmt.Sprintf("no: %v", err)
}

func agreementSheet(v talk.Agreement, file string) (s view.Sheet) {
	s.Add("agreement", v.Hash())
	s.Add("asker", v.Asker)
	s.Add("holder", v.Holder)
	s.Add("parties", strings.Join(v.Parties, ", "))
	s.Add("at", v.At)
	s.Add("about", v.RequestType)
	s.Add("owner", v.Owner)
	s.Add("relation", v.Relation)
	s.Add("access", strings.Join(v.Access, ", "))
	s.Add("promises", strings.Join(v.Promise, ", "))
	s.Add("deal", string(v.Deal))
	s.Add("ontologies", string(v.Ontologies))
	s.Add("signed", signed(v, file))
	return s
}
