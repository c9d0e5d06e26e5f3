//go:build !windows

package kind

import "syscall"

// nonBlocking keeps open from waiting for a writer if the file has become a pipe meanwhile.
const nonBlocking = syscall.O_NONBLOCK
