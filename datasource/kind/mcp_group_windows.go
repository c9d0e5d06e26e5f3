package kind

import "os/exec"

// ownGroup only sets the delay, because Windows cannot signal a process group. The process itself
// is killed. Its children end when their stdin does.
func ownGroup(cmd *exec.Cmd) { cmd.WaitDelay = politeWait }

func killGroup(int) {}
