package ramdisk_test

import (
	"os"
	"testing"

	"ojud/test/ramdisk"
)

// TestDir: a folder that somebody chose is used, and any other can be written.
func TestDir(t *testing.T) {
	t.Setenv(ramdisk.Variable, "")
	file, err := os.CreateTemp(ramdisk.Dir(), "")
	if err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Error(err)
	}
	if err := os.Remove(file.Name()); err != nil {
		t.Error(err)
	}
	mine := t.TempDir()
	t.Setenv(ramdisk.Variable, mine)
	if got := ramdisk.Dir(); got != mine {
		t.Errorf("%s instead of %s", got, mine)
	}
}
