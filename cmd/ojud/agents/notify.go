package agents

import (
	"log/slog"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"ojud/agent/host"
	"ojud/cmd/ojud/cli"
	"ojud/node/webhook"
)

// receiver is who is told that a call waits for a person.
type receiver struct{ url, secret string }

// sender opens the way to the receiver; without one, its sender tells nobody.
func (r receiver) sender(dir string, a *cli.App, log *slog.Logger) (*webhook.Sender, error) {
	hooks := webhook.DefaultHooks()
	hooks.GiveUpAfter = 15 * time.Minute // then the call is refused
	if r.url != "" {
		hooks.List = []webhook.Hook{{Name: "person", URL: r.url, Secret: "${file:" + r.secret + "}", AllowPrivate: strings.HasPrefix(r.url, "http:")}}
	}
	if err := hooks.Validate(); err != nil {
		return nil, cli.Usage("--notify: %v", err)
	}
	s, err := webhook.NewSender(hooks, webhook.Parts{Dir: dir, Transport: a.Transport, LookupEnv: a.LookupEnv, Log: log, Metrics: prometheus.NewRegistry()})
	if err != nil {
		return nil, cli.Fail("%v", err)
	}
	return s, nil
}

// waits says that a call waits at a home, without its payload: a stranger may have written that.
func waits(log *slog.Logger, s *webhook.Sender, home string) func(host.Invocation) {
	return func(c host.Invocation) {
		log.Warn("a call waits for you; answer it on the page of: ojud agents page --home "+home, "call", c.ID, "target", c.Target.String())
		s.Tell(webhook.Notification{
			ID: webhook.IDOf(webhook.ApprovalWaits, c.ID), Kind: webhook.ApprovalWaits,
			Details: webhook.Details{Name: c.Target.String(), Text: "A call of " + c.Target.String() + " waits for you for at most 15 minutes. Answer it on the page of: ojud agents page. Or see it with: ojud agent delegation waiting " + c.ID},
		})
	}
}
