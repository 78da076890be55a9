import { tmpdir } from "node:os";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { listModels } from "../../../src/trainer/models/listModels.ts";
import { type Served, serveHere } from "../../fakes/serveHere.ts";

const KEY = "tml-models-test-key";
const request = { folder: tmpdir(), allowedOrigins: [] };
let server: Served;
let asked: (string | undefined)[];

beforeEach(async () => {
  asked = [];
  server = await serveHere(({ url = "", headers }, response) => {
    asked.push(headers["x-api-key"]?.toString());
    const models = [
      { model_name: "Qwen/Qwen3-8B", max_context_length: 40_960 },
      { model_name: "Owner/Sampled-7B", trainable: false },
    ];
    const answer = url.endsWith("get_server_capabilities") ? { supported_models: models } : {};
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(answer));
  });
  vi.stubEnv("TINKER_BASE_URL", server.url);
});
afterEach(() => {
  vi.unstubAllEnvs();
  server.close();
});

it("with a key the models are those that the service trains", async () => {
  vi.stubEnv("TINKER_API_KEY", KEY);
  const { models } = await listModels(request);
  expect(models?.map(({ name, maxContextLength }) => [name, maxContextLength])).toEqual([
    ["Qwen/Qwen3-8B", 40_960],
  ]);
  expect(asked).toContain(KEY);
});

it("without a key no service is asked", async () => {
  vi.stubEnv("TINKER_API_KEY", "");
  expect(await listModels(request)).toMatchObject({ models: null, keyName: "TINKER_API_KEY" });
  expect(asked).toEqual([]);
});
