package main

import (
	"context"

	"github.com/gagliardetto/solana-go"
	"github.com/spf13/cobra"

	"ojud/node/client"
)

// pleading is how a party says why: a file, or a reason with exhibits.
type pleading struct {
	file, reason string
	exhibits     []string
}

func (p *pleading) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&p.reason, "reason", "", "why, in words for the judges")
	cmd.Flags().StringVar(&p.file, "file", "", `JSON file instead: {"reason": …, "evidence": […]}`)
	cmd.Flags().StringArrayVar(&p.exhibits, "exhibit", nil, "file that proves it, at most 1 MiB (repeat for more)")
}

// read returns the document and the exhibits to publish after it.
func (p *pleading) read(parse func(string) (client.Document, error)) (client.Document, []client.Document, error) {
	switch {
	case p.file != "" && p.reason != "":
		return client.Document{}, nil, usage("give --reason or --file, not both")
	case p.file == "" && p.reason == "":
		return client.Document{}, nil, usage("judges have to know why").next("give --reason TEXT or --file FILE")
	case p.reason != "":
		return client.Pleading(p.reason, p.exhibits)
	}
	doc, err := parse(p.file)
	if err != nil {
		return client.Document{}, nil, err
	}
	var content []client.Document
	for _, path := range p.exhibits {
		d, err := client.Exhibit(path)
		if err != nil {
			return client.Document{}, nil, err
		}
		content = append(content, d)
	}
	return doc, content, nil
}

// plead is the command of a party that says why.
func plead(a *app, cmd *cobra.Command, what string, parse func(string) (client.Document, error),
	act func(context.Context, *client.Client, solana.PublicKey, client.Document, []client.Document) (client.TaskDone, error)) *cobra.Command {
	var p pleading
	cmd.Args = takes(1, "the task's address")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		task, err := address("the task", args[0])
		if err != nil {
			return err
		}
		doc, exhibits, err := p.read(parse)
		if err != nil {
			return err
		}
		return a.taskDeed(cmd, what, func(ctx context.Context, c *client.Client) (client.TaskDone, error) {
			return act(ctx, c, task, doc, exhibits)
		})
	}
	p.add(cmd)
	return cmd
}

func newTaskObject(a *app) *cobra.Command {
	return plead(a, &cobra.Command{
		Use:   "object TASK --reason TEXT",
		Short: "Refuse the result and say why",
		Long: `Object refuses a result. It takes a bond from the vault, which is lost if the worker counter-objects and the court finds for the
worker. The reason and the exhibits are brought to nodes; judges see nothing else of yours. A --file that lists evidence needs its
exhibits as --exhibit too.`,
		Example: `  ojud task object 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 --reason "It has no stripes." --key creator.json
  ojud task object 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2 --reason "See the picture." --exhibit tiger.png`,
	}, "objecting", client.ObjectionFile, func(ctx context.Context, c *client.Client, task solana.PublicKey, doc client.Document, exhibits []client.Document) (client.TaskDone, error) {
		return c.Object(ctx, task, doc, exhibits...)
	})
}
