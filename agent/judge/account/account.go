// Package account is what a judge may say of how it came to an opinion, besides the opinion: how sure it is, whether the answer hung
// on the order of the sides, what its models took. A vote needs none of it; the exam does (package exam).
//
// What a caller must do: treat it as the judge's own word. It is neither signed nor part of a case.
package account

import "ojud/agent"

// Account is of one evaluation.
type Account struct {
	// Accept is how probable the judge holds it that accept is right, 0 to 1; nil: it did not say, and a vote counts as certain.
	Accept *float64
	// Swapped counts the questions that were asked again with the two sides in the other order, Flipped those whose answer changed.
	Swapped, Flipped int
	// Down says why the judge had no answer of a model, if no model could be reached or all refused.
	// It is empty if a model answered, or if none was asked.
	Down string
	// Usage is what the models took.
	Usage agent.Usage
}
