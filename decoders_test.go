package ojud_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// decoderName is how a function is called that turns bytes from elsewhere into values.
var decoderName = regexp.MustCompile(`^([dD]ecode|[pP]arse|[uU]nmarshal|[rR]ead|[sS]can)([A-Z0-9]|$)`)

// decoderCalls are the calls that such a function uses, by import path. Its own name does not
// matter.
var decoderCalls = map[string][]string{
	"encoding/json":                           {"Unmarshal", "NewDecoder"},
	"encoding/csv":                            {"NewReader"},
	"encoding/binary":                         {"Read", "ReadUvarint", "ReadVarint", "Uvarint", "Varint"},
	"compress/gzip":                           {"NewReader"},
	"bufio":                                   {"NewScanner"},
	"github.com/fxamacker/cbor/v2":            {"DecMode", "Unmarshal"},
	"github.com/gagliardetto/binary":          {"NewBorshDecoder", "NewBinDecoder", "NewCompactU16Decoder"},
	"github.com/gagliardetto/solana-go":       {"TransactionFromBytes", "TransactionFromDecoder", "TransactionFromBase64"},
	"github.com/ipfs/go-cid":                  {"Decode", "Cast", "Parse"},
	"github.com/knadh/koanf/v2":               {"New"},
	"github.com/libp2p/go-libp2p/core/crypto": {"UnmarshalPrivateKey", "UnmarshalPublicKey", "UnmarshalEd25519PrivateKey", "UnmarshalEd25519PublicKey"},
	"github.com/libp2p/go-libp2p/core/peer":   {"Decode", "IDFromBytes", "AddrInfoFromString"},
	"github.com/mr-tron/base58":               {"Decode"},
	"github.com/multiformats/go-multiaddr":    {"NewMultiaddr", "NewMultiaddrBytes"},
	"github.com/pelletier/go-toml/v2":         {"Unmarshal", "NewDecoder"},
	"google.golang.org/protobuf/proto":        {"Unmarshal"},
}

