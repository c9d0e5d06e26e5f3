package chair

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"ojud/agent/judge"
	"ojud/agent/model"
	"ojud/ledger/journal/durable"
)

// secretFile is where a recording of models keeps the secret from which the marks of its prompts follow.
const secretFile = "marks.secret"

// marks are drawn at random, unless what models say is recorded or replayed: then they follow from a secret in the recording's folder, and a replay asks
// what was asked. The secret is made with the first recording and is the owner's alone, since who knows it can forge marks.
func marks(t model.Tape, dir string) (func(judge.Brief) judge.Marks, error) {
	if t.Mode == "" {
		return judge.RandomMarks, nil
	}
	if filepath.IsAbs(t.Dir) {
		dir = ""
	}
	file := filepath.Join(dir, t.Dir, secretFile)
	secret, err := readSecret(file)
	if errors.Is(err, fs.ErrNotExist) && t.Mode == model.TapeRecord {
		secret, err = makeSecret(file)
	}
	if err != nil {
		return nil, fmt.Errorf("chair: the secret of the recording: %w", err)
	}
	return judge.SeededMarks(secret), nil
}

func readSecret(file string) (secret [32]byte, err error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return secret, err
	}
	text, err := hex.DecodeString(strings.TrimSpace(string(raw)))
	if err != nil || len(text) != len(secret) {
		return secret, fmt.Errorf("%s has no %d bytes in hex; record again into an empty folder", file, len(secret))
	}
	return [32]byte(text), nil
}

func makeSecret(file string) (secret [32]byte, err error) {
	if _, err := rand.Read(secret[:]); err != nil {
		return secret, err
	}
	if err := durable.MakeDir(filepath.Dir(file)); err != nil {
		return secret, err
	}
	return secret, durable.WriteFile(file, []byte(hex.EncodeToString(secret[:])+"\n"))
}
