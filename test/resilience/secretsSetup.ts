/** Shared setup of the secrets test's cases. */

import type { Serving } from "../integration/trainProgram.ts";
import type { FakeServices } from "./secretsFakeServices.ts";
import type { Planted } from "./secretsPlanted.ts";
import type { Report } from "./secretsReport.ts";
import type { Place } from "./secretsRun.ts";

export interface SecretsSetup {
  /** Holds everything that the test writes. */
  readonly root: string;
  readonly planted: Planted;
  readonly serving: Serving;
  readonly report: Report;
}

export interface Opened extends SecretsSetup {
  readonly name: string;
  readonly place: Place;
  readonly fakeServices: FakeServices;
}
