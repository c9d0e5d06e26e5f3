package desk

import (
	"context"
	"embed"
	"errors"
	"html/template"
	"io/fs"
	"log/slog"
	"maps"
	"net/http"
	"sync"

	"ojud/casefile/picture"
	"ojud/ledger/onchain"
	"ojud/node/client"
	"ojud/node/follow"
	"ojud/node/library"
	"ojud/node/market"
	"ojud/voting"
)

//go:embed assets
var assets embed.FS

// Needs are what a desk needs from its caller. Pages may return nothing, and Data may be nil.
type Needs struct {
	// Open connects to the court with the key of a wallet.
	Open func(ctx context.Context, key *client.Keypair) (*client.Client, error)
	// Plain writes an error for people.
	Plain func(error) string
	// Pages returns the address of the court's pages on this machine; empty: there are none.
	Pages func() string
	// Object objects to a result, and opens the sealed checks of the task.
	Object func(ctx context.Context, c *client.Client, task onchain.Address, doc library.Document, exhibits []library.Document) (client.TaskDone, error)
	Data   *Data // of a node's home that the desk manages
	Calls  Calls // of an agent host that wait for a person; nil: the desk has no agent host
	// Alone: the desk has no party, and only manages Data or Calls.
	Alone bool
	Log   *slog.Logger
}

// Desk serves the pages of one party.
type Desk struct {
	needs     Needs
	door      *door
	templates *template.Template
	files     map[string][]byte
	wallet    bool // the key is in the browser
	signing   *signing
	data      *desktop   // nil: it manages no home
	calls     *approvals // nil: it has no agent host
	live      *follow.Pages[sight]

	life context.Context // of what is under way; Close ends it
	end  context.CancelFunc

	mu     sync.Mutex
	party  *client.Client // nil: no wallet is connected
	jobs   []*job         // the newest last
	own    ownTasks
	offers openTasks
	folder folder
}

// New returns the desk of a party. If it is nil, a wallet in the browser becomes the party, unless
// the desk is Alone. Close does not close a party that is given here.
func New(party *client.Client, needs Needs) (*Desk, error) {
	style, err := picture.Assets()
	if err != nil {
		return nil, err
	}
	d := &Desk{needs: needs, door: newDoor(), party: party, wallet: party == nil && !needs.Alone, signing: newSigning(), files: map[string][]byte{}, folder: folder{documents: map[voting.Hash][]byte{}}}
	if needs.Data != nil {
		d.data = newDesktop(*needs.Data)
	}
	if needs.Calls != nil {
		d.calls = &approvals{Calls: needs.Calls, log: needs.Log}
	}
	d.offers.words = market.NewWords(func(ctx context.Context, hash voting.Hash) ([]byte, error) {
		party, err := d.who()
		if err != nil {
			return nil, err
		}
		return party.Fetch(ctx, hash)
	})
	d.live = &follow.Pages[sight]{Draw: d.draw, Idle: idleTime, Plain: needs.Plain}
	own, err := fs.Sub(assets, "assets")
	if err != nil {
		return nil, err
	}
	for name, from := range map[string]fs.FS{"style.css": style, "icon.svg": style, "live.js": style, "desk.css": own, "desk.js": own} {
		if d.files[name], err = fs.ReadFile(from, name); err != nil {
			return nil, err
		}
	}
	if d.templates, err = template.New("").Funcs(template.FuncMap{"line": picture.Line, "undecided": undecidedWords, "asker": askerWords, "date": picture.Date, "sol": onchain.SOL}).ParseFS(own, "*.html"); err != nil {
		return nil, err
	}
	d.life, d.end = context.WithCancel(context.Background())
	return d, nil
}

// Word is the password of the pages. It is new for each desk.
func (d *Desk) Word() string { return d.door.word }

// Invite returns a word that opens one session of the pages, within five minutes.
func (d *Desk) Invite() string { return d.door.invite() }

// Close ends what is under way. A transaction that was sent may still land.
func (d *Desk) Close() error {
	d.end()
	d.mu.Lock()
	party, running := d.party, d.running()
	d.mu.Unlock()
	if running != nil {
		<-running.over
	}
	if d.wallet && party != nil {
		return party.Close()
	}
	return nil
}

// Handler serves the pages.
func (d *Desk) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /login", d.login)
	mux.HandleFunc("POST /login", d.login)
	mux.HandleFunc("GET /assets/{file}", d.asset)
	pages := map[string]func(*visit) (string, any, error){"GET /job/{job}": d.progress}
	acts := map[string]func(*visit) error{}
	if d.data != nil {
		maps.Copy(pages, map[string]func(*visit) (string, any, error){"GET /sources": d.sources, "GET /sources/new": d.newSource, "GET /sources/{source}": d.source})
		maps.Copy(acts, map[string]func(*visit) error{"POST /sources/new": d.addSource, "POST /sources/try": d.try, "POST /sources/remove": d.remove, "POST /sources/ask": d.ask})
	}
	first := "/sources"
	if d.calls != nil {
		first, pages["GET /calls"], pages["GET /calls/{call}"], acts["POST /calls/{call}"] = "/calls", d.calls.list, d.calls.one, d.calls.answer
		mux.HandleFunc("GET /live/calls", d.stream("/calls"))
		mux.HandleFunc("GET /live/calls/{call}", d.stream("/calls/{call}"))
	}
	if d.needs.Alone {
		mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, first, http.StatusSeeOther) })
	} else {
		maps.Copy(pages, map[string]func(*visit) (string, any, error){
			"GET /{$}": d.home, "GET /market": d.market, "GET /new": d.blank, "GET /task/{task}": d.task, "GET /task/{task}/claim": d.offer,
		})
		mux.HandleFunc("GET /live/{$}", d.stream("/"))
		for _, path := range []string{"/market", "/task/{task}", "/task/{task}/claim"} {
			mux.HandleFunc("GET /live"+path, d.stream(path))
		}
		maps.Copy(acts, map[string]func(*visit) error{"POST /wallet": d.connect, "POST /sign": d.signed, "POST /new": d.create, "POST /do/{deed}": d.do})
	}
	mux.HandleFunc("GET /", d.inside(func(v *visit) { d.wrong(v, errNowhere) }))
	if !d.needs.Alone {
		mux.HandleFunc("GET /task/{task}/document/{hash}", d.inside(d.give))
	}
	for path, page := range pages {
		mux.HandleFunc(path, d.inside(func(v *visit) { d.show(v, http.StatusOK, page) }))
	}
	for path, act := range acts {
		mux.HandleFunc(path, d.inside(func(v *visit) {
			if err := act(v); err != nil {
				d.wrong(v, err)
			}
		}))
	}
	return d.door.outside(d.door.below(mux))
}

// who returns the party, or errNoWallet.
func (d *Desk) who() (*client.Client, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.party == nil {
		return nil, errNoWallet
	}
	return d.party, nil
}

var (
	errNoWallet = errors.New("no wallet is connected; connect one on the first page")
	errNowhere  = errors.New("there is no such page")
	errBusy     = errors.New("another step is still under way; wait for its end")
)
