// The chain that runs the probe (../probe/), whose instructions take no accounts.

import { bytes } from './bytes.mjs';
import { discriminator } from './layout.mjs';
import { World } from './world.mjs';

export class Probe extends World {
  /** Sends one instruction of the probe. */
  call(name, args = []) {
    return this.send([{ programAddress: this.program, data: bytes(discriminator('global', name), args), accounts: [] }]);
  }
}
