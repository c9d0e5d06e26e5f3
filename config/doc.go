// Package config gathers what an operator of an ojud node can set, from four places: the packages'
// defaults, a TOML file, the environment (OJUD_SECTION__FIELD) and the command line, each stronger
// than the one before.
//
// What a caller must do: Load once at the start, and hand the parts of the Config to the packages
// that own them. Every error names the place and the key that is wrong.
//
//	[ledger]                    OJUD_LEDGER__RPC=https://…    section and field, two underscores between
//	rpc = "https://…"           OJUD_LEDGER__SEND__PRIORITY_FEE=auto
//	[log]                       OJUD_LOG__LEVEL=debug
//	level = "debug"             OJUD_P2P__LISTEN=/ip4/0.0.0.0/tcp/4600,/ip4/0.0.0.0/udp/4600/quic-v1
package config
