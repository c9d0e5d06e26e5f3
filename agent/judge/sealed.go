package judge

import (
	"fmt"
	"slices"

	"ojud/casefile"
	"ojud/casefile/sealed"
	"ojud/casefile/settle"
)

// opened returns a brief whose task has the programs and tests of the sealed checks that its
// creator opened, and what came of all of them.
func opened(b Brief) (Brief, sealed.Opened) {
	if !b.Task.Readable() {
		return b, sealed.Opened{}
	}
	out := sealed.Open(b.Task.Value, b.Reworks, b.Objection.Value, func(hash casefile.Digest) ([]byte, bool) {
		content, ok := b.Exhibits[[32]byte(hash)]
		return content, ok
	})
	b.Task.Value = out.Task
	return b, out
}

// unopenedAt is the finding of a sealed check that its creator did not open. The creator alone can
// open it, so that it is as if it was not demanded.
func unopenedAt(i int, why string) casefile.Finding {
	return finding(fmt.Sprintf("%sexpected[%d]", unanswered, i), casefile.Unknown, "the creator did not open this sealed check, so that it demands nothing: "+why,
		fmt.Sprintf("task:/expected/%d", i))
}

// withheld reports whether an instruction is settled by a sealed check that its creator did not
// open, and by which.
func withheld(task casefile.Task, instruction int, findings []casefile.Finding) (by string, is bool) {
	for i, k := range task.Expected {
		name := fmt.Sprintf("expected[%d]", i)
		if k.Sealed != nil && slices.Contains(settle.By(task, instruction), name) && slices.ContainsFunc(findings, func(f casefile.Finding) bool { return f.Check == unanswered+name }) {
			return name, true
		}
	}
	return "", false
}
