package webhook

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"ojud/config/bounds"
	"ojud/datasource/kind"
)

// Hooks are the settings of webhooks. Start from DefaultHooks.
type Hooks struct {
	// List names the receivers, at most 8. Each has a section [[webhooks.list]] with these
	// settings: name, url, secret, events, allow_private. docs/webhooks.md explains them.
	List []Hook `koanf:"list"`
	// Timeout bounds one attempt, from the connection to the end of the answer, 1s to 1m.
	Timeout time.Duration `koanf:"timeout"`
	// MaxWaiting bounds the notifications that wait for one receiver, 1 to 10000. If it is reached,
	// further ones are dropped, and the log says so.
	MaxWaiting int `koanf:"max_waiting"`
	// GiveUpAfter is how long a notification is tried, 1m to 720h. After that it is dropped.
	GiveUpAfter time.Duration `koanf:"give_up_after"`
}

// Hook is one receiver.
type Hook struct {
	// Name names the receiver in logs and metrics, which never show its URL.
	Name string `koanf:"name"`
	// URL is where notifications are posted. It may be a reference, such as ${env:NAME}, because
	// the URLs of some receivers are secret.
	URL string `koanf:"url"`
	// Secret refers to the secret that signs: ${env:NAME} or ${file:PATH}.
	Secret string `koanf:"secret"`
	// Events are the kinds of events to send; empty: all.
	Events []string `koanf:"events"`
	// AllowPrivate allows a receiver on this machine or in a private network, also without TLS.
	AllowPrivate bool `koanf:"allow_private"`
}

// DefaultHooks has no receivers.
func DefaultHooks() Hooks {
	return Hooks{Timeout: 10 * time.Second, MaxWaiting: 1000, GiveUpAfter: 72 * time.Hour}
}

const maxHooks = 8

// hookName fits into a file name.
var hookName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,31}$`)

// Validate names the first setting that is wrong. Its errors repeat no URL, because it may be a
// secret.
func (h Hooks) Validate() error {
	if err := bounds.Check("",
		bounds.Of("timeout", h.Timeout, time.Second, time.Minute),
		bounds.Of("max_waiting", h.MaxWaiting, 1, 10_000),
		bounds.Of("give_up_after", h.GiveUpAfter, time.Minute, 30*24*time.Hour),
	); err != nil {
		return err
	}
	if len(h.List) > maxHooks {
		return fmt.Errorf("list has %d receivers; name at most %d", len(h.List), maxHooks)
	}
	var names []string
	for i, hook := range h.List {
		if !hookName.MatchString(hook.Name) {
			return fmt.Errorf("list: receiver %d has the name %.40q; set it to 1 to 32 of a-z, 0-9 and -, not beginning with -", i+1, hook.Name)
		}
		if slices.Contains(names, hook.Name) {
			return fmt.Errorf("list: two receivers have the name %q; rename one", hook.Name)
		}
		names = append(names, hook.Name)
		if err := hook.validate(); err != nil {
			return fmt.Errorf("list: %s: %w", hook.Name, err)
		}
	}
	return nil
}

func (h Hook) validate() error {
	if _, ok := isReference(h.URL); !ok {
		if err := h.checkURL(h.URL); err != nil {
			return err
		}
	}
	if _, ok := isReference(h.Secret); !ok {
		return errors.New("secret is no reference; set it to ${env:NAME} or ${file:PATH}, because settings must not contain a secret")
	}
	for _, name := range h.Events {
		if err := bounds.Check("", bounds.OneOf("events", name, Kinds()...)); err != nil || name == "" {
			return errors.Join(err, errors.New("events names what to send; leave it out to send all"))
		}
	}
	return nil
}

// isReference returns the reference that is the whole of a text.
func isReference(text string) (kind.Reference, bool) {
	found := kind.References(text)
	if len(found) != 1 || found[0].Text != text {
		return kind.Reference{}, false
	}
	return found[0], true
}

// maxURL bounds a URL, in bytes.
const maxURL = 2048

func (h Hook) checkURL(text string) error {
	u, err := url.Parse(text)
	switch {
	case len(text) > maxURL:
		return fmt.Errorf("url has %d bytes; at most %d", len(text), maxURL)
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.Opaque != "":
		return errors.New("url is no http or https URL; set it to where the receiver takes notifications, such as \"https://hooks.example/ojud\"")
	case u.User != nil || u.Fragment != "":
		return errors.New("url has a user name or a fragment; remove it, because notifications are signed")
	case u.Scheme == "http" && !h.AllowPrivate:
		return errors.New("url would send notifications unencrypted; use https, or set allow_private = true if the receiver is on this machine or in a private network")
	}
	return nil
}

// wants reports whether the receiver gets events of a kind.
func (h Hook) wants(name string) bool {
	return len(h.Events) == 0 || slices.Contains(h.Events, name)
}

// Host is where the receiver is, without the parts of the URL that may be secret.
func (h Hook) Host() string {
	if _, ok := isReference(h.URL); ok {
		return h.URL
	}
	u, err := url.Parse(h.URL)
	if err != nil {
		return ""
	}
	return strings.ToValidUTF8(u.Scheme+"://"+u.Host, "")
}
