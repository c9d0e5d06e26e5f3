// Package ojud_test checks what no single package can: who may import whom (docs/adr and
// docs/README.md say why), how packages are named, and how long a file may be. It reads the
// sources, whatever their build tags, and runs nothing.
package ojud_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	module   = "ojud"
	maxLines = 400 // of a Go file that is not a test
)

// arrow allows the packages of from to import those of to. A pattern is a path below the module,
// and "/..." after it means that and everything below; "..." is every package.
type arrow struct {
	from, to string
	why      string
}

// arrows are all that may be. No package of ours imports another but by a line here.
var arrows = []arrow{
	{"bench", "voting", "a panel has as many seats as the rules say"},
	{"cmd/ojud", "agent/judge/guide", "a creator gets checks that fit the task"},
	{"cmd/ojud", "golden/generator", "a creator gets a task to begin with"},
	{"cmd/ojud", "config", "the program gets its settings from one place"},
	{"cmd/ojud", "node/...", "the program starts a node, speaks to one as its client, or runs a whole devnet"},
	{"cmd/ojud", "cmd/ojud/view", "what commands show is written by one package, which escapes it"},
	{"cmd/ojud", "cmd/ojud/cli", "commands share flags, amounts, errors and output"},
	{"cmd/ojud", "cmd/ojud/stake", "the commands of a judge's money are a room of their own"},
	{"cmd/ojud", "cmd/ojud/keyholder", "the commands of a court's keyholder are a room of their own"},
	{"cmd/ojud/keyholder", "cmd/ojud/cli", "commands share flags, amounts, errors and output"},
	{"cmd/ojud/keyholder", "cmd/ojud/view", "what commands show is escaped"},
	{"cmd/ojud/keyholder", "ledger/law", "a parameter has a unit, in which people write it"},
	{"cmd/ojud/keyholder", "ledger/onchain", "people name accounts"},
	{"cmd/ojud/keyholder", "ledger/program", "the parameters are those of the program's table"},
	{"cmd/ojud/keyholder", "node/...", "it speaks to the court as a client"},
	{"cmd/ojud/stake", "cmd/ojud/cli", "commands share flags, amounts, errors and output"},
	{"cmd/ojud/stake", "cmd/ojud/view", "what commands show is escaped"},
	{"cmd/ojud/stake", "ledger/onchain", "people name accounts"},
	{"cmd/ojud/stake", "node/...", "it reads a judge's home and speaks to the court as a client"},
	{"cmd/ojud", "sim/policy", "the lab of the court's rules is a command"},
	{"cmd/ojud", "cmd/ojud/examine", "the commands that examine a judge"},
	{"cmd/ojud", "cmd/ojud/proctor", "the commands of proctors"},
	{"cmd/ojud", "cmd/ojud/agentcard", "the commands for agent cards are a room of their own"},
	{"cmd/ojud", "cmd/ojud/holdings", "the commands for data of agents are a room of their own"},
	{"cmd/ojud/holdings", "cmd/ojud/cli", "commands share flags, errors and output"},
	{"cmd/ojud/holdings", "cmd/ojud/view", "what is shown is escaped"},
	{"cmd/ojud/holdings", "ledger/onchain", "agents, tasks and data have addresses"},
	{"cmd/ojud/holdings", "ledger/program", "names and sizes have bounds"},
	{"cmd/ojud/holdings", "node/client", "commands act as a client of a court"},
	{"cmd/ojud/holdings", "node/holdings", "data are written, granted, requested and handed over"},
	{"cmd/ojud/holdings", "node/library", "what is put, and a receipt, is a file"},
	{"node/holdings", "casefile", "addresses, hashes and signatures are spelled as in case files"},
	{"node/holdings", "ledger", "it reads accounts"},
	{"node/holdings", "ledger/law", "the chain has a clock"},
	{"node/holdings", "ledger/onchain", "accounts have addresses"},
	{"node/holdings", "ledger/program", "it reads data and tasks, and builds instructions"},
	{"node/holdings", "ledger/transact", "keys seal and open boxes, and sign"},
	{"node/holdings", "node/client", "owner and asker are clients of the court"},
	{"node/holdings", "node/library", "it says whether a court is on this machine"},
	{"node/holdings", "p2p", "keys are handed over between hosts"},
	{"node/holdings", "p2p/identity", "a host has a key of its own"},
	{"cmd/ojud", "cmd/ojud/delegation", "the commands by which agents allow each other to act are a room of their own"},
	{"cmd/ojud/delegation", "agent/delegation", "it issues, shows, checks and takes back delegations"},
	{"cmd/ojud/delegation", "agent/delegation/keep", "a home remembers calls"},
	{"agent/delegation", "ledger/onchain", "a budget is shown in SOL"},
	{"agent/delegation/keep", "agent/delegation", "it checks calls before they are remembered"},
	{"agent/delegation/keep", "agent/delegation/keeper", "it carries out what the keeper decides"},
	{"agent/delegation/keep", "ledger/journal/durable", "mail is there after a power cut, whole or not at all"},
	{"agent/delegation/keeper", "agent/delegation", "it counts budgets and gives reasons"},
	{"cmd/ojud/delegation", "agent/audit", "it keeps and verifies audit logs"},
	{"agent/talk", "agent/delegation", "agents sign agreements with the keys of their delegations"},
	{"agent/talk", "casefile/canon", "what is signed is canonical JSON"},
	{"agent/talk", "datasource/anex", "it says messages of ANEX, and cuts data to the terms"},
	{"agent/talk/link", "agent/delegation", "tokens are signed by agents"},
	{"agent/talk/link", "agent/talk", "it carries conversations"},
	{"agent/talk/link", "datasource/anex", "frames are as long as messages"},
	{"agent/talk/owner", "agent/delegation", "an owner signs"},
	{"agent/talk/owner", "agent/talk", "it speaks in conversations"},
	{"agent/talk/owner", "datasource/anex", "it says messages of ANEX"},
	{"p2p/direct", "p2p/identity", "a peer is an agent by its key"},
	{"p2p/direct", "p2p/wire", "messages are frames"},
	{"cmd/ojud", "cmd/ojud/talk", "the commands by which agents talk are a room of their own"},
	{"cmd/ojud/dispute", "cmd/ojud/delegation", "the key of a party is that of an agent"},
	{"cmd/ojud/dispute", "cmd/ojud/talk", "an agreement becomes the terms of a dispute"},
	{"cmd/ojud/talk", "agent/audit", "what is said is in the audit log"},
	{"cmd/ojud/talk", "agent/delegation", "agents are named by their keys"},
	{"cmd/ojud/talk", "agent/talk/...", "people and agents talk"},
	{"cmd/ojud/talk", "cmd/ojud/cli", "commands share flags, errors and output"},
	{"cmd/ojud/talk", "cmd/ojud/delegation", "keys are loaded as for delegations"},
	{"cmd/ojud/talk", "cmd/ojud/view", "what agents say is escaped"},
	{"cmd/ojud/talk", "datasource/anex", "it shows messages"},
	{"cmd/ojud/talk", "ledger/journal/durable", "an agreement is there after a power cut"},
	{"cmd/ojud/talk", "node/library", "data and certificates are files"},
	{"cmd/ojud/talk", "p2p/direct", "agents talk over libp2p, too"},
	{"agent/audit", "agent/delegation", "agents and their signatures are those of delegations"},
	{"agent/audit", "casefile/canon", "a line is canonical JSON"},
	{"agent/audit", "ledger/journal/durable", "a log has one writer, and its head survives a power cut"},
	{"agent/delegation/keep", "agent/audit", "decisions are in the audit log before they are said"},
	{"cmd/ojud/delegation", "cmd/ojud/cli", "commands share flags, errors and output"},
	{"cmd/ojud/delegation", "cmd/ojud/view", "what a token says is escaped"},
	{"cmd/ojud/delegation", "ledger/onchain", "an agent has an address"},
	{"cmd/ojud/delegation", "node/client", "keys are loaded as a client loads them"},
	{"cmd/ojud/delegation", "node/library", "a chain is a file"},
	{"cmd/ojud/agentcard", "cmd/ojud/cli", "commands share flags, errors and output"},
	{"cmd/ojud/agentcard", "cmd/ojud/view", "what a card says is escaped"},
	{"cmd/ojud/agentcard", "casefile", "authority and hash are spelled as in case files"},
	{"cmd/ojud/agentcard", "casefile/agentcard", "it signs and checks agent cards"},
	{"cmd/ojud/agentcard", "node/client", "keys are loaded as a client loads them"},
	{"cmd/ojud/agentcard", "node/library", "a card is a file"},
	{"cmd/ojud/agentcard", "voting", "the chain names a card by its hash"},
	{"casefile/agentdata", "casefile", "requests and answers are filled in and spelled as in documents"},
	{"casefile/agentdata", "casefile/canon", "requests and answers are canonical JSON"},
	{"casefile/agentdata", "voting", "an answer is named by its hash"},
	{"casefile/casetest", "casefile/agentdata", "seats of a script read data of agents"},
	{"casefile/verify", "casefile/agentdata", "it compares what judges read of the data of agents with its hash"},
	{"agent/judge", "casefile/agentdata", "a judge reads the data of agents that a task names"},
	{"cmd/ojud", "casefile/agentdata", "a test reads what judges read of data"},
	{"datasource", "casefile/agentdata", "nobody offers a source of that name"},
	{"node/evidence", "casefile/agentdata", "every node has the data of agents as a source"},
	{"node/evidence", "datasource/kind", "that source is described as a tool"},
	{"node/evidence", "ledger", "data of agents is on the chain"},
	{"node/holdings", "casefile/agentdata", "data is shown as judges read it"},
	{"node/trader", "casefile/agentdata", "workers read the data that a task names"},
	{"node/trader", "node/holdings", "workers read the data that a task names, and ask for private data"},
	{"casefile/agentcard", "casefile", "members are filled in and spelled as in documents"},
	{"casefile/agentcard", "voting", "a card is named by its hash"},
	{"cmd/ojud", "cmd/ojud/dispute", "the commands of disputes of others"},
	{"cmd/ojud", "cmd/ojud/browse", "the command that opens the pages is a room of its own"},
	{"cmd/ojud/browse", "cmd/ojud/cli", "commands share flags, errors and output"},
	{"cmd/ojud/browse", "cmd/ojud/view", "it says on a terminal what is wrong with a page"},
	{"cmd/ojud/browse", "node/client/offline", "it reads a case file, or the one in a page"},
	{"cmd/ojud/browse", "node/console", "it plays a case file"},
	{"cmd/ojud/browse", "node/api", "the node's address is in its home"},
	{"cmd/ojud", "cmd/ojud/configure", "the commands of settings are a room of their own"},
	{"cmd/ojud/configure", "cmd/ojud/cli", "commands share flags, errors and output"},
	{"cmd/ojud/configure", "config", "it shows and changes them"},
	{"cmd/ojud/configure", "node/client", "the court of the home has defaults"},
	{"cmd/ojud", "cmd/ojud/desk", "the command that serves a party's pages is a room of its own"},
	{"cmd/ojud", "cmd/ojud/mcp", "the command that serves a court to models is a room of its own"},
	{"cmd/ojud/mcp", "agent/face/mcp", "it serves tools by the Model Context Protocol"},
	{"cmd/ojud/mcp", "cmd/ojud/cli", "commands share flags, errors and output"},
	{"cmd/ojud/mcp", "cmd/ojud/view", "what strangers wrote is escaped"},
	{"cmd/ojud/mcp", "ledger/onchain", "tasks and judges have addresses"},
	{"cmd/ojud/mcp", "cmd/ojud/holdings", "a task that names data that is not there is not posted"},
	{"cmd/ojud/mcp", "ledger/journal/durable", "what tools have spent survives a power cut"},
	{"cmd/ojud/mcp", "ledger/program", "the key of a server reads the instructions that it signs"},
	{"cmd/ojud/mcp", "ledger/transact", "the key of a server reads the messages that it signs"},
	{"cmd/ojud/mcp", "node/library", "a task is a document"},
	{"cmd/ojud/mcp", "node/agents", "agents are listed as by the API"},
	{"cmd/ojud/mcp", "node/client/...", "it reads a court as a client, and case files"},
	{"cmd/ojud/mcp", "node/evidence", "a request for data is a message of the node's API"},
	{"cmd/ojud/desk", "cmd/ojud/cli", "commands share flags, errors and output"},
	{"cmd/ojud/desk", "node/client", "a party is a client of the court"},
	{"cmd/ojud/desk", "cmd/ojud/view", "results are shown as by other commands"},
	{"cmd/ojud/desk", "node/desk", "it serves the desk"},
	{"cmd/ojud/desk", "config", "a key may be named by a variable"},
	{"cmd/ojud/desk", "node/api", "a desk asks the node of its home for data of others"},
	{"cmd/ojud/desk", "node/evidence", "a request for data is a message of the node's API"},
	{"cmd/ojud", "cmd/ojud/source", "the commands of people who have data are a room of their own"},
	{"cmd/ojud", "cmd/ojud/check", "the commands for check programs are a room of their own"},
	{"cmd/ojud", "cmd/ojud/brain", "the commands of MegaBrain are a room of their own"},
	{"cmd/ojud/brain", "cmd/ojud/cli", "commands share flags, errors and output"},
	{"cmd/ojud/brain", "cmd/ojud/view", "what a task says is escaped"},
	{"cmd/ojud/brain", "megabrain/pay", "it settles tasks"},
	{"cmd/ojud/brain", "agent/delegation", "memory nodes are named by did:key"},
	{"cmd/ojud/brain", "megabrain/memory", "receipts, audits and exposures are shown and checked"},
	{"cmd/ojud/brain", "megabrain/memory/keep", "a memory node is a command"},
	{"cmd/ojud/brain", "megabrain/memory/remote", "memory nodes are asked and served"},
	{"cmd/ojud/brain", "p2p/direct", "a memory node answers libp2p"},
	{"cmd/ojud/brain", "p2p/identity", "a memory node has a key"},
	{"megabrain/memory", "agent/delegation", "a node is named by its did:key, and signs as agents do"},
	{"megabrain/memory/keep", "agent/delegation", "a node signs its log"},
	{"megabrain/memory/keep", "ledger/journal/durable", "what is acknowledged survives a power cut"},
	{"megabrain/memory/keep", "megabrain/memory", "it makes promises, and proves them"},
	{"megabrain/memory/remote", "agent/delegation", "a node is named by its did:key"},
	{"megabrain/memory/remote", "agent/talk/link", "a machine is one place, whatever its address of IPv6"},
	{"megabrain/memory/remote", "ledger/journal/durable", "the heads that were seen survive a power cut"},
	{"megabrain/memory/remote", "megabrain/memory", "answers are checked"},
	{"megabrain/memory/remote", "megabrain/memory/keep", "it serves a node"},
	{"megabrain/memory/remote", "p2p/direct", "a node is reached over libp2p, too"},
	{"cmd/ojud/brain", "sim/megabrain", "the simulation of payments is a command"},
	{"sim/megabrain", "megabrain/pay", "it pays agents"},
	{"sim/megabrain", "megabrain/reference", "it pays them by the protocol as it is written, too"},
	{"cmd/ojud/brain", "node/client", "amounts are written as everywhere"},
	{"cmd/ojud/brain", "node/library", "a task is a bounded file"},
	{"megabrain/pay", "schema", "a task is bounded before it is read"},
	{"megabrain/pay", "megabrain/meaning", "results that mean the same are a cluster"},
	{"megabrain/meaning", "schema/pointer", "a class names places of results"},
	{"cmd/ojud/check", "cmd/ojud/cli", "commands share flags, errors and output"},
	{"cmd/ojud/check", "cmd/ojud/view", "what a check program says is escaped"},
	{"cmd/ojud/check", "casefile", "task and result are documents"},
	{"cmd/ojud/check", "agent/judge/check", "what a task demands is demanded of a result"},
	{"cmd/ojud/check", "casefile/proof", "what a task runs is run on a result"},
	{"cmd/ojud/check", "sandbox", "check programs run in the sandbox"},
	{"cmd/ojud/source", "cmd/ojud/cli", "commands share flags, amounts, errors and output"},
	{"cmd/ojud/source", "cmd/ojud/view", "what commands show is escaped"},
	{"cmd/ojud/source", "node/...", "it manages a home's sources, and asks the node that runs there"},
	{"cmd/ojud/examine", "cmd/ojud/cli", "commands share flags, errors and output"},
	{"cmd/ojud/examine", "cmd/ojud/view", "numbers of things are written as everywhere"},
	{"cmd/ojud/examine", "node/trial", "the judge of a home is examined"},
	{"cmd/ojud", "cmd/ojud/qualify", "the command of a judge's exam is a room of its own"},
	{"cmd/ojud/qualify", "cmd/ojud/cli", "commands share flags, errors and output"},
	{"cmd/ojud/qualify", "cmd/ojud/view", "what commands show is written by one package"},
	{"cmd/ojud/qualify", "node/client", "commands act as a client of a court"},
	{"cmd/ojud/qualify", "node/qualify", "it says where a judge stands"},
	{"cmd/ojud/dispute", "cmd/ojud/cli", "commands share flags, amounts, errors and output"},
	{"cmd/ojud/dispute", "cmd/ojud/view", "what commands show is written by one package"},
	{"cmd/ojud/dispute", "ledger/onchain", "parties and disputes have addresses"},
	{"cmd/ojud/dispute", "node/client", "commands act as a client of a court"},
	{"cmd/ojud/dispute", "node/dispute", "disputes are brought, answered and shown"},
	{"cmd/ojud/dispute", "node/library", "terms, claims and answers are files"},
	{"cmd/ojud/proctor", "cmd/ojud/cli", "commands share flags, amounts, errors and output"},
	{"cmd/ojud/proctor", "cmd/ojud/view", "what commands show is written by one package"},
	{"cmd/ojud/proctor", "golden/generator", "kinds of work are named"},
	{"cmd/ojud/proctor", "golden/proctor", "batches are made and checked"},
	{"cmd/ojud/proctor", "ledger/program", "a leaf names the address of its task"},
	{"cmd/ojud/proctor", "node/client", "amounts are written as everywhere"},
	{"cmd/ojud/proctor", "voting", "an answer is a choice"},
	{"cmd/ojud/cli", "cmd/ojud/view", "tables are escaped"},
	{"cmd/ojud/cli", "config", "flags become settings"},
	{"cmd/ojud/cli", "node/...", "it opens a home and a client"},
	{"cmd/ojud/view", "node/...", "it shows what nodes and clients answer"},
	{"config", "...", "it gathers the Config that each package owns"},
	{"...", "config/bounds", "settings everywhere have ranges"},
	{"...", "metrics", "metrics everywhere are registered together"},
	{"...", "casefile/canon", "whatever a hash names has one form, wherever it is written or read"},

	{"node", "voting", "the loop runs the pure core"},
	{"node", "agent/judge", "the node asks the judge for an opinion"},
	{"node", "agent/judge/places", "the node says what a case is worth, and why it got no place"},
	{"node", "agent/judge/chair", "the node seats the judge that settings describe"},
	{"node", "agent/model", "settings of models are a section of a node's"},
	{"node", "casefile/picture", "it tells the pages what it knows of a case"},
	{"node", "casefile", "opinions become votes, which are spelled as in case files"},
	{"node", "datasource", "the node opens the book of its home's sources"},
	{"node", "datasource/exchange", "the node opens the log of who asked for what"},
	{"node", "datasource/kind", "what stands behind a source can be replaced, for tests on fake time"},
	{"node", "ledger", "the node watches the chain and sends to it"},
	{"node", "ledger/program", "the node builds instructions"},
	{"node", "ledger/journal/...", "the node persists before it sends"},
	{"node", "p2p", "the node joins the network"},
	{"node", "node/console", "the node shows its pages"},
	{"node", "node/content", "the node connects content to network, chain and cases"},
	{"node", "node/crank", "the node cranks"},
	{"node", "node/evidence", "the node connects evidence to network, cases and money"},
	{"node", "node/layer", "the node sees its chain through a seam, behind which another chain can stand"},
	{"node", "node/network", "the node connects the Roster to the host"},
	{"node", "node/payment", "the node gives payments a store and a sender"},
	{"node", "node/record", "the node tells the records what it sees and wants said"},
	{"node", "node/status", "the node says how it is"},
	{"node", "node/webhook", "the node tells the operator's receivers what happens"},
	{"node", "node/why", "the node writes down what it did"},
	{"node", "node/work", "the node has background work"},
	{"node/layer", "ledger", "a chain is spoken of in the client's plain types"},
	{"node/layer", "ledger/onchain", "a chain has addresses and instructions"},
	{"node/layer", "ledger/transact", "a chain takes transactions, which end somehow"},
	{"node/layer", "ledger/program", "a chain has the program"},
	{"node/layer", "voting", "a commitment is voting's hash"},

	{"node/network", "ledger/program", "the Roster is an account of the program"},
	{"node/network", "node/work", "links are kept in the background"},
	{"node/network", "p2p", "judges ask each other for their links"},
	{"node/network", "p2p/directory", "the directory admits judges of the Roster, and has the addresses of their nodes"},
	{"node/network", "voting", "judges are named by voting's keys"},
	{"node/crank", "ledger", "it lists and reads accounts, and sends transactions"},
	{"node/crank", "ledger/onchain", "accounts have addresses"},
	{"node/crank", "ledger/program", "it reads tasks and cases, and builds instructions"},
	{"node/crank", "ledger/transact", "transactions end somehow"},
	{"node/crank", "node/work", "it works in the background"},
	{"node/crank", "voting", "judges have an order, and accounts a status"},
	{"node/console", "casefile/picture", "its pages of cases are drawn there"},
	{"node/console", "node/follow", "its pages follow while they are open"},
	{"node/desk", "node/follow", "its pages follow while they are open"},
	{"node/desk", "node/market", "it remembers what the documents of tasks say as the node does"},
	{"node/follow", "casefile/picture", "its test has the script of the pages"},
	{"node/console", "casefile/page/...", "a page verifies files in the browser"},
	{"node/console", "casefile/verify", "it verifies the file of a replay"},
	{"node/console", "node/market", "it shows what is for work"},
	{"node/market", "casefile", "it reads the documents of tasks"},
	{"node/market", "ledger", "the chain gives accounts"},
	{"node/market", "ledger/onchain", "its tests have addresses"},
	{"node/market", "ledger/program", "it lists tasks"},
	{"node/market", "voting", "tasks are named by voting's keys"},
	{"node", "node/market", "the node opens the market for its pages"},
	{"node", "node/agents", "the node opens the directory of agents for its pages and its API"},
	{"node/console", "node/agents", "it shows the directory of agents"},
	{"node/console", "casefile/agentcard", "its tests have cards"},
	{"node/status", "node/follow", "its API refuses pages of other sites as pages do"},
	{"node/status", "node/agents", "its API answers about agents"},
	{"node/status", "node/market", "its API answers about tasks"},
	{"node/agents", "casefile", "a card is named by casefile's hash"},
	{"node/agents", "casefile/agentcard", "it reads cards"},
	{"node/agents", "ledger/onchain", "its tests have addresses"},
	{"node/agents", "ledger/program", "it lists agents"},
	{"node/agents", "voting", "agents are named by voting's keys"},
	{"node/content", "casefile/agentcard", "a card must be signed before it is kept"},
	{"node/library", "casefile/agentcard", "cards are brought to nodes"},
	{"node/client/discover", "node/agents", "agents are found by their cards"},
	{"node/client/discover", "ledger/onchain", "an agent has addresses"},
	{"node/client/discover", "ledger/program", "an agent is an account"},
	{"cmd/ojud/agentcard", "node/client/discover", "it finds agents"},
	{"cmd/ojud/agentcard", "node/agents", "it shows what is found"},
	{"cmd/ojud/agentcard", "ledger/onchain", "an agent has an address"},
	{"cmd/ojud", "casefile/agentcard", "an agent is registered with its card"},
	{"node/console", "casefile", "it shows documents, opinions and facts of a case"},
	{"node/console", "casefile/reading", "it shows what the record of a case says"},
	{"node/console", "ledger/law", "it says what the rules are"},
	{"node/console", "node/status", "it shows the state of the node, and its checks"},
	{"node/console", "ledger/onchain", "amounts are written in SOL"},
	{"node/console", "ledger/program", "it shows the Roster"},
	{"node/console", "voting", "panels, votes and verdicts are voting's types"},
	{"node/content", "agent/judge", "it gathers the documents of a judge's brief"},
	{"node/content", "casefile", "content is named by casefile's hash"},
	{"node/content", "ledger/journal/blob", "content is kept in the blob store"},
	{"node/content", "ledger/program", "a task names its documents"},
	{"node/content", "node/network", "peers may send only so much, and lose points for wrong content"},
	{"node/content", "node/work", "providers are told in the background"},
	{"node/content", "p2p", "it answers a stream"},
	{"node/content", "voting", "hashes and cases are voting's types"},
	{"node/record", "casefile/reading", "an explanation is read from the log"},
	{"node/record", "casefile", "it keeps the logs of case files"},
	{"node/record", "casefile/panel", "it says what a panel's votes are worth"},
	{"node/record", "casefile/verify", "an export names the panels, and an explanation says what the file proves"},
	{"node/record", "ledger", "it takes looks at the chain, and its history"},
	{"node/record", "ledger/program", "facts are made of accounts and events"},
	{"node/record", "node/network", "draws are proved with the Rosters that were seen, and seats are asked"},
	{"node/record", "node/why", "it explains cases, and notes why there was no seat"},
	{"node/record", "node/work", "case files are kept in the background"},
	{"node/record", "p2p", "it answers a stream"},
	{"node/record", "p2p/directory", "judges announce their families and dimensions"},
	{"node/record", "voting", "cases, rounds and notices are voting's types"},
	{"node/record", "voting/rules", "facts of a draw show the candidates that the rules draw from"},
	{"node/evidence", "ledger/journal/blob", "answers to judges are kept in the blob store"},
	{"node/evidence", "agent", "sources are described to judges as agents describe tools"},
	{"node/evidence", "agent/judge", "it is what a judge may ask"},
	{"node/evidence", "casefile", "receipts are spelled as in case files"},
	{"node/evidence", "datasource", "it offers the sources of the book"},
	{"node/evidence", "datasource/anex", "it blames peers that broke the rules of a negotiation"},
	{"node/evidence", "datasource/exchange", "it connects both sides of data conversations to the network"},
	{"node/evidence", "ledger/program", "a task names its sources"},
	{"node/evidence", "node/network", "holders on the Roster come first, and messages have one form"},
	{"node/evidence", "node/payment", "answers may have a price"},
	{"node/evidence", "node/work", "calls are answered in the background"},
	{"node/evidence", "p2p", "it uses a topic and streams"},
	{"node/evidence", "p2p/directory", "it announces sources, and finds holders that announce them"},
	{"node/evidence", "voting", "cases, rounds and judges are voting's types"},
	{"node/status", "agent/judge/places", "it shows how many cases the judge works on, and how many wait"},
	{"node/status", "casefile", "cases are named as in case files"},
	{"node/status", "datasource", "the API refuses what is no name of a source"},
	{"node/status", "datasource/exchange", "the API bounds the body of a query"},
	{"node/status", "ledger", "events of the chain and its errors are told to the owner"},
	{"node/status", "ledger/journal/durable", "address and key of the API are files of the home"},
	{"node/status", "ledger/law", "the owner hears of rules that are announced"},
	{"node/status", "ledger/onchain", "amounts are written in SOL"},
	{"node/status", "ledger/program", "stake and Roster entry are shown"},
	{"node/status", "node/crank", "the state says what was cranked"},
	{"node/status", "node/evidence", "the API serves queries and payments"},
	{"node/status", "node/network", "the Roster entry is shown"},
	{"node/status", "node/record", "the API serves cases"},
	{"node/status", "node/webhook", "what happened to the judge is told to the operator's receivers"},
	{"node/webhook", "datasource/kind", "a receiver is reached, and its secret read, as a source's is"},
	{"node/webhook", "ledger/journal/durable", "what was promised is there after a power cut, whole or not at all"},
	{"cmd/ojud", "cmd/ojud/webhook", "the commands for webhooks are a room of their own"},
	{"cmd/ojud/webhook", "cmd/ojud/cli", "commands share flags, errors and output"},
	{"cmd/ojud/webhook", "cmd/ojud/view", "what a receiver answers is escaped"},
	{"cmd/ojud/webhook", "node/webhook", "it posts a test, and counts what waits"},
	{"node/status", "node/why", "the API serves explanations, and the trail is their source"},
	{"node/status", "node/work", "the trail is kept in the background"},
	{"node/status", "p2p/directory", "links and known judges are counted"},
	{"node/status", "voting", "judges and cases are voting's types"},
	{"node/why", "casefile/reading", "it explains from the record of a case"},
	{"node/why", "casefile", "an explanation names documents, amounts and choices"},
	{"node/why", "voting", "it draws again, and knows the rules"},
	{"node/why", "ledger/onchain", "amounts are written in SOL"},
	{"node/why", "voting/rules", "it draws again, and names the quorum"},
	{"node", "p2p", "the shell wires the network"},
	{"node", "p2p/directory", "the shell gives an announcement its content, and hears of twins"},
	{"node", "p2p/identity", "the home has the key of the node"},
	{"node/payment", "casefile", "vouchers and records are spelled as in case files"},
	{"node/payment", "datasource/exchange", "it pays the bills of data conversations"},
	{"node/payment", "ledger", "it reads vaults and channels"},
	{"node/payment", "ledger/program", "vouchers are the program's"},
	{"node/payment", "voting", "receipts and signatures are voting's types"},
	{"node/client", "node", "the client opens homes"},
	{"node/api", "node", "without a running node, the home's disk explains"},
	{"node/api", "node/evidence", "queries and payments are messages of the node's API"},
	{"node/api", "node/record", "the state of a case is a message of the node's API"},
	{"node/api", "node/status", "what a judge did with its cases is a message of the node's API"},
	{"node/api", "node/why", "an explanation is what the node answers"},
	{"node/api", "casefile", "answers and receipts are hashed in their canonical form"},
	{"node/api", "ledger/journal", "a home that is locked has a node"},
	{"node/api", "ledger/onchain", "tasks and judges are addresses"},
	{"node/api", "voting", "receipts and hashes are voting's types"},
	{"node/library", "node", "network.json names the nodes to begin with"},
	{"node/library", "schema", "an error names the formats that judges check"},
	{"node/library", "agent/judge", "a task whose schema no judge can use is refused before its reward is locked"},
	{"node/library", "casefile", "documents are parsed and hashed in their canonical form"},
	{"node/library", "config/bounds", "settings have bounds"},
	{"node/library", "ledger/onchain", "a task is an address"},
	{"node/library", "p2p", "a library asks nodes for content"},
	{"node/library", "p2p/directory", "it finds nodes by their announcements"},
	{"node/library", "p2p/identity", "a library is a host with a key of its own"},
	{"node/library", "voting", "a hash is voting's"},
	{"node/client", "node/library", "documents of a task are brought to nodes"},
	{"node/client", "node/api", "what a judge's own node did stands beside its seat"},
	{"node/client", "node/status", "what a judge did with its cases is a message of the node's API"},
	{"node/client", "node/network", "the holders of a source are looked up on the Roster"},
	{"node/client", "casefile", "the client verifies the case files it downloads"},
	{"node/client", "casefile/verify", "the client verifies the case files it downloads"},
	{"node/client", "node/client/fit", "a worker's client holds a result to what a court will hold it to"},
	{"node/client/discover", "casefile", "a task is a document, and a node key has a name"},
	{"node/client", "node/client/advice", "parties are warned of terms before they agree"},
	{"node/client", "node/client/cost", "parties hear what a step takes before it"},
	{"node/client/cost", "ledger/program", "the terms of a task are on the chain"},
	{"node/client/cost", "ledger/onchain", "its test has addresses"},
	{"node/client/cost", "voting/rules", "the rules say what a bond is"},
	{"node/client/advice", "casefile", "a task is a document"},
	{"node/client/advice", "casefile/sealed", "workers are told which result a sealed check is for"},
	{"node/client/advice", "casefile/settle", "checks settle instructions, or readers decide them"},
	{"node/client/advice", "node/library", "a document that no node has is a warning"},
	{"node/client/advice", "voting", "terms are voting's types"},
	{"node/desk", "node/client/advice", "it shows warnings"},
	{"node/desk", "node/client/cost", "it names the amounts of each step"},
	{"cmd/ojud", "node/client/advice", "it shows warnings"},
	{"cmd/ojud/view", "node/client/advice", "it shows warnings"},
	{"node/desk", "node/client", "a party is a client of the court"},
	{"node/desk", "node/client/discover", "tasks are listed with their subjects"},
	{"node/desk", "node/client/fit", "a result is held to its task before it is sent"},
	{"node/desk", "node/sources", "an operator adds and tries the sources of a home"},
	{"node/desk", "node/api", "it shows what the judges answered to the home's node"},
	{"node/desk", "node/evidence", "a request for data is a message of the node's API"},
	{"node/desk", "datasource", "a source has a name and terms"},
	{"node/desk", "datasource/kind", "each kind of source has its own fields"},
	{"node/desk", "node/library", "documents are made of what a form says"},
	{"node/desk", "casefile", "documents and addresses are spelled as in case files"},
	{"node/desk", "casefile/ground", "an objection has grounds that code compares"},
	{"node/desk", "casefile/picture", "the pages have the court's style, and show the words of strangers as it does"},
	{"node/desk", "agent/judge/guide", "a creator gets checks that fit the task"},
	{"node/desk", "ledger/onchain", "accounts have addresses"},
	{"node/desk", "ledger/transact", "a wallet in the browser signs as a key that is elsewhere"},
	{"node/desk", "voting", "documents are named by voting's hashes"},
	{"node/client/discover", "node/client", "it reads the court as a client"},
	{"node/client/discover", "node/network", "who announces a source is looked up on the Roster"},
	{"node/client/discover", "voting", "a hash is voting's"},
	{"node/client/fit", "agent/judge", "a result is held to the schema as a judge reads it"},
	{"node/client/fit", "casefile", "task and result are documents"},
	{"node/client/fit", "agent/judge/check", "demands are made before the result is submitted"},
	{"node/client/fit", "casefile/proof", "check programs are run before the result is submitted"},
	{"node/client", "node/client/offline", "it reads a case file before it compares it with the court"},
	{"node/client", "node/client/when", "it says times in words"},
	{"node/client", "voting", "votes and verdicts are voting's types"},
	{"node/client", "voting/rules", "a bond follows from the reward"},
	{"node/client", "ledger/...", "the client signs and sends a party's transactions"},
	{"node/client", "programs/oju", "the client checks which program it speaks to"},
	{"node/rulebook", "ledger", "proctors are accounts"},
	{"node/dispute", "casefile", "documents have hashes"},
	{"node/dispute", "ledger", "it reads accounts"},
	{"node/dispute", "ledger/law", "the rules say what a dispute costs"},
	{"node/dispute", "ledger/onchain", "accounts have addresses"},
	{"node/dispute", "ledger/program", "it reads disputes, cases and verdicts, and builds instructions"},
	{"node/dispute", "node/client", "claimant and respondent are clients of the court"},
	{"node/dispute", "node/client/when", "times are told in words"},
	{"node/dispute", "node/library", "terms, claims and answers are published"},
	{"node/dispute", "voting", "a case has a status"},
	{"node/batches", "golden", "a challenge asks about a leaf"},
	{"node/batches", "golden/generator", "a leaf that is open is checked by its generator"},
	{"node/batches", "golden/proctor", "a batch is made by its proctor"},
	{"node/batches", "ledger", "it reads accounts"},
	{"node/batches", "ledger/journal/durable", "which batch it is on the chain stands in a file before it is sent"},
	{"node/batches", "ledger/law", "the rules say what a batch costs, and when it has to be open"},
	{"node/batches", "ledger/onchain", "accounts have addresses"},
	{"node/batches", "ledger/program", "it reads batches, tasks and cases, and builds instructions"},
	{"node/batches", "node/client", "proctor, creators and workers are clients of the court"},
	{"node/batches", "node/library", "the documents of golden cases are published"},
	{"node/batches", "voting", "an answer is a choice, and hashes are voting's"},
	{"node/qualify", "ledger", "accounts are read from the chain"},
	{"node/qualify", "ledger/law", "rules say whether a record is asked for"},
	{"node/qualify", "ledger/onchain", "judges and batches have addresses"},
	{"node/qualify", "ledger/program", "the Roster says what novices may weigh"},
	{"node/qualify", "node/client", "a judge is shown as everywhere"},
	{"node/qualify", "voting", "a judge has a key"},
	{"node/qualify", "voting/rules", "the rules say how many votes must be right"},
	{"cmd/ojud", "cmd/ojud/trade", "the commands of agents that trade are a room of their own"},
	{"cmd/ojud/trade", "cmd/ojud/cli", "commands share flags, errors and output"},
	{"cmd/ojud/trade", "cmd/ojud/view", "what commands show is escaped"},
	{"cmd/ojud/trade", "node/client", "an agent is a client of the court"},
	{"cmd/ojud/trade", "node/trader", "it runs agents that trade"},
	{"node/trader", "agent", "a model makes results step by step"},
	{"node/trader", "agent/host/mind", "programs of skills have the limits of an agent's programs"},
	{"node/trader", "agent/judge", "results are checked as judges check them"},
	{"node/trader", "agent/judge/check", "grounds are what the demands of a task find"},
	{"node/trader", "agent/judge/prose", "hidden characters of strangers are shown to models"},
	{"node/trader", "agent/model", "models make and check results"},
	{"node/trader", "agent/work", "it does what the machines of workers and creators decide"},
	{"node/trader", "casefile", "orders and results are documents"},
	{"node/trader", "casefile/ground", "objections and answers have typed grounds"},
	{"node/trader", "casefile/proof", "tests of a task are made one by one"},
	{"node/trader", "casefile/runs", "a test says true, false or none"},
	{"node/trader", "casefile/sealed", "a worker looks at the openings of sealed checks"},
	{"node/trader", "ledger", "it reads accounts"},
	{"node/trader", "ledger/journal/durable", "what was decided is there after a power cut"},
	{"node/trader", "ledger/law", "the rules say what steps cost"},
	{"node/trader", "ledger/onchain", "tasks have addresses"},
	{"node/trader", "ledger/program", "it reads tasks, agents and cases"},
	{"node/trader", "node/client", "an agent is a client of the court"},
	{"node/trader", "node/client/cost", "bonds are compared with what they may bring"},
	{"node/trader", "node/client/fit", "a result is held to its task before it is handed in or paid"},
	{"node/trader", "node/library", "documents are brought to nodes"},
	{"node/trader", "voting", "documents are named by voting's hashes"},
	{"node/marketdemo", "...", "it runs a whole market in one process"},
	{"node/assay", "...", "it measures a whole network in one process, with people who trade in it"},
	{"cmd/ojud/proctor", "node/batches", "batches are brought through the court"},
	{"cmd/ojud/proctor", "ledger/onchain", "creators are agents with addresses"},
	{"node/rulebook", "ledger/law", "it shows the versions of the rules, and what changes"},
	{"node/rulebook", "ledger/onchain", "the authority is an address"},
	{"node/rulebook", "ledger/program", "the acts of the authority are instructions of the program"},
	{"node/rulebook", "ledger/transact", "a multisig signs a message that is made here"},
	{"node/founding", "ledger", "a court is founded before a client can open it"},
	{"node/founding", "ledger/...", "it reads programs, checks rules and sends a transaction"},
	{"node/founding", "node", "network.json is its format"},
	{"node/founding", "node/client", "keys and amounts are those of a client"},
	{"node/founding", "programs/oju", "a court stands on the program of this ojud"},
	{"node/founding", "voting", "a cluster is named by its genesis hash"},
	{"node/founding", "node/status", "what is unsafe is told as by the node's doctor"},
	{"node/founding", "ledger/deploy", "it deploys the program"},
	{"ledger/deploy", "ledger", "it reads accounts and sends transactions"},
	{"ledger/deploy", "ledger/onchain", "the loader's instructions are plain ones"},
	{"ledger/deploy", "ledger/program", "the program data of a program has an address"},
	{"ledger/deploy", "ledger/transact", "a payer may have too little"},
	{"ledger/deploy", "ledger/...", "a test deploys a small program on the embedded chain"},
	{"cmd/ojud/keyholder", "ledger/journal/durable", "network.json is whole after a power cut"},
	{"cmd/ojud/keyholder", "ledger/transact", "a dry run deploys at the address of a key that is not kept"},
	{"cmd/ojud", "cmd/ojud/chain", "the commands that run a cluster are a room of their own"},
	{"cmd/ojud/chain", "cmd/ojud/cli", "commands share flags, errors and output"},
	{"cmd/ojud/chain", "ledger", "it asks a faucet"},
	{"cmd/ojud/chain", "ledger/devnet/...", "it runs the embedded chain"},
	{"cmd/ojud/chain", "ledger/onchain", "wallets have addresses"},
	{"cmd/ojud/chain", "node/client", "keys and amounts are those of a client"},
	{"cmd/ojud/keyholder", "config", "a key may be named by a variable"},
	{"cmd/ojud/keyholder", "ledger", "a founder names a cluster"},
	{"cmd/ojud/keyholder", "programs/oju", "the program is written into a file"},
	{"node/rulebook", "node/client", "a client reads the court and sends"},
	{"node/sources", "datasource", "a person's sources are written and tried as the node reads them"},
	{"node/sources", "datasource/kind", "a person's flags become settings of a kind"},
	{"cmd/ojud/cli", "datasource/kind", "each kind of source brings its flags"},
	{"node/sources", "datasource/exchange", "who asked for what stands in the log of the exchange"},
	{"node/sources", "casefile", "addresses, amounts and hashes are spelled as in case files"},
	{"node/trial", "agent/judge/...", "the judge of a home is examined and attacked, and its personas are shown"},
	{"node/trial", "golden/generator", "an exam has kinds of work"},
	{"node/trial", "node/trial/keep", "an exam of hours goes on where it ended"},
	{"node/trial/keep", "agent/judge/...", "what a judge said in an exam is kept"},
	{"node/trial/keep", "casefile", "an opinion is casefile's type"},
	{"node/trial/keep", "ledger/journal/durable", "a power cut loses no kept dispute"},
	{"node/trial", "voting/rules", "the rules say who passes an entry exam"},
	{"node/trial", "casefile", "a memory belongs to an authority, and names cases"},
	{"node/trial", "voting", "votes are voting's types"},
	{"node/doctor", "node", "a node is looked at with its own checks"},
	{"node/doctor", "node/status", "findings are those of the node's checks"},
	{"node/doctor", "node/api", "the node that runs says how it is"},
	{"node/doctor", "node/sources", "the home's sources are tried"},
	{"node/doctor", "agent/judge", "only a judge with a model has a memory"},
	{"node/doctor", "agent/judge/memory", "what the judge learned is looked at"},
	{"node/doctor", "casefile", "a memory belongs to an authority"},
	{"node/doctor", "sandbox", "it says whether CPython is here"},
	{"node/doctor", "agent/judge/chair", "the models of the judge are asked something tiny"},
	{"node/doctor", "ledger/journal/durable", "how much room the disk has"},
	{"node/cluster", "...", "a whole network in one process needs every part"},
	{"node/cluster/hearing", "ledger", "it hears what occurred on the chain"},
	{"node/cluster/hearing", "ledger/onchain", "a task and a party are addresses"},
	{"node/cluster/hearing", "ledger/program", "it sums up the events of the program"},
	{"node/cluster/hearing", "node/client", "a summary shows lamports as the commands do"},
	{"node/cluster/hearing", "voting", "what a seat did is voting's type"},

	{"casefile", "schema/pointer", "checks of a task name places in its result"},
	{"casefile", "voting", "a case file holds votes and verdicts, which are voting's types"},
	{"casefile/picture", "casefile", "it draws a case"},
	{"casefile/picture", "casefile/reading", "a scene holds what was read of a case"},
	{"casefile/sealed", "casefile", "a sealed check is a part of a task"},
	{"casefile/sealed", "casefile/canon", "an opening is canonical JSON"},
	{"casefile/sealed", "casefile/runs", "an opening has a program or tests"},
	{"agent/judge", "casefile/sealed", "checks that their creator opened are run"},
	{"casefile/verify", "casefile/sealed", "checks that their creator opened are run again"},
	{"casefile/picture", "casefile/sealed", "a page shows what was opened"},
	{"node/content", "casefile/sealed", "judges need the openings"},
	{"node/library", "casefile/sealed", "a creator seals checks and opens them"},
	{"node/library", "ledger/journal/durable", "an opening is safe before its seal is posted"},
	{"node/cluster/site", "casefile", "a task demands a payment"},
	{"node/cluster/site", "ledger/onchain", "a payment is a transfer"},
	{"node/cluster", "node/cluster/site", "holders of a story need something to have"},
	{"cmd/ojud/cli", "casefile", "a check is a part of a task"},
	{"cmd/ojud/desk", "ledger/onchain", "a task is an address"},
	{"cmd/ojud/desk", "node/library", "an objection is a document"},
	{"casefile/picture", "casefile/runs", "it shows the programs that judges ran"},
	{"casefile/picture", "casefile/verify", "a replay shows what came of the checks"},
	{"casefile/picture", "casefile/casetest", "its tests draw cases"},
	{"casefile/picture", "ledger/onchain", "it writes amounts in SOL"},
	{"casefile/picture", "voting", "a scene holds the chain's account of a case"},
	{"casefile/picture", "voting/rules", "the ring has a mark where the worker passes"},
	{"casefile/page", "casefile", "it bounds a case file, and reads what its task needs"},
	{"casefile/page", "casefile/picture", "the page has the style and the script of the pictures"},
	{"casefile/page", "casefile/reading", "the case says which verifier it needs"},
	{"casefile/page", "casefile/casetest", "its tests make pages of cases"},
	{"casefile/page", "casefile/page/release", "its tests read what the build step made"},
	{"casefile/page", "casefile/verify", "its tests count the checks"},
	{"casefile/page", "voting", "its tests say how judges vote"},
	{"casefile/page", "test/browser", "its tests open pages in browsers"},
	{"casefile/page/release", "casefile/page", "it holds the verifiers for pages"},
	{"casefile/page/pack", "casefile/page", "it makes a verifier for each engine"},
	{"casefile/page/wasm", "casefile", "it bounds a file"},
	{"casefile/page/wasm", "casefile/picture", "it draws the case"},
	{"casefile/page/wasm", "casefile/verify", "it verifies the case"},
	{"casefile/verify", "golden", "it makes the golden case of a leaf again"},
	{"casefile/verify", "casefile", "it reads the documents and events of a case file and applies the rules of the log"},
	{"casefile/leaf", "casefile", "the part of a bundle about a golden case"},
	{"casefile/leaf", "casefile/canon", "it is canonical, as the bundle is"},
	{"casefile/leaf", "golden", "the whole leaf is made of the part and the facts"},
	{"casefile/leaf", "voting", "an answer is a choice"},
	{"casefile/verify", "casefile/leaf", "it checks the answer of a golden case"},
	{"casefile/verify", "golden/generator", "it runs the generator of an open leaf again"},
	{"casefile/reading", "casefile/leaf", "the record of a golden case has its answer"},
	{"casefile/casetest", "casefile/leaf", "a test case may be golden"},
	{"casefile/casetest", "golden/generator", "a golden test case has the documents of a generator"},
	{"node/record", "casefile/leaf", "an export has the answer of a golden case"},
	{"node/record", "golden/generator", "a judge's node checks the answers of its golden cases"},
	{"casefile/proof", "casefile", "check programs stand in tasks, and their runs in opinions"},
	{"casefile/runs", "casefile/ground", "a call of a test is named like one of a counterexample"},
	{"casefile", "casefile/runs", "tasks have check programs, and opinions their runs"},
	{"casefile/proof", "casefile/runs", "what a document says is run, and recorded"},
	{"casefile/verify", "casefile/runs", "runs are compared with those of opinions"},
	{"casefile/casetest", "casefile/runs", "opinions of a test case have runs"},
	{"agent/judge/...", "casefile/runs", "what was run is in the opinion"},
	{"cmd/ojud/check", "casefile/runs", "it shows what was run"},
	{"golden/generator", "casefile/runs", "generated tasks have check programs"},
	{"node/client/fit", "casefile/runs", "check programs are run before the result is submitted"},
	{"casefile/proof", "casefile/ground", "the calls of counterexamples are made"},
	{"casefile/verify", "casefile/ground", "the calls of counterexamples are made again"},
	{"casefile/picture", "casefile/ground", "grounds are shown in words"},
	{"casefile/proof", "voting", "a module is named by voting's hash"},
	{"casefile/proof", "casefile/canon", "a result has so much depth"},
	{"casefile/proof", "sandbox", "check programs run in the sandbox"},
	{"casefile/proof", "schema/...", "a result is decoded within limits, and a check looks at a place in it"},
	{"agent/judge", "casefile/proof", "a judge runs the check programs of the task"},
	{"casefile/verify", "casefile/proof", "it runs the check programs again"},
	{"casefile/verify", "agent/judge/check", "it makes the demands of the task again"},
	{"casefile/verify", "casefile/panel", "it computes again what the votes of each panel were worth"},
	{"casefile/verify", "voting", "votes, verdicts and signatures are voting's types"},
	{"casefile/verify", "voting/rules", "it draws and settles every round again"},
	{"casefile/panel", "casefile", "panels are documents of a case file"},
	{"casefile/panel", "voting", "a verdict names the choice that was right"},
	{"casefile/reading", "casefile", "it reads the events and facts of a file or a log"},
	{"casefile", "casefile/room", "an export shares the room of a file"},
	{"node/client", "node/client/compare", "a file is compared with the chain"},
	{"node/client/compare", "casefile/verify", "it compares a report"},
	{"node/client/compare", "ledger", "it reads accounts"},
	{"node/client/compare", "ledger/onchain", "a case has an address"},
	{"node/client/compare", "ledger/program", "it reads cases and verdicts"},
	{"node/client/compare", "voting", "it compares verdicts"},
	{"cmd/ojud", "node/client/compare", "a report says what was compared"},
	{"cmd/ojud/view", "node/client/compare", "a report says what was compared"},
	{"casefile/reading", "casefile/testimony", "its facts are the established ones"},
	{"casefile/testimony", "casefile", "it establishes fact documents from events"},
	{"casefile/testimony", "voting", "a verdict says whether a round can follow"},
	{"casefile/testimony", "voting/rules", "an appeal has at least so many seats"},
	{"casefile/verify", "casefile/testimony", "it checks the facts that are established"},
	{"casefile/casetest", "casefile/reading", "a judge lies about the facts of its case"},
	{"casefile/reading", "voting", "content is named by voting's hashes"},
	{"casefile/casetest", "casefile", "test cases for others"},
	{"casefile/casetest", "casefile/panel", "a test case has rounds that its exporter saw"},
	{"casefile/casetest", "casefile/verify", "test cases are exported with their panels"},
	{"casefile/casetest", "voting", "test cases have votes"},
	{"casefile/casetest", "voting/rules", "test cases are drawn and settled by the rules"},

	{"sandbox", "sandbox/meter", "a module counts what it executes"},

	{"schema", "schema/pointer", "a violation names a place in a value"},

	{"agent", "schema", "inputs, results and contexts are held to schemas"},
	{"agent/agenttest", "agent", "scripted models, agents and clients for tests"},
	{"agent/model", "agent", "a model answers the prompts of agents"},
	{"agent/model", "schema", "answers are bounded before they are read"},
	{"agent/judge/memory", "agent/likeness", "similar cases are found by the likeness of their tasks"},
	{"agent/judge", "agent/likeness", "a lesson is found by the likeness of its task"},
	{"cmd/ojud", "agent/likeness", "its test has lessons"},
	{"agent/host/attest", "agent/host", "an attestation is about a call"},
	{"agent/host/attest", "casefile", "keys and signatures are spelled as in case files"},
	{"agent/host/keep", "agent/host", "it keeps agents and calls"},
	{"agent/host/keep", "agent/likeness", "memories are recalled by their likeness"},
	{"agent/host/keep", "ledger/journal/durable", "one host has a disk"},
	{"agent/host/manifest", "agent", "tools are described as agents describe them"},
	{"agent/host/manifest", "agent/host", "a file defines an agent"},
	{"agent/host/manifest", "agent/model", "a file names models"},
	{"agent/host/manifest", "datasource/kind", "a tool is an upstream of data sources"},
	{"agent/host/manifest", "schema", "capabilities have schemas"},
	{"datasource/preset", "datasource/kind", "a preset says what flags say"},
	{"node/sources", "datasource/preset", "a source may be made of a preset"},
	{"agent/crew", "agent", "roles are agents with a model, and minions of one"},
	{"agent/crew", "agent/agenttest", "its tests have scripted models"},
	{"agent/host/manifest", "agent/crew", "a file names the kind of a crew"},
	{"agent/host/mind", "agent/crew", "a crew of roles of one model answers calls"},
	{"agent/host/mind", "agent", "calls are made by agents"},
	{"agent/host/mind", "agent/host", "it makes calls"},
	{"agent/host/mind", "agent/host/keep", "a mind sees memories"},
	{"agent/host/mind", "agent/host/manifest", "a file says what answers calls"},
	{"agent/host/mind", "agent/model", "models answer calls"},
	{"agent/host/mind", "datasource/kind", "servers answer calls, and are tools"},
	{"agent/host/mind", "ledger/journal/durable", "programs have a folder"},
	{"agent/host/shell", "agent", "the capabilities of the host are tools of agents"},
	{"agent/host/shell", "agent/host/...", "the shell runs the core"},
	{"agent/host/shell", "casefile", "keys are spelled as in case files"},
	{"agent/host/shell", "casefile/agentcard", "an agent may have a card of its key"},
	{"agent/host/shell", "ledger/journal/durable", "keys are archived for good"},
	{"agent/host/shell", "ledger/transact", "an agent has a Solana key"},
	{"agent/host/door", "agent/host", "refusals have codes"},
	{"agent/face/mcp", "agent/face", "it serves tools"},
	{"agent/face/a2a", "agent/face", "clients may not read what they are sent"},
	{"agent/host/door", "agent/face/a2a", "clients reach agents by A2A, too"},
	{"cmd/ojud/mcp", "agent/face", "a court has tools"},
	{"cmd/ojud/mcp", "agent/face/a2a", "a court is an agent to clients that speak A2A"},
	{"agent/channel", "agent", "messages are the events of a run, and inputs to it"},
	{"agent/channel", "schema", "frames are bounded before they are read"},
	{"agent/channel/line", "agent/channel", "it carries sessions"},
	{"agent/channel/line", "agent", "its tests have agents"},
	{"agent/channel/line", "agent/agenttest", "its tests have agents"},
	{"agent/host/door", "agent/channel/...", "clients take part in calls over websockets"},
	{"agent/host/door", "agent", "a client reads the run of an agent"},
	{"agent/host/door", "agent/host/mind", "a call in which a client takes part is made by a mind"},
	{"cmd/ojud/agents", "agent/channel", "it shows what an agent says, and runs tools for it"},
	{"cmd/ojud/agents", "agent", "it makes calls of tools"},
	{"agent/host/door", "agent/host/warden", "a client sends signed calls"},
	{"agent/host/warden", "agent/audit", "calls by delegations are in the audit logs of their agents"},
	{"agent/host/warden", "agent/delegation", "chains allow calls"},
	{"agent/host/warden", "agent/delegation/keep", "a home remembers calls, spending and answers"},
	{"agent/host/warden", "agent/host", "it decides about calls of a host"},
	{"agent/host/shell", "agent/audit", "its tests verify the logs of agents"},
	{"agent/host/shell", "agent/delegation/keep", "its tests answer calls that wait"},
	{"agent/host/shell", "agent/delegation", "an agent's key is its principal"},
	{"cmd/ojud/agents", "agent/delegation", "a call may be made under a chain"},
	{"agent/host/door", "agent/host/attest", "a client checks attestations"},
	{"agent/host/door", "agent/host/shell", "it serves a host"},
	{"agent/host/door", "casefile", "keys are spelled as in case files"},
	{"agent/host/door", "ledger/journal/durable", "the address of the host is a file"},
	{"cmd/ojud", "cmd/ojud/agents", "the commands of agent hosts are a room of their own"},
	{"cmd/ojud/agents", "agent/host", "it shows agents"},
	{"cmd/ojud/agents", "agent/host/...", "it runs a host, and asks one"},
	{"cmd/ojud/agents", "casefile/canon", "the hash of a payload is that of its canonical JSON"},
	{"cmd/ojud/agents", "node/client", "a caller's key signs"},
	{"cmd/ojud/agents", "node/library", "a chain is a bounded file"},
	{"cmd/ojud/agents", "casefile", "keys are spelled as in case files"},
	{"cmd/ojud/agents", "cmd/ojud/cli", "commands share flags, errors and output"},
	{"cmd/ojud/agents", "cmd/ojud/view", "what agents say is escaped"},
	{"agent/judge", "voting", "an opinion ends in one of voting's verdicts"},
	{"agent/judge", "casefile", "a judge reads facts and writes the opinion that a case file seals"},
	{"agent/judge", "casefile/demand", "an opinion names the version of the checks"},
	{"casefile/verify", "casefile/demand", "it compares opinions of its own version of the checks"},
	{"casefile/casetest", "casefile/demand", "an opinion names the version of the checks"},
	{"casefile/settle", "casefile", "checks stand in tasks"},
	{"agent/judge", "casefile/settle", "checks of the task settle instructions"},
	{"casefile/verify", "casefile/settle", "it notes checks that settle nothing"},
	{"node/library", "casefile/settle", "a task whose check of form settles an instruction is refused before its reward is locked"},
	{"agent/judge", "casefile/ground", "code compares typed grounds with the result"},
	{"agent/judge", "agent/judge/tools", "a model may run things before it decides"},
	{"agent/judge/tools", "agent", "a tool is described as agents describe theirs"},
	{"agent/judge/tools", "casefile", "checks are those of a task"},
	{"agent/judge/tools", "casefile/ground", "a call has the form of a counterexample"},
	{"agent/judge/tools", "casefile/proof", "what runs is run as check programs are"},
	{"casefile", "casefile/ground", "pleadings have typed grounds"},
	{"casefile/ground", "schema/pointer", "a ground names a place of the result"},
	{"casefile/ground", "casefile/canon", "a call is written as it stands in a document"},
	{"casefile", "casefile/demand", "checks of a task have demands that code decides"},
	{"casefile/demand", "schema/pointer", "a demand names a place of the result or the task"},
	{"agent/judge", "agent/judge/check", "the demands of a task are made on the result, and on answers of sources"},
	{"agent/judge/guide", "agent/judge/check", "a proposal is tried on the example"},
	{"agent/judge/guide", "casefile", "it reads a task and proposes checks"},
	{"agent/judge/guide", "casefile/proof", "a proposal that an interpreter makes is tried on the example"},
	{"agent/judge/guide", "casefile/demand", "it proposes demands"},
	{"agent/judge/guide", "schema/pointer", "a check names a place"},
	{"agent/judge/check", "agent/judge/prose", "texts are compared and counted as everywhere"},
	{"agent/judge/check", "casefile", "a check is a part of a task"},
	{"agent/judge/check", "casefile/demand", "it makes the demands of a task"},
	{"agent/judge/check", "schema", "it decodes the answers of sources within limits"},
	{"agent/judge/check", "schema/pointer", "a demand names places"},
	{"node/library", "casefile/ground", "a party's words and grounds become a document"},
	{"cmd/ojud/cli", "casefile/ground", "flags and answers become a ground"},
	{"agent/judge", "agent/judge/prove", "its model may write check programs"},
	{"agent/judge/prove", "agent", "a model writes programs with a tool"},
	{"agent/judge/prove", "casefile/proof", "it is proof's part to accept a program"},
	{"agent/judge", "agent", "a judge is an agent with tools"},
	{"agent/judge", "agent/judge/prose", "the text of strangers is made safe, compared and counted"},
	{"agent/judge", "agent/judge/sheet", "a model reads documents and facts in one form"},
	{"agent/judge/sheet", "agent/judge", "a test reads the requests that it shows"},
	{"agent/judge/sheet", "casefile", "a finding of code is a fact"},
	{"agent/judge/sheet", "casefile/runs", "a fact says what a run said"},
	{"agent/judge", "agent/judge/signed", "an agreement is signed by the respondent, or is none"},
	{"agent/judge/signed", "agent/delegation", "agents sign with their keys"},
	{"agent/judge/signed", "agent/talk", "it checks agreements"},
	{"agent/judge/signed", "casefile", "it writes findings"},
	{"agent/judge/signed", "voting", "the chain names the parties"},
	{"node/content", "agent/judge/signed", "a brief names the parties of a dispute"},
	{"agent/judge", "agent/judge/beside", "grounds are tried on results that differ in one place"},
	{"agent/judge", "agent/judge/english", "code decides by the sentences that it understands"},
	{"agent/judge/english", "agent/judge/prose", "texts are compared and counted"},
	{"agent/judge/english", "casefile/ground", "a sentence about a place becomes a typed ground"},
	{"agent/judge/english", "schema/pointer", "values are found by their names"},
	{"agent/judge", "schema/...", "results are held to the output_schema of their task"},
	{"agent/judge", "agent/judge/shorthand", "an output_schema may be written in short"},
	{"agent/judge/shorthand", "schema", "tests hold what it writes to the library"},
	{"agent/judge/class", "casefile", "a task shows what kind of work it is"},
	{"agent/judge/persona", "agent/judge/class", "a persona counts more in some kinds of work"},
	{"agent/judge/account", "agent", "models were used"},
	{"agent/judge/exam", "agent", "the report adds up what models took"},
	{"agent/judge/exam", "agent/judge/account", "a judge may say how sure it was"},
	{"agent/judge/exam", "agent/judge", "disputes are put before a judge as a node does"},
	{"agent/judge/exam", "agent/judge/class", "the report has a line for each kind of work"},
	{"agent/judge/exam", "casefile", "an item holds the documents of a case"},
	{"agent/judge/exam", "golden/generator", "an exam has disputes such as golden cases"},
	{"agent/judge/exam", "voting", "a label is one of voting's choices"},
	{"agent/judge", "agent/judge/places", "a judge works on few cases at once"},
	{"agent/judge/exam", "agent/judge/places", "the cases of an exam are worth nothing"},
	{"agent/judge/chair", "agent/judge/places", "a test of the chair runs a judge"},
	{"agent/judge", "agent/judge/class", "a judge looks at a task in the way that suits its kind, and remembers cases of that kind"},
	{"agent/judge", "agent/judge/memory", "a judge learns from its cases"},
	{"agent/judge/memory", "agent/judge/class", "cases of one kind of work are recalled together"},
	{"agent/judge/memory", "casefile", "cases, choices and verdicts are spelled as in case files"},
	{"agent/judge/memory", "voting", "who was with the court is a matter of voting's types"},
	{"agent/judge/memory", "ledger/journal/durable", "what was learned is there after a power cut, whole or not at all"},
	{"agent/judge", "agent/judge/account", "a judge with a model says how sure it was"},
	{"agent/judge/chair", "agent", "a judge has a model of its own for each case"},
	{"agent/judge/chair", "agent/judge", "it makes the judges of that package"},
	{"agent/judge/chair", "agent/judge/class", "the persona is the one that suits the kind of work"},
	{"agent/judge/chair", "agent/judge/memory", "a judge has a memory of its own"},
	{"agent/judge/chair", "casefile", "a memory belongs to an authority, and is made of opinions"},
	{"agent/judge/chair", "ledger/journal/durable", "the secret of a recording is written whole"},
	{"agent/judge/chair", "agent/judge/persona", "a judge looks at cases in some way"},
	{"agent/judge/chair", "agent/model", "a judge asks models"},
	{"agent/judge/redteam", "agent/judge/exam", "an attack is put into a dispute of an exam and heard as one"},
	{"agent/judge/redteam", "casefile", "opinions under attack are compared"},
	{"agent/judge/redteam", "schema/pointer", "an attack names places in a dispute"},
	{"agent/judge/redteam", "voting", "an attacker wants one of voting's choices"},
	{"agent/judge/judgetest", "agent/judge", "scripted judges for tests"},
	{"agent/judge/judgetest", "casefile", "scripted judges read facts"},
	{"agent/judge/judgetest", "voting", "scripted judges vote"},

	{"agent/judge", "golden", "a task may ask whether a leaf is false"},
	{"agent/judge", "golden/generator", "code runs the generator of a leaf"},
	{"golden/generator", "golden", "a leaf is compared with what its generator makes"},
	{"golden", "voting", "an answer is a choice, and hashes are voting's"},
	{"golden/generator", "casefile", "a dispute is made of the documents of a case"},
	{"golden/generator", "casefile/ground", "an objection of an exam has typed grounds"},
	{"golden/generator", "golden/generator/routine", "tasks ask for small functions"},
	{"golden/generator", "voting", "an answer is a choice, and a version a hash"},
	{"golden/proctor", "casefile", "leaves are spelled as in case files"},
	{"golden/proctor", "golden", "a batch commits to leaves"},
	{"golden/proctor", "golden/generator", "disputes are made, and made again"},
	{"golden/proctor", "ledger/journal/durable", "secrets are there after a power cut, and nobody else reads them"},
	{"golden/proctor", "voting", "an answer is a choice, and hashes are voting's"},
	{"golden/proctor", "voting/rules", "the rules say which batch is balanced"},

	{"datasource", "voting", "voting's types"},
	{"datasource", "schema/...", "requests and answers are held to the schemas of a source"},
	{"datasource/kind", "schema/pointer", "an answer is a part of what stands behind a source"},
	{"datasource", "casefile", "requests and answers are canonical JSON, as case files name them"},
	{"datasource", "datasource/kind", "a source has an upstream of some kind"},
	{"datasource/exchange", "datasource", "a holder answers from the book of sources"},
	{"datasource/exchange", "datasource/anex", "both sides negotiate"},
	{"datasource/exchange", "datasource/exchange/quota", "a holder bounds what peers ask"},
	{"datasource/exchange/quota", "datasource", "rates are terms of a source"},
	{"datasource/exchange/quota", "casefile", "peers and cases are named as in case files"},
	{"datasource/exchange", "casefile", "a holder signs receipts, and a record is what a case file takes"},
	{"datasource/exchange", "voting", "cases, rounds and judges are voting's types"},
	{"datasource/kind", "datasource/exact", "answers keep the digits of large integers"},
	{"datasource/kind", "casefile", "settings are read and answers written as canonical JSON"},

	{"ledger", "ledger/program", "the client speaks the program's language"},
	{"ledger", "voting", "it makes voting's events of what the chain says"},
	{"ledger", "ledger/onchain", "addresses, hashes and signatures"},
	{"ledger", "ledger/rpc", "the client calls its node"},
	{"ledger", "ledger/looks", "the watcher gives out looks and the time"},
	{"ledger", "ledger/providers", "the client compares what several nodes say"},
	{"node", "ledger/providers", "the shell offers its RPC nodes to other judges, and shows how they are"},
	{"node/status", "ledger/providers", "the state of the RPC nodes is shown"},
	{"ledger/providers", "ledger/rpc", "each provider is called"},
	{"ledger/providers", "ledger/looks", "the chain's clock is compared by its time"},
	{"ledger/providers", "ledger/onchain", "accounts have addresses"},
	{"ledger", "ledger/transact", "the sender signs, keeps and follows transactions"},
	{"ledger/law", "ledger", "the rules in force are read from a chain"},
	{"ledger/law", "ledger/looks", "the chain's clock says which version is in force"},
	{"ledger/law", "ledger/onchain", "accounts have addresses"},
	{"ledger/law", "ledger/program", "a version of the rules is an account of the program"},
	{"ledger/law", "voting/rules", "people write a preset as a word"},
	{"node", "ledger/law", "the shell reads the rules that a task is under"},
	{"ledger/looks", "ledger/onchain", "a look is at the case of an address"},
	{"ledger/looks", "ledger/program", "a look shows accounts of the program"},
	{"ledger/looks", "ledger/rpc", "a clock that jumps is an answer that makes no sense"},
	{"ledger/looks", "voting", "a look is an event of voting"},
	{"ledger/transact", "ledger/journal/durable", "a new key is there after a power cut"},
	{"ledger/transact", "ledger/onchain", "addresses, hashes and signatures"},
	{"ledger/transact", "ledger/program", "a refusal is an error of the program, and an outcome has its events"},
	{"ledger/transact", "voting", "an act has a purpose, and its end a class of voting"},
	{"ledger/journal", "ledger/transact", "the journal keeps entries of the outbox"},
	{"node", "ledger/transact", "the shell has a key, and names the purpose of an act"},
	{"ledger/program", "ledger/onchain", "accounts hold addresses, and instructions are plain"},
	{"ledger/journal", "ledger/onchain", "the outbox and the cursor hold signatures"},
	{"node", "ledger/onchain", "the shell names accounts and builds instructions"},
	{"node/payment", "ledger/onchain", "payer and payee are addresses"},
	{"node/evidence", "ledger/onchain", "payer and payee are addresses"},
	{"cmd/ojud", "ledger/onchain", "people name accounts"},
	{"cmd/ojud/cli", "ledger/onchain", "arguments are addresses"},
	{"ledger/program", "voting", "accounts and events hold voting's types"},
	{"ledger/program", "voting/rules", "accounts give the rules their input"},
	{"ledger/journal", "ledger", "the journal keeps what the sender is about to send"},
	{"ledger/journal", "casefile", "the journal keeps the signed log"},
	{"ledger/journal", "casefile/panel", "the journal keeps decided rounds, from which the worth of panels is learned"},
	{"ledger/journal", "voting", "the journal keeps votes and notices"},
	{"ledger/journal", "ledger/journal/durable", "files and locks that survive a power cut"},
	{"ledger/journal/blob", "casefile", "a blob is named by casefile's hash"},
	{"ledger/journal/blob", "voting", "a blob belongs to one of voting's cases"},
	{"ledger/journal/blob", "ledger/journal/durable", "files that survive a power cut"},
	{"ledger/devnet", "ledger/devnet/bank", "the server serves the chain"},
	{"ledger/devnet", "ledger/svm", "the server decodes and shows transactions"},
	{"ledger/devnet", "ledger/svm/accounts", "the server shows accounts"},
	{"ledger/devnet", "ledger/svm/failure", "the server shows why a transaction failed"},
	{"ledger/devnet/bank", "ledger/svm", "the chain executes transactions"},
	{"ledger/devnet/bank", "ledger/svm/accounts", "the chain keeps accounts, and begins with sysvars and builtin programs"},
	{"ledger/devnet/bank", "ledger/svm/failure", "the chain keeps why a transaction failed"},
	{"ledger/svm", "ledger/svm/accounts", "the runtime reads and changes accounts"},
	{"ledger/svm", "ledger/svm/failure", "the runtime refuses and fails transactions"},
	{"ledger/svm", "ledger/svm/bincode", "the runtime reads the instructions of builtin programs"},
	{"ledger/svm/bincode", "ledger/svm/failure", "malformed bytes fail their instruction"},
	{"ledger/svm", "ledger/svm/loader", "the runtime deploys programs"},
	{"ledger/svm/loader", "ledger/svm/accounts", "it reads the accounts of programs"},
	{"ledger/svm/loader", "ledger/svm/bincode", "it reads its instructions and states"},
	{"ledger/svm/loader", "ledger/svm/failure", "it refuses instructions"},
	{"ledger/svm", "ledger/svm/precompile", "the runtime verifies signatures"},
	{"ledger/svm/precompile", "ledger/svm/failure", "a bad signature fails its instruction"},
	{"ledger/svm", "ledger/svm/sbpf", "the runtime runs programs in the virtual machine"},
	{"ledger/svm/difftest/...", "ledger/svm/...", "the runtime is compared with Agave's"},

	{"p2p", "p2p/wire", "hosts speak the wire formats"},
	{"p2p", "p2p/identity", "a host has a key"},
	{"p2p", "p2p/directory", "a host has a directory, and serves it to others"},
	{"p2p/directory", "p2p/wire", "directories exchange announcements"},
	{"p2p/directory", "p2p/identity", "announcements are signed"},
	{"p2p/directory", "ledger/journal/durable", "the directory is there after a power cut, whole or not at all"},
	{"p2p/identity", "ledger/journal/durable", "a new key is there after a power cut"},
	{"p2p/p2ptest", "p2p/identity", "hosts in tests have new keys"},
	{"p2p/p2ptest", "p2p", "hosts on a simulated network for tests"},
	{"p2p/p2ptest", "test/ramdisk", "courts on fake time stand still while a disk syncs"},
	{"test/parallel", "test/ramdisk", "courts of real time sync their disks often"},
	{"test/ramdisk", "ledger/journal/durable", "it knows how much room a disk has"},
	{"p2p/p2ptest/floor", "p2p/wire", "bare streams carry the protocol's frames"},
	{"node/client/offline", "casefile/page", "it compares a page with the one of this release"},
	{"node/client/offline", "casefile/page/release", "it has the verifiers of this release"},
	{"node/client/offline", "casefile", "it reads case files"},
	{"node/client/offline", "casefile/reading", "it reads case files"},
	{"node/client/offline", "casefile/verify", "it verifies case files"},
	{"node/client/offline", "ledger/onchain", "judges have addresses"},
	{"node/client/offline", "node/record", "it explains a case from its file"},
	{"node/client/offline", "node/why", "it explains a case from its file"},
	{"node/client/offline", "voting", "judges have keys"},
	{"node/cluster/bribe", "agent/judge", "a bribed judge says the opposite of what it thinks"},
	{"node/cluster/bribe", "casefile", "an opinion has a choice"},
	{"node/cluster/bribe", "voting", "judges and choices are voting's"},
	{"voting", "voting/strict", "it takes the signatures that the program takes"},
	{"voting", "voting/turn", "nodes take turns with work that any of them may do"},
	{"voting/rules", "voting", "it computes with seats, choices and verdicts, which are voting's types"},
	{"sim/policy", "voting", "it plays cases with voting's choices and verdicts"},
	{"sim/policy", "voting/rules", "it settles with the arithmetic of the court"},
	{"voting/votetest/...", "voting", "simulators drive the core"},
	{"voting/votetest/...", "voting/rules", "the simulated chain draws and settles by the rules"},
	{"voting/votetest/court", "voting/votetest", "courts are simulated on its chain"},
	{"voting/votetest/court", "voting/votetest/naive", "settlements are compared with the second implementation"},
	{"voting/votetest/court", "sim/fault", "adversaries have the names that all laboratories share"},
	{"voting/votetest/byzantine", "voting/votetest", "panels are played on its chain"},
	{"voting/votetest/byzantine", "voting/votetest/naive", "settlements are compared with the second implementation"},
	{"voting/votetest/byzantine", "sim/fault", "strategies have the names that all laboratories share"},
	{"voting/votetest/scenario", "voting/votetest", "scenarios are played on its chain"},
	{"programs/oju/guard/sbfguard", "programs/oju/guard", "the guard as a command"},
	{"programs/oju/signers", "programs/oju/guard", "the committed program is held to its rules"},
	{"programs/oju/escrow", "programs/oju/guard", "the committed program is held to its rules"},
	{"ledger/escrow", "ledger/onchain", "instructions have addresses"},
	{"ledger/svm/difftest/oju", "ledger/signers", "attacks on groups are built as clients build"},
	{"ledger/svm/difftest/oju", "ledger/escrow", "attacks on an escrow are built as clients build"},
	{"ledger/signers", "ledger/onchain", "instructions and accounts have addresses"},
	{"ledger/signers", "ledger/program", "a verdict is where the court looks for it"},
	{"ledger/signers", "voting", "members sign verdicts"},
}

