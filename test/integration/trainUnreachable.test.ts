/** The program when no environment server answers: it reports that quickly in one line, at no cost. */

import { createServer } from "node:http";
import { createServer as createSilentServer, type Server } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listenAnywhere } from "../fakes/serveHere.ts";
import { runFolderWith } from "./localRun.ts";
import { runProgram } from "./trainProgram.ts";

const servers: Server[] = [];
const asked: string[] = [];
let refusing = "";
let tinkerUrl = "";

beforeAll(async () => {
  const closed = createSilentServer();
  refusing = await listenAnywhere(closed);
  closed.close();
  const tinker = createServer((request, response) => {
    asked.push(request.url ?? "");
    response.writeHead(200, { "Content-Type": "application/json" }).end("{}");
  });
  tinkerUrl = await listenAnywhere(tinker);
  servers.push(tinker);
});
afterAll(() => {
  for (const server of servers) server.close();
});

function config(address: string): string {
  return `model_name: Org/Model
tokenizer_name: unused
batch_size: 2
tinker_base_url: ${tinkerUrl}
environments:
  calculator: { splits: { train: {} }, num_rollouts: 4 }
  Acme/depot: { splits: { train: {} }, num_rollouts: 4 }
${address}`;
}

// Concurrent, because they only wait.
describe.concurrent("an environment server that cannot be reached", { timeout: 60_000 }, () => {
  it.each([
    ["refuses connections", () => refusing, "openreward_base_url"],
    ["has an unknown host name", () => "http://nowhere.invalid", "OPENREWARD_SESSION_URL"],
  ])("is reported when it %s", async (_, address, source) => {
    const isVariable = source === "OPENREWARD_SESSION_URL";
    const line = isVariable ? "" : `openreward_base_url: ${address()}/prefix\n`;
    const folder = await runFolderWith(config(line));
    const { code, stderr } = await runProgram(["train", "-c", join(folder, "config.yaml")], {
      TINKER_API_KEY: "tml-key",
      ...(isVariable && { OPENREWARD_SESSION_URL: address() }),
    });
    expect(stderr).toMatch(/^error: The environments' server at \S+ cannot be reached \(.+\)\. /);
    expect(stderr).toContain(address());
    expect(stderr).toContain(`Start the server, or correct ${source}. Then try`);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(code).toBe(5);
    expect(asked.filter((path) => path !== "/api/v1/client/config")).toEqual([]);
  });
});
