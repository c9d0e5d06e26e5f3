package talk

import (
	"crypto/tls"
	"crypto/x509"
	"time"

	"ojud/agent/talk/link"
	"ojud/cmd/ojud/cli"
	"ojud/datasource/anex"
	"ojud/node/library"
	"ojud/p2p/direct"
)

func (r *room) certificates() (err error) {
	m := r.manners
	if (m.cert == "") != (m.certKey == "") {
		return cli.Usage("--cert and --cert-key go together")
	}
	if m.ca != "" {
		raw, err := library.ReadFile(m.ca, 1<<20)
		if err != nil {
			return cli.Usage("%v", err)
		}
		r.end.Roots = x509.NewCertPool()
		if !r.end.Roots.AppendCertsFromPEM(raw) {
			return cli.Usage("%s has no certificate (PEM)", m.ca)
		}
	}
	if m.cert == "" {
		own, err := link.Certificate(r.key, time.Now())
		r.end.Certs = []tls.Certificate{own}
		return err
	}
	own, err := tls.LoadX509KeyPair(m.cert, m.certKey)
	if err != nil {
		return cli.Usage("--cert: %v", err)
	}
	r.end.Certs = []tls.Certificate{own}
	return nil
}

// spoken is what carries a conversation over libp2p.
func (r *room) spoken(s *direct.Talk) link.Frames {
	if s.Name == direct.Conversations(anex.MaxInform).Better {
		return link.Packed{Frames: s}
	}
	return s
}

func (r *room) directKey() direct.Key {
	p := r.key.Principal()
	return direct.Key{Public: p[:], Sign: r.key.Sign}
}

// noSockets refuses flags of websockets, which do nothing over libp2p.
func (m manners) noSockets() error {
	if m.plain || m.cert != "" || m.ca != "" {
		return cli.Usage("--plain, --cert, --ca and --client-ca are for wss; libp2p proves both keys by itself")
	}
	return nil
}
