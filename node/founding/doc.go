// Package founding founds a court on a program that is deployed to a cluster.
//
// Look reads the cluster and says what a founding would do, and Found does it: it sends init_config
// once, with the key that may upgrade the program. Both may be repeated. A court that stands is
// told, and its network.json is made again, but nothing is sent.
//
// Only the program of this ojud is taken. Deploy puts it on the cluster, after Estimate has said
// what that costs. A founder should publish the network.json that comes out.
package founding