// testArrows are the further imports that tests may have: an external test package imports the
// package it tests, and anything below its own folder is a test's own.
var testArrows = []arrow{
	{"agent/talk/link", "p2p/direct", "the same conversation is carried by libp2p"},
	{"agent/talk/link", "agent/talk/owner", "an owner speaks in conversations"},
	{"golden/generator", "casefile/proof", "the check programs of generated tasks are run"},
	{"agent/judge/guide", "golden/generator", "checks are proposed for tasks whose right results are known"},
	{"agent/judge/guide", "voting", "the answer of such a task is a choice"},
	{"agent/judge/redteam", "agent/judge", "attacks are made on the judge that asks no model"},
	{"agent/judge/redteam", "agent/judge/chair", "attacks are made on a judge whose model is replayed"},
	{"agent/judge/redteam", "agent/model", "attacks are made on a judge whose model is replayed"},
	{"ledger/...", "programs/oju/...", "the chain's tests run the committed program"},
	{"agent/judge/chair", "agent/judge/judgetest", "its judges are given cases"},
	{"agent/judge/chair", "voting", "and vote"},
	{"agent/judge/chair", "agent/model/modeltest", "their models have every known fault"},
	{"agent/judge/chair", "casefile", "and their opinions are read"},
	{"casefile/panel", "casefile/casetest", "test cases have panels"},
	{"megabrain/pay", "megabrain/reference", "payments are compared with those of the protocol as it is written"},
	{"cmd/ojud/mcp", "casefile/casetest", "a test case is verified by a tool"},
	{"cmd/ojud/keyholder", "ledger/devnet", "courts are founded on a chain in the test"},
	{"cmd/ojud/keyholder", "ledger/devnet/bank", "courts are founded on a chain in the test"},
	{"cmd/ojud/mcp", "voting", "a test case has votes"},
	{"casefile/reading", "casefile/casetest", "test cases are read"},
	{"casefile/panel", "voting/rules", "the worth of panels is compared with verdicts that the rules give"},
	{"casefile/verify", "casefile/casetest", "test cases are attacked"},
	{"datasource/exchange", "datasource/kind", "holders are tested with a book of real sources"},
	{"datasource/kind", "ledger/devnet/...", "a source of chain data is tested with the embedded chain"},
	{"ledger", "ledger/...", "the client is tested with the embedded chain and the journal"},
	{"ledger/journal", "casefile/casetest", "the journal's tests keep the log of a test case"},
	{"ledger/journal/...", "ledger/...", "the journal's parts are tested together"},
	{"ledger/devnet/...", "ledger/svm/...", "the chain's tests assemble programs"},
	{"ledger/svm/loader", "ledger/svm/...", "the loader is compared with Agave's, with programs that tests assemble"},
	{"ledger/svm/sbpf", "ledger/svm/difftest/asm", "the virtual machine's tests assemble programs"},
	{"ledger/svm/difftest/...", "ledger/onchain", "the program's accounts hold addresses"},
	{"ledger/svm/difftest/...", "golden", "leaves of golden cases are opened"},
	{"ledger/svm/difftest/oju", "ledger/program", "the program is compared on two runtimes"},
	{"ledger/svm/difftest/oju", "voting", "its accounts hold voting's types"},
	{"ledger/svm/difftest/oju", "voting/rules", "its draws are compared with those of the rules"},
	{"ledger/svm/difftest/oju", "ledger/devnet/bank", "votes are executed in a bank, too"},
	{"ledger/svm/difftest/oju", "p2p/p2ptest/floor", "how fast is a line of the table of figures"},
	{"ledger/svm/difftest/sequence", "ledger/program", "the program is attacked as a client would"},
	{"ledger/svm/difftest/sequence", "voting", "what nodes reckon is compared with what the program does"},
	{"ledger/svm/difftest/sequence", "voting/rules", "a model settles and slashes by the rules"},
	{"voting/rules", "voting/votetest/...", "the rules are compared with arithmetic on unbounded integers"},
	{"voting/votetest/court", "voting/votetest/byzantine", "both have adversaries, which package fault names"},
	{"node/...", "...", "the shell is tested with everything it wires"},
	{"cmd/...", "...", "the program's tests look at what it did from outside"},
	{"test/...", "...", "trials of real processes build nodes and read what these left behind"},
}

