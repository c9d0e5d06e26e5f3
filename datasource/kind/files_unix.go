//go:build !windows

package kind

import "syscall"

// nonBlocking keeps an open of what became a pipe in the meantime from waiting for a writer.
const nonBlocking = syscall.O_NONBLOCK
