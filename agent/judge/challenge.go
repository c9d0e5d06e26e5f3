package judge

import (
	"bytes"
	"errors"

	"ojud/casefile"
	"ojud/golden"
	"ojud/golden/generator"
)

// challenged decides a task that asks whether a leaf is false (ADR 0037). Code runs the generator.
// Nothing else counts, not even that a party withholds its paper: both may be one person, and the
// program reads only hashes.
func challenged(b Brief) (out []casefile.Finding, ok bool) {
	leaf, asks := golden.Asked(b.Task.Raw)
	denies, outcome, detail := bytes.Equal(b.Result.Raw, golden.Denial()), casefile.Fail, ""
	switch {
	case !asks && denies && b.Task.Err != nil:
		detail = "the result calls a leaf false, but nobody shows which; the worker must make the task available"
	case !asks:
		return nil, false
	case !denies && !bytes.Equal(b.Result.Raw, golden.Affirmation()):
		detail = "nobody shows a result that says whether the leaf is false"
	default:
		_, err := generator.Verify(leaf)
		if detail = "the leaf is what its generator makes from its seed"; err != nil {
			detail = err.Error()
		}
		if isFalse := errors.Is(err, generator.ErrFalse); err != nil && !isFalse {
			outcome, detail = casefile.Unknown, "this judge cannot run the generator of the leaf: "+detail
		} else if isFalse == denies {
			outcome = casefile.Pass
		}
	}
	return []casefile.Finding{finding(specification+"leaf", outcome, detail, "task:", "result:")}, true
}
