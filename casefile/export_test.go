package casefile

// FormOrSealFails makes only the first two checks of Verify. If one fails, Verify does not verify.
func FormOrSealFails(file []byte) bool {
	v := &verifier{file: file}
	if _, f := v.form(); f != nil {
		return true
	}
	_, f := v.seal()
	return f != nil
}

// ReadFacts reads a fact document of any kind.
func ReadFacts(raw []byte) {
	for _, parse := range []func([]byte) error{reads(readAs[OpenFact]), reads(readAs[DrawFact]), reads(readAs[SettleFact]), reads(readAs[OutcomeFact])} {
		if parse(raw) == nil {
			return
		}
	}
}

func readAs[T form](raw []byte) (Doc[T], error) { return read[T]("facts", raw, MaxDocument) }
