package megabrain

import (
	"context"
	"fmt"

	"ojud/casefile/canon"
	"ojud/megabrain/arbiter"
	"ojud/megabrain/finding"
	"ojud/node/client/fit"
)

// Sound says what is wrong with a question that is a task of the court, so that judges would make
// none of its checks. The right result of a golden task has to pass all of them; without one, it
// is nil.
func Sound(ctx context.Context, question string, answer []byte) error {
	task, checked, err := arbiter.Checked(question)
	if err != nil || !checked || answer == nil {
		return err
	}
	right, err := canon.JSON(answer, finding.MaxResult)
	if err == nil {
		err = fit.Example(ctx, task.Raw, right)
	}
	if err != nil {
		return fmt.Errorf("megabrain: the right result and the checks of the question: %w", err)
	}
	return nil
}
