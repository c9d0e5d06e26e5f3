// Package meaning says which results of one task mean the same, without a model and in integers, so
// that everybody comes to the same clusters.
//
// A class of tasks names the fields of a result that carry its meaning. Results with equal values
// there, in canonical JSON, mean the same. Fields with prose are compared by hashed pieces of
// words, which find the subject of a text but not what it says: a lie of one word is as near as a
// paraphrase. So a guard parts texts that differ in numbers, signs, units, dates, names, roles,
// negation or opposites, and texts that are copies of each other but for a few words or signs.
// Results mean the same only if each pair of a cluster is near (complete linkage). From eight
// results on, density-based clustering must put them together, too.
//
// The guard prefers to part paraphrases rather than to join a lie, and it knows English only.
// docs/megabrain.md has the figures.
package meaning
