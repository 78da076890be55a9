import { tmpdir } from "node:os";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { listModels } from "../../../src/trainer/models/listModels.ts";
import { type Served, serveHere } from "../../fakes/serveHere.ts";

const KEY = "tml-models-test-key";
const request = { folder: tmpdir(), allowedOrigins: [] };
let server: Served;
let asked: (string | undefined)[];
/** Answers to `client/config` and `get_server_capabilities`. */
let statuses: readonly [number, number];

beforeEach(async () => {
  asked = [];
  statuses = [200, 200];
  server = await serveHere(({ url = "", headers }, response) => {
    asked.push(headers["x-api-key"]?.toString());
    const models = [
      { model_name: "Qwen/Qwen3-8B", max_context_length: 40_960 },
      { model_name: "Owner/Sampled-7B", trainable: false },
    ];
    const answer = url.endsWith("get_server_capabilities") ? { supported_models: models } : {};
    response.setHeader("content-type", "application/json");
    response.statusCode = statuses[url.endsWith("client/config") ? 0 : 1];
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

it("a service that does not list its models is not treated as having none", async () => {
  vi.stubEnv("TINKER_API_KEY", KEY);
  statuses = [200, 404];
  expect(await listModels(request)).toMatchObject({ models: null, hasKey: true });
});

it.each([
  ["immediately", [402, 200]],
  ["at its list of models", [200, 402]],
] as const)("an account that is blocked %s is an error without retries", async (_, answers) => {
  vi.stubEnv("TINKER_API_KEY", KEY);
  statuses = answers;
  await expect(listModels(request)).rejects.toMatchObject({ code: "tinker-billing" });
});

it("an address with a wrong path is reported by its variable", async () => {
  vi.stubEnv("TINKER_API_KEY", KEY);
  statuses = [404, 404];
  await expect(listModels(request)).rejects.toMatchObject({
    code: "config-address-invalid",
    message: expect.stringContaining("Correct TINKER_BASE_URL, most likely its path."),
  });
});

it("a rejected key is reported with its origin", async () => {
  vi.stubEnv("TINKER_API_KEY", KEY);
  statuses = [401, 401];
  await expect(listModels(request)).rejects.toThrow(
    "Check that TINKER_API_KEY (from the process environment) is valid",
  );
});

it("without a key no request is sent", async () => {
  vi.stubEnv("TINKER_API_KEY", "");
  expect(await listModels(request)).toMatchObject({ models: null, keyName: "TINKER_API_KEY" });
  expect(asked).toEqual([]);
});