// owners are modules that only some packages may import, by the start of the import path; the tests
// of a package are bound no more than those of others.
var owners = []arrow{
	{"sandbox/...", "github.com/tetratelabs/wazero", "one engine runs the programs of strangers"},
	{"sandbox", "github.com/fastschema/qjs", "it has the bytes of QuickJS"},
	{"sandbox", "github.com/ncruces/go-sqlite3", "it has the bytes of SQLite"},
	{"schema", "github.com/santhosh-tekuri/jsonschema", "one package bounds the schemas of strangers"},
	{"agent/model", "github.com/tmc/langchaingo", "one package speaks to model providers"},
	{"agent/judge/memory", "github.com/philippgille/chromem-go", "one package keeps what judges learned"},
	{"ledger/journal/...", "github.com/dgraph-io/badger", "one store for a node"},
	{"agent/delegation/keep", "github.com/dgraph-io/badger", "one store for what an executor remembers"},
	{"agent/host/keep", "github.com/dgraph-io/badger", "one store for an agent host"},
	{"ledger/devnet/bank", "github.com/dgraph-io/badger", "one store for the chain"},
	{"p2p/p2ptest/floor", "github.com/dgraph-io/badger", "a bare store, beside which a node that comes back is measured"},
	{"p2p/...", "github.com/libp2p", "the network is behind p2p"},
	{"datasource/kind", "github.com/modelcontextprotocol", "one package speaks to MCP servers"},
	{"agent/face/mcp", "github.com/modelcontextprotocol", "one package serves tools to models"},
	{"agent/face/a2a", "github.com/a2aproject", "one package serves agents by A2A"},
	{"agent/face", "github.com/google/jsonschema-go", "the schema of a tool's arguments follows from their type"},
	{"datasource/kind", "modernc.org/sqlite", "one package reads SQLite files"},
	{"node/...", "github.com/libp2p/go-libp2p", "Deps hands options to p2p.New, for a simulated network"},
	{"cmd/ojud/cli", "github.com/libp2p/go-libp2p", "it hands the same options on"},
	{"cmd/ojud/...", "github.com/spf13/cobra", "the packages of the command line"},
	{"cmd/ojud/...", "github.com/spf13/pflag", "the packages of the command line"},
	{"ledger/...", "github.com/gagliardetto/solana-go", "one client of Solana, one embedded chain"},
	{"datasource/kind", "github.com/gagliardetto/solana-go", "a source of the kind solana reads any program's accounts"},
	{"config", "github.com/knadh/koanf", "one package reads settings"},
	{"config", "github.com/pelletier/go-toml", "a file of settings keeps its lines when one is set"},
	{"cmd/ojud", "github.com/pelletier/go-toml", "init writes the first file of settings"},
	{"node/trader", "github.com/pelletier/go-toml", "settings of workers and creators are written in TOML by people"},
	{"agent/host/manifest", "github.com/pelletier/go-toml", "agents are written in TOML by people"},
	{"agent/judge/persona", "github.com/pelletier/go-toml", "personas are written in TOML by people"},
	{"agent/judge/redteam", "github.com/pelletier/go-toml", "attacks are written in TOML by people"},
	{"casefile/canon", "github.com/gowebpki/jcs", "whatever a hash names is canonical JSON"},
	{"casefile", "github.com/gowebpki/jcs", "tests compare the plain texts with what the library makes"},
	{"p2p/wire", "github.com/gowebpki/jcs", "an announcement is canonical JSON, below case files"},
	{"agent/channel/line", "github.com/coder/websocket", "clients reach agents"},
	{"ledger/...", "github.com/coder/websocket", "the client and the embedded chain speak to each other"},
	{"agent/talk/link", "github.com/coder/websocket", "agents talk over websockets"},
	{"agent/talk/link", "github.com/golang-jwt/jwt", "agents prove who they are by tokens"},
	{"test/browser", "github.com/coder/websocket", "Firefox is driven by WebDriver BiDi"},
	{"casefile", "github.com/mr-tron/base58", "case files spell keys in base58"},
	{"casefile/canon", "github.com/mr-tron/base58", "a key in base58 has one spelling"},
	{"ledger/...", "github.com/mr-tron/base58", "Solana spells keys in base58"},
	{"p2p/...", "github.com/mr-tron/base58", "a did:key is spelled in base58"},
	{"agent/delegation", "github.com/mr-tron/base58", "a did:key is spelled in base58"},
	{"agent/delegation", "github.com/ipfs/go-cid", "tokens name each other by CID"},
	{"agent/delegation", "github.com/multiformats/go-multihash", "tokens name each other by CID"},
	{"agent/delegation", "github.com/ipld/go-ipld-prime", "tokens are DAG-CBOR"},
	{"p2p/...", "github.com/ipfs/go-cid", "content has the CID under which the DHT knows it"},
	{"p2p/...", "github.com/multiformats/go-multihash", "content has the CID under which the DHT knows it"},
	{"p2p/...", "github.com/multiformats/go-multiaddr", "addresses of peers"},
	{"node/library", "github.com/multiformats/go-multiaddr", "a network.json has addresses of peers"},
	{"agent/likeness", "golang.org/x/text", "texts are compared in one normal form"},
	{"config", "github.com/go-viper/mapstructure", "settings become the types of their packages"},
	{"agent/host/manifest", "github.com/go-viper/mapstructure", "the settings of models in an agent's file do, too"},
	{"megabrain/memory/...", "golang.org/x/mod", "the log of a memory node is a transparency log"},
	{"megabrain/meaning", "golang.org/x/text", "texts are compared in one normal form"},
	{"agent/judge/...", "golang.org/x/text", "texts are compared in one normal form"},
	{"...", "github.com/prometheus/client_golang", "each part counts what it does, in a registry that it is given"},
	{"...", "golang.org/x/net", "a listener takes so many connections at once"},
	{"...", "golang.org/x/sync", "a group of goroutines ends with the first error"},
	{"...", "golang.org/x/time", "limits of calls and of messages are token buckets"},
	{"ledger/svm/precompile", "filippo.io/edwards25519", "keys of a small group are refused as on Solana"},
	{"ledger/transact", "filippo.io/edwards25519", "boxes are sealed for the X25519 key of an agent"},
	{"...", "golang.org/x/crypto", "what the standard library lacks: one hash, one cipher"},
}

