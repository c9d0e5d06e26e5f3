// Package a2a serves agents by the protocol A2A 1.0 (Agent2Agent), over JSON-RPC and HTTP+JSON. It
// knows nothing of hosts or courts: a Clerk takes the orders.
//
//	New   makes a Face
//	Serve answers a request to one agent
//
// One message is one order, and becomes one task. A client that sends a message again gets the same
// task. A client that lost a stream subscribes to the task: it first gets the task with every step
// so far, then what follows. What a client sends is bounded in size, number and time. A client that
// does not read is cut off. The face asks no address that a message names: files by URL and push
// notifications are refused.
package a2a

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	sdk "github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
	sdklog "github.com/a2aproject/a2a-go/v2/log"

	"ojud/agent/face"
)

// Bounds of a Face.
const (
	maxMessage  = 1 << 20          // bytes of a request
	maxTasks    = 500              // under way
	maxSteps    = 1000             // steps of a task that are kept for clients
	maxStepped  = 256 << 10        // bytes of these steps
	maxStep     = 16 << 10         // bytes of one step
	maxShelved  = 1000             // ended tasks that are kept for a clerk that keeps none
	maxShelf    = 16 << 20         // bytes of these tasks
	maxID       = 256              // bytes of the id of a message
	maxContext  = 64               // characters of the id of a context
	maxParts    = 64               // parts of a message
	mostListed  = 100              // tasks on a page of a list
	usualListed = 50               // if the client does not say
	patience    = 30 * time.Second // for a client that does not read
	aliveTime   = 15 * time.Second // between two signs of life on a stream
)

// Errors of a Clerk that a client is told of as such. Others are internal errors.
var (
	ErrForm   = errors.New("a2a: the order cannot be used")
	ErrDenied = errors.New("a2a: the caller may not give the order")
	ErrBusy   = errors.New("a2a: too much is under way")
)

// Skill is something that an agent can be asked for. The schemas may be missing. Without Params it
// has no parameters.
type Skill struct {
	ID, Name, Description string
	Input, Output, Params json.RawMessage
}

// Forms are the schemas of a skill, by their names in the extension Schemas.
func (s Skill) Forms() map[string]json.RawMessage {
	forms := map[string]json.RawMessage{}
	for name, form := range map[string]json.RawMessage{"input": s.Input, "output": s.Output, "params": s.Params} {
		if len(form) > 0 {
			forms[name] = form
		}
	}
	return forms
}

// Portrait is what an agent says of itself.
type Portrait struct {
	Name, Description, Version string
	Skills                     []Skill
	Contexts                   bool // it takes a context, and parameters if a skill has some
}

// Errand is an order: what a client asks an agent for.
type Errand struct {
	Task  string // its id: the same message of the same caller has the same
	Skill string
	Input json.RawMessage
	// Context and Params come with the order; nil: none.
	Context, Params json.RawMessage
}

// Finish is how an order ended.
type Finish int

// The ends of orders.
const (
	Completed Finish = iota
	Failed
	Cancelled
)

// Delivery is the end of an order.
type Delivery struct {
	Finish  Finish
	Result  json.RawMessage // of a completed order
	Problem string          // of another
	Proof   map[string]any  // shows who made the result
	At      time.Time
}

// Filed is an order that ended.
type Filed struct {
	Errand
	Delivery
}

// Say tells clients of a step of the work.
type Say func(text string)

// Clerk takes the orders of one caller for one agent.
type Clerk interface {
	// Portray describes the agent. ErrForm: there is none.
	Portray(ctx context.Context) (Portrait, error)
	// Begin takes an order, or refuses it. Wait waits for its end; ctx is that of the face.
	Begin(ctx context.Context, o Errand, say Say) (wait func() Delivery, err error)
	// Withdraw ends an order under way, which then ends as cancelled.
	Withdraw(ctx context.Context, o Errand) error
}

// archive is a Clerk that keeps the orders that ended. For another one the Face keeps some.
type archive interface {
	Clerk
	// Find returns an order that ended.
	Find(ctx context.Context, task string) (Filed, bool, error)
	// Ended shows the orders that ended, the newest first, until see returns false.
	Ended(ctx context.Context, see func(Filed) bool) error
}

// Visit is a request of a caller to an agent.
type Visit struct {
	Owner string // the caller and the agent; tasks belong to an owner
	URL   string // of the agent, without a slash at the end
	Path  string // of the request below the URL
	Clerk Clerk
}

// Face serves agents.
type Face struct {
	ctx    context.Context // in which orders are done
	log    *slog.Logger
	rpc    http.Handler
	rest   http.Handler
	orders sync.WaitGroup
	// patience is how long a client may leave what it is sent unread.
	patience time.Duration

	mu    sync.Mutex
	tasks map[key]*task // under way
	shelf shelf
}

