package delegation

import (
	"fmt"
	"regexp"
	"strings"
)

// maxCommand bounds a command, in bytes.
const maxCommand = 128

// commandForm is the form of a command: "/", or lower-case segments.
var commandForm = regexp.MustCompile(`^(/|(/[a-z0-9_-]+)+)$`)

// ParseCommand reads a command such as /github/issues/list. It also reads the form of capabilities,
// github.issues.list, with an optional colon before it; github.* is everything below github. The
// command "/" (or "*") is everything.
func ParseCommand(text string) (string, error) {
	command := text
	if !strings.HasPrefix(command, "/") {
		command = strings.TrimPrefix(command, ":")
		command = "/" + strings.ReplaceAll(strings.TrimSuffix(strings.TrimSuffix(command, "*"), "."), ".", "/")
	}
	if len(command) > maxCommand || !commandForm.MatchString(command) {
		return "", fmt.Errorf("%.140q is not a command of at most %d characters, such as /github/issues/list or github.issues.*: segments have a-z, 0-9, _ and -", text, maxCommand)
	}
	return command, nil
}

// covers reports whether a command is another or stands above it.
func covers(above, command string) bool {
	return above == "/" || above == command || strings.HasPrefix(command, above+"/")
}

// covered reports whether one of many commands covers a command.
func covered(many []string, command string) bool {
	for _, above := range many {
		if covers(above, command) {
			return true
		}
	}
	return false
}

// common returns the deepest command that covers all.
func common(commands []string) string {
	if len(commands) == 0 {
		return "/"
	}
	above := commands[0]
	for !covers(above, commands[0]) || !coversAll(above, commands) {
		cut := strings.LastIndexByte(above, '/')
		if cut <= 0 {
			return "/"
		}
		above = above[:cut]
	}
	return above
}

func coversAll(above string, commands []string) bool {
	for _, c := range commands {
		if !covers(above, c) {
			return false
		}
	}
	return true
}