// fuzzed are the fuzz targets, and the decoders that each feeds: of its own package by name, of
// others by "/" and path. Which target really comes to which decoder was measured with the coverage
// of its seeds for the older targets, not for those of node, config and sources.
var fuzzed = map[string]string{
	"casefile/agentdata.FuzzReading":        "ParseReading ParseQuery",
	"casefile/candidates.FuzzOf":            "read",
	"casefile/exhibit.FuzzRead":             "Read address decodeDID decodeObject parseChain parseHop parseToken unfolding.add",
	"casefile/pin.FuzzData":                 "Data.FillJSON Data.UnmarshalJSON",
	"node/brainagent.FuzzAnswer":            "readWork readScores strict",
	"node/brainapi.FuzzToken":               "AgentAPI.read",
	"megabrain/arbiter.FuzzChecked":         "Checked",
	"megabrain/arbiter.FuzzReadPlea":        "readPlea",
	"megabrain/arbiter.FuzzReadShowing":     "ReadShowing",
	"node/backup.FuzzManifest":              "parseManifest",
	"node/homes.FuzzRead":                   "Read parse readFile",
	"node/holdings.FuzzReceipt":             "ParseReceipt decode",
	"agent.FuzzAction":                      "decodeAction",
	"agent.FuzzHear":                        "hearing.decode",
	"agent.FuzzModel":                       "sampling",
	"agent/audit.FuzzEntry":                 "parseEntry",
	"agent/delegation.FuzzToken":            "ParseApproval ParseChain ParseCall ParsePrincipal ParseRevocation Principal.UnmarshalText decodeValue parseDelegation parseInvocation parsePattern parseSelector readBundle ParseCommand",
	"agent/judge.FuzzDecodeAnswer":          "decodeAnswer",
	"agent/judge.FuzzTyped":                 "decode meets trial.shows",
	"casefile/sealed.FuzzOpen":              "read",
	"agent/judge/sheet.FuzzUnfold":          "Unfold",
	"agent/judge/signed.FuzzFindings":       "agreements says",
	"agent/judge/guide.FuzzPropose":         "Propose",
	"agent/judge/check.FuzzExpected":        "Read",
	"agent/judge/check.FuzzParses":          "parseGo parseJSON",
	"agent/judge/check.FuzzDemand":          "decoded /casefile/demand.Demands.has /casefile/demand.Number",
	"agent/judge/chair.FuzzReadSecret":      "readSecret",
	"agent/judge/exam.FuzzConvert":          "objects readPair",
	"agent/judge/exam.FuzzRead":             "Read lines parse",
	"agent/judge/memory.FuzzDecode":         "/agent/likeness.Embedding.UnmarshalText Point.UnmarshalJSON decode",
	"agent/talk/meeting.FuzzAdd":            "Minutes.begin Minutes.look read text",
	"agent/talk/cbor.FuzzEncode":            "Encode",
	"agent/talk/cbor.FuzzDecode":            "Decode",
	"agent/talk.FuzzFrame":                  "Session.apply Session.read Session.readProposal Session.subscribe count has readCall strict textOr vocabularies words",
	"agent/talk.FuzzParseAgreement":         "Agreement.Task IsAgreement ParseAgreement",
	"agent/talk/link.FuzzOpening":           "claims.UnmarshalJSON readOpening readToken",
	"agent/talk/owner.FuzzVocabulary":       "ReadVocabulary Vocabularies.named",
	"agent/talk/owner.FuzzReadLine":         "Owner.ReadLine Owner.told has Keys object",
	"agent/face.FuzzCall":                   "Make",
	"agent/face/a2a.FuzzOrder":              "part",
	"agent/host.FuzzParseTarget":            "ParseTarget ParseRemote",
	"agent/channel.FuzzDecode":              "Decode DecodeBody parse quickBody scanner.chars slowBody slowFrame",
	"agent/host/attest.FuzzCheck":           "Check",
	"agent/host/manifest.FuzzParse":         "Parse",
	"agent/host/shell.FuzzInput":            "decoded",
	"agent/judge/persona.FuzzParse":         "Parse",
	"agent/judge/redteam.FuzzParse":         "/agent/judge/prose.unescaped Parse Try.apply /casefile.Lookup.validate",
	"agent/model.FuzzAnswer":                "anthropicDialect.edit anthropicDialect.input anthropicDialect.tidy arguments.UnmarshalJSON content.UnmarshalJSON count.UnmarshalJSON exchange.edited names.read openaiDialect.tidy unwrap",
	"agent/model.FuzzPieces":                "anthropicPieces.take exchange.listen openaiPieces.take",
	"agent/model.FuzzTake":                  "decodeTake",
	"agent/model.FuzzVectors":               "inOrder",
	"casefile/agentcard.FuzzParse":          "Parse decode",
	"agent/judge/prove.FuzzAnswer":          "Setup.answer Setup.shown",
	"casefile/proof.FuzzCounterexample":     "Prover.Counterexample Prover.byTables",
	"sandbox.FuzzParse":                     "Engine.Parse Engine.parseJavaScript Engine.parseSQL database.parse",
	"casefile/ground.FuzzGround":            "ReadCall shape.refuse Tables wrongRows",
	"casefile.FuzzAgreed":                   "ParseAgreed",
	"casefile.FuzzBundle":                   "OnUndecided.UnmarshalText PaymentKind.UnmarshalText ParseBundle Preset.UnmarshalText ReadBundle SeatResult.UnmarshalText TaskOutcome.UnmarshalText TxID.UnmarshalText Verdict.UnmarshalText Worth.UnmarshalText /casefile/verify.pathAt /casefile/verify.syntax",
	"casefile/canon.FuzzJSON":               "scan",
	"casefile.FuzzEvent":                    "ParseEvent",
	"casefile.FuzzFacts":                    "ReadFact",
	"casefile.FuzzFill":                     "decoder.array decoder.members decoder.scalar decoder.text",
	"casefile/leaf.FuzzParse":               "Parse",
	"casefile.FuzzOnePass":                  "/casefile/canon.shape.scalar",
	"casefile.FuzzOpinion":                  "ParseOpinion",
	"casefile.FuzzPanel":                    "Choices.UnmarshalText",
	"casefile.FuzzReceipt":                  "Address.UnmarshalText Amount.UnmarshalText Choice.UnmarshalText DID.UnmarshalText Digest.UnmarshalText ParseCounterObjection ParseObjection ParseReceipt ParseResult ParseTask Signature.UnmarshalText /casefile/canon.Base58 decode decoder.array decoder.members decoder.scalar decoder.text parseWord read",
	"casefile.FuzzText":                     "Content.UnmarshalText ParseAddress ParseDID",
	"casefile.FuzzVote":                     "ParseNotice ParseVote",
	"config.FuzzLoad":                       "Sources.decode Sources.envLayer fileLayer newLayer readSettings",
	"datasource.FuzzOnly":                   "/datasource/kind.DecodeJSON",
	"datasource.FuzzParse":                  "Parse",
	"datasource.FuzzParseCard":              "ParseCard Who.FillJSON Who.UnmarshalJSON",
	"datasource/anex.FuzzContent":           "readAnswer readRefusal",
	"datasource/anex.FuzzMachines":          "readAcceptance readCall readDataRequest readEngagement readProposal",
	"datasource/anex.FuzzParse":             "Parse readPerformative readTime unquote",
	"datasource/exchange.FuzzParseLogEntry": "ParseLogEntry",
	"datasource/exchange.FuzzParsePayment":  "ParsePayment",
	"datasource/exchange.FuzzReadLog":       "ReadLog readFile",
	"datasource/kind.FuzzDecode":            "Decode table.decode table.encode",
	"datasource/kind.FuzzFiles":             "folder.read readBounded",
	"datasource/kind.FuzzParse":             "DecodeJSON parse",
	"datasource/exact.FuzzReader":           "Reader.Read",
	"datasource/kind.FuzzMask":              "secrets.read",
	"datasource/kind.FuzzRows":              "csvRows lineRows",
	"datasource/kind.FuzzStdout":            "body.Read stdout.Read",
	"datasource/kind.FuzzURLTemplate":       "parseURL",
	"node/trader.FuzzSettings":              "parseWork parsePost parseBrain decode",
	"node/trader.FuzzQueue":                 "queue.file",
	"golden/proctor.FuzzOpening":            "parseOpening strict",
	"golden/proctor.FuzzSecret":             "decodeSecret strict",
	"ledger/tokens.FuzzDecode":              "DecodeMint DecodeAccount",
	"ledger/tokens.FuzzParse":               "Parse",
	"ledger/onchain.FuzzText":               "Address.UnmarshalText Hash.UnmarshalText ParseAddress parseSignature Signature.UnmarshalText decode",
	"ledger.FuzzAnswer":                     "commits",
	"ledger/transact.FuzzDecodeEntry":       "DecodeEntry",
	"ledger/transact.FuzzParseKeypair":      "parseKeypair",
	"ledger/transact.FuzzReadMessage":       "Budget.read ReadMessage",
	"ledger.FuzzFeed":                       "feed.onClock feed.onLogs",
	"ledger/providers.FuzzAnswers":          "decode each question.read",
	"ledger/rpc.FuzzBase64":                 "Base64.UnmarshalJSON",
	"ledger/looks.FuzzDecodeClock":          "DecodeClock",
	"ledger/rpc.FuzzAnswer":                 "Caller.read decodeAnswer decodeResult",
	"ledger/rpc.FuzzSocket":                 "Socket.handle Socket.notify",
	"ledger/devnet.FuzzCalls":               "parseHash",
	"ledger/devnet.FuzzFilters":             "filter.UnmarshalJSON memcmp.verify memcmp.verifyArray",
	"ledger/devnet.FuzzRPC":                 "accountEncoding.UnmarshalJSON dataSlice.UnmarshalJSON answer commitment.UnmarshalJSON decode58 decodeMessage decodeTransaction decodeWire newParams oneOf params.read parse parseKey parseSignature transactionEncoding.UnmarshalJSON unmarshal",
	"ledger/devnet.FuzzSocket":              "logsFilter.UnmarshalJSON",
	"ledger/devnet/bank.FuzzDecode":         "decodeAccount decodeBlock decodeGenesis decodeHead decodeTransaction",
	"ledger/journal.FuzzDecodeCursor":       "decodeCursor",
	"ledger/journal.FuzzDecodeIdentity":     "decodeIdentity",
	"ledger/journal.FuzzDecodeRound":        "decodePast",
	"ledger/journal.FuzzTable":              "checkTable",
	"ledger/journal/blob.FuzzParse":         "parse",
	"ledger/program.FuzzDecodeAccount":      "DecodeAccount DecodeAdmission DecodeAgent DecodeAgentData DecodeBatch DecodeCase DecodeChannel DecodeConfig DecodePledge DecodePot DecodeProctor DecodeRegistryPage DecodeRoster DecodeRules DecodeTask DecodeVerdictAccount decode decodeAs",
	"ledger/program.FuzzDecodeEd25519":      "decodeEd25519 SelfContained.read",
	"ledger/program.FuzzDecodeEvent":        "DecodeEvent",
	"ledger/program.FuzzDecodeInstruction":  "DecodeInstruction",
	"ledger/program.FuzzParseFailure":       "instructionError parseFailure",
	"ledger/brain.FuzzDecode":               "DecodeClass DecodeTask DecodeTreasury Instructions Transfers decode decodeEvent readArgs",
	"ledger/signers.FuzzDecode":             "DecodeBallot DecodeKeys",
	"ledger/svm.FuzzDecodeTransaction":      "DecodeTransaction requests.read",
	"ledger/deploy.FuzzHead":                "readHead",
	"ledger/svm/bincode.FuzzInstructions":   "DecodeLoader DecodeLoaderState DecodeSystem",
	"ledger/svm.FuzzNonce":                  "decodeNonce",
	"ledger/svm/sbpf.FuzzLoad":              "decode parseLenient readEhdr readOnlyName readPhdr readRel readShdr readSym readVersion",
	"node/archive.FuzzList":                 "parseList",
	"node.FuzzDescriptor":                   "Descriptor.Validate ParseDescriptor ParseUnsigned",
	"casefile/car.FuzzCase":                 "Is read readBlock readNode",
	"casefile/page.FuzzPage":                "unpack",
	"node/network.FuzzLinks":                "decodeLinks",
	"casefile/picture.FuzzBlocks":           "Ordered Passages texts value",
	"casefile/picture.FuzzSaid":             "unquoted",
	"node/desk.FuzzSource":                  "/node/desk.request",
	"node/desk.FuzzOrder":                   "/node/library.ReadResult /node/library.ReadTask",
	"node/evidence.FuzzMessages":            "/node/network.Decode decodeCalls",
	"node/evidence.FuzzParseQuery":          "/node/network.DecodeStrict ParseQuery",
	"node/network.FuzzKeys":                 "PeerOf",
	"node/record.FuzzMessages":              "/node/network.Decode",
	"node/library.FuzzBootstrap":            "Peers",
	"node/client.FuzzDecider":               "ParseDecider",
	"node/client.FuzzLamportsJSON":          "Lamports.UnmarshalText",
	"megabrain/finding.FuzzReadClass":       "ReadClass",
	"megabrain/finding.FuzzReadOpinion":     "TaskClass.ReadOpinion Embedding.vector",
	"megabrain/finding.FuzzBeside":          "ReadAttachments ReadRemarks readStrict",
	"megabrain/finding.FuzzQuestion":        "ReadQuestion",
	"megabrain/memory.FuzzDocument":         "Decode Digest.UnmarshalText ParseDocument TreeHead.UnmarshalText",
	"megabrain/memory.FuzzHead":             "ParseHead parseHead",
	"megabrain/memory.FuzzLeaf":             "ParseLeaf",
	"megabrain/memory/remote.FuzzAnswer":    "fault",
	"megabrain/pay.FuzzParse":               "Parse",
	"megabrain/reputation.FuzzReadHistory":  "ReadHistory",
	"node/api.FuzzAnswers":                  "Node.accept Node.read",
	"node/client.FuzzParseLamports":         "ParseLamports /ledger/onchain.ParseSOL /ledger/onchain.parseDigits",
	"node/library.FuzzTask":                 "parseTask",
	"node/payment.FuzzParse":                "parse parseSigned",
	"node/payment.FuzzRecord":               "decode",
	"node/sources.FuzzModern":               "modern",
	"node/sources.FuzzSheet":                "Home.secrets discreet",
	"node/sources.FuzzTerms":                "parseRate parseWho",
	"node/sources.FuzzWithheld":             "withheld",
	"node/webhook.FuzzParseName":            "parseName",
	"node/why.FuzzEventLog":                 "DecodeEventLog decode",
	"node/why.FuzzUptime":                   "DecodeUptime",
	"p2p.FuzzAddrs":                         "parseAddrs Inside",
	"p2p/directory.FuzzRegistryLine":        "Directory.loadLine Directory.put Judge.AddrInfo",
	"p2p/directory.FuzzVerifyAnnouncement":  "verifyAnnouncement",
	"p2p/identity.FuzzParseKey":             "FromSeed parseKey",
	"p2p/wire.FuzzAck":                      "ReadAck",
	"p2p/wire.FuzzAnnouncement":             "DecodeAnnouncement checkAuthority",
	"p2p/wire.FuzzReadFrame":                "BufferedFrame ReadFrame readLength readPayload",
	"p2p/wire.FuzzSyncReply":                "DecodeSyncReply",
	"p2p/wire.FuzzSyncRequest":              "DecodeSyncRequest cursor.number",
	"programs/oju/guard.FuzzCheck":          "decode",
	"schema.FuzzCheck":                      "Limits.DecodeSchema",
	"schema.FuzzDecode":                     "Limits.Decode",
	"schema.FuzzPlain":                      "Plain",
	"voting.FuzzDecodeNotice":               "DecodeNotice decodeCommit decodeRelay decodeVote",
	"voting.FuzzDecodeRecord":               "DecodeRecord ParsePlain",
	"voting.FuzzParseChoice":                "ParseChoice",
}

