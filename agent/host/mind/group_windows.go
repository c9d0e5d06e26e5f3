package mind

import (
	"errors"
	"fmt"
	"os/exec"
)

// canLimit reports whether limits can be set for a program.
func canLimit() error {
	return fmt.Errorf("limits of processor time and memory cannot be set on Windows: %w", errors.ErrUnsupported)
}

func ownGroup(*exec.Cmd) {}

func killGroup(int) {}
