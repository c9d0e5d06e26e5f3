package svm

func (s system) transfer(from, to int, lamports uint64) error {
	if !s.frame.accounts[from].signer {
		s.log.addf("Transfer: `from` account %s must sign", s.key(from))
		return fail(MissingRequiredSignature)
	}
	return s.move(from, to, lamports)
}

// transferWithSeed moves lamports from account 0 to account 2. The base, account 1, signs for
// account 0.
func (s system) transferWithSeed(in systemInstruction) error {
	if err := s.require(3); err != nil {
		return err
	}
	if !s.frame.accounts[1].signer {
		s.log.addf("Transfer: 'from' account %s must sign", s.key(1))
		return fail(MissingRequiredSignature)
	}
	derived, err := deriveWithSeed(s.key(1), in.seed, in.owner)
	if err != nil {
		return seedFailure(err)
	}
	if from := s.key(0); from != derived {
		s.log.addf("Transfer: 'from' address %s does not match derived address %s", from, derived)
		return failCustom(systemSeedMismatch)
	}
	return s.move(0, 2, in.lamports)
}

func (s system) move(from, to int, lamports uint64) error {
	source, err := s.borrow(from)
	if err != nil {
		return err
	}
	state := &source.account.state
	if len(state.Data) != 0 {
		s.log.add("Transfer: `from` must not carry data")
		return fail(InvalidArgument)
	}
	if lamports > state.Lamports {
		s.log.addf("Transfer: insufficient lamports %d, need %d", state.Lamports, lamports)
		return failCustom(systemNegativeLamports)
	}
	if err := source.subLamports(lamports); err != nil {
		return err
	}
	target, err := s.borrow(to)
	if err != nil {
		return err
	}
	return target.addLamports(lamports)
}