// pure are packages that import the standard library alone.
var pure = []string{"voting", "voting/rules", "golden", "sim/fault", "datasource/anex", "programs/oju", "config/bounds",
	"megabrain/pay", "megabrain/reference"}

var forbiddenNames = []string{"util", "utils", "common", "types", "helper", "helpers", "misc", "shared", "base", "lib"}

func (a arrow) allows(from, to string) bool { return matches(a.from, from) && matches(a.to, to) }

func matches(pattern, pkg string) bool {
	if pattern == "..." {
		return true
	}
	root, below := strings.CutSuffix(pattern, "/...")
	return pkg == root || below && strings.HasPrefix(pkg, root+"/")
}

// file is a parsed source file; pkg is its folder below the module, "" for the root.
type file struct {
	path, pkg string
	test      bool
	fset      *token.FileSet
	ast       *ast.File
	lines     int // 0 if the file is generated
}

// imports calls see with every import and its position.
func (f file) imports(see func(position, imported string)) {
	for _, spec := range f.ast.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			panic(err) // the parser accepted it
		}
		see(f.fset.Position(spec.Pos()).String(), imported)
	}
}

// sources parses every Go file of the project.
func sources(t *testing.T) []file {
	t.Helper()
	var files []file
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			return enter(name, entry.Name())
		}
		if filepath.Ext(name) != ".go" {
			return nil
		}
		parsed, err := parse(name)
		files = append(files, parsed)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 100 {
		t.Fatalf("found only %d Go files: this test must run at the root of the project", len(files))
	}
	return files
}

