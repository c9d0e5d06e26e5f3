package desk

import (
	"context"
	"crypto/rand"
	"net/http"
	"time"

	"ojud/node/client"
)

// The limits of what is under way.
const (
	jobTime = 5 * time.Minute
	maxJobs = 32 // that are remembered
)

// job is a step of the party that is under way or over. A desk does one at a time.
type job struct {
	ID, What string
	over     chan struct{} // closed when it is over
	// These are written before over is closed.
	Back string // the page that shows the result
	Told string // what came of it
	Warn string // what is left to do
	Bad  string // why it failed
}

// Over reports whether the job has ended.
func (j *job) Over() bool {
	select {
	case <-j.over:
		return true
	default:
		return false
	}
}

// outcome is what a step tells the party, and the page that shows it.
type outcome struct{ told, warn, back string }

// running returns the job that is under way. The caller holds the lock.
func (d *Desk) running() *job {
	if n := len(d.jobs); n > 0 && !d.jobs[n-1].Over() {
		return d.jobs[n-1]
	}
	return nil
}

// start begins a step of the party and shows its page.
func (d *Desk) start(v *visit, what, back string, step func(context.Context, *client.Client) (outcome, error)) error {
	party, err := d.who()
	if err != nil {
		return err
	}
	return d.begin(v, what, back, func(ctx context.Context) (outcome, error) { return step(ctx, party) })
}

// begin begins a step and shows its page.
func (d *Desk) begin(v *visit, what, back string, step func(context.Context) (outcome, error)) error {
	j := &job{ID: rand.Text(), What: what, Back: back, over: make(chan struct{})}
	d.mu.Lock()
	if d.running() != nil {
		d.mu.Unlock()
		return errBusy
	}
	if d.jobs = append(d.jobs, j); len(d.jobs) > maxJobs {
		d.jobs = d.jobs[1:]
	}
	d.mu.Unlock()
	go func() {
		defer close(j.over)
		ctx, cancel := context.WithTimeout(d.life, jobTime)
		defer cancel()
		out, err := step(ctx)
		d.own.changed()
		j.Told, j.Warn = out.told, out.warn
		if out.back != "" {
			j.Back = out.back
		}
		if err != nil {
			j.Bad = d.needs.Plain(err)
			d.needs.Log.Info("desk", "what", what, "err", err)
		}
	}()
	http.Redirect(v.w, v.r, "/job/"+j.ID, http.StatusSeeOther)
	return nil
}

// job returns a job by its name.
func (d *Desk) job(id string) (*job, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, j := range d.jobs {
		if j.ID == id {
			return j, nil
		}
	}
	return nil, errNowhere
}

// progressPage shows a job.
type progressPage struct {
	What, Back      string
	Told, Warn, Bad string
	Done            bool
	Wallet          bool
	Ask             string // number of the transaction that the wallet should sign; empty: none
	Bytes           string // of it, in base64
	Party           string
}

// glance is how long the page of a job waits for its end, so that most jobs show one page.
const glance = 900 * time.Millisecond

func (d *Desk) progress(v *visit) (string, any, error) {
	j, err := d.job(v.r.PathValue("job"))
	if err != nil {
		return "", nil, err
	}
	wait := time.NewTimer(glance)
	defer wait.Stop()
	select {
	case <-j.over:
	case <-d.signing.asked():
	case <-wait.C:
	case <-v.r.Context().Done():
	}
	p := progressPage{What: j.What, Done: j.Over(), Wallet: d.wallet}
	if p.Done { // before that the job writes them
		p.Back, p.Told, p.Warn, p.Bad = j.Back, j.Told, j.Warn, j.Bad
	}
	if party, err := d.who(); err == nil {
		p.Party = party.Me()
	}
	if !p.Done {
		p.Ask, p.Bytes = d.signing.now()
	}
	return "job", p, nil
}