// unfuzzed are decoders without a target, and why.
var unfuzzed = map[string]string{
	"ledger/devnet/spl.unpack":                   "reads bytes that are part of the program",
	"p2p/reach.circuitEnd.Read":                  "it passes on what the library's relay reads, and looks at no byte",
	"node/brainagent.openStore":                  "reads the agent's own state, at most maxState bytes, into plain types with json.Unmarshal",
	"node/brainagent.store.read":                 "reads at most so many bytes of a file of the agent's own",
	"node/trader.ReadBrain":                      "reads at most maxSettings bytes of a file; what they say is FuzzSettings's",
	"node/megabrain.checkSays":                   "reads the document that this key is about to commit to, in canonical JSON of at most MaxKept bytes",
	"node/brainapi.drafts.read":                  "this server's own file, which it bounded when it wrote it",
	"node/brainapi.AgentAPI.give":                "this server's own list of attachments, found by its hash",
	"node/brainapi.AgentAPI.vectors":             "json.Unmarshal of vectors that finding.TaskClass.Vectors has made; Embedding.Check looks at each",
	"cmd/ojud/keyholder.readBounded":             "reads a bounded file; its lines are checked as flags, or its bytes are node.FuzzDescriptor's",
	"cmd/ojud/keyholder.readRules":               "it reads lines of at most 64 KiB that the founder wrote; parseAll checks each as a flag",
	"node/holdings.Pin":                          "json.Unmarshal of a task document that casefile.ParseTask has read",
	"cmd/ojud/mcp.openPurse":                     "reads at most 1 MiB of a file that this program wrote",
	"cmd/ojud/mcp.readWord":                      "it reads a line of at most 256 bytes that the operator or this program wrote",
	"agent/model.embedding.ask":                  "reads the request that langchaingo wrote; what the server answers is FuzzVectors's",
	"cmd/ojud/brain.newEmbed":                    "reads at most 256 KiB of a file of the person",
	"megabrain/meaning.Fields.Texts":             "reads a result that is canonical JSON of at most finding.MaxResult bytes; FuzzAssess gives it any",
	"cmd/ojud/brain.newEvaluate":                 "reads at most 256 KiB of a file of the evaluator",
	"cmd/ojud/brain.outcomeFlags.find":           "reads at most 64 KiB of a file of the person, and checks each number",
	"node/megabrain.Folder.reveal":               "reads a file that this program wrote, and checks that it opens the commitment",
	"node/megabrain.Folder.terms":                "reads a file that this program wrote, and checks that it has the hash of the task's terms",
	"cmd/ojud/brain.readAccount":                 "reads a file that this program wrote",
	"cmd/ojud/brain.readEarned":                  "reads a file that this program wrote",
	"node/megabrain.readSeal":                    "reads a file that this program wrote, and opening checks that it opens the seal",
	"node/megabrain.readFile":                    "reads at most 256 KiB of a file of the home",
	"cmd/ojud/brain.readToken":                   "reads at most 1 KiB of a file of the operator",
	"megabrain/memory.ParseDigest":               "hands a text to Digest.UnmarshalText, which is FuzzDocument's",
	"megabrain/memory/keep.readHead":             "reads a file of the node; what it says is FuzzHead's",
	"cmd/ojud/talk.room.read":                    "it reads lines of the person at the terminal; FuzzReadLine feeds what reads each",
	"cmd/ojud/talk.seat.read":                    "it reads lines of the person at the terminal",
	"cmd/ojud/talk.seat.line":                    "it reads a line of the person at the terminal; JSON is decoded into json.RawMessage, and the rest is owner.FuzzReadLine's",
	"cmd/ojud/talk.readMinutes":                  "it reads lines of a bounded file; meeting.FuzzAdd feeds what reads each",
	"cmd/ojud/talk.ReadAgreement":                "it reads a file with talk.ParseAgreement, which FuzzParseAgreement feeds",
	"p2p/direct.parse":                           "it reads an address that the person at the terminal typed, with libp2p's own parser",
	"p2p/direct.peers":                           "it reads ids that the person at the terminal typed, with libp2p's own parser",
	"p2p/direct.Station.again":                   "it reads a part of an address that libp2p has parsed",
	"p2p/direct.linked.OpenConnection":           "it reads an address that libp2p made of a connection",
	"p2p/direct.libp2pKey.GetPublic":             "it wraps the own public key",
	"agent/judge/tools.Box.make":                 "json.Unmarshal of a call that the channel checked against the tool's schema; ground.Check bounds what runs",
	"agent/crew.shift.ask":                       "json.Unmarshal of an answer that package agent checked against the schema of its role",
	"node/trial/keep.load":                       "reads files of at most 4 MiB that the exam of the same home wrote",
	"test/browser.bidi.Ask":                      "reads what Firefox answers to a test",
	"test/browser.bidi.call":                     "reads what Firefox answers to a test",
	"test/browser.firefox":                       "reads what Firefox answers to a test",
	"node/trader.ReadWork":                       "reads at most maxSettings bytes of a file; what they say is FuzzSettings's",
	"node/trader.ReadPost":                       "likewise",
	"cmd/ojud/mcp.dealer.object":                 "decodes what was just encoded: arguments of a tool, which face.Make bounds and has read",
	"node/trader.openStore":                      "reads the trader's own state, at most maxState bytes, into plain types with json.Unmarshal",
	"node/trader.store.read":                     "reads at most so many bytes of a file of the trader's own",
	"node/trader.schemaOf":                       "json.Unmarshal of the schema in a task that casefile.ParseTask has read, into one raw member",
	"node/trader.Judges.advised":                 "decodes a result that the agent signed, of at most mind.MaxResult bytes, into two texts",
	"node/marketdemo.input":                      "json.Unmarshal of the input of the demo's own orders",
	"agent/audit.Read":                           "hands lines of a file to parseEntry, which is FuzzEntry's",
	"agent/audit.Trail.Complete":                 "hands lines of a file of the home to parseEntry, which is FuzzEntry's",
	"agent/audit.readHead":                       "reads a file of the home of at most 1,024 bytes into a number and a text",
	"agent/delegation/keep.waits":                "reads at most MaxBundle bytes of a file that the home wrote",
	"agent/delegation/keep.Open":                 "reads a record that this home wrote into its own database",
	"agent/delegation/keep.question":             "reads at most maxAsked bytes of a file that the home wrote; TestQuestion feeds damaged ones",
	"agent/delegation/keep.AskedCall.read":       "reads what question bounded; what a call says is FuzzToken's",
	"agent/delegation/keep.readBounded":          "reads a bounded part of a file; what mail says is FuzzToken's",
	"agent/delegation/keeper.Register.Load":      "values that the home wrote; TestLoad feeds damaged ones",
	"node/library.CheckFile":                     "a check of the creator's own; the task with it is parsed by casefile.ParseTask, which a fuzz target feeds",
	"node/library.Openings.earlier":              "a file that the home wrote; the task with what it says is parsed by casefile.ParseTask",
	"agent/judge.investigation.answer":           "json.Unmarshal of a tool call that has passed the tool's schema; sheet.FuzzUnfold reads the same type",
	"agent/host/door.Abroad.vouched":             "json.Unmarshal of at most 4 KiB into texts, of which keys are parsed by ParseDID",
	"agent/host/door.refusal":                    "json.Unmarshal of at most 4 KiB into texts",
	"agent/host/door.outside.hear":               "json.Unmarshal of at most 4 KiB into one text, which is checked by host.ValidID",
	"agent/host/door.clerk.Portray":              "json.Unmarshal of what the host of this process wrote",
	"agent/host/door.Guest.Use":                  "json.Unmarshal of at most 64 MiB that the host of the own machine wrote",
	"agent/host/door.Open":                       "reads at most 4 KiB of a file that the host of the own machine wrote",
	"agent/host/keep.Disk.Agents":                "reads records that this host wrote into its own database",
	"agent/host/keep.Disk.Call":                  "likewise",
	"agent/host/keep.Disk.Recall":                "likewise",
	"agent/host/keep.Disk.Under":                 "likewise",
	"agent/host/manifest.Read":                   "reads at most maxBytes bytes of a file; what they say is FuzzParse's",
	"agent/host/door.Talk.End":                   "json.Unmarshal of a message that channel.FuzzDecode's DecodeBody has bounded",
	"agent/host.Invocation.Outcome":              "reads one text of an attestation that this host signed and wrote into its own database",
	"agent/host/shell.ReadPacked":                "reads at most MaxPack bytes for Unpack",
	"agent/host/shell.Unpack":                    "reads at most maxPack bytes that canon.JSON accepts, and checks the signature over all of them",
	"agent/host/mind.inward":                     "json.Unmarshal of a context that the host wrote itself",
	"agent/host/mind.Worker.converse":            "json.Unmarshal of a context that the host wrote itself",
	"cmd/ojud/agents.brief":                      "reads a result that the host has bounded, and shows it whole if it is of another form",
	"cmd/ojud/agents.newOffers":                  "json.Decoder reads the bounded file of the user; its schemas are schema.FuzzCheck's",
	"agent/host/shell.withContext":               "json.Unmarshal of the bounded input of a tool, which its schema has accepted",
	"agent/host/mind.usages":                     "json.Unmarshal of a line of at most 1 MiB that channel.DecodeBody has read, into names of members",
	"agent/host/mind.process.listen":             "cuts bounded lines, which channel.FuzzDecode reads",
	"agent/host/mind.Outward":                    "json.Unmarshal of a context that the host wrote itself",
	"agent/host/warden.Read":                     "hands the file of a call to delegation.ParseCall, which is FuzzToken's",
	"agent/host/shell.directory.parse":           "hands a text to manifest.Parse, which is FuzzParse's",
	"agent/talk/owner.asked":                     "json.Unmarshal of a message that anex.Parse has bounded, for one text",
	"agent/judge/memory.read":                    "reads at most maxEntry bytes of a file; what they say is FuzzDecode's",
	"agent/judge/persona.Read":                   "reads at most maxFile bytes of a file; what they say is FuzzParse's",
	"agent/model.readTake":                       "reads at most maxTake bytes of a file; what they say is FuzzTake's",
	"casefile/proof.near":                        "json.Unmarshal of canonical JSON of at most 64 KiB, which canon.JSON made",
	"casefile/proof.apart":                       "json.Unmarshal of canonical JSON of at most 8 KiB, which canon.JSON made",
	"casefile/proof.written":                     "json.Unmarshal of a string in a result that FuzzReceipt's ParseResult has read",
	"casefile/proof.other":                       "reads the rows that sandbox made of a query, at most 64 KiB",
	"sandbox.spoken":                             "reads at most 2,000 bytes that a module wrote, with json.Unmarshal into a list and a text",
	"casefile/proof.grammatical":                 "json.Unmarshal of a string in a result, as casefile/proof.written",
	"sandbox.Engine.Python":                      "reads at most 1 MiB that our program in CPython wrote; needs CPython, so that TestPython feeds it forged answers",
	"sandbox.Engine.parsePython":                 "likewise, and TestPython feeds it",
	"sandbox.columnsOf":                          "reads the names of the members of a document that casefile's targets have read, to make a table",
	"sandbox.database.load":                      "splits such a document into rows",
	"casefile/runs.TestQuery.problem":            "json.Unmarshal of a part of a task that FuzzReceipt's ParseTask has read",
	"casefile.Lookup.Fill":                       "completes a request that FuzzDocuments' validate has read as an object",
	"golden/generator.form.pack":                 "unpacks tests that the generator has written itself",
	"golden/generator.schema":                    "reads types that the generator has written itself",
	"golden/generator.differing":                 "reads values of results that the generator has made itself",
	"golden/generator.leaves":                    "reads values of results that the generator has made itself",
	"golden/generator.long":                      "reads values of results that the generator has made itself",
	"golden/generator.plainly":                   "reads values of results that the generator has made itself",
	"node/client/offline.readAll":                "reads at most MaxCAR bytes; what they say is FuzzPage's, FuzzCase's and casefile's fuzz targets'",
	"node/market.read":                           "reads a document of a bounded size by ParseTask, which is FuzzDocuments'",
	"casefile/page/wasm.main":                    "reads a report that the other worker of the page wrote",
	"cmd/ojud/cli.ReasonFlags.ask":               "reads at most 64 KiB of lines that a person types",
	"cmd/ojud/agents.describeFar":                "json.Unmarshal of a result that the agent signed, of at most the bytes of a frame",
	"agent/talk/owner.Owner.ReadAnswer":          "a line of at most 16 KiB, whose parts ReadLine and Keys read",
	"agent/talk/owner.Owner.tellable":            "json.Unmarshal of a line of at most 16 KiB; only the names of members are compared",
	"cmd/ojud/talk.records":                      "json.Unmarshal of lines of the home's own files of at most 64 MiB, for names of peers and as they are",
	"cmd/ojud/talk.room.current":                 "json.Unmarshal of an answer of the own data source, which datasource bounds and spells",
	"cmd/ojud/talk.tally.read":                   "reads at most 1 MiB of a file that this program wrote, into a plain type",
	"cmd/ojud/talk.said":                         "json.Unmarshal of a result that the agent signed, of at most mind.MaxResult bytes",
	"cmd/ojud/agents.talk.listen":                "reads lines of at most 64 KiB that a person types",
	"cmd/ojud/cli.readSome":                      "reads at most maxRequest bytes of a file that a person names",
	"cmd/ojud/cli.ReadRequest":                   "json.Unmarshal of at most 64 KiB that a person wrote; the source checks them as any request",
	"node/batches.Life.number":                   "reads at most maxKept bytes of a file that this program wrote",
	"cmd/ojud/keyholder.parse":                   "reads a flag of its user; the amounts are FuzzParseLamports's",
	"cmd/ojud/proctor.parseRange":                "cuts a flag of its user; the amounts are FuzzParseLamports's",
	"datasource.Read":                            "a file whose bytes are FuzzParse's",
	"datasource.readFile":                        "reads at most 2 MaxFile bytes of a file; what they say is FuzzParse's",
	"datasource.Cards.Parse":                     "remembers what ParseCard said, which is FuzzParseCard's",
	"golden/proctor.readSome":                    "reads at most so many bytes of a file; what they say is FuzzOpening's and FuzzSecret's",
	"ledger/law.ParsePreset":                     "compares a flag of its user with two words",
	"ledger/program/generate.generate":           "reads the IDL of this repository at development time",
	"ledger/program/generate.kind.UnmarshalJSON": "a part of that IDL",
	"ledger.tracking.landed":                     "this node's own transaction, which FuzzDecodeEntry has bounded; DecodeTransaction of package svm is fuzzed",
	"ledger/journal.Journal.read":                "looks a key of our own up in Badger; each record has a target of its own",
	"ledger/journal.Journal.scan":                "walks keys of our own in Badger; each record has a target of its own",
	"ledger/program.ParseCode":                   "compares a word with the table of codes",
	"node.readDescriptor":                        "reads a file of the home; its bytes are FuzzDescriptor's",
	"node/record.RoundData.Load":                 "this node's own record in the journal; its parts are FuzzReceipt's and FuzzEvent's",
	"node/record.readFile":                       "hands a case file to ReadFile and Verify, which are FuzzExplain's and FuzzBundle's",
	"node/client/offline.Read":                   "opens a file; ReadBundle bounds it",
	"node/library.ReadFile":                      "reads at most so many bytes of a file that a person names",
	"node/archive.readList":                      "reads at most maxList bytes of a file; what they say is FuzzList's",
	"node/backup.readManifest":                   "reads at most maxManifest bytes of a file; what they say is FuzzManifest's",
	"node/backup.unpack":                         "follows such a manifest, with the standard library's gzip and tar; TestDamaged damages what it reads",
	"node/doctor.running":                        "json.Unmarshal of at most 4 MiB of the own node's status; FuzzAnswers reads such answers",
	"node/sources.Home.read":                     "a file whose bytes are datasource.FuzzParse's",
	"p2p/direct.open":                            "hands addresses of the operator to the parser of libp2p",
	"p2p.incoming.read":                          "reads frames; wire.ReadFrame has a target, and p2p/hostile_test.go the streams",
}

