package talk

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ojud/agent/audit"
	"ojud/cmd/ojud/cli"
	keys "ojud/cmd/ojud/delegation"
	"ojud/cmd/ojud/view"
	"ojud/ledger/journal/durable"
	"ojud/node/library"
)

// keptFile is a file of a home about a peer.
type keptFile struct {
	Kind  string    `json:"kind"` // conversation, agreement or meeting
	File  string    `json:"file"`
	Bytes int64     `json:"bytes"`
	At    time.Time `json:"at"` // of its last change

	peers []string // whom it is about
}

// keptPeer is all that a home keeps of one peer.
type keptPeer struct {
	Peer  string     `json:"peer"`
	Files []keptFile `json:"files"`
}

// exported is the file of --export.
type exported struct {
	Format string            `json:"format"`
	Peer   string            `json:"peer"`
	Files  []json.RawMessage `json:"files"`
}

// exportForm is the format of the file of --export.
const exportForm = "ojud-kept/1"

func newKept(a *cli.App) *cobra.Command {
	var peer, export string
	var erase, signed bool
	cmd := &cobra.Command{
		Use:   "kept",
		Short: "Show, export or erase what the home keeps of a peer",
		Long: `Kept lists the peers of whom the home keeps something: conversations (the folder talks), agreements,
and minutes of meetings in which they spoke. With --peer it shows the files about one peer, --export
writes all that is in them into a new file, and --erase deletes the conversations.

Agreements and minutes stay, because they prove what was signed; --signed deletes them, too, and
then nothing here proves it any more. Minutes are about all who took part. The audit log has keys
and hashes of what was said and no words; it is a chain, so nothing is taken out of it. Of an agent
of a host that was called, "ojud agents forget" erases what it remembers. --erase is about the
conversations of one key of the home, and no command may talk by it at the time.

Those who write plain text have no key: their name begins with "plain text from".`,
		Example: `  ojud agent talk kept --home ~/joe
  ojud agent talk kept --peer did:key:z6Mk... --export ann.json --home ~/joe
  ojud agent talk kept --peer did:key:z6Mk... --erase --key joe.key.json --home ~/joe`,
		Args: cli.Takes(0),
		RunE: func(*cobra.Command, []string) error {
			home, err := a.HomeDir()
			if err != nil {
				return err
			}
			if peer == "" && (export != "" || erase) || signed && !erase {
				return cli.Usage("--export and --erase are for one peer; name it with --peer. --signed is for --erase")
			}
			files, err := keptIn(home)
			if err != nil {
				return err
			}
			if peer == "" {
				return listKept(a, files)
			}
			if !strings.HasPrefix(peer, plainly) {
				p, err := keys.Principal("--peer", peer)
				if err != nil {
					return err
				}
				peer = p.String()
			}
			of := keptPeer{Peer: peer, Files: []keptFile{}}
			for _, f := range files {
				if slices.Contains(f.peers, peer) {
					of.Files = append(of.Files, f)
				}
			}
			if export != "" {
				if err := of.export(export); err != nil {
					return err
				}
			}
			done := "kept"
			if erase {
				if of.Files, err = of.erase(a, signed); err != nil {
					return err
				}
				done = "erased"
			}
			return a.Show(of, func(w io.Writer) error {
				s := view.Sheet{{"peer", view.Escape(of.Peer)}}
				for _, f := range of.Files {
					s.Add(done, fmt.Sprintf("%s %s, %d bytes", f.Kind, view.Escape(f.File), f.Bytes))
				}
				if len(of.Files) == 0 {
					s.Add(done, "nothing")
				}
				return s.Write(w)
			})
		},
	}
	cmd.Flags().StringVar(&peer, "peer", "", "did:key or address of an agent, or the name of one that writes plain text")
	cmd.Flags().StringVar(&export, "export", "", "new file for all that is kept of the peer, as JSON")
	cmd.Flags().BoolVar(&erase, "erase", false, "delete what was said with the peer")
	cmd.Flags().BoolVar(&signed, "signed", false, "delete also agreements with the peer and minutes in which it stands")
	return cmd
}

// plainly begins the names of peers that have no key.
const plainly = "plain text from "

// keptIn reads what a home keeps of others.
func keptIn(home string) (out []keptFile, err error) {
	for _, k := range []struct {
		kind, folder, ending string
		peers                func(raw []byte) []string
	}{
		{"conversation", "talks", "", talked},
		{"agreement", "agreements", ".json", agreed},
		{"meeting", "meetings", ".jsonl", met},
	} {
		files, err := os.ReadDir(filepath.Join(home, k.folder))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, f := range files {
			if !strings.HasSuffix(f.Name(), k.ending) {
				continue
			}
			name := filepath.Join(home, k.folder, f.Name())
			info, err := os.Stat(name)
			if errors.Is(err, fs.ErrNotExist) {
				continue // a conversation that ended deleted it
			}
			if err != nil {
				return nil, err
			}
			raw, err := library.ReadFile(name, maxMinutes)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return nil, cli.Fail("%v", err)
			}
			out = append(out, keptFile{k.kind, name, info.Size(), info.ModTime().UTC(), k.peers(raw)})
		}
	}
	return out, nil
}

