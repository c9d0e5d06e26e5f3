// All suites in one process, so that the last one can report about the others.

import './suite/codec.mjs';
import './suite/begin.mjs';
import './suite/admission.mjs';
import './suite/agents.mjs';
import './suite/data.mjs';
import './suite/market.mjs';
import './suite/dispute.mjs';
import './suite/judges.mjs';
import './suite/draw.mjs';
import './suite/vote.mjs';
import './suite/relay.mjs';
import './suite/life.mjs';
import './suite/appeal.mjs';
import './suite/slash.mjs';
import './suite/pay.mjs';
import './suite/engine.mjs';
import './suite/others.mjs';
import './suite/golden.mjs';
import './suite/siege.mjs';
import { coverage } from './suite/coverage.mjs';

coverage();