// testTools read what tests, demonstrations and recordings of this repository wrote.
var testTools = []string{
	"agent/agenttest", "agent/model/modeltest", "casefile/casetest", "examples", "ledger/svm/difftest", "ledger/svm/difftest/asm", "node/cluster",
	"p2p/p2ptest", "p2p/p2ptest/floor", "test/npmtest", "voting/votetest", "voting/votetest/court", "voting/votetest/scenario",
}

// TestDecoders: a function that turns bytes from elsewhere into values is fed by a fuzz target, or
// has a reason not to be.
func TestDecoders(t *testing.T) {
	w := spin(sources(t))
	if len(w.decoders) < 150 || len(w.fuzz) < 100 {
		t.Fatalf("found only %d decoders and %d fuzz targets", len(w.decoders), len(w.fuzz))
	}
	for _, fault := range w.faults(fuzzed, unfuzzed) {
		t.Error(fault)
	}
}

// TestDecodersControl: a decoder that is new, a target that does not come to its decoder, and what
// stands in the tables but not in the code are each found.
func TestDecodersControl(t *testing.T) {
	const good = "package a\nimport \"encoding/json\"\nfunc Parse(b []byte) error { var v T; return json.Unmarshal(b, &v) }\ntype T struct{}\nfunc (T) UnmarshalText(b []byte) error { return nil }\n"
	const target = "package a\nfunc FuzzParse(f *testing.F) { f.Fuzz(func(t *testing.T, b []byte) { Parse(b) }) }\nfunc FuzzOther(f *testing.F) {}\n"
	tests := []struct {
		name, code      string
		fuzzed, without map[string]string
		want            string // part of the one fault; empty: none
	}{
		{"all is well", good, map[string]string{"a.FuzzParse": "Parse T.UnmarshalText"}, nil, ""},
		{"a new decoder by name", good + "func DecodeNew(r io.Reader) {}\n", map[string]string{"a.FuzzParse": "Parse T.UnmarshalText"}, nil, "a.DecodeNew"},
		{"a new decoder by what it calls", good + "func take(b B) { json.Unmarshal(b, nil) }\n", map[string]string{"a.FuzzParse": "Parse T.UnmarshalText"}, nil, "a.take"},
		{"a reason", good + "func DecodeNew(r io.Reader) {}\n", map[string]string{"a.FuzzParse": "Parse T.UnmarshalText"}, map[string]string{"a.DecodeNew": "it is empty"}, ""},
		{"no reason", good, map[string]string{"a.FuzzParse": "Parse"}, map[string]string{"a.T.UnmarshalText": ""}, "no reason"},
		{"the wrong target", good, map[string]string{"a.FuzzParse": "Parse", "a.FuzzOther": "T.UnmarshalText"}, nil, "does not come to"},
		{"no such target", good, map[string]string{"a.FuzzParse": "Parse", "a.FuzzGone": "T.UnmarshalText"}, nil, "no fuzz target"},
		{"no such decoder", good, map[string]string{"a.FuzzParse": "Parse T.UnmarshalText Gone"}, nil, "a.Gone"},
		{"no such decoder with a reason", good, map[string]string{"a.FuzzParse": "Parse T.UnmarshalText"}, map[string]string{"a.Gone": "x"}, "a.Gone"},
	}
	for _, k := range tests {
		faults := spin([]file{parsed(t, "a/a.go", k.code), parsed(t, "a/a_test.go", target)}).faults(k.fuzzed, k.without)
		if k.want == "" && len(faults) == 0 || len(faults) == 1 && k.want != "" && strings.Contains(faults[0], k.want) {
			continue
		}
		t.Errorf("%s: %q, want one with %q", k.name, faults, k.want)
	}
}

