package desk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"

	"ojud/casefile"
	"ojud/casefile/ground"
	"ojud/casefile/picture"
	"ojud/ledger/onchain"
	"ojud/node/client"
	"ojud/node/client/fit"
	"ojud/node/library"
)

// do does what a form of the party says.
func (d *Desk) do(v *visit) error {
	switch deed := v.r.PathValue("deed"); deed {
	case "register", "deposit", "withdraw", "airdrop":
		return d.account(v, deed)
	case "submit":
		return d.submit(v)
	case "object", "counter":
		return d.argue(v, deed)
	default:
		return d.step(v, deed)
	}
}

// step does what needs no more than the name of a task.
func (d *Desk) step(v *visit, deed string) error {
	task, err := taskNamed(v.r.PostFormValue("task"))
	if err != nil {
		return err
	}
	all := map[string]struct {
		what, told string
		act        func(*client.Client, context.Context, onchain.Address) (client.TaskDone, error)
	}{
		"claim": {"Claiming the task", "The task is yours. Hand in a result in time.", func(c *client.Client, ctx context.Context, task onchain.Address) (client.TaskDone, error) {
			return c.Claim(ctx, task, 0, true)
		}},
		"accept":  {"Accepting the result", "The result is accepted, and the worker is paid.", (*client.Client).Accept},
		"cancel":  {"Taking the task off the market", "The task is cancelled, and its reward is in your vault.", (*client.Client).Cancel},
		"release": {"Giving the task back", "The task is on the market again, and the bond in your vault.", (*client.Client).Release},
		"rework":  {"Taking the task back to work", "The work begins again.", (*client.Client).Rework},
		"expire":  {"Carrying out the missed deadline", "What the missed deadline means is done.", (*client.Client).Expire},
		"settle": {"Settling the task", "The task is settled.", func(c *client.Client, ctx context.Context, task onchain.Address) (client.TaskDone, error) {
			return client.SettleByEngine(ctx, c, task)
		}},
		"waive": {"Taking the verdict as it is", "The verdict is final.", func(c *client.Client, ctx context.Context, task onchain.Address) (client.TaskDone, error) {
			return client.Waive(ctx, c, task)
		}},
		"appeal": {"Appealing", "The appeal is open. Other judges decide it.", func(c *client.Client, ctx context.Context, task onchain.Address) (client.TaskDone, error) {
			_, err := client.Appeal(ctx, c, task)
			return client.TaskDone{}, err
		}},
	}
	one, ok := all[deed]
	if !ok {
		return errNowhere
	}
	return d.start(v, one.what, taskPath(task), func(ctx context.Context, c *client.Client) (outcome, error) {
		done, err := one.act(c, ctx, task)
		return told(one.told, done, err)
	})
}

func taskPath(task onchain.Address) string { return "/task/" + task.String() }

// told is the outcome of a step on a task. If no node took a document, the step is done all the
// same.
func told(text string, done client.TaskDone, err error) (outcome, error) {
	out := outcome{told: text}
	if errors.Is(err, library.ErrNotPublished) && done.Task.Task != "" {
		out.warn = "No node has taken the document. Send it again with the command ojud task publish, or do this step again: nothing is paid twice."
		return out, nil
	}
	return out, err
}

// account does what concerns the agent and its money.
func (d *Desk) account(v *visit, deed string) error {
	amount, err := sol("amount", v.r.PostFormValue("amount"), deed == "register")
	if err != nil {
		return err
	}
	what := map[string]string{"register": "Registering the agent", "deposit": "Bringing SOL into the vault", "withdraw": "Taking SOL out of the vault", "airdrop": "Asking the faucet"}
	return d.start(v, what[deed], "/", func(ctx context.Context, c *client.Client) (outcome, error) {
		var err error
		switch deed {
		case "register":
			_, err = c.Register(ctx, client.Profile{}, amount)
			return outcome{told: "You are an agent of this court."}, err
		case "deposit":
			_, err = c.Deposit(ctx, amount)
		case "withdraw":
			_, err = c.Withdraw(ctx, amount)
		default:
			_, err = c.Airdrop(ctx, onchain.Address{}, amount)
		}
		return outcome{told: amount.String() + " moved."}, err
	})
}

// sol reads an amount of SOL, with or without the unit.
func sol(field, text string, perhaps bool) (client.Lamports, error) {
	text = strings.TrimSpace(text)
	if text == "" && perhaps {
		return 0, nil
	}
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		text += "sol"
	}
	n, err := client.ParseLamports(text)
	if err == nil && n == 0 && !perhaps {
		err = errors.New("it is 0")
	}
	if err != nil {
		return 0, fmt.Errorf("the field %q: %w; write SOL with a point, such as 0.5", field, err)
	}
	return n, nil
}

// checkTime bounds the checks of a result before it is sent.
const checkTime = paperTime * 5

