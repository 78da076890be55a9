/** The Random port, for names and jitter only; results never depend on it. */

import { randomUUID } from "node:crypto";
import type { Random } from "../core/ports.ts";

export const systemRandom: Random = {
  uuid: () => randomUUID(),
  uniform: () => Math.random(),
};
