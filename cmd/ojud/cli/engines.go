package cli

import (
	"errors"
	"strings"

	"github.com/spf13/pflag"

	"ojud/ledger/onchain"
	"ojud/node/client"
)

var (
	errUnknownOption = errors.New("it is none of agent, fee and time")
	errNothing       = errors.New("it is zero, which is no bound; leave it out")
)

// enginesVariable lists engines that a worker trusts to decide disputes, with commas between.
const enginesVariable = "OJUD_ENGINES"

// Engines are who may decide the disputes of a worker instead of the court.
type Engines struct {
	listed []string
	terms  bool
}

// Add adds the flags.
func (e *Engines) Add(flags *pflag.FlagSet) {
	flags.StringArrayVar(&e.listed, "allow-engine", nil, "accept a task that this engine decides: PROGRAM[/GROUP][:agent=ADDRESS][:fee=AMOUNT][:time=TIME] (repeat for more)")
	flags.BoolVar(&e.terms, "allow-engine-terms", false, "accept whatever fee, time and silence the terms give to an engine that is listed")
}

// Trusted returns those of the flag and of the environment.
func (e *Engines) Trusted(a *App) (all []client.Trust, err error) {
	listed := strings.FieldsFunc(a.Getenv(enginesVariable), func(r rune) bool { return r == ',' || r == ' ' })
	for _, text := range append(listed, e.listed...) {
		by, err := trust(text)
		if err != nil {
			return nil, err
		}
		by.AnyTerms = e.terms
		all = append(all, by)
	}
	return all, nil
}

// trust reads an engine, and the terms on which a worker trusts it.
func trust(text string) (t client.Trust, err error) {
	name, rest, more := strings.Cut(text, ":")
	if t.Decider, err = Engine(name); err != nil {
		return t, err
	}
	for more {
		var option string
		option, rest, more = strings.Cut(rest, ":")
		switch key, value, _ := strings.Cut(option, "="); key {
		case "agent":
			if t.Agent, err = onchain.ParseAddress(value); err == nil && t.Agent.IsZero() {
				err = errNothing
			}
		case "fee":
			var fee Amount
			err = fee.Set(value)
			t.Fee = &fee.Lamports
		case "time":
			if t.Seconds, err = seconds(value); err == nil && t.Seconds == 0 {
				err = errNothing
			}
		default:
			err = errUnknownOption
		}
		if err != nil {
			return t, Usage("%q in %q is nothing that an engine is held to: %v", option, text, err).Next(
				"write PROGRAM/GROUP, and behind it any of :agent=ADDRESS, :fee=0.01sol and :time=1d")
		}
	}
	return t, nil
}

// Engine reads who decides instead of the court.
func Engine(text string) (client.Decider, error) {
	by, err := client.ParseDecider(text)
	if err != nil {
		return by, Usage("%q is no engine", text).Next("write the address of its program, or PROGRAM/GROUP as \"ojud engine create\" prints it")
	}
	return by, nil
}
