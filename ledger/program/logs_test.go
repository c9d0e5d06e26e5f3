package program

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"
)

func invoke(name string, depth int) string {
	return fmt.Sprintf("Program %s invoke [%d]", pub(name), depth)
}

func success(name string) string { return fmt.Sprintf("Program %s success", pub(name)) }

func failed(name string) string {
	return fmt.Sprintf("Program %s failed: custom program error: 0x1785", pub(name))
}

// says is the line of an event that names a judge, so that the tests can tell who wrote it.
func says(judge string) string {
	return "Program data: " + base64.StdEncoding.EncodeToString(EncodeEvent(&RewardClaimed{pub(judge), 7}))
}

const consumed = "consumed 418 of 200000 compute units"

func TestEventsOfATransaction(t *testing.T) {
	ours := pub("program").String()
	for name, c := range map[string]struct {
		lines []string
		want  []string // judges of the events that count
		Log
	}{
		"one": {[]string{invoke("program", 1), says("a"), "Program " + ours + " " + consumed, success("program")}, []string{"a"}, Log{Complete: true}},
		"two instructions": {[]string{invoke("program", 1), says("a"), success("program"), invoke("program", 1), says("b"), success("program")},
			[]string{"a", "b"}, Log{Complete: true}},
		"called by another": {[]string{invoke("other", 1), says("x"), invoke("program", 2), says("a"), success("program"), says("y"), success("other")},
			[]string{"a"}, Log{Complete: true}},
		"calls another": {[]string{invoke("program", 1), says("a"), invoke("other", 2), says("x"), success("other"), says("b"), success("program")},
			[]string{"a", "b"}, Log{Complete: true}},
		"spoof by another program": {[]string{invoke("other", 1), says("x"), success("other")}, nil, Log{Complete: true}},
		"spoof before anything":    {[]string{says("x")}, nil, Log{Complete: true}},
		"spoof after the end":      {[]string{invoke("program", 1), success("program"), says("x")}, nil, Log{Complete: true}},
		"spoof of an invoke in a message": {[]string{invoke("other", 1), "Program log: " + invoke("program", 2), says("x"),
			"Program log: " + success("program"), success("other")}, nil, Log{Complete: true}},
		"spoof of an end in a message": {[]string{invoke("program", 1), invoke("other", 2), "Program log: " + success("other"), says("x"), success("other"), success("program")},
			nil, Log{Complete: true}},
		"spoof with a line break":       {[]string{invoke("other", 1), "Program log: x\n" + invoke("program", 2) + "\n" + says("x"), success("other")}, nil, Log{Complete: true}},
		"spoof in return data":          {[]string{invoke("other", 1), "Program return: " + ours + " " + invoke("program", 2), says("x"), success("other")}, nil, Log{Complete: true}},
		"truncated":                     {[]string{invoke("program", 1), says("a"), "Log truncated", says("x")}, []string{"a"}, Log{}},
		"truncation hides who wrote it": {[]string{invoke("program", 1), "Log truncated", says("x"), success("program")}, nil, Log{}},
		"truncation in a message":       {[]string{invoke("program", 1), "Program log: Log truncated", says("a"), success("program")}, []string{"a"}, Log{Complete: true}},
		"none kept":                     {nil, nil, Log{}},
		"empty":                         {[]string{}, nil, Log{Complete: true}},
		"failed":                        {[]string{invoke("program", 1), says("a"), failed("program")}, nil, Log{Complete: true, Failed: true}},
		"failed to complete": {[]string{invoke("program", 1), says("a"), "Program failed to complete: access violation", failed("program")},
			nil, Log{Complete: true, Failed: true}},
		"failed by another": {[]string{invoke("program", 1), says("a"), success("program"), invoke("other", 1), failed("other")}, nil, Log{Complete: true, Failed: true}},
		"unknown event":     {[]string{invoke("program", 1), "Program data: AAAAAAAAAAAA", success("program")}, nil, Log{Complete: true, Unknown: 1}},
		"two slices":        {[]string{invoke("program", 1), says("a") + " AAAA", success("program")}, nil, Log{Complete: true, Unknown: 1}},
		"no base64":         {[]string{invoke("program", 1), "Program data: ****", success("program")}, nil, Log{Complete: true, Unknown: 1}},
		"too long":          {[]string{invoke("program", 1), "Program data: " + strings.Repeat("A", maxEventBytes+4), success("program")}, nil, Log{Complete: true, Unknown: 1}},
		"builtin lines":     {[]string{invoke("program", 1), "Allocate: account already in use", "Transfer: insufficient lamports", "", says("a"), success("program")}, []string{"a"}, Log{Complete: true}},
	} {
		got, err := sampleProgram().Events(c.lines)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got.Complete != c.Complete || got.Failed != c.Failed || got.Unknown != c.Unknown || len(got.Events) != len(c.want) {
			t.Errorf("%s: %+v", name, got)
			continue
		}
		for i, judge := range c.want {
			if got.Events[i].(*RewardClaimed).Judge != pub(judge) {
				t.Errorf("%s: event %d is not of %s", name, i, judge)
			}
		}
	}
}

func TestLogsThatNoRuntimeWrites(t *testing.T) {
	for name, lines := range map[string][]string{
		"wrong depth":        {invoke("program", 2)},
		"depth of no number": {strings.Replace(invoke("program", 1), "[1]", "[x]", 1)},
		"wrong end":          {invoke("program", 1), success("other")},
		"end of nothing":     {success("program")},
		"no end":             {invoke("program", 1), says("a")},
		"too deep": func() (all []string) {
			for i := range maxDepth + 1 {
				all = append(all, invoke("program", i+1))
			}
			return all
		}(),
	} {
		if l, err := sampleProgram().Events(lines); !errors.Is(err, errLogs) || len(l.Events) != 0 {
			t.Errorf("%s: %v, %d events", name, err, len(l.Events))
		}
	}
}

func FuzzEvents(f *testing.F) {
	f.Add(strings.Join([]string{invoke("other", 1), invoke("program", 2), says("a"), success("program"), success("other")}, "\n"))
	f.Add(strings.Join([]string{invoke("program", 1), says("a"), "Log truncated", failed("program")}, "\n"))
	p := sampleProgram()
	id := p.ID().String()
	f.Fuzz(func(t *testing.T, lines string) {
		l, err := p.Events(strings.Split(lines, "\n"))
		if err != nil && len(l.Events) != 0 {
			t.Fatal("events although the logs are malformed")
		}
		if len(l.Events) > 0 && !strings.Contains(lines, "Program "+id+" invoke [") {
			t.Fatal("events although the program did not run")
		}
	})
}