// parsed is a file that is nowhere.
func parsed(t *testing.T, name, code string) file {
	t.Helper()
	f := file{path: name, pkg: path.Dir(name), test: strings.HasSuffix(name, "_test.go"), fset: token.NewFileSet()}
	var err error
	if f.ast, err = parser.ParseFile(f.fset, name, code, parser.SkipObjectResolution); err != nil {
		t.Fatal(err)
	}
	return f
}

// web has the declarations at the top of the module's files, and says who mentions whom.
type web struct {
	mentions map[string][]string // "pkg.Name" or "pkg.Type.Method" -> the same
	decoders map[string]string   // -> where
	fuzz     []string            // "pkg.FuzzName"
}

// faults holds the tables to the code.
func (w *web) faults(fuzzed, unfuzzed map[string]string) (out []string) {
	known := map[string]bool{}
	for _, target := range slices.Sorted(maps.Keys(fuzzed)) {
		reach := w.reach(target)
		for _, name := range strings.Fields(fuzzed[target]) {
			name = full(target, name)
			known[name] = true
			switch {
			case !slices.Contains(w.fuzz, target):
				out = append(out, "there is no fuzz target "+target+", which is to feed "+name)
			case w.decoders[name] == "":
				out = append(out, name+", in the table of fuzzed decoders, is none; take it out")
			case !reach[name]:
				out = append(out, target+" does not come to "+name)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(unfuzzed)) {
		known[name] = true
		if w.decoders[name] == "" {
			out = append(out, name+", in the table of decoders that are not fuzzed, is none; take it out")
		}
		if unfuzzed[name] == "" {
			out = append(out, name+" has no reason")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(w.decoders)) {
		if !known[name] {
			out = append(out, w.decoders[name]+": "+name+" decodes: feed it in a fuzz target and put it into the table \"fuzzed\" of decoders_test.go, or give a reason in \"unfuzzed\"")
		}
	}
	return out
}

// full is the whole name of a decoder in the line of a target.
func full(target, name string) string {
	if outside, ok := strings.CutPrefix(name, "/"); ok {
		return outside
	}
	pkg, _, _ := strings.Cut(target, ".")
	return pkg + "." + name
}

// reach returns all that a declaration mentions, and all that this mentions, and so on.
func (w *web) reach(from string) map[string]bool {
	seen := map[string]bool{from: true}
	for todo := []string{from}; len(todo) > 0; todo = todo[1:] {
		for _, next := range w.mentions[todo[0]] {
			if !seen[next] {
				seen[next] = true
				todo = append(todo, next)
			}
		}
	}
	return seen
}

// spin links declarations by the names they mention. A method is looked for in the packages that a
// file imports, and in its own.
func spin(files []file) *web {
	w := &web{mentions: map[string][]string{}, decoders: map[string]string{}}
	s := spinner{web: w, declared: map[string]bool{}, methods: map[string]map[string][]string{}}
	for _, f := range files {
		for name := range s.declarations(f) {
			s.declared[name] = true
			if parts := strings.Split(strings.TrimPrefix(name, f.pkg+"."), "."); len(parts) == 2 {
				if s.methods[f.pkg] == nil {
					s.methods[f.pkg] = map[string][]string{}
				}
				s.methods[f.pkg][parts[1]] = append(s.methods[f.pkg][parts[1]], name)
			}
		}
	}
	for _, f := range files {
		s.link(f)
	}
	return w
}

type spinner struct {
	*web
	declared map[string]bool
	methods  map[string]map[string][]string // package -> name -> declarations
}

// declarations are a file's by name.
func (s *spinner) declarations(f file) map[string]ast.Node {
	out := map[string]ast.Node{}
	for _, d := range f.ast.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			out[f.pkg+"."+receiver(d)+d.Name.Name] = d
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					out[f.pkg+"."+spec.Name.Name] = spec
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						out[f.pkg+"."+name.Name] = spec
					}
				}
			}
		}
	}
	return out
}

