// Package channel has the frames by which a client elsewhere uses a channel of an agent (seed 001,
// level 2), and the session that carries them over connections that may be lost. It is pure: it has
// no connection, no clock and no goroutine. Package agent/channel/line connects it.
//
// Docs/protocol.md, section "Channels over websockets", is normative. The file testdata/frames.json
// has frames and scenes for implementations in other languages.
package channel
