package pay

import (
	"errors"

	"ojud/config/bounds"
)

// whole is 100 % in basis points, and a full score in hundredths of a point.
const whole = 10_000

// Parameters are the numbers of a settlement. A task may change them within bounds.
type Parameters struct {
	WorkerPool    int `json:"worker_pool_bps"`    // of the budget
	EvaluatorPool int `json:"evaluator_pool_bps"` // of the budget
	BonusPool     int `json:"bonus_pool_bps"`     // of the budget
	Consensus     int `json:"consensus_bps"`      // of the results that count, in the dominant cluster
	Pass          int `json:"pass_points"`        // mean score that supports a cluster
	Sigma         int `json:"sigma_points"`       // how far honest evaluators lie apart
	MaxEvaluators int `json:"max_evaluators"`     // how many are asked before a task is inconclusive
	Effort        int `json:"effort_bps"`         // of a place in a pool, for work that nothing could use

	WorkerStake    int `json:"worker_stake_bps"`    // of the budget
	EvaluatorStake int `json:"evaluator_stake_bps"` // of the budget
	Missed         int `json:"missed_bps"`          // of the stake: no result, a late one, or a copy
	LowEffort      int `json:"low_effort_bps"`      // of the stake
	Deviation      int `json:"deviation_bps"`       // of the stake: far from consensus, or no evaluation
	RubberStamp    int `json:"rubber_stamp_bps"`    // of the stake
	FreezeDays     int `json:"freeze_days"`         // of the reputation of a rubber-stamper
	RestoreTasks   int `json:"restore_tasks"`       // after which low effort is forgotten

	Submission int `json:"submission_seconds"`
	Evaluation int `json:"evaluation_seconds"`
	Extension  int `json:"extension_bps"` // of the budget, for a second submission window

	Doubt
}

// Doubt is what has to happen before a task ends without an outcome.
type Doubt struct {
	MaxWorkers int `json:"max_workers"` // how many are asked for results; 0: nobody is called later
	Reject     int `json:"reject_bps"`  // of the weight must reject a cluster; 0: its mean score decides
	Poster     int `json:"poster_bps"`  // of the pool of evaluators, to the one that posted the outcome
}

// Defaults are those of the MegaBrain Protocol, revision 1, appendix A, where it has one.
func Defaults() Parameters {
	return Parameters{
		WorkerPool: 7000, EvaluatorPool: 2000, BonusPool: 1000, Consensus: 6600, Pass: 50, Sigma: 10,
		MaxEvaluators: 7, Doubt: Doubt{MaxWorkers: 7, Reject: 8000, Poster: 1000}, Effort: 1000, WorkerStake: 500, EvaluatorStake: 300, Missed: whole, LowEffort: 5000,
		Deviation: 2500, RubberStamp: 7500, FreezeDays: 30, RestoreTasks: 5, Submission: 24 * 3600,
		Evaluation: 12 * 3600, Extension: 1000,
	}
}

// validate names the first parameter that is outside its range.
func (p Parameters) validate() error {
	if err := bounds.Check("parameters: ",
		bounds.Of("worker_pool_bps", p.WorkerPool, 1, whole),
		bounds.Of("evaluator_pool_bps", p.EvaluatorPool, 1, whole),
		bounds.Of("bonus_pool_bps", p.BonusPool, 0, whole),
		bounds.Of("consensus_bps", p.Consensus, 5001, whole),
		bounds.Of("pass_points", p.Pass, 1, 100),
		bounds.Of("sigma_points", p.Sigma, 1, 25),
		bounds.Of("max_evaluators", p.MaxEvaluators, 2, maxEvaluators),
		bounds.Of("max_workers", p.MaxWorkers, 0, maxWorkers),
		bounds.Of("reject_bps", p.Reject, 0, whole),
		bounds.Of("poster_bps", p.Poster, 0, whole),
		bounds.Of("effort_bps", p.Effort, 0, 5000),
		bounds.Of("worker_stake_bps", p.WorkerStake, 0, whole),
		bounds.Of("evaluator_stake_bps", p.EvaluatorStake, 0, whole),
		bounds.Of("missed_bps", p.Missed, 0, whole),
		bounds.Of("low_effort_bps", p.LowEffort, 0, whole),
		bounds.Of("deviation_bps", p.Deviation, 0, whole),
		bounds.Of("rubber_stamp_bps", p.RubberStamp, 0, whole),
		bounds.Of("freeze_days", p.FreezeDays, 0, 365),
		bounds.Of("restore_tasks", p.RestoreTasks, 0, 100),
		bounds.Of("submission_seconds", p.Submission, 1, 30*24*3600),
		bounds.Of("evaluation_seconds", p.Evaluation, 1, 30*24*3600),
		bounds.Of("extension_bps", p.Extension, 0, whole),
	); err != nil {
		return err
	}
	if p.WorkerPool+p.EvaluatorPool+p.BonusPool > whole {
		return errors.New("parameters: the three pools are more than the budget; together they have at most 10000")
	}
	return nil
}