// receiver is "Type." for a method.
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	x := d.Recv.List[0].Type
	if star, ok := x.(*ast.StarExpr); ok {
		x = star.X
	}
	switch i := x.(type) {
	case *ast.IndexExpr:
		x = i.X
	case *ast.IndexListExpr:
		x = i.X
	}
	return x.(*ast.Ident).Name + "."
}

// unasked are methods that other modules call of a value they were given.
var unasked = []string{"UnmarshalJSON", "UnmarshalText", "UnmarshalBinary", "RoundTrip", "ServeHTTP", "Read"}

func (s *spinner) link(f file) {
	imports := imported(f)
	for name, decl := range s.declarations(f) {
		if fn, ok := decl.(*ast.FuncDecl); ok {
			if f.test && fn.Recv == nil && strings.HasPrefix(fn.Name.Name, "Fuzz") {
				s.fuzz = append(s.fuzz, name)
			}
			if !f.test && !slices.Contains(testTools, f.pkg) && (decoderName.MatchString(fn.Name.Name) && takesBytes(fn) || uses(fn, imports)) {
				s.decoders[name] = f.fset.Position(fn.Pos()).String()
			}
		}
		if _, ok := decl.(*ast.TypeSpec); ok {
			for _, m := range unasked {
				if own := name + "." + m; s.declared[own] {
					s.mentions[name] = append(s.mentions[name], own)
				}
			}
		}
		ast.Inspect(decl, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				s.mentions[name] = append(s.mentions[name], s.selected(f, imports, n)...)
			case *ast.Ident:
				if to := f.pkg + "." + n.Name; s.declared[to] && to != name {
					s.mentions[name] = append(s.mentions[name], to)
				}
			}
			return true
		})
	}
}

