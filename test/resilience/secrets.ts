/**
 * The secrets test: whole runs with planted keys, against services that echo them wherever they can. Then everything that was
 * printed, written, sent or visible in the processes is searched for them, in every encoding. Run: `npm run
 * resilience:secrets` (about a minute, Linux); exits with code 1 if one is found, or if the search misses a planted canary. `--keep`
 * keeps the folders.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { startServing } from "../integration/trainProgram.ts";
import { searchFaults } from "./secretsBlindness.ts";
import { allCases } from "./secretsCases.ts";
import { startFakeServices } from "./secretsFakeServices.ts";
import { packageEntries, treeContents } from "./secretsPlaces.ts";
import { keysOf, plant } from "./secretsPlanted.ts";
import { watchProcesses } from "./secretsProcesses.ts";
import { Report } from "./secretsReport.ts";

/** Concurrent cases: they mostly wait. */
const AT_ONCE = 8;

const root = mkdtempSync(join(tmpdir(), "tinker-rl-secrets-"));
const planted = plant();
const serving = await startServing(join(root, "store"));
const report = new Report([
  ...Object.entries(planted).map(([name, value]) => ({ name, value })),
  { name: "the key of serve", value: serving.key },
]);
try {
  const probes = await startFakeServices(serving, keysOf(planted));
  for (const fault of await searchFaults(root, probes)) report.expect(false, fault);
  for (const probe of Object.values(probes)) probe.close();
  const left = [...allCases({ root, planted, serving, report })];
  const work = async (): Promise<void> => {
    for (let play = left.shift(); play !== undefined; play = left.shift()) await play();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const { variables, commandLines } = watchProcesses(serving.pid, join(root, "none")).stop();
  report.expect(variables.length === 3, `serve has ${variables.length} processes`);
  const shown = [...variables, ...commandLines].map(({ name, text }) => [name, text] as const);
  report.look("serve: variables and command lines", shown);
  report.look("dist", treeContents(resolve("dist")));
  report.look("the package", packageEntries());
  report.look("the checkpoints", treeContents(join(root, "store")));
} finally {
  await serving.stop();
}
process.exitCode = report.print() ? 0 : 1;
if (process.argv.includes("--keep")) console.log(`kept in ${root}`);
else rmSync(root, { recursive: true, force: true });
