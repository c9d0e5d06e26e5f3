// Package discover tells a stranger what a court has: the data that judges offer, the tasks
// with their subjects, and the agents with their skills. All texts are the words of strangers, so
// who shows them escapes them.
package discover
