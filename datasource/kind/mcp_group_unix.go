//go:build !windows

package kind

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// ownGroup gives a process a group of its own, so that what it starts ends with it: npx starts
// node, which starts others. When the command's context ends, the group is asked to end; what is
// left after politeWait is killed.
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

// killGroup ends what is left of the group of a process that was waited for. The group's number
// cannot belong to somebody else while one of its processes lives.
func killGroup(pid int) {
	_ = syscall.Kill(-pid, syscall.SIGKILL) // usually the group is empty
}