// key names a task.
type key struct{ owner, task string }

// New makes a face. Orders are done in ctx.
func New(ctx context.Context, log *slog.Logger) *Face {
	f := &Face{ctx: ctx, log: log, patience: patience, tasks: map[key]*task{}, shelf: shelf{at: map[key]int{}}}
	alive := a2asrv.WithTransportKeepAlive(aliveTime)
	f.rpc, f.rest = a2asrv.NewJSONRPCHandler((*desk)(f), alive), a2asrv.NewRESTHandler((*desk)(f), alive)
	return f
}

// Wait waits until no order is under way. Call it after the context of the face has ended.
func (f *Face) Wait() { f.orders.Wait() }

// visitKey is where a context has the visit.
type visitKey struct{}

// of returns the visit of a request.
func of(ctx context.Context) Visit {
	v, _ := ctx.Value(visitKey{}).(Visit) // Serve put it there
	return v
}

// Serve answers a request. The caller has checked who sends it.
func (f *Face) Serve(w http.ResponseWriter, r *http.Request, v Visit) {
	ctx := context.WithValue(sdklog.AttachLogger(r.Context(), f.log), visitKey{}, v)
	r = r.WithContext(ctx)
	w = face.Patient(w, f.patience)
	r.Body = http.MaxBytesReader(w, r.Body, maxMessage)
	below, isREST := strings.CutPrefix(v.Path, "/rest/")
	switch {
	case v.Path == a2asrv.WellKnownAgentCardPath:
		f.card(w, r, v)
	case v.Path == "" || v.Path == "/":
		f.rpc.ServeHTTP(w, r)
	case isREST:
		http.StripPrefix(strings.TrimSuffix(r.URL.Path, "/"+below), f.rest).ServeHTTP(w, r)
	default:
		http.NotFound(w, r)
	}
}

// card answers with the card of an agent. Its addresses are those of this face, whatever the agent
// says of itself.
func (f *Face) card(w http.ResponseWriter, r *http.Request, v Visit) {
	p, err := v.Clerk.Portray(r.Context())
	if err != nil {
		http.Error(w, "there is no such agent for this caller", http.StatusNotFound)
		return
	}
	raw, err := json.Marshal(card(p, v.URL))
	if err != nil {
		f.log.Warn("a card of an agent cannot be written", "agent", v.URL, "err", err)
		http.Error(w, "the card of the agent cannot be written", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if _, err := w.Write(raw); err != nil {
		f.log.Debug("a card was not taken", "err", err)
	}
}

// Schemas is the extension of A2A by which a card has the schemas of skills.
const Schemas = "urn:ojud:a2a:schemas"

const (
	naming = "A message has one order: one data part, or text parts. The member skill in the metadata of the message names the skill; " +
		"it may be missing if the agent has only one. Params has the JSON Schemas of what skills take and give."
	besides = " The member context there is a JSON value that tools and called agents see beside the input, and that programs of tools " +
		"may change; params has the parameters of a skill, as its schema params says; a skill without that schema has none."
	nothing = " It takes no context and no params there."
)

func card(p Portrait, url string) *sdk.AgentCard {
	c := &sdk.AgentCard{
		Name: p.Name, Description: p.Description, Version: p.Version,
		SupportedInterfaces: []*sdk.AgentInterface{
			sdk.NewAgentInterface(url+"/", sdk.TransportProtocolJSONRPC), sdk.NewAgentInterface(url+"/rest", sdk.TransportProtocolHTTPJSON),
		},
		DefaultInputModes: []string{"application/json", "text/plain"}, DefaultOutputModes: []string{"application/json", "text/plain"},
		SecuritySchemes:      sdk.NamedSecuritySchemes{"word": sdk.HTTPAuthSecurityScheme{Scheme: "Bearer", Description: "the word of this server"}},
		SecurityRequirements: sdk.SecurityRequirementsOptions{{"word": {}}},
		Skills:               []sdk.AgentSkill{},
	}
	params := map[string]any{}
	for _, s := range p.Skills {
		c.Skills = append(c.Skills, sdk.AgentSkill{ID: s.ID, Name: s.Name, Description: s.Description, Tags: []string{s.ID}})
		params[s.ID] = s.Forms()
	}
	words := naming + nothing
	if p.Contexts {
		words = naming + besides
	}
	c.Capabilities = sdk.AgentCapabilities{Streaming: true, Extensions: []sdk.AgentExtension{{URI: Schemas, Description: words, Params: params}}}
	return c
}