// enter skips what the go command skips too, and what other tools write.
func enter(name, last string) error {
	if name != "." && (strings.HasPrefix(last, ".") || strings.HasPrefix(last, "_") ||
		slices.Contains([]string{"testdata", "node_modules", "target"}, last)) {
		return filepath.SkipDir
	}
	return nil
}

func parse(name string) (file, error) {
	source, err := os.ReadFile(name)
	if err != nil {
		return file{}, err
	}
	f := file{path: filepath.ToSlash(name), test: strings.HasSuffix(name, "_test.go"), fset: token.NewFileSet()}
	if f.pkg = path.Dir(f.path); f.pkg == "." {
		f.pkg = ""
	}
	if !strings.HasPrefix(string(source), "// Code generated ") {
		f.lines = strings.Count(string(source), "\n")
	}
	f.ast, err = parser.ParseFile(f.fset, name, source, parser.SkipObjectResolution|parser.ParseComments)
	return f, err
}

// TestArrows: who imports whom is a table.
func TestArrows(t *testing.T) {
	for _, f := range sources(t) {
		f.imports(func(position, imported string) {
			to, ours := strings.CutPrefix(imported, module+"/")
			if ours && !permitted(f, to) {
				t.Errorf("%s: %s must not import %s: no arrow in architecture_test.go allows it%s", position, f.pkg, to, hint(f.pkg))
			}
		})
	}
}

