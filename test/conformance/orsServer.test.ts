/** The official ORS clients drive our environment server, with the kit's own environments as far as ours support the same features. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  createEnvironmentServer,
  type EnvironmentServer,
} from "../../src/local/environment/server/server.ts";
import { listenAnywhere } from "../fakes/serveHere.ts";
import { driveOfficially, kitPython } from "./openrewardKit.ts";
import { manyTasks } from "./openrewardManyTasks.ts";
import { probe } from "./openrewardProbe.ts";
import { addTally } from "./tally.ts";

/** Features that embedded environments lack, with the checks that only concern them. */
const ABSENT: Readonly<Record<string, readonly string[]>> = {
  "secrets for tools": ["secrets-by-header", "secrets-by-body"],
  "tools that grade an answer": ["terminal-tool"],
  "scores of whole groups": ["score-group"],
  "splits too large to be listed": ["index-only-tasks"],
  "tools of single tasks": ["task-scoped-tools"],
  "a set-up that takes time": ["setup-errors", "slow-setup", "long-setup"],
};

describe.skipIf(kitPython === null)("our environment server", () => {
  let hosted: EnvironmentServer;
  let url = "";
  beforeAll(async () => {
    hosted = createEnvironmentServer({ environments: [probe, manyTasks], apiKey: null });
    url = await listenAnywhere(hosted.server);
  });
  afterAll(() => hosted?.close());

  it("passes every check of the official clients", { timeout: 300_000 }, async (context) => {
    const { passed, failed, skipped } = await driveOfficially(url);
    addTally(context, {
      checks: passed.length + failed.length,
      differences: failed,
      explained: Object.entries(ABSENT).map(
        ([what, checks]) =>
          `skipped, as embedded environments do not have ${what}: ${checks.join(", ")}`,
      ),
    });
    expect(failed).toEqual([]);
    expect([...skipped.keys()].sort()).toEqual(Object.values(ABSENT).flat().sort());
    expect(passed.length).toBeGreaterThanOrEqual(59);
  });
});
