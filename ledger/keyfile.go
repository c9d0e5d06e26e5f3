package ledger

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// LoadOrCreateKeypair loads a key file, or creates it if there is none, and says which. Two processes that create it at once end
// with the same key.
func LoadOrCreateKeypair(path string) (k *Keypair, created bool, err error) {
	k, err = LoadKeypair(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return k, false, err
	}
	k, err = CreateKeypair(path)
	if errors.Is(err, fs.ErrExist) {
		k, err = LoadKeypair(path)
		return k, false, err
	}
	return k, err == nil, err
}

// LoadKeypair reads a key file as solana-keygen writes it (id.json). The error wraps fs.ErrNotExist if there is none,
// ErrKeyFileMode if anyone but the owner may read or write it, and ErrKeyFile if it holds no keypair.
func LoadKeypair(path string) (*Keypair, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("ledger: key file: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("ledger: key file: %w", err)
	}
	if err := checkMode(path, info); err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(f, MaxKeyFile+1))
	if err != nil {
		return nil, fmt.Errorf("ledger: key file: %w", err)
	}
	k, err := ParseKeypair(text)
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, path)
	}
	return k, nil
}

func checkMode(path string, info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%w: %s is no regular file", ErrKeyFile, path)
	}
	if mode := info.Mode().Perm(); runtime.GOOS != "windows" && mode&0o077 != 0 {
		return fmt.Errorf("%w: %s has mode %04o; run: chmod 600 %s", ErrKeyFileMode, path, mode, path)
	}
	return nil
}

// CreateKeypair makes a new key and writes it to path with mode 0600. The file appears whole or not at all, survives a power cut, and
// never replaces one that is there: then the error wraps fs.ErrExist.
func CreateKeypair(path string) (*Keypair, error) {
	k, err := NewKeypair(rand.Reader)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("ledger: folder of the key file: %w", err)
	}
	if err := createFile(path, k.text()); err != nil {
		return nil, fmt.Errorf("ledger: creating key file: %w", err)
	}
	return k, nil
}

// createFile links a synced temporary file to its name, which fails if the name is taken, and syncs the folder.
func createFile(path string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*") // O_EXCL, mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Link(f.Name(), path)
	}
	return errors.Join(err, os.Remove(f.Name()), syncFolder(filepath.Dir(path)))
}

// syncFolder makes a new name survive a power cut. Windows has no such thing for folders.
func syncFolder(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
