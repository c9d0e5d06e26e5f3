package fault

// Kind names a fault.
type Kind string

// Faults of the network.
const (
	MessageLoss       Kind = "message-loss"
	Delay             Kind = "delay"
	Reordering        Kind = "reordering"
	Duplication       Kind = "duplication"
	PartitionHalves   Kind = "partition-halves"
	PartitionBridge   Kind = "partition-bridge"
	PartitionStar     Kind = "partition-star"
	PartitionOneWay   Kind = "partition-one-way"
	PartitionFlapping Kind = "partition-flapping"
)

// Faults of a node, its disk, its judge and its wallet.
const (
	NodeCrash     Kind = "node-crash"
	NodePaused    Kind = "node-paused"
	NodeStaleDisk Kind = "node-stale-disk"
	NodeLostDisk  Kind = "node-lost-disk"
	DiskFull      Kind = "disk-full"
	SyncFailed    Kind = "fsync-failed"
	PowerCut      Kind = "power-cut"
	OpinionFailed Kind = "opinion-failed"
	OpinionNever  Kind = "opinion-never"
	WalletEmpty   Kind = "wallet-empty"
)

// Faults of the chain, and of the RPC node between it and a node.
const (
	ChainOutage     Kind = "chain-outage"
	ChainRollback   Kind = "chain-rollback"
	ChainCrash      Kind = "chain-crash"
	ClockSkew       Kind = "clock-skew"
	RPCDown         Kind = "rpc-down"
	RPCSlow         Kind = "rpc-slow"
	RPCAnswersLost  Kind = "rpc-answers-lost"
	RPCStaleSlot    Kind = "rpc-stale-slot"
	RPCOldState     Kind = "rpc-old-state-new-slot"
	RPCWrongBytes   Kind = "rpc-wrong-bytes"
	RPCFalseLanded  Kind = "rpc-false-landed"
	RPCOtherGenesis Kind = "rpc-other-genesis"
	TxDropped       Kind = "tx-dropped"
	TxLate          Kind = "tx-late"
	TxTwice         Kind = "tx-twice"
)

// Judges and holders that break the rules.
const (
	Absent           Kind = "absent"
	Late             Kind = "late"
	Withholder       Kind = "withholder"
	Copier           Kind = "copier"
	Contrary         Kind = "contrary"
	Colluder         Kind = "colluder"
	Adaptive         Kind = "adaptive"
	Equivocator      Kind = "equivocator"
	LateEquivocator  Kind = "late-equivocator"
	VoteSplitter     Kind = "vote-splitter"
	HalfTeller       Kind = "half-teller"
	RelayEquivocator Kind = "relay-equivocator"
	RelayAbuser      Kind = "relay-abuser"
	Spammer          Kind = "spammer"
	Replayer         Kind = "replayer"
	Echo             Kind = "echo"
	Chatterer        Kind = "chatterer"
	Selective        Kind = "selective"
	Denier           Kind = "denier"
	Hasty            Kind = "hasty"
	WrongCase        Kind = "wrong-case"
	LyingHolder      Kind = "lying-holder"
)

// Group is the part of a court that a fault affects.
type Group string

// The groups, in the order of the page.
const (
	Network Group = "Network"
	Node    Group = "Node, disk, judge and wallet"
	Ledger  Group = "Chain and RPC node"
	Judge   Group = "Judges and holders that break the rules"
)

// Definition describes a fault, and how each laboratory causes it. An empty option means that the
// laboratory cannot cause it.
type Definition struct {
	Kind    Kind
	Group   Group
	Meaning string // one sentence
	Core    string // voting/votetest: an option or an Adversary of court, or a Strategy of byzantine
	Court   bool   // node/sim: a seed plans it under the name of the kind
	Process string // test/process: a step of a scenario file, or a test
	Devnet  string // ojud devnet: a flag
}

