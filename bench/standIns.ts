/**
 * The process of both stand-ins, so that their work is not counted as the client's: `standIns.ts FOLDER` listens on
 * `tinker.sock` and `environment.sock` in the folder and ends with its parent.
 */

import { join } from "node:path";
import { standInEnvironment } from "./standInEnvironment.ts";
import { loadStandInModel, MODEL } from "./standInModel.ts";
import { serveStandIn } from "./standInServer.ts";
import { standInTinker } from "./standInTinker.ts";

const [folder = "."] = process.argv.slice(2);
process.stdin.once("close", () => process.exit(0)).resume();
// What it keeps, the client finds, as in every start but the first.
const { tokenizer } = await loadStandInModel(folder);
await serveStandIn(join(folder, "tinker.sock"), standInTinker({ modelName: MODEL, tokenizer }));
await serveStandIn(join(folder, "environment.sock"), standInEnvironment);
console.log(JSON.stringify({ ready: true, address: folder }));
