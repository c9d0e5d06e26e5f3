package console

import (
	"context"
	"log/slog"
	"net/http"

	"ojud/casefile"
	"ojud/casefile/picture"
	"ojud/casefile/verify"
	"ojud/ledger/law"
	"ojud/node/agents"
	"ojud/node/brainview"
	"ojud/node/market"
	"ojud/node/status"
	"ojud/voting"
)

// Player serves the pages of the replay of a case file.
type Player struct {
	console *Console
	replay  *picture.Replay
}

// Around is what is known of the page that a case file was in.
type Around = picture.Around

// Play returns the pages of the replay of a case file, and verifies it. See picture.Open. Around is
// what is known of the page that the file was in; nil: it was in none.
func Play(file []byte, name string, around *Around, log *slog.Logger) (*Player, error) {
	r, err := picture.Open(file, name)
	if err != nil {
		return nil, err
	}
	r.Served = true
	if around != nil {
		r.Found(*around)
	}
	r.Settle(verify.File(file))
	return &Player{New(nowhere{}, log), r}, nil
}

// Handler serves the replay.
func (p *Player) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", p.console.guard(p.page))
	mux.HandleFunc("GET /frame", p.console.guard(p.frame))
	mux.HandleFunc("GET /assets/{file}", p.console.guard(p.console.asset))
	mux.HandleFunc("GET /", p.console.guard(missing(p.console)))
	return mux
}

func (p *Player) page(w http.ResponseWriter, r *http.Request) {
	p.console.whole(w, "replay", p.replay.At(step(r, p.replay)), frame{Title: "Replay of case " + picture.Short(p.replay.Task()), Replay: true})
}

// frame serves what is inside the page of a step, for the script.
func (p *Player) frame(w http.ResponseWriter, r *http.Request) {
	p.console.part(w, "replay", p.replay.At(step(r, p.replay)))
}

// nowhere is the Scenery of a Player, which has no node.
type nowhere struct{}

func (nowhere) Court() Court                            { return Court{} }
func (nowhere) Case(voting.Key) (picture.Scene, error)  { return picture.Scene{}, casefile.ErrNoCase }
func (nowhere) Glance(voting.Key) (picture.Scene, bool) { return picture.Scene{}, false }
func (nowhere) Export(context.Context, voting.Key) (file []byte, missing []voting.Hash, err error) {
	return nil, nil, casefile.ErrNoCase
}
func (nowhere) Still() string                                              { return "" }
func (nowhere) Claims() map[string][]string                                { return nil }
func (nowhere) Changed() <-chan struct{}                                   { return nil }
func (nowhere) Findings(context.Context) (all []status.Finding, err error) { return nil, nil }
func (nowhere) Market(context.Context) (out market.Market, err error)      { return out, nil }
func (nowhere) Brain() Thoughts                                            { return (*brainview.TaskReader)(nil) }
func (nowhere) Requests(context.Context) (all []DataRequest, err error)    { return nil, nil }
func (nowhere) Agents(context.Context) (d agents.Directory, err error)     { return d, nil }
func (nowhere) Rules(context.Context) (*law.Rules, error)                  { return nil, casefile.ErrNoCase }
