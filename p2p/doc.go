// Package p2p is the network layer of an ojud node: a go-libp2p host with its identity, gossip,
// discovery, streams, scores, a re-dialler and the directory of judges. It moves bytes and knows
// neither cases nor votes. Its settings follow measurements on bare libp2p, pubsub and kad-dht:
// go test ./p2p -run '^$' -bench Exchange prints the ratios.
//
// # Parts
//
//   - Package identity: an Ed25519 key in a file; peer ID, did:key, signatures with a purpose.
//   - Host.Join: topics /oju/<network>/<name>/1, few and for the life of the node.
//   - Host.Push: direct one-way streams to a known set of peers, the fast path of votes. Each
//     message is sent until its handler has taken it.
//   - Host.Handle, Host.Request: one question, one answer, or a refusal with its class (ErrBusy …).
//     Host.HandleStream, Host.OpenStream: several messages, for a negotiation.
//   - Host.Keep: the peers we must stay connected to. Broken links are restored within seconds.
//     OnPeer reports it.
//   - Host.Provide, Host.FindProviders: the holders of keys, in the DHT.
//   - Host.Directory, package directory: the judges we know, each described by itself under its
//     signature, on disk.
//   - Host.Penalize: points that end in a ban.
//
// # What the caller must do
//
//  1. Name all topics in Deps.Topics, join each once, and never leave.
//  2. Write validators that are quick and pure. They return Reject only if the sender could know
//     that the message is wrong, and otherwise Ignore. The same rule decides when to call Penalize.
//  3. Call Topic.Next all the time and only queue its results. Keep push handlers as short.
//  4. Drop duplicates: Push delivers at least once, gossip and push carry the same vote, and a
//     message forgotten after Gossip.SeenTTL may come again. Put an expiry into the signed bytes.
//  5. Answer every Connected event by catching up with that peer, and make that cheap to repeat:
//     gossip has no memory, and Push forgets after Push.MaxAge.
//  6. Give Keep the seats of all live rounds whenever they change.
//  7. Treat provider records and announcements as claims. Give Deps.Admit, so that the directory
//     holds only judges with a stake, and call Directory.Prune if stakes change. Or give
//     Deps.Staked, so that others never take their room.
//  8. Give Deps.OnTwin, and stop if it reports an elder twin. Sign nothing that a copy could
//     contradict until Directory.Compared was closed for a while.
//  9. On Linux set net.core.rmem_max and net.core.wmem_max to 7500000 for QUIC, and open the
//     listening port for TCP and UDP.
//
// # Questions of an operator
//
// All metrics begin with ojud_p2p_.
//
//	Am I connected to anybody?           ojud_p2p_peers > 0
//	Can others dial me?                  ojud_p2p_announced_addrs > 0
//	Do I lack links to fellow judges?    ojud_p2p_kept_peers_missing > 0
//	Are links failing now?               rate(ojud_p2p_dials_failed_total[5m]) > 0.1
//	Am I losing messages, and why?       sum by (cause) (rate(ojud_p2p_dropped_total[5m])) > 0
//	Can I find data holders?             ojud_p2p_dht_peers > 0
//	Is bootstrap broken?                 increase(ojud_p2p_dht_empty_checks_total[5m]) > 10
//	Does a peer send rubbish?            rate(ojud_p2p_gossip_total{result="rejected"}[5m]) > 0
//	Which peers do I refuse, and why?    sum by (reason) (increase(ojud_p2p_penalties_total[1h]))
//	Do others overload me?               rate(ojud_p2p_requests_refused_total[5m]) > 1
//	Do my requests go unanswered?        rate(ojud_p2p_requests_failed_total[5m])
//	                                       / rate(ojud_p2p_requests_sent_total[5m]) > 0.2
//	Do votes reach their judges?         rate(ojud_p2p_push_reopened_total[5m]) > 0.1
//	How many judges do I know?           ojud_p2p_registry_judges
//	Is the resource manager in the way?  rate(libp2p_rcmgr_blocked_resources[5m]) > 0
package p2p
