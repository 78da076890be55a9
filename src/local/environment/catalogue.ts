/** The environments that ship with the program, in display order. */

import { calculator } from "./calculator.ts";
import { depot } from "./depot.ts";
import type { EnvironmentDefinition } from "./environment.ts";
import { keyVault } from "./keyVault.ts";
import { numberHunt } from "./numberHunt.ts";

export const EMBEDDED_ENVIRONMENTS: readonly EnvironmentDefinition[] = [
  calculator,
  numberHunt,
  keyVault,
  depot,
];
