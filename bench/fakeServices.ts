/**
 * The process of both fakes, so that their work is not counted as the client's: `fakeServices.ts FOLDER` listens on
 * `tinker.sock` and `environment.sock` in the folder and ends with its parent.
 */

import { join } from "node:path";
import { loadBenchModel, MODEL } from "./benchModel.ts";
import { fakeEnvironment } from "./fakeEnvironment.ts";
import { serveFake } from "./fakeServer.ts";
import { fakeTinker } from "./fakeTinker.ts";

const [folder = "."] = process.argv.slice(2);
process.stdin.once("close", () => process.exit(0)).resume();
// What it keeps, the client finds, as in every start but the first.
const { tokenizer } = await loadBenchModel(folder);
await serveFake(join(folder, "tinker.sock"), fakeTinker({ modelName: MODEL, tokenizer }));
await serveFake(join(folder, "environment.sock"), fakeEnvironment);
console.log(JSON.stringify({ ready: true, address: folder }));