// submit hands in a result that fits its task, or any if the party insists.
func (d *Desk) submit(v *visit) error {
	task, err := taskNamed(v.r.PostFormValue("task"))
	if err != nil {
		return err
	}
	text, err := written(v, "result", casefile.MaxDocument)
	if err != nil {
		return err
	}
	result, err := library.ReadResult(ground.Literal(text))
	if err == nil && v.r.PostFormValue("anyway") == "" {
		var party *client.Client
		if party, err = d.who(); err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(v.r.Context(), checkTime)
		defer cancel()
		err = party.CheckResult(ctx, task, result)
		if errors.Is(err, library.ErrNoContent) || errors.Is(err, fit.ErrSchema) || errors.Is(err, fit.ErrSilent) {
			err = nil // there is nothing to hold it to
		}
	}
	if err != nil {
		d.show(v, http.StatusUnprocessableEntity, func(v *visit) (string, any, error) {
			name, data, broken := d.taskOf(v, task.String())
			p, ok := data.(taskPage)
			if broken != nil || !ok {
				return "", nil, errors.Join(err, broken)
			}
			p.Text, p.Fault = text, picture.Line(d.needs.Plain(err))
			return name, p, nil
		})
		return nil
	}
	return d.start(v, "Handing in the result", taskPath(task), func(ctx context.Context, c *client.Client) (outcome, error) {
		done, err := c.Submit(ctx, task, result)
		return told("The result is handed in. The creator accepts it or objects, and silence pays you.", done, err)
	})
}

// written returns the text of a field, or of the file that was chosen beside it.
func written(v *visit, field string, most int64) (string, error) {
	text := v.r.PostFormValue(field)
	for _, h := range files(v, field+"_file") {
		raw, err := content(h, most)
		return string(raw), err
	}
	if int64(len(text)) > most {
		return "", fmt.Errorf("the field %q has %d bytes; %d is the most", field, len(text), most)
	}
	return text, nil
}

// files are the files of a form that are not empty.
func files(v *visit, field string) (out []*multipart.FileHeader) {
	if v.r.MultipartForm == nil {
		return nil // the form had no place for files
	}
	for _, h := range v.r.MultipartForm.File[field] {
		if h.Size > 0 {
			out = append(out, h)
		}
	}
	return out
}

// content reads a file of a form.
func content(h *multipart.FileHeader, most int64) (raw []byte, err error) {
	if h.Size > most {
		return nil, fmt.Errorf("the file %q has %d bytes; %d is the most", picture.Line(h.Filename), h.Size, most)
	}
	f, err := h.Open()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return io.ReadAll(io.LimitReader(f, most))
}

// argue objects, or answers an objection, with a reason, a ground that code can compare with the
// result, and exhibits.
func (d *Desk) argue(v *visit, deed string) error {
	task, err := taskNamed(v.r.PostFormValue("task"))
	if err != nil {
		return err
	}
	var grounds []ground.Ground
	if kind := v.r.PostFormValue("kind"); kind != "" {
		g := ground.Ground{
			Pointer: v.r.PostFormValue("at"), Kind: ground.Comparison(kind), Expected: ground.Literal(v.r.PostFormValue("expected")), Found: ground.Literal(v.r.PostFormValue("found")),
		}
		if call := v.r.PostFormValue("counterexample"); call != "" {
			if g.Counterexample, err = ground.ReadCall(call); err != nil {
				return fmt.Errorf("the call %w", err)
			}
		}
		grounds = append(grounds, g)
	}
	reason := strings.TrimSpace(v.r.PostFormValue("reason"))
	if reason == "" && len(grounds) == 0 {
		return errors.New("judges need a reason: say in words what is wrong, or where the result should have what")
	}
	var names []string
	var exhibits []library.Document
	for _, h := range files(v, "exhibit") {
		raw, err := content(h, casefile.MaxBlob)
		if err != nil {
			return err
		}
		names, exhibits = append(names, filepath.Base(h.Filename)), append(exhibits, library.Document{Content: raw, Hash: casefile.HashOf(raw)})
	}
	doc, err := library.Argue(reason, names, exhibits, grounds...)
	if err != nil {
		return err
	}
	what, text, act := "Objecting", "The objection is in. The worker works again or answers; silence gives you the money back.", d.needs.Object
	if deed == "counter" {
		what, text, act = "Opening a case", "The case is open. Judges are drawn and decide.", counterObject
	}
	return d.start(v, what, taskPath(task), func(ctx context.Context, c *client.Client) (outcome, error) {
		done, err := act(ctx, c, task, doc, exhibits)
		return told(text, done, err)
	})
}

func counterObject(ctx context.Context, c *client.Client, task onchain.Address, doc library.Document, exhibits []library.Document) (client.TaskDone, error) {
	return c.CounterObject(ctx, task, doc, exhibits...)
}
