package a2a

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	sdk "github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
)

// desk is the Face as the protocol sees it.
type desk Face

// told makes an error of a clerk one of the protocol.
func told(err error) error {
	kind := sdk.ErrInternalError
	switch {
	case errors.Is(err, ErrForm):
		kind = sdk.ErrInvalidParams
	case errors.Is(err, ErrDenied):
		kind = sdk.ErrUnauthorized
	case errors.Is(err, ErrBusy):
		kind = sdk.ErrServerError
	}
	return sdk.NewError(kind, strings.ToValidUTF8(err.Error(), "?"))
}

// version refuses requests of other versions of the protocol. A request without a version is one of
// version 0.3.
func version(ctx context.Context) error {
	c, ok := a2asrv.CallContextFrom(ctx)
	if !ok {
		return sdk.ErrInternalError
	}
	given, _ := c.ServiceParams().Get(sdk.SvcParamVersion)
	if len(given) != 1 || given[0] != string(sdk.Version) {
		return sdk.NewError(sdk.ErrVersionNotSupported, "this server speaks version 1.0 of A2A; send the header A2A-Version: 1.0")
	}
	return nil
}

// send takes the order of a message, or finds the task that it has already.
func (d *desk) send(ctx context.Context, req *sdk.SendMessageRequest) (*task, error) {
	if err := version(ctx); err != nil {
		return nil, err
	}
	v := of(ctx)
	p, err := v.Clerk.Portray(ctx)
	if err != nil {
		return nil, told(err)
	}
	o, err := order(v, p, req)
	if err != nil {
		return nil, err
	}
	k := key{v.Owner, o.Task}
	t, fresh, err := d.enter(k, o)
	if err != nil || !fresh {
		if err == nil && !(bytes.Equal(t.Input, o.Input) && bytes.Equal(t.Context, o.Context) && bytes.Equal(t.Params, o.Params)) {
			err = invalid("another message had this messageId; give each message an id of its own")
		}
		return t, err
	}
	wait, err := v.Clerk.Begin(d.ctx, o, t.say)
	if err != nil {
		d.mu.Lock()
		delete(d.tasks, k)
		d.mu.Unlock()
		d.orders.Done()
		t.refuse(told(err))
		d.log.Info("an order was refused", "task", o.Task, "err", err)
		return nil, told(err)
	}
	t.works()
	go func() {
		defer d.orders.Done()
		end := wait()
		t.end(end)
		d.mu.Lock()
		defer d.mu.Unlock()
		delete(d.tasks, k)
		if _, keeps := v.Clerk.(archive); !keeps {
			d.shelf.put(k, Filed{o, end})
		}
	}()
	return t, nil
}

// enter makes the task of an order, or finds it.
func (d *desk) enter(k key, o Errand) (t *task, fresh bool, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if t := d.tasks[k]; t != nil {
		return t, false, nil
	}
	if r, found := d.shelf.get(k); found {
		t := newTask(r.Errand)
		t.end(r.Delivery)
		return t, false, nil
	}
	if len(d.tasks) >= maxTasks {
		return nil, false, sdk.NewError(sdk.ErrServerError, fmt.Sprintf("%d tasks are under way, and no more are taken; try again later", maxTasks))
	}
	t = newTask(o)
	d.tasks[k] = t
	d.orders.Add(1)
	return t, true, nil
}

// SendMessage implements a2asrv.RequestHandler.
func (d *desk) SendMessage(ctx context.Context, req *sdk.SendMessageRequest) (sdk.SendMessageResult, error) {
	t, err := d.send(ctx, req)
	if err != nil {
		return nil, err
	}
	if req.Config != nil && req.Config.ReturnImmediately {
		err = t.begun(ctx)
	} else {
		err = t.follow(ctx, 0, func(sdk.Event) bool { return true })
	}
	if err != nil {
		return nil, err
	}
	now, _, err := t.now()
	if err == nil && req.Config != nil {
		shorten(now, req.Config.HistoryLength)
	}
	return now, err
}

// SendStreamingMessage implements a2asrv.RequestHandler.
func (d *desk) SendStreamingMessage(ctx context.Context, req *sdk.SendMessageRequest) iter.Seq2[sdk.Event, error] {
	return func(yield func(sdk.Event, error) bool) {
		t, err := d.send(ctx, req)
		if err != nil {
			yield(nil, err)
			return
		}
		d.stream(ctx, t, yield)
	}
}

// stream shows a task as it is, and then what follows.
func (d *desk) stream(ctx context.Context, t *task, yield func(sdk.Event, error) bool) {
	now, from, err := t.now()
	if err != nil {
		yield(nil, err)
		return
	}
	if !yield(now, nil) {
		return
	}
	more := true
	err = t.follow(ctx, from, func(e sdk.Event) bool {
		more = yield(e, nil)
		return more
	})
	if err != nil && more && ctx.Err() == nil {
		yield(nil, err)
	}
}

