package spl

import (
	"crypto/sha256"
	"fmt"
	"os"
	"testing"
)

// TestELFs checks the committed programs against their committed hashes.
func TestELFs(t *testing.T) {
	t.Parallel()
	want, err := os.ReadFile("programs.sha256")
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, p := range programs() {
		elf, err := unpack(p.name, p.packed)
		if err != nil {
			t.Fatal(err)
		}
		got += fmt.Sprintf("%x  %s.so\n", sha256.Sum256(elf), p.name)
	}
	if got != string(want) {
		t.Errorf("the programs have the hashes\n%sprograms.sha256 says\n%s", got, want)
	}
}

// TestBroken is the control: a cut file is an error.
func TestBroken(t *testing.T) {
	t.Parallel()
	for _, packed := range []string{"", associatedELF[:len(associatedELF)-9], "no gzip"} {
		if _, err := unpack("ata", packed); err == nil {
			t.Errorf("%d bytes were taken for a program", len(packed))
		}
	}
}
