package talk

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"ojud/ledger/journal/durable"
	"ojud/node/library"
)

// answered is how often a mind has answered in a day that ends.
type answered struct {
	Until int64 `json:"until"` // Unix ms; of the links that were given in it
	Used  int   `json:"used"`
}

// over reports whether no conversation can be held under a link of the day any more.
func (d answered) over(now time.Time) bool { return time.UnixMilli(d.Until).Sub(now) < longest }

// tally is a file of the home that counts answers over starts of the command, by mind. Nobody else
// writes to it while the command has the audit log of its key.
type tally string

// maxTally bounds the file, in bytes.
const maxTally = 1 << 20

// tallyOf is the file of an own agent.
func tallyOf(home, agent string) tally {
	return tally(filepath.Join(home, "talk-minds-"+ending(agent)+".json"))
}

func (f tally) read() (days map[string]answered, err error) {
	days = map[string]answered{}
	raw, err := library.ReadFile(string(f), maxTally)
	if errors.Is(err, fs.ErrNotExist) {
		return days, nil
	}
	if err == nil {
		err = json.Unmarshal(raw, &days)
	}
	if err == nil && days == nil {
		err = errors.New("it has no object")
	}
	if err != nil {
		return nil, fmt.Errorf("the answers of a mind cannot be counted: %s: %w", f, err)
	}
	return days, nil
}

// count counts an answer on the disk, before it is asked for. It returns the day, and false if the
// mind has answered as often as it may.
func (f tally) count(mind string, most int, now time.Time) (d answered, ok bool, err error) {
	days, err := f.read()
	if err != nil {
		return d, false, err
	}
	for name, day := range days {
		if day.over(now) {
			delete(days, name)
		}
	}
	d, there := days[mind]
	if !there {
		d.Until = now.Add(term + longest).UnixMilli()
	}
	if d.Used >= most {
		return d, false, nil
	}
	d.Used++
	days[mind] = d
	raw, err := json.Marshal(days)
	if err == nil {
		err = durable.WriteFile(string(f), raw)
	}
	return d, err == nil, err
}
