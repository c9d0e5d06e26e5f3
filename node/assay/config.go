package assay

import (
	"fmt"

	"ojud/config/bounds"
	"ojud/golden"
)

// Measure describes a measurement. Start from DefaultMeasure.
type Measure struct {
	// Share is the golden part of the cases, in basis points.
	Share uint16
	// Batches is how many batches there are, one after the other, and Leaves how many golden cases
	// each has.
	Batches, Leaves int
	// Rejecters always reject. Copiers vote as the court decided last. All others are right in
	// Right percent of the cases. The first judges are right ones, then come copiers, then
	// rejecters.
	Rejecters, Copiers, Right int
	// AtOnce is how many golden cases, and how many ordinary ones, run at once.
	AtOnce int
	// Seed makes the same cases and the same errors each time. Whoever knows it knows every answer.
	Seed string
}

// DefaultMeasure is a batch of 20 in a court of that many judges, of which two sevenths are blind.
func DefaultMeasure(judges int) Measure {
	return Measure{Share: 1000, Batches: 1, Leaves: 20, Rejecters: judges / 7, Copiers: judges / 7, Right: 85, AtOnce: 2, Seed: "assay"}
}

const (
	whole    = 10_000 // basis points
	maxShare = 5_000
)

// Validate returns an error that names the first wrong field, its limits and the fix.
func (c Measure) Validate(judges int) error {
	if err := bounds.Check("assay: ",
		bounds.Of("share", int(c.Share), 1, maxShare),
		bounds.Of("batches", c.Batches, 1, 1000),
		bounds.Of("leaves", c.Leaves, 2, golden.MaxLeaves),
		bounds.Of("right", c.Right, 0, 100),
		bounds.Of("at_once", c.AtOnce, 1, 16),
	); err != nil {
		return err
	}
	if c.Rejecters < 0 || c.Copiers < 0 || c.Rejecters+c.Copiers >= judges {
		return fmt.Errorf("assay: %d judges reject and %d copy, of %d; leave one at least that judges", c.Rejecters, c.Copiers, judges)
	}
	return nil
}
