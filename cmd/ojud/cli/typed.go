package cli

import (
	"regexp"
	"strings"

	"github.com/spf13/cobra"
)

// Typed adds to each command of ojud in a text the flags that choose home, key and court as the
// user gave them, so that the command works as it stands. It leaves out a flag that the command
// does not have or has in the text.
func (a *App) Typed(text string) string {
	if a.Root == nil {
		return text
	}
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, a.Root.Name()+" ")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		cmd, words := a.Root, 0
		for _, word := range commandWord.FindAllStringIndex(rest, -1) {
			next, _, err := cmd.Find([]string{rest[word[0]:word[1]]})
			if err != nil || next == cmd || strings.Trim(rest[words:word[0]], " ") != "" {
				break
			}
			cmd, words = next, word[1]
		}
		b.WriteString(a.Root.Name() + " " + rest[:words])
		text = rest[words:]
		if words > 0 {
			b.WriteString(a.chosen(cmd, text))
		}
	}
}

// chosen returns the flags that the user gave and that a command with these arguments takes.
func (a *App) chosen(cmd *cobra.Command, arguments string) (flags string) {
	arguments, _, _ = strings.Cut(arguments, ";")
	for _, f := range []struct{ name, value string }{{"home", a.Home}, {"key", a.Key}, {"network", a.Network}} {
		if f.value != "" && !strings.Contains(arguments, "--"+f.name) && (cmd.Flags().Lookup(f.name) != nil || cmd.InheritedFlags().Lookup(f.name) != nil) {
			flags += " --" + f.name + " " + shellWord(f.value)
		}
	}
	return flags
}

var (
	commandWord = regexp.MustCompile(`[a-z-]+`)
	plainWord   = regexp.MustCompile(`^[\w@%+=:,./-]+$`)
)

// shellWord quotes a word for a shell if that is necessary.
func shellWord(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
