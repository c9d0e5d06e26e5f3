// Package config gathers the settings of an ojud node from four places: the packages' defaults, a
// TOML file, the environment (OJUD_SECTION__FIELD) and the command line. Each overrides the one
// before.
//
// A caller calls Load once at the start, and gives the parts of the Config to the packages that own
// them. Every error names the place and the wrong key.
//
//	[ledger]                    OJUD_LEDGER__RPC=https://…    section, two underscores, field
//	rpc = "https://…"           OJUD_LEDGER__SEND__PRIORITY_FEE=auto
//	[log]                       OJUD_LOG__LEVEL=debug
//	level = "debug"             OJUD_P2P__LISTEN=/ip4/0.0.0.0/tcp/4600,/ip4/0.0.0.0/udp/4600/quic-v1
package config
