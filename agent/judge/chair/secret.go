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

// secretFile has the secret of a recording. The marks of its prompts follow from it.
const secretFile = "marks.secret"

// marks returns the marks of prompts. They are random unless models are recorded or replayed. Then
// they follow from a secret in the recording's folder, so that a replay asks the same questions.
// The first recording makes the secret. Only the owner may read it, because anybody who knows it
// can forge marks.
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
		return secret, fmt.Errorf("%s does not hold %d bytes in hex; record again into an empty folder", file, len(secret))
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
