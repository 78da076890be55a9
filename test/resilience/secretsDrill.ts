/** What the cases of the secrets drill share. */

import type { Serving } from "../integration/trainProgram.ts";
import type { Planted } from "./secretsPlanted.ts";
import type { Report } from "./secretsReport.ts";
import type { Place } from "./secretsRun.ts";
import type { StandIns } from "./secretsStandIns.ts";

export interface Drill {
  /** Holds everything that the drill writes. */
  readonly root: string;
  readonly planted: Planted;
  readonly serving: Serving;
  readonly report: Report;
}

export interface Opened extends Drill {
  readonly name: string;
  readonly place: Place;
  readonly standIns: StandIns;
}