func permitted(f file, to string) bool {
	if slices.ContainsFunc(arrows, func(a arrow) bool { return a.allows(f.pkg, to) }) {
		return true
	}
	if !f.test {
		return false
	}
	own := to == f.pkg || strings.HasPrefix(to, f.pkg+"/")
	return own || slices.ContainsFunc(testArrows, func(a arrow) bool { return a.allows(f.pkg, to) })
}

// hint says what the package may import.
func hint(pkg string) string {
	var may []string
	for _, a := range arrows {
		if matches(a.from, pkg) {
			may = append(may, a.to)
		}
	}
	if may == nil {
		return "; of ours it may import nothing"
	}
	return "; of ours it may import " + strings.Join(may, ", ")
}

// TestArrowsAreUsed: an arrow between packages that exist, and that no file uses, would allow an
// import that no one wanted.
func TestArrowsAreUsed(t *testing.T) {
	all := append(slices.Clone(arrows), testArrows...)
	from, to, used := map[arrow]bool{}, map[arrow]bool{}, map[arrow]bool{}
	for _, f := range sources(t) {
		for _, a := range all {
			from[a] = from[a] || matches(a.from, f.pkg) && !f.test
			to[a] = to[a] || matches(a.to, f.pkg) && !f.test
		}
		f.imports(func(_, imported string) {
			pkg, ours := strings.CutPrefix(imported, module+"/")
			for _, a := range all {
				used[a] = used[a] || ours && a.allows(f.pkg, pkg)
			}
		})
	}
	for _, a := range all {
		if a.why == "" {
			t.Errorf("arrow %s -> %s has no reason", a.from, a.to)
		}
		if from[a] && to[a] && !used[a] {
			t.Errorf("arrow %s -> %s is used by no file; take it out", a.from, a.to)
		}
	}
}

