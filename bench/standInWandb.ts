/**
 * A stand-in for the W&B server in a process of its own that takes everything, slowly: `standInWandb.ts FOLDER` listens on
 * `wandb.sock` in the folder, takes two seconds for every request, and ends with its parent.
 */

import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { jsonReply, type StandInCall, type StandInReply, serveStandIn } from "./standInServer.ts";

const REQUEST_MS = 2_000;

interface GraphqlCall {
  readonly operationName?: string;
  readonly variables?: { readonly files?: readonly string[] };
}

async function answer(call: StandInCall): Promise<StandInReply> {
  await setTimeout(REQUEST_MS);
  if (call.path !== "/graphql") return jsonReply({});
  return jsonReply({ data: graphql(JSON.parse(call.body.toString("utf8"))) });
}

function graphql({ operationName, variables }: GraphqlCall): object {
  const project = { name: "bench", entity: { name: "bench" } };
  switch (operationName) {
    case "Viewer":
      return { viewer: { id: "bench" } };
    case "RunResumeStatus":
      return { model: { bucket: null } };
    case "UpsertBucket":
      return { upsertBucket: { bucket: { id: "bench", name: "bench", project } } };
    default: {
      const files = (variables?.files ?? []).map((name) => ({ name, uploadUrl: `/put/${name}` }));
      return { createRunFiles: { uploadHeaders: [], files } };
    }
  }
}

const [folder = "."] = process.argv.slice(2);
process.stdin.once("close", () => process.exit(0)).resume();
await serveStandIn(join(folder, "wandb.sock"), answer);
console.log(JSON.stringify({ ready: true, address: folder }));
