// Package account describes how a judge came to an opinion: how certain it is, whether the answer
// depended on the order of the sides, and what its models cost. A vote does not need this, but the
// exam does (package exam).
//
// The caller must treat an account as the judge's own claim. It is not signed and not part of a
// case.
package account

import "ojud/agent"

// Account describes one evaluation.
type Account struct {
	// Accept is the probability that accept is right; nil: none, and a vote counts as certain.
	Accept *float64
	// Swapped counts the questions that were asked again with the sides in the other order. Flipped
	// counts those whose answer changed.
	Swapped, Flipped int
	// Down says why no model answered, if all of them were unreachable or refused. It is empty if a
	// model answered, or if none was asked.
	Down string
	// Usage is the cost of the models.
	Usage agent.Usage
}