// TestOwners: some modules belong to one package, so that there is one place to look at.
func TestOwners(t *testing.T) {
	for _, f := range sources(t) {
		if f.test {
			continue
		}
		f.imports(func(position, imported string) {
			if why, ok := owned(f.pkg, imported); !ok {
				t.Errorf("%s: %s must not import %s: %s", position, f.pkg, imported, why)
			}
			if slices.Contains(pure, f.pkg) && strings.Contains(strings.Split(imported, "/")[0], ".") {
				t.Errorf("%s: %s imports the standard library alone, not %s", position, f.pkg, imported)
			}
		})
	}
}

// owned reports whether pkg may import the module, and if not, why.
func owned(pkg, imported string) (why string, ok bool) {
	for _, a := range owners {
		if !strings.HasPrefix(imported, a.to) {
			continue
		}
		if matches(a.from, pkg) {
			return "", true
		}
		why = a.why + " (" + a.from + ")"
	}
	return why, why == ""
}

// TestNames: a package is named by what it is about.
func TestNames(t *testing.T) {
	for _, f := range sources(t) {
		name := strings.TrimSuffix(f.ast.Name.Name, "_test")
		if slices.Contains(forbiddenNames, name) || slices.Contains(forbiddenNames, path.Base(f.pkg)) {
			t.Errorf("%s: a package named %s holds anything; name it by its concept", f.path, name)
		}
	}
}

// TestNoInit: nothing happens before main.
func TestNoInit(t *testing.T) {
	for _, f := range sources(t) {
		for _, decl := range f.ast.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if ok && fn.Recv == nil && fn.Name.Name == "init" {
				t.Errorf("%s: func init() runs unasked; call what it does from a constructor", f.fset.Position(fn.Pos()))
			}
		}
	}
}

// TestLength: a file is one concept.
func TestLength(t *testing.T) {
	for _, f := range sources(t) {
		if !f.test && f.lines > maxLines {
			t.Errorf("%s has %d lines, more than %d: divide it by concept", f.path, f.lines, maxLines)
		}
	}
}
