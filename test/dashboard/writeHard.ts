/** Writes the hard run for a look at it: `node scripts/run.mjs test/dashboard/writeHard.ts FOLDER`. */

import { createFileSystem } from "../../src/node/fileSystem.ts";
import { writeHardRun } from "../server/dashboard/writtenRun.ts";

const { folder } = await writeHardRun(createFileSystem(), process.argv[2] ?? "", {
  rollouts: Number(process.argv[3] ?? 48),
});
console.log(folder);
