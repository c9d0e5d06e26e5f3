// Sbfguard checks built programs. If an ELF on its command line must not be shipped, it says why
// and exits with 1.
package main

import (
	"fmt"
	"os"

	"ojud/programs/oju/guard"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: sbfguard ELF...")
		os.Exit(2)
	}
	for _, path := range os.Args[1:] {
		if err := check(path); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", path, err)
			os.Exit(1)
		}
	}
}

func check(path string) error {
	elf, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return guard.Check(elf)
}
