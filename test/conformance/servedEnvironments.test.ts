/** The official ORS clients drive the embedded environments, as `serve` exposes them to other programs. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EMBEDDED_ENVIRONMENTS } from "../../src/local/environment/catalogue.ts";
import type { LocalServers } from "../../src/trainer/serve.ts";
import { driveOfficially, kitPython } from "./openrewardKit.ts";
import { serveProgram } from "./servedProgram.ts";
import { addTally } from "./tally.ts";

const EXPLAINED = ["skipped: what needs an environment of the kit, or the server's first one"];
const NAMES = EMBEDDED_ENVIRONMENTS.map(({ name }) => name);

describe.skipIf(kitPython === null)("the embedded environments", () => {
  let served: LocalServers;
  beforeAll(async () => {
    served = await serveProgram();
  });
  afterAll(() => served?.close());

  it.for(NAMES)(
    "%s passes every check that suits it",
    { timeout: 120_000 },
    async (name, context) => {
      const { environmentsUrl, key } = served;
      const others = ["--api-key", key, "--environment", name];
      const { passed, failed } = await driveOfficially(environmentsUrl, others);
      const checks = passed.length + failed.length;
      addTally(context, { checks, differences: failed, explained: EXPLAINED });
      expect(failed).toEqual([]);
      expect(passed.length).toBeGreaterThanOrEqual(34);
    },
  );
});
