/**
 * The process of all fake services, so that their work does not count as the client's: `fakeServices.ts FOLDER` listens in the
 * folder on `environment.sock`, `tinker.sock`, `cycles.sock` (a Tinker server with fixed cycles), and `long.sock` (one with long
 * turns), and ends with its parent.
 */

import { join } from "node:path";
import { loadBenchModel, MODEL } from "./benchModel.ts";
import { fakeEnvironment } from "./fakeEnvironment.ts";
import { CyclePace } from "./fakePace.ts";
import { serveFake } from "./fakeServer.ts";
import { fakeTinker } from "./fakeTinker.ts";

/** Three of them make about 10,000 tokens. */
const LONG_TURN = 3_250;

const [folder = "."] = process.argv.slice(2);
process.stdin.once("close", () => process.exit(0)).resume();
// Caches the tokenizer for the client, as in every start except the first.
const { tokenizer } = await loadBenchModel(folder);
const model = { modelName: MODEL, tokenizer };
await serveFake(join(folder, "tinker.sock"), fakeTinker(model));
await serveFake(join(folder, "cycles.sock"), fakeTinker({ ...model, pace: new CyclePace() }));
await serveFake(join(folder, "long.sock"), fakeTinker({ ...model, turnTokens: LONG_TURN }));
await serveFake(join(folder, "environment.sock"), fakeEnvironment);
console.log(JSON.stringify({ ready: true, address: folder }));
