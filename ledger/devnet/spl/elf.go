package spl

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"io"
)

var (
	//go:embed token.so.gz
	tokenELF string
	//go:embed token2022.so.gz
	token2022ELF string
	//go:embed ata.so.gz
	associatedELF string
	//go:embed memo.so.gz
	memoELF string
	//go:embed addresses.so.gz
	addressesELF string
)

// maxELF bounds what a file holds: the longest has 615,936 bytes.
const maxELF = 1 << 20

// unpack returns the ELF of a file.
func unpack(name, packed string) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader([]byte(packed)))
	if err != nil {
		return nil, fmt.Errorf("spl: %s.so.gz: %w", name, err)
	}
	elf, err := io.ReadAll(io.LimitReader(z, maxELF))
	if err != nil {
		return nil, fmt.Errorf("spl: %s.so.gz: %w", name, err)
	}
	return elf, nil
}