// records reads lines of JSON. What cannot be read says nothing of anybody.
func records[T any](raw []byte, see func(T)) {
	for line := range bytes.Lines(raw) {
		var v T
		if json.Unmarshal(line, &v) == nil {
			see(v)
		}
	}
}

func talked(raw []byte) (peers []string) {
	type said struct{ Peer string }
	records(raw, func(l said) { peers = append(peers, l.Peer) })
	return compact(peers)
}

func agreed(raw []byte) (peers []string) {
	type parties struct {
		Asker, Holder string
		Parties       []string
	}
	records(bytes.ReplaceAll(raw, []byte("\n"), nil), func(p parties) { peers = append(p.Parties, p.Asker, p.Holder) })
	return compact(peers)
}

func met(raw []byte) (peers []string) {
	type entry struct {
		Said struct{ Message struct{ Sender string } }
	}
	records(raw, func(e entry) { peers = append(peers, e.Said.Message.Sender) })
	return compact(peers)
}

func compact(peers []string) []string {
	slices.Sort(peers)
	return slices.DeleteFunc(slices.Compact(peers), func(p string) bool { return p == "" })
}

// listKept shows of whom something is kept.
func listKept(a *cli.App, files []keptFile) error {
	of := map[string]*keptPeer{}
	all := []keptPeer{}
	own := ""
	if key, err := keys.Load(a); err == nil { // without a key file, an own key is listed like others
		own = key.Principal().String()
	}
	for _, f := range files {
		for _, p := range f.peers {
			if p == own {
				continue
			}
			if of[p] == nil {
				of[p] = &keptPeer{Peer: p}
			}
			of[p].Files = append(of[p].Files, f)
		}
	}
	for _, p := range of {
		all = append(all, *p)
	}
	slices.SortFunc(all, func(a, b keptPeer) int { return cmp.Compare(a.Peer, b.Peer) })
	return cli.List(a, all, "The home keeps nothing of anybody.", []string{"PEER", "CONVERSATIONS", "AGREEMENTS", "MEETINGS", "BYTES", "LAST"}, func(p keptPeer) []string {
		n, size, last := map[string]int{}, int64(0), time.Time{}
		for _, f := range p.Files {
			n[f.Kind]++
			size += f.Bytes
			if f.At.After(last) {
				last = f.At
			}
		}
		return []string{view.Escape(p.Peer), fmt.Sprint(n["conversation"]), fmt.Sprint(n["agreement"]), fmt.Sprint(n["meeting"]), fmt.Sprint(size), last.Format(time.RFC3339)}
	})
}

// export writes all files into one.
func (p keptPeer) export(path string) error {
	out := exported{Format: exportForm, Peer: p.Peer, Files: []json.RawMessage{}}
	for _, f := range p.Files {
		kept, err := library.ReadFile(f.File, maxMinutes)
		if err != nil {
			return cli.Fail("%v", err)
		}
		lines := []json.RawMessage{}
		for line := range bytes.Lines(kept) {
			line = bytes.TrimSpace(line)
			// The last one of a command that was killed may be no JSON.
			if len(line) > 0 && !json.Valid(line) {
				if line, err = json.Marshal(string(line)); err != nil {
					return err
				}
			}
			if len(line) > 0 {
				lines = append(lines, line)
			}
		}
		raw, err := json.Marshal(map[string]any{"kind": f.Kind, "file": filepath.Base(f.File), "at": f.At, "content": lines})
		if err != nil {
			return err
		}
		out.Files = append(out.Files, raw)
	}
	raw, err := json.MarshalIndent(out, "", "  ")
	if err != nil {
		return err
	}
	return cli.Save(path, func(w io.Writer) error {
		_, err := w.Write(append(raw, '\n'))
		return err
	})
}

// erase deletes files, and returns those that are gone. Nothing talks by the key meanwhile.
func (p keptPeer) erase(a *cli.App, signed bool) (gone []keptFile, err error) {
	key, err := keys.Load(a)
	if err != nil {
		return nil, err
	}
	dir, err := keys.Logs(a)
	if err != nil {
		return nil, err
	}
	trail, err := audit.Open(dir, key, func() int64 { return time.Now().Unix() })
	if errors.Is(err, durable.ErrLocked) {
		return nil, cli.Fail("another command talks by this key: %v", err).Next("end it, and try again")
	}
	if err != nil {
		return nil, err
	}
	self := key.Principal().String()
	for _, f := range p.Files {
		own := slices.Contains(f.peers, self)
		if f.Kind == "conversation" {
			own = strings.Contains(filepath.Base(f.File), "-"+ending(self)+"-") // another key may hold its own open
		} else if !signed {
			continue
		}
		if !own {
			continue
		}
		if failed := os.Remove(f.File); failed != nil && !errors.Is(failed, fs.ErrNotExist) {
			err = errors.Join(err, failed)
			continue
		}
		gone = append(gone, f)
	}
	return gone, errors.Join(err, trail.Close())
}
