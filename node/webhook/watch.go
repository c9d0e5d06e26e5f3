package webhook

import (
	"context"
	"maps"
	"slices"
	"time"
)

const (
	// watchEvery is the interval at which the parts of the node are asked how they are.
	watchEvery = 10 * time.Second
	// quietFor is how long nothing is told of a part again. A stranger's requests can make a source
	// fail and work in turn.
	quietFor = time.Hour
)

// Watch tells of sources and models that fail, when that begins. A part that works again and fails
// again is told again, at most once an hour.
type Watch struct {
	// Sources and Models return what fails now, by name, with the reason in fixed words.
	Sources, Models func() map[string]string
	Tell            func(Notification)
}

// Run looks until ctx ends.
func (w Watch) Run(ctx context.Context) error {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	var sources, models map[string]string
	told := map[string]time.Time{}
	for {
		for part, at := range told {
			if time.Since(at) >= quietFor {
				delete(told, part)
			}
		}
		sources = w.compare(sources, w.Sources(), told, sourceFailing, "The source ")
		models = w.compare(models, w.Models(), told, modelDown, "The model ")
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// compare tells of what fails now and did not before, unless it was told lately. It returns what
// fails now.
func (w Watch) compare(before, now map[string]string, told map[string]time.Time, event, what string) map[string]string {
	for _, name := range slices.Sorted(maps.Keys(now)) {
		_, known := before[name]
		if _, lately := told[event+name]; known || lately {
			continue
		}
		told[event+name] = time.Now()
		w.Tell(Notification{Kind: event, Details: Details{Name: name, Cause: now[name], Text: what + name + " fails: " + now[name] + "."}})
	}
	return now
}
