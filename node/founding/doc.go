// Package founding founds a court on a program that is deployed to a cluster.
//
// Look reads the cluster and says what a founding would do, and Found does it: it sends init_config
// once, with the key that may upgrade the program. Both may be repeated. A court that stands is
// told, and its network.json is made again, but nothing is sent.
//
// A founder should deploy the program of this ojud (WriteProgram), which is the only one that is
// taken, and publish the network.json that comes out.
package founding