// SubscribeToTask implements a2asrv.RequestHandler.
func (d *desk) SubscribeToTask(ctx context.Context, req *sdk.SubscribeToTaskRequest) iter.Seq2[sdk.Event, error] {
	return func(yield func(sdk.Event, error) bool) {
		if err := version(ctx); err != nil {
			yield(nil, err)
			return
		}
		if t := d.running(of(ctx), string(req.ID)); t != nil {
			d.stream(ctx, t, yield)
			return
		}
		if _, err := d.find(ctx, string(req.ID)); err != nil {
			yield(nil, err)
			return
		}
		yield(nil, sdk.NewError(sdk.ErrUnsupportedOperation, "the task is over; get it"))
	}
}

func (d *desk) running(v Visit, id string) *task {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.tasks[key{v.Owner, id}]
}

// find returns a task that is over.
func (d *desk) find(ctx context.Context, id string) (*sdk.Task, error) {
	v := of(ctx)
	missing := sdk.NewError(sdk.ErrTaskNotFound, "there is no such task of this caller")
	if id == "" || len(id) > maxContext+maxID {
		return nil, missing
	}
	var r Filed
	var found bool
	var err error
	if a, keeps := v.Clerk.(archive); keeps {
		r, found, err = a.Find(ctx, id)
	} else {
		d.mu.Lock()
		r, found = d.shelf.get(key{v.Owner, id})
		d.mu.Unlock()
	}
	switch {
	case err != nil:
		return nil, told(err)
	case !found:
		return nil, missing
	}
	return r.task(), nil
}

// GetTask implements a2asrv.RequestHandler.
func (d *desk) GetTask(ctx context.Context, req *sdk.GetTaskRequest) (*sdk.Task, error) {
	if err := version(ctx); err != nil {
		return nil, err
	}
	return d.get(ctx, string(req.ID), req.HistoryLength)
}

func (d *desk) get(ctx context.Context, id string, history *int) (out *sdk.Task, err error) {
	if t := d.running(of(ctx), id); t != nil {
		out, _, err = t.now()
	} else {
		out, err = d.find(ctx, id)
	}
	if err != nil {
		return nil, err
	}
	shorten(out, history)
	return out, nil
}

// shorten leaves so many messages of the history.
func shorten(t *sdk.Task, most *int) {
	if most != nil && *most >= 0 && *most < len(t.History) {
		t.History = t.History[len(t.History)-*most:]
	}
}

// CancelTask implements a2asrv.RequestHandler.
func (d *desk) CancelTask(ctx context.Context, req *sdk.CancelTaskRequest) (*sdk.Task, error) {
	if err := version(ctx); err != nil {
		return nil, err
	}
	v := of(ctx)
	t := d.running(v, string(req.ID))
	if t == nil {
		if _, err := d.find(ctx, string(req.ID)); err != nil {
			return nil, err
		}
		return nil, sdk.NewError(sdk.ErrTaskNotCancelable, "the task is over")
	}
	if err := t.begun(ctx); err != nil {
		return nil, err
	}
	if err := v.Clerk.Withdraw(ctx, t.Errand); err != nil {
		return nil, told(err)
	}
	if err := t.follow(ctx, 0, func(sdk.Event) bool { return true }); err != nil {
		return nil, err
	}
	now, _, err := t.now()
	if err == nil && now.Status.State != sdk.TaskStateCanceled {
		err = sdk.NewError(sdk.ErrTaskNotCancelable, "the task ended before it was cancelled")
	}
	return now, err
}

// none is the answer to requests about push notifications: an address of a client is never asked.
func none() error {
	return sdk.NewError(sdk.ErrPushNotificationNotSupported, "this server sends no push notifications; subscribe to the task")
}

// GetTaskPushConfig implements a2asrv.RequestHandler.
func (d *desk) GetTaskPushConfig(context.Context, *sdk.GetTaskPushConfigRequest) (*sdk.PushConfig, error) {
	return nil, none()
}

// ListTaskPushConfigs implements a2asrv.RequestHandler.
func (d *desk) ListTaskPushConfigs(context.Context, *sdk.ListTaskPushConfigRequest) (*sdk.ListTaskPushConfigResponse, error) {
	return nil, none()
}

// CreateTaskPushConfig implements a2asrv.RequestHandler.
func (d *desk) CreateTaskPushConfig(context.Context, *sdk.PushConfig) (*sdk.PushConfig, error) {
	return nil, none()
}

// DeleteTaskPushConfig implements a2asrv.RequestHandler.
func (d *desk) DeleteTaskPushConfig(context.Context, *sdk.DeleteTaskPushConfigRequest) error {
	return none()
}

// GetExtendedAgentCard implements a2asrv.RequestHandler.
func (d *desk) GetExtendedAgentCard(context.Context, *sdk.GetExtendedAgentCardRequest) (*sdk.AgentCard, error) {
	return nil, sdk.NewError(sdk.ErrExtendedCardNotConfigured, "the card that everybody with the word gets is all there is")
}
