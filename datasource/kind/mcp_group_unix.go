//go:build !windows

package kind

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// ownGroup gives a process its own group, so that its children end with it: npx starts node, which
// starts others. When the command's context ends, the group gets a signal to end. After politeWait
// the rest is killed.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = politeWait
	cmd.Cancel = func() error {
		err := syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM)
		if errors.Is(err, syscall.ESRCH) {
			return os.ErrProcessDone
		}
		return err
	}
}

// killGroup kills the rest of a group, whose number is its own while one process lives.
func killGroup(pid int) {
	_ = syscall.Kill(-pid, syscall.SIGKILL) // usually the group is empty
}
