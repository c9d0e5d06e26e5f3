package a2a

import (
	"cmp"
	"context"
	"encoding/base32"
	"errors"
	"fmt"
	"slices"
	"time"

	sdk "github.com/a2aproject/a2a-go/v2/a2a"
)

// listed is a line of a list.
type listed struct {
	id    string
	state sdk.TaskState
	at    time.Time
}

// order puts the newest first.
func (l listed) order(other listed) int {
	return cmp.Or(other.at.Compare(l.at), cmp.Compare(l.id, other.id))
}

// ListTasks implements a2asrv.RequestHandler.
func (d *desk) ListTasks(ctx context.Context, req *sdk.ListTasksRequest) (*sdk.ListTasksResponse, error) {
	if err := version(ctx); err != nil {
		return nil, err
	}
	size := cmp.Or(req.PageSize, usualListed)
	if size < 1 || size > mostListed {
		return nil, invalid("pageSize is %d, and it has to be 1 to %d", size, mostListed)
	}
	all, err := d.all(ctx)
	if err != nil {
		return nil, told(err)
	}
	all = slices.DeleteFunc(all, func(l listed) bool {
		return req.ContextID != "" && contextOf(l.id) != req.ContextID || req.Status != "" && l.state != req.Status ||
			req.StatusTimestampAfter != nil && l.at.Before(*req.StatusTimestampAfter)
	})
	slices.SortFunc(all, listed.order)
	out := &sdk.ListTasksResponse{Tasks: []*sdk.Task{}, TotalSize: len(all), PageSize: size}
	if req.PageToken != "" {
		mark, err := unmark(req.PageToken)
		if err != nil {
			return nil, err
		}
		all = slices.DeleteFunc(all, func(l listed) bool { return l.order(mark) <= 0 })
	}
	if len(all) > size {
		all = all[:size]
		out.NextPageToken = all[size-1].mark()
	}
	none := 0
	for _, l := range all {
		t, err := d.get(ctx, l.id, cmp.Or(req.HistoryLength, &none))
		if errors.Is(err, sdk.ErrTaskNotFound) {
			continue // it was forgotten meanwhile
		}
		if err != nil {
			return nil, err
		}
		if !req.IncludeArtifacts {
			t.Artifacts = nil
		}
		out.Tasks = append(out.Tasks, t)
	}
	return out, nil
}

// mark is where the next page begins.
func (l listed) mark() string {
	return base32.HexEncoding.WithPadding(base32.NoPadding).EncodeToString(fmt.Appendf(nil, "%d %s", l.at.UnixNano(), l.id))
}

func unmark(text string) (l listed, err error) {
	var at int64
	raw, err := base32.HexEncoding.WithPadding(base32.NoPadding).DecodeString(text)
	if err == nil {
		_, err = fmt.Sscanf(string(raw), "%d %s", &at, &l.id)
	}
	if err != nil {
		return l, invalid("pageToken is not one that this server gave")
	}
	l.at = time.Unix(0, at)
	return l, nil
}

// all returns every task of the caller of the agent.
func (d *desk) all(ctx context.Context) (out []listed, err error) {
	v := of(ctx)
	d.mu.Lock()
	var running []*task
	for k, t := range d.tasks {
		if k.owner == v.Owner {
			running = append(running, t)
		}
	}
	ended := d.shelf.of(v.Owner)
	d.mu.Unlock()
	there := map[string]bool{}
	for _, t := range running {
		t.mu.Lock()
		if t.refused == nil {
			out, there[t.Task] = append(out, listed{t.Task, t.state, t.at}), true
		}
		t.mu.Unlock()
	}
	see := func(r Filed) bool {
		if !there[r.Task] {
			out, there[r.Task] = append(out, listed{r.Task, r.task().Status.State, r.At}), true
		}
		return true
	}
	if a, keeps := v.Clerk.(archive); keeps {
		return out, a.Ended(ctx, see)
	}
	for _, r := range ended {
		see(r)
	}
	return out, nil
}
