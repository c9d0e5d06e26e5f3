package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// group is a set of figures that one process measures. Each group has its own process, because
// memory is measured, and the remains of one group must not burden the next.
type group struct {
	figures string   // names as in docs/benchmarks.md, separated by commas
	pkg     string   // folder of the package whose test binary measures them
	args    []string // arguments of the test binary
	rows    string   // flag that names the file to which it appends lines of the table
}

// figures is a group of BenchmarkFigures in package node.
func figures(names string) group {
	return group{names, "node",
		[]string{"-test.run", "^$", "-test.bench", "Figures/" + names + "$", "-test.benchtime", "1x", "-test.timeout", "0"},
		"-figures.to"}
}

// groups returns all groups in the order of measurement. P6 has panel judges on its Roster.
func groups(panel int) []group {
	test := func(names, pkg, test, rows string, args ...string) group {
		return group{names, pkg, append([]string{"-test.run", test + "$"}, args...), rows}
	}
	return []group{
		figures("P1,P2,P4,P13,tcp"),
		figures("P1,P2,P4,P13,quic"),
		figures("P1,P2,P4,P13,memory"),
		figures("P5"),
		figures("P5,memory"),
		figures("P7"),
		figures("P7,memory"),
		figures("P8"),
		figures("P9"),
		figures("P11"),
		figures("P12"),
		figures("P15"),
		test("P3,P14", "node", "TestWide", "-figures.wide.to",
			"-test.timeout", "0", "-figures.wide", "10", "-figures.loss"),
		test("P6", "node", "TestPanel", "-figures.panel.to",
			"-test.v", "-test.timeout", "60m", "-figures.panel", strconv.Itoa(panel), "-figures.panel.cases", "1"),
		test("P8", "node", "TestFar", "-figures.far.to",
			"-test.v", "-test.timeout", "0", "-figures.far", "3"),
		test("500", "node", "TestBusy", "-figures.busy.to",
			"-test.timeout", "0", "-figures.busy", "500"),
		test("SVM", "ledger/svm/difftest/oju", "TestVotes", "-figures.to",
			"-test.timeout", "0", "-figures.votes", "50"),
		test("P10", "test/process", "TestKills", "-figures.to",
			"-test.timeout", "0", "-kills", "30", "-chainkills", "0"),
		{"cold", "test/process",
			[]string{"-test.run", "^$", "-test.bench", "Cold$", "-test.benchtime", "1x", "-test.timeout", "0"},
			"-figures.to"},
	}
}

// choose returns the groups that measure one of the named figures, or all if there are no names.
func choose(all []group, names []string) ([]group, error) {
	if len(names) == 0 {
		return all, nil
	}
	var known []string
	for _, g := range all {
		known = append(known, strings.Split(g.figures, ",")...)
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			slices.Sort(known)
			return nil, fmt.Errorf("there is no figure %q; there are: %s", name, strings.Join(slices.Compact(known), " "))
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(g group) bool {
		return !slices.ContainsFunc(strings.Split(g.figures, ","), func(f string) bool { return slices.Contains(names, f) })
	}), nil
}
