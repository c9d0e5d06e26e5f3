package process

import (
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// becomeProgram replaces this process by the program. A seccomp filter survives that.
func becomeProgram() error {
	return unix.Exec(os.Getenv(binaryVar), os.Args, os.Environ())
}

// loseSyncs checks noSyncs. If it is set, the kernel answers every fsync, fdatasync and msync of
// this process with success but does nothing, like a disk that lies. It is the control of the power
// cuts, and needs no switch in the product.
func loseSyncs() {
	if os.Getenv(noSyncs) != "1" {
		return
	}
	const allow, pretend = 0x7fff0000, 0x00050000 // SECCOMP_RET_ALLOW, SECCOMP_RET_ERRNO with 0
	calls := []uint32{unix.SYS_FSYNC, unix.SYS_FDATASYNC, unix.SYS_MSYNC}
	filter := []unix.SockFilter{{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS}} // the number of the call
	for i, call := range calls {
		filter = append(filter, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jt: uint8(len(calls) - i), K: call})
	}
	filter = append(filter, unix.SockFilter{Code: unix.BPF_RET, K: allow}, unix.SockFilter{Code: unix.BPF_RET, K: pretend})
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
	if err == nil {
		if _, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&program))); errno != 0 {
			err = errno
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "syncs cannot be lost here:", err)
		os.Exit(4)
	}
}
