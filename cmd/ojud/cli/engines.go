package cli

import (
	"strings"

	"github.com/spf13/pflag"

	"ojud/node/client"
)

// enginesVariable lists engines that a worker trusts to decide disputes, with commas between.
const enginesVariable = "OJUD_ENGINES"

// Engines are who may decide the disputes of a worker instead of the court.
type Engines struct{ listed []string }

// Add adds the flag.
func (e *Engines) Add(flags *pflag.FlagSet) {
	flags.StringArrayVar(&e.listed, "allow-engine", nil, "accept a task that this engine decides: PROGRAM or PROGRAM/GROUP (repeat for more)")
}

// Trusted returns those of the flag and of the environment.
func (e *Engines) Trusted(a *App) (all []client.Decider, err error) {
	listed := strings.FieldsFunc(a.Getenv(enginesVariable), func(r rune) bool { return r == ',' || r == ' ' })
	for _, text := range append(listed, e.listed...) {
		by, err := Engine(text)
		if err != nil {
			return nil, err
		}
		all = append(all, by)
	}
	return all, nil
}

// Engine reads who decides instead of the court.
func Engine(text string) (client.Decider, error) {
	by, err := client.ParseDecider(text)
	if err != nil {
		return by, Usage("%q is no engine", text).Next("write the address of its program, or PROGRAM/GROUP as \"ojud engine create\" prints it")
	}
	return by, nil
}
