import { join, resolve } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Served, serveHere } from "../fakes/serveHere.ts";
import { runFolderWith } from "./localRun.ts";
import { type Ended, runProgram } from "./trainProgram.ts";

const RIGHT_KEY = "tml-right-key";
/** Requests a run may make before its input is fully validated. */
const HARMLESS = new Set(["client/config", "create_session", "get_server_capabilities"]);

let server: Served;
const asked: string[] = [];

beforeAll(async () => {
  server = await serveHere((request, response) => {
    const path = (request.url ?? "").replace("/api/v1/", "");
    if (path !== "session_heartbeat" && path !== "finish_session") asked.push(path);
    const isAllowed = request.headers["x-api-key"] === RIGHT_KEY;
    response.writeHead(isAllowed ? 200 : 401, { "Content-Type": "application/json" });
    const content = {
      session_id: "session1",
      supported_models: [{ model_name: "Org/Model", max_context_length: 4096 }],
    };
    response.end(JSON.stringify(isAllowed ? content : { detail: "invalid API key" }));
  });
});
afterAll(() => server.close());
beforeEach(() => asked.splice(0));

const SOUND = `model_name: Org/Model
tokenizer_name: ${resolve("src/local/engine/model")}
chat_format: reference
batch_size: 2
environments:
  local/calculator:
    splits: { train: {} }
    num_rollouts: 4
`;

/** Trains in a separate process, as a user would. */
async function train(config: string, key = RIGHT_KEY): Promise<Ended> {
  const folder = await runFolderWith(`${config}tinker_base_url: ${server.url}\n`);
  return runProgram(["train", "-c", join(folder, "config.yaml")], { TINKER_API_KEY: key });
}

describe("a run that cannot start says why in one line, and sends no request that costs money", {
  timeout: 30_000,
}, () => {
  it("an unknown key", async () => {
    const { code, stderr } = await train(`${SOUND}batchsize: 2\n`);
    expect({ code, asked }).toEqual({ code: 2, asked: [] });
    expect(stderr).toMatch(/:\d+:\d+: error: .*batchsize.*batch_size/);
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  it("a missing file", async () => {
    const { code, stderr } = await runProgram(["train", "-c", "nowhere.yaml"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^nowhere\.yaml: error: /);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  });

  it("no key for another server than Tinker's", async () => {
    const { code, stderr } = await train(SOUND, "");
    expect({ code, asked }).toEqual({ code: 2, asked: [] });
    expect(stderr).toContain(
      `model_name: Org/Model is trained by the server at ${server.url}, which needs TINKER_API_KEY.`,
    );
  });

  it.each([
    ["a wrong key", SOUND, "tml-other-key", 5, /API key|TINKER_API_KEY/],
    [
      "a model that is not offered",
      SOUND.replace("Org/Model", "Org/Modell"),
      RIGHT_KEY,
      2,
      /^error: model_name: .*Did you mean Org\/Model\?/,
    ],
  ])("%s", async (_, config, key, expectedCode, message) => {
    const { code, stderr } = await train(config, key);
    expect(stderr).toMatch(message);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(code).toBe(expectedCode);
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.filter((path) => !HARMLESS.has(path))).toEqual([]);
  });
});
