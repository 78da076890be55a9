/** A stopped run in a planted home, for each test anew. */

import { afterEach, beforeEach, expect } from "vitest";
import { PlantedHome } from "./plantedHome.ts";

/** Call outside of tests. Before each one `take` gets the home and the run's folder; after it, the home must be as it was. */
export function beforeEachPlantedRun(take: (planted: PlantedHome, folder: string) => void): void {
  let planted: PlantedHome;
  beforeEach(async () => {
    planted = await PlantedHome.make();
    take(planted, await planted.stoppedRun());
  });
  afterEach(async () => {
    expect(await planted.isUntouched()).toBe(true);
    await planted.remove();
  });
}
