/**
 * Slow fakes of the W&B server and of OpenReward's upload in a separate process: `fakeTrackers.ts FOLDER` listens on `wandb.sock` and
 * `upload.sock` in the folder, takes two seconds per request, accepts everything, and ends with its parent.
 */

import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { type FakeCall, type FakeReply, jsonReply, serveFake } from "./fakeServer.ts";

const REQUEST_MS = 2_000;

interface GraphqlCall {
  readonly operationName?: string;
  readonly variables?: { readonly files?: readonly string[] };
}

async function answerWandb(call: FakeCall): Promise<FakeReply> {
  await setTimeout(REQUEST_MS);
  if (call.path !== "/graphql") return jsonReply({});
  return jsonReply({ data: graphql(JSON.parse(call.body.toString("utf8"))) });
}

/** Reads find nothing, and writes are accepted. */
async function answerUpload({ body }: FakeCall): Promise<FakeReply | null> {
  await setTimeout(REQUEST_MS);
  return body.length === 0 ? null : jsonReply({});
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
await serveFake(join(folder, "wandb.sock"), answerWandb);
await serveFake(join(folder, "upload.sock"), answerUpload);
console.log(JSON.stringify({ ready: true, address: folder }));
