//go:build !windows

package mind

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// canLimit reports whether limits can be set for a program.
func canLimit() error { return nil }

// ownGroup gives a program its own group, which is killed when the context of the command ends. It
// is that of a session without a terminal: a program that asks there fails at once, and does not
// stand still in the background.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error {
		err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		if errors.Is(err, syscall.ESRCH) {
			return os.ErrProcessDone
		}
		return err
	}
}

// killGroup kills what a program left behind.
func killGroup(pid int) {
	_ = syscall.Kill(-pid, syscall.SIGKILL) // usually the group is empty
}