// All returns every fault, ordered by group.
func All() []Definition {
	return []Definition{
		{MessageLoss, Network, "Some messages between nodes never arrive.", "Network.Loss, Drop", true, "links loss", ""},
		{Delay, Network, "Messages take much longer than usual.", "Network.Latency", true, "links delay", ""},
		{Reordering, Network, "Packets overtake each other.", "", true, "", ""},
		{Duplication, Network, "Some messages arrive twice.", "Network.Duplicate", true, "", ""},
		{PartitionHalves, Network, "Two halves of the nodes cannot reach each other.", "Network.Split", true, "links cut", ""},
		{PartitionBridge, Network, "Two halves can reach each other through one node alone.", "", true, "", ""},
		{PartitionStar, Network, "All nodes can reach one node, and no node reaches any other.", "", true, "", ""},
		{PartitionOneWay, Network, "Packets pass a link in one direction alone.", "", true, "links oneway", ""},
		{PartitionFlapping, Network, "A partition comes and goes every few seconds.", "", true, "links flap", ""},

		{NodeCrash, Node, "A node stops at any moment, and starts again with its disk.", "Faults.Crashes", true, "kill", ""},
		{NodePaused, Node, "A node stands still for a while, and goes on with what it knew.", "", false, "pause", ""},
		{NodeStaleDisk, Node, "A node starts with an older state of its disk.", "", true, "back", ""},
		{NodeLostDisk, Node, "A node starts with an empty disk.", "Faults.Lost", true, "wipe", ""},
		{DiskFull, Node, "A node's disk has no room left.", "", true, "fill", ""},
		{SyncFailed, Node, "The disk reports an error when it is told to keep what was written.", "", true, "", ""},
		{PowerCut, Node, "The machine loses power, and with it every write that was not synced.", "", false, "TestCourtPowerCut", ""},
		{OpinionFailed, Node, "A judge reports that it cannot come to an opinion.", "Opinions.Fail", false, "", ""},
		{OpinionNever, Node, "A judge never comes to an opinion.", "Opinions.Never", false, "", ""},
		{WalletEmpty, Node, "A node has no lamports to pay fees with.", "Ledger.Poor", true, "", ""},

		{ChainOutage, Ledger, "The chain makes no blocks for a while.", "", true, "", ""},
		{ChainRollback, Ledger, "The chain drops its latest blocks and goes on from an earlier one.", "Ledger.Rollbacks", true, "", ""},
		{ChainCrash, Ledger, "The server of the chain stops, and starts again.", "", true, "kill chain", ""},
		{ClockSkew, Ledger, "The chain's clock is off or runs at another speed.", "ClockLiar", true, "", ""},
		{RPCDown, Ledger, "A node cannot reach the chain.", "Ledger.Blind, Ledger.Cut", true, "", ""},
		{RPCSlow, Ledger, "The RPC node answers late.", "Ledger.Lag", true, "", ""},
		{RPCAnswersLost, Ledger, "The RPC node does what it is asked, and its answer is lost.", "", true, "", ""},
		{RPCStaleSlot, Ledger, "The RPC node answers with an older state.", "Ledger.Stale", true, "", ""},
		{RPCOldState, Ledger, "The RPC node answers with an older state and says that it is new.", "", true, "", ""},
		{RPCWrongBytes, Ledger, "The RPC node garbles accounts.", "", true, "", ""},
		{RPCFalseLanded, Ledger, "The RPC node reports transactions as landed that did not land.", "", true, "", ""},
		{RPCOtherGenesis, Ledger, "The RPC node serves another chain.", "", true, "", ""},
		{TxDropped, Ledger, "A transaction never lands.", "Ledger.Drop", true, "", ""},
		{TxLate, Ledger, "A transaction lands late.", "Ledger.Landing", true, "", ""},
		{TxTwice, Ledger, "A transaction is executed twice.", "Ledger.Duplicate", false, "", ""},

		{Absent, Judge, "A judge with a seat does nothing.", "Absent, Missing", true, "", "--absent"},
		{Late, Judge, "A judge acts after its deadline, or in the last second.", "Late, LateReveal", true, "", ""},
		{Withholder, Judge, "A judge commits, and shows its vote to nobody.", "Withholder, Withhold", true, "", ""},
		{Copier, Judge, "A judge commits what another seat committed.", "Copier, CopyVote", true, "", ""},
		{Contrary, Judge, "A judge comes to an honest opinion and votes the opposite.", "", false, "", "--contrary"},
		{Colluder, Judge, "Several judges vote alike, against the honest ones.", "Colluder, Collude", true, "", ""},
		{Adaptive, Judge, "Colluders wait for all honest votes, and reveal only the votes that hurt.", "Adaptive", false, "", ""},
		{Equivocator, Judge, "A judge shows each half of the others a different statement.", "Equivocator, Equivocate", true, "",
			"--equivocating"},
		{LateEquivocator, Judge, "A judge shows a second statement when the round is over.", "LateEquivocator, LateEquivocate", false, "", ""},
		{VoteSplitter, Judge, "A judge shows each half a different statement while the halves cannot talk to each other.", "SplitVote", true,
			"", ""},
		{HalfTeller, Judge, "A judge shows two judges one statement each, while these are cut off until long after the case.", "Halves", false,
			"", ""},
		{RelayEquivocator, Judge, "A judge asks each half of the others to commit something different for it.", "RelayEquivocator, TwoRequests",
			false, "", ""},
		{RelayAbuser, Judge, "A judge that can commit asks others to, again and again and in others' names.", "RelayAbuser", false, "", ""},
		{Spammer, Judge, "A judge sends forged, foreign, early and truncated notices.", "Spammer, Spam", true, "", ""},
		{Replayer, Judge, "A judge sends again what others said.", "Replayer, Replays", true, "", ""},
		{Echo, Judge, "A judge signs what others said as its own.", "Repeat", false, "", ""},
		{Chatterer, Judge, "A judge repeats notices that are valid and useless.", "Validated", false, "", ""},
		{Selective, Judge, "A judge tells only every other node, and answers no questions.", "Selective", false, "", ""},
		{Denier, Judge, "An attacker of the network holds up all that some honest judges say or hear.", "Deny", false, "", ""},
		{Hasty, Judge, "A judge draws, settles, reveals and ends whatever it can, as early as it can.", "Decide", false, "", ""},
		{WrongCase, Judge, "A judge signs for other cases, rounds and networks.", "WrongCase", false, "", ""},
		{LyingHolder, Judge, "A holder answers a request with false data.", "", false, "", "--lying"},
	}
}
