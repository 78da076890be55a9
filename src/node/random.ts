/** The Random port: for names and jitter, never for anything that decides a result. */

import { randomUUID } from "node:crypto";
import type { Random } from "../core/ports.ts";

export const systemRandom: Random = {
  uuid: () => randomUUID(),
  uniform: () => Math.random(),
};
