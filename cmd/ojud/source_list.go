package main

import (
	"github.com/spf13/cobra"

	"ojud/node/shelf"
)

func newSourceList(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the data sources of the home",
		Long: `List prints the sources that the home has, with --json one object a line. A source whose file cannot be used is listed with what
is wrong, and the exit status is 1: a running node keeps the version before it.`,
		Example: `  ojud source list
  ojud source list --json`,
		Args: takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := a.shelf(cmd.Context())
			if err != nil {
				return err
			}
			all, err := s.List()
			if err != nil {
				return err
			}
			header := []string{"SOURCE", "KIND", "PRICE", "RATE", "WHO", "WHAT"}
			err = list(a, all, "there is no source; add one with: ojud source add", header, func(v shelf.Line) []string {
				if !v.OK {
					return []string{v.Name, "-", "-", "-", "-", "CANNOT BE USED: " + v.Problem}
				}
				return []string{v.Name, v.Kind, priceText(uint64(v.Price)), v.Rate, v.Who, short(v.Description)}
			})
			for _, v := range all {
				if !v.OK && err == nil {
					err = fail("%s: %s", v.File, v.Problem).next("mend the file, or: ojud source remove " + v.Name)
				}
			}
			return err
		},
	}
}

// short is the beginning of a text.
func short(text string) string {
	const most = 60
	letters := []rune(text)
	if len(letters) <= most {
		return text
	}
	return string(letters[:most]) + "…"
}
