package kind

import "os/exec"

// ownGroup: Windows has no process groups that can be signalled. The process itself is killed; its
// children end when their stdin does.
func ownGroup(cmd *exec.Cmd) { cmd.WaitDelay = politeWait }

func killGroup(int) {}
