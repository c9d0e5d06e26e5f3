//go:build windows

package trader

import "os/exec"

// ownGroup leaves a program as it is: there are no groups.
func ownGroup(*exec.Cmd) {}

// endGroup does nothing.
func endGroup(*exec.Cmd) {}
