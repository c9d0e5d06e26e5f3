package status

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"ojud/casefile"
	"ojud/ledger/onchain"
	"ojud/ledger/program"
	"ojud/node/market"
	"ojud/p2p/directory"
	"ojud/voting"
)

const (
	maxListed = 100 // agents, tasks or sources in one answer
	maxSought = 200 // bytes of a skill, a name or words
)

// narrowed reads what a request for a list asks for: the named texts and the limit.
func (a *API) narrowed(w http.ResponseWriter, query url.Values, names ...string) (texts []string, most int, ok bool) {
	for _, name := range names {
		text := query.Get(name)
		if len(text) > maxSought {
			a.refuse(w, http.StatusBadRequest, fmt.Sprintf("%s has %d bytes; at most %d", name, len(text), maxSought))
			return nil, 0, false
		}
		texts = append(texts, text)
	}
	limit := cmp.Or(query.Get("limit"), strconv.Itoa(maxListed))
	most, err := strconv.Atoi(limit)
	if err != nil || most < 1 || most > maxListed {
		a.refuse(w, http.StatusBadRequest, fmt.Sprintf("limit is %.20q; give a number from 1 to %d", limit, maxListed))
		return nil, 0, false
	}
	return texts, most, true
}

// openTask is a task that is not over.
type openTask struct {
	Task      string   `json:"task"`
	Status    string   `json:"status"`
	Subject   string   `json:"subject"`          // the creator's words; empty: its document is not here
	Price     uint64   `json:"price"`            // lamports: of the claim, or what a claim gets now
	Tokens    *beside  `json:"tokens,omitempty"` // beside the price
	Creator   string   `json:"creator"`
	Worker    string   `json:"worker,omitempty"`
	Engine    string   `json:"engine,omitempty"` // which decides instead of the court
	Sources   []string `json:"data_sources"`
	ClaimBy   int64    `json:"claim_by"` // Unix seconds
	Deadline  int64    `json:"deadline"` // of the present step, Unix seconds; 0: it has none
	CreatedAt int64    `json:"created_at"`
}

// beside is tokens that a creator put beside a reward.
type beside struct {
	Mint      string `json:"mint"`
	Amount    string `json:"amount"`            // of whole tokens
	Freezable bool   `json:"freezable"`         // somebody can freeze accounts of the mint
	Refused   string `json:"refused,omitempty"` // why the mint is not safe
}

// taskList is the answer to GET /v1/tasks.
type taskList struct {
	Now   int64      `json:"now"`   // the chain's time, Unix seconds
	Tasks []openTask `json:"tasks"` // newest first
	Found int        `json:"found"` // tasks that fit, listed or not
}

// serveTasks is GET /v1/tasks?q=WORDS&status=STATUS&source=NAME&limit=N.
func (a *API) serveTasks(w http.ResponseWriter, r *http.Request) {
	texts, most, ok := a.narrowed(w, r.URL.Query(), "q", "status", "source")
	if !ok {
		return
	}
	m, err := a.d.Market.Latest(r.Context())
	if err != nil {
		a.refuse(w, http.StatusBadGateway, err.Error())
		return
	}
	out := taskList{Now: m.Now, Tasks: []openTask{}}
	for _, o := range m.Offers {
		if !o.Has(texts[0]) || texts[1] != "" && o.Terms.Status.String() != texts[1] || texts[2] != "" && !slices.Contains(o.Sources, texts[2]) {
			continue
		}
		if out.Found++; len(out.Tasks) < most {
			out.Tasks = append(out.Tasks, openTaskOf(o))
		}
	}
	a.reply(w, http.StatusOK, out)
}

func openTaskOf(o market.Listing) openTask {
	named := func(key onchain.Address) string {
		if key.IsZero() {
			return ""
		}
		return key.String()
	}
	var tokens *beside
	if p := o.Pledge; p != nil {
		tokens = &beside{p.Mint.String(), p.Amount, p.Freezable, p.Refused}
	}
	return openTask{
		Tokens: tokens, Task: casefile.Address(o.Task).String(), Status: o.Terms.Status.String(), Subject: o.Subject, Price: o.Price, Creator: named(o.Terms.Creator), Worker: named(o.Terms.Worker),
		Engine: named(o.Terms.Engine), Sources: append([]string{}, o.Sources...), ClaimBy: o.Terms.ClaimBy, Deadline: o.Terms.Deadline, CreatedAt: o.Terms.CreatedAt,
	}
}

// offered is data that nodes of the court announce.
type offered struct {
	Source string   `json:"source"`
	Staked int      `json:"staked"` // active judges that announce it
	Judges []string `json:"judges"` // who they are
	Others int      `json:"others"` // further nodes, which risk nothing
}

// sourceList is the answer to GET /v1/sources.
type sourceList struct {
	Sources []offered `json:"sources"` // those with the most staked holders first
	Found   int       `json:"found"`   // sources that fit, listed or not
}

// serveSources is GET /v1/sources?q=WORD&limit=N.
func (a *API) serveSources(w http.ResponseWriter, r *http.Request) {
	texts, most, ok := a.narrowed(w, r.URL.Query(), "q")
	if !ok {
		return
	}
	roster := a.d.Reporter.Roster
	active := func(n directory.Announcement) bool {
		key, err := casefile.ParseAddress(n.Authority)
		if err != nil {
			return false
		}
		entry, on := roster.Entry(voting.Key(key))
		return on && entry.State == program.EntryActive && roster.Staked(n)
	}
	all := offers(a.d.Reporter.Host.Directory().Judges(), active, texts[0])
	a.reply(w, http.StatusOK, sourceList{all[:min(len(all), most)], len(all)})
}

// offers counts who announces each source whose name contains a word.
func offers(judges []directory.Judge, staked func(directory.Announcement) bool, word string) []offered {
	named := map[string]*offered{}
	for _, j := range judges {
		for _, s := range j.Sources {
			if !strings.Contains(s.Name, strings.ToLower(word)) {
				continue
			}
			if named[s.Name] == nil {
				named[s.Name] = &offered{Source: s.Name, Judges: []string{}}
			}
			if o := named[s.Name]; staked(j.Announcement) {
				o.Staked, o.Judges = o.Staked+1, append(o.Judges, j.Authority)
			} else {
				o.Others++
			}
		}
	}
	out := make([]offered, 0, len(named))
	for _, o := range named {
		slices.Sort(o.Judges)
		out = append(out, *o)
	}
	slices.SortFunc(out, func(a, b offered) int {
		return cmp.Or(cmp.Compare(b.Staked, a.Staked), cmp.Compare(b.Others, a.Others), cmp.Compare(a.Source, b.Source))
	})
	return out
}
