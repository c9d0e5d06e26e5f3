// Package ramdisk keeps the temporary files of tests in memory. A court syncs its disks often, and
// on fake time everything waits for that. A test that is about a disk makes one of its own.
package ramdisk

import (
	"os"

	"ojud/ledger/journal/durable"
)

// Variable is the environment variable with the folder of temporary files. If it is set, the tests
// use that folder.
const Variable = "TMPDIR"

// dir is a folder in memory on Linux. Containers often have one that is too small.
const (
	dir   = "/dev/shm"
	least = 4 << 30
)

// Dir returns the folder for the temporary files of tests: in memory if there is enough of it.
func Dir() string {
	if given := os.Getenv(Variable); given != "" {
		return given
	}
	if free, err := durable.Free(dir); err != nil || free < least {
		return os.TempDir()
	}
	return dir
}
