package talk

import (
	"encoding/json"
	"maps"

	"ojud/casefile/canon"
)

// instruction is what judges read if the deal has no instruction of its own.
const instruction = "Two agents signed the agreement in input_data. The claimant is one of them, and the respondent is the other. " +
	"Only its members access, promise and deal bind. The others are words of the asker about itself and its purpose, and nobody owes anything by them. " +
	"Accept if what the claim says is true and the agreement gives the claimant a right by it."

// severally is the same about an agreement of a meeting.
const severally = "Several agents signed the agreement in input_data, its parties. The claimant is one of them, and the respondent is another. " +
	"Only its members promise and deal bind, each party for itself unless they say otherwise. The others are words of the one that proposed it, and nobody owes anything by them. " +
	"Accept if what the claim says is true and the agreement gives the claimant a right against the respondent by it."

// Task returns the agreement as the terms of a dispute against one of its parties. A deal may have
// the members instruction, output_schema and expected of a task; what was signed is the input data.
// The claimant's signature is no part of it: who can sign again in other bytes gets no other
// address of the dispute by it. Judges check the respondent's, and those of all other parties of a
// meeting, because its terms bind nobody before all have signed.
func (a Agreement) Task(claimant, respondent string) ([]byte, error) {
	var deal map[string]json.RawMessage
	if a.Deal != nil {
		if err := json.Unmarshal(a.Deal, &deal); err != nil {
			return nil, err
		}
	}
	a.Signatures = maps.Clone(a.Signatures)
	maps.DeleteFunc(a.Signatures, func(who, _ string) bool { return who == claimant || a.Format == format && who != respondent })
	signed, err := a.Canonical()
	if err != nil {
		return nil, err
	}
	read := instruction
	if a.Format == several {
		read = severally
	}
	words, err := json.Marshal([]string{read})
	if err != nil {
		return nil, err
	}
	task := map[string]json.RawMessage{"instruction": words, "input_data": json.RawMessage("[" + string(signed) + "]"), "output_schema": json.RawMessage(`{"type":"object"}`)}
	for _, name := range []string{"instruction", "output_schema", "expected"} {
		if deal[name] != nil {
			task[name] = deal[name]
		}
	}
	raw, err := json.Marshal(task)
	if err != nil {
		return nil, err
	}
	return canon.JSON(raw, 2*MaxAgreement)
}
