package config

import (
	"fmt"
	"path/filepath"
)

// Environment variables that are not settings. Each stands for a flag of the command line.
const (
	homeVariable    = "OJUD_HOME"    // --home
	NetworkVariable = "OJUD_NETWORK" // --network
	KeyVariable     = "OJUD_KEY"     // --key
)

// Home finds the node's directory: the --home flag, $OJUD_HOME, $XDG_DATA_HOME/ojud,
// ~/.local/share/ojud. getenv is os.Getenv.
func Home(flag string, getenv func(string) string) (string, error) {
	if flag != "" {
		return filepath.Abs(flag)
	}
	if home := getenv(homeVariable); home != "" {
		return filepath.Abs(home)
	}
	// The XDG specification tells programs to ignore a path that is not absolute.
	if data := getenv("XDG_DATA_HOME"); filepath.IsAbs(data) {
		return filepath.Join(data, "ojud"), nil
	}
	if user := getenv("HOME"); user != "" {
		return filepath.Join(user, ".local", "share", "ojud"), nil
	}
	return "", fmt.Errorf("%w: there is no home: set --home DIR or %s", errConfig, homeVariable)
}
