package a2a

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/a2aproject/a2a-go/v2/a2a"
)

// The members of the metadata of a message.
const (
	skillMember   = "skill"   // names the skill
	contextMember = "context" // what tools and called agents see beside the input
	paramsMember  = "params"  // the parameters of the skill
)

// invalid is an error about what a client sent.
func invalid(format string, args ...any) error {
	return sdk.NewError(sdk.ErrInvalidParams, fmt.Sprintf(format, args...))
}

// order reads the order that a message has.
func order(v Visit, p Portrait, req *sdk.SendMessageRequest) (o Errand, err error) {
	switch m := req.Message; {
	case m == nil:
		return o, invalid("message is missing")
	case m.ID == "" || len(m.ID) > maxID:
		return o, invalid("messageId has to have 1 to %d bytes", maxID)
	case m.Role != sdk.MessageRoleUser:
		return o, invalid("role is %.40q; a client sends ROLE_USER", string(m.Role))
	case len(m.Parts) == 0 || len(m.Parts) > maxParts:
		return o, invalid("a message has 1 to %d parts", maxParts)
	case m.TaskID != "":
		return o, sdk.NewError(sdk.ErrUnsupportedOperation, "a task takes one message; send another without taskId, which begins a new task")
	case strings.ContainsFunc(m.ContextID, func(r rune) bool { return !idRune(r) }) || len(m.ContextID) > maxContext:
		return o, invalid("contextId has to have at most %d of the characters a-z A-Z 0-9 . _ : -", maxContext)
	}
	if c := req.Config; c != nil && c.PushConfig != nil {
		return o, sdk.NewError(sdk.ErrPushNotificationNotSupported, "this server sends no push notifications; subscribe to the task")
	}
	if o.Skill, err = skill(p, req); err != nil {
		return o, err
	}
	if o.Input, err = input(req.Message.Parts); err != nil {
		return o, err
	}
	if o.Context, err = beside(p, req, contextMember); err != nil {
		return o, err
	}
	if o.Params, err = beside(p, req, paramsMember); err != nil {
		return o, err
	}
	var name []byte
	for _, one := range []string{v.Owner, o.Skill, req.Message.ContextID, req.Message.ID} {
		name = fmt.Appendf(name, "%d:%s", len(one), one)
	}
	sum := sha256.Sum256(name)
	o.Task = strings.ToLower(base32.StdEncoding.EncodeToString(sum[:20]))
	if c := req.Message.ContextID; c != "" {
		o.Task = c + "~" + o.Task
	}
	return o, nil
}

func idRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._:-", r)
}

// member is a member of the metadata of a message or of its request.
func member(req *sdk.SendMessageRequest, name string) (value any, found bool) {
	if value, found = req.Message.Metadata[name]; !found {
		value, found = req.Metadata[name]
	}
	return value, found && value != nil
}

// beside returns what comes with the input of an order; nil: nothing. An agent that would drop it
// gets no such order.
func beside(p Portrait, req *sdk.SendMessageRequest, name string) (json.RawMessage, error) {
	value, found := member(req, name)
	switch {
	case !found:
		return nil, nil
	case !p.Contexts:
		return nil, invalid("metadata.%s would be dropped: this agent takes no context and no params; leave it out", name)
	}
	return json.Marshal(value)
}

// skill returns the skill that a message names.
func skill(p Portrait, req *sdk.SendMessageRequest) (string, error) {
	given, found := member(req, skillMember)
	var all []string
	for _, s := range p.Skills {
		all = append(all, s.ID)
	}
	if !found && len(all) == 1 {
		return all[0], nil
	}
	name, _ := given.(string)
	if !slices.Contains(all, name) {
		return "", invalid("name a skill in metadata.skill of the message; the agent has: %s", strings.Join(all, ", "))
	}
	return name, nil
}

// input returns the JSON value that the parts of a message are.
func input(parts sdk.ContentParts) (json.RawMessage, error) {
	var texts []string
	for _, p := range parts {
		if p == nil {
			return nil, invalid("a part of the message is null")
		}
		switch content := p.Content.(type) {
		case sdk.Text:
			texts = append(texts, string(content))
		case sdk.Data:
			if len(parts) == 1 {
				return json.Marshal(content.Value)
			}
			return nil, invalid("a message has one data part, or text parts")
		default:
			return nil, sdk.NewError(sdk.ErrUnsupportedContentType, "files are not taken, and no URL is read; send data or text")
		}
	}
	return json.Marshal(strings.Join(texts, "\n"))
}
