package model

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"ojud/agent"
)

// names converts names of tools to those of servers (1 to 64 of a-z A-Z 0-9 _ -), and back.
type names struct{ out, in map[string]string }

const maxName = 64

func newNames(tools []agent.Repr) names {
	n := names{map[string]string{}, map[string]string{}}
	for _, t := range tools {
		spelled := plainName(t.Name)
		for i := 2; n.in[spelled] != ""; i++ {
			suffix := "_" + strconv.Itoa(i)
			spelled = plainName(t.Name)
			spelled = spelled[:min(len(spelled), maxName-len(suffix))] + suffix
		}
		n.out[t.Name], n.in[spelled] = spelled, t.Name
	}
	return n
}

// spell returns the name for the server. The tool may be from earlier in the conversation.
func (n names) spell(name string) string {
	if spelled, ok := n.out[name]; ok {
		return spelled
	}
	return plainName(name)
}

// read returns the prompt's name. The caller refuses a name that the prompt does not have.
func (n names) read(spelled string) string {
	if name, ok := n.in[spelled]; ok {
		return name
	}
	return spelled
}

func plainName(name string) string {
	spelled := strings.Map(func(r rune) rune {
		if allowed(r) {
			return r
		}
		return '_'
	}, name)
	if spelled == "" {
		return "_"
	}
	return spelled[:min(len(spelled), maxName)]
}

func allowed(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-'
}

// plainID makes an id of a call that every server allows, the same for the same id.
func plainID(id string) string {
	if id != "" && len(id) <= maxName && plainName(id) == id {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return "call_" + hex.EncodeToString(sum[:12])
}