func (s *spinner) selected(f file, imports map[string]string, n *ast.SelectorExpr) []string {
	if x, ok := n.X.(*ast.Ident); ok {
		if p, ok := imports[x.Name]; ok {
			if ours, ok := strings.CutPrefix(p, module+"/"); ok && s.declared[ours+"."+n.Sel.Name] {
				return []string{ours + "." + n.Sel.Name}
			}
			return nil
		}
	}
	out := s.methods[f.pkg][n.Sel.Name]
	for _, p := range imports {
		if ours, ok := strings.CutPrefix(p, module+"/"); ok {
			out = append(slices.Clone(out), s.methods[ours][n.Sel.Name]...)
		}
	}
	return out
}

var majorVersion = regexp.MustCompile(`^v\d+$`)

// imported are a file's imports by the names it has for them.
func imported(f file) map[string]string {
	out := map[string]string{}
	for _, spec := range f.ast.Imports {
		p := strings.Trim(spec.Path.Value, `"`)
		name := path.Base(p)
		if majorVersion.MatchString(name) {
			name = path.Base(path.Dir(p))
		}
		switch name = strings.TrimPrefix(name, "go-"); {
		case spec.Name != nil:
			name = spec.Name.Name
		case p == "github.com/gagliardetto/solana-go":
			name = "solana"
		case p == "github.com/gagliardetto/binary":
			name = "bin"
		}
		out[name] = p
	}
	return out
}

func uses(fn *ast.FuncDecl, imports map[string]string) (found bool) {
	ast.Inspect(fn, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			x, ok := s.X.(*ast.Ident)
			found = found || ok && slices.Contains(decoderCalls[imports[x.Name]], s.Sel.Name)
		}
		return !found
	})
	return found
}

func takesBytes(fn *ast.FuncDecl) bool {
	return slices.ContainsFunc(fn.Type.Params.List, func(p *ast.Field) bool { return foreign(p.Type) })
}

// foreign is a type that bytes from elsewhere come in.
func foreign(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.Ident:
		return x.Name == "string"
	case *ast.ArrayType:
		id, ok := x.Elt.(*ast.Ident)
		return ok && id.Name == "byte"
	case *ast.StarExpr:
		return foreign(x.X)
	case *ast.SelectorExpr:
		return slices.Contains([]string{"Reader", "ReadCloser", "RawMessage", "Stream", "Scanner", "Decoder"}, x.Sel.Name)
	}
	return false
}
