package process

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	court "ojud/node/client"
	"ojud/node/marketdemo"
)

// marketPlan is the plan of a roleMarket: the agents of a market, in one process.
type marketPlan struct {
	Network  string // file
	Dir      string
	Judges   int
	Patience int64
}

// marketLine is a line of output of a roleMarket.
type marketLine struct {
	Text   string             `json:"text,omitempty"`
	Report *marketdemo.Trades `json:"report,omitempty"`
	Fault  string             `json:"fault,omitempty"` // of the report
}

// playMarket runs the agents of a market until their tasks are over.
func playMarket() error {
	var p marketPlan
	if err := json.Unmarshal([]byte(os.Getenv(planVar)), &p); err != nil {
		return err
	}
	ctx, out := context.Background(), make(chan marketLine)
	go func() {
		say := json.NewEncoder(os.Stdout)
		for l := range out {
			if err := say.Encode(l); err != nil {
				os.Exit(3) // the driver is gone
			}
		}
	}()
	network, err := court.LoadNetwork(ctx, p.Network, nil)
	if err != nil {
		return err
	}
	r, err := marketdemo.Host(ctx, marketdemo.Site{Network: network, Dir: p.Dir, Judges: p.Judges, Patience: p.Patience}, func(format string, args ...any) {
		out <- marketLine{Text: fmt.Sprintf(format, args...)}
	})
	last := marketLine{Report: &r}
	if err != nil {
		last.Fault = err.Error()
	}
	out <- last
	out <- marketLine{Text: "ends"} // when this is taken, the report is written
	return nil
}
