package kind

import "os/exec"

// ownGroup only sets the delay, because Windows cannot signal a process group.
func ownGroup(cmd *exec.Cmd) { cmd.WaitDelay = politeWait }

func killGroup(int) {}
