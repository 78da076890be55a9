import { expect, it, vi } from "vitest";
import { parseConfig } from "../../../src/core/config/parse.ts";
import { gatherKeys, recoverFromLaunchError } from "../../../src/host/keys/gatherKeys.ts";
import type { Answer } from "./fakeUi.ts";
import { keyParts } from "./keyParts.ts";

vi.mock("vscode", async () => (await import("../fakeVscode.ts")).fakeVscode);

const PROJECT = "/projects/project";
const ENV_FILE = `${PROJECT}/.env`;
const LOCAL = configOf("local/tiny-tool", "local/calculator");
const HOSTED = configOf("Qwen/Qwen3-8B", "local/calculator");
const WITH_SECRET = configOf("local/tiny-tool", "Owner/Name", "secrets: {search_key: null}");

function configOf(model: string, environment: string, more = "") {
  const text = `model_name: ${model}
batch_size: 4
environments: {"${environment}": {splits: {train: {}}, num_rollouts: 4}}
${more}`;
  const path = `${PROJECT}/tinker-config.yaml`;
  return { parsed: parseConfig(text, { path }), path, project: PROJECT };
}

/** A folder whose `.env` holds `envFile`. */
function setUp(
  answers: readonly Answer[],
  envFile: Readonly<Record<string, string>> | null = null,
) {
  const lines = Object.entries(envFile ?? {}).map(([name, value]) => `${name}=${value}\n`);
  return {
    ...keyParts(answers),
    files: {
      inFolder: async () => (envFile === null ? null : ENV_FILE),
      read: async () => lines.join(""),
    },
  };
}

it("asks nothing for a local run, even beside a .env", async () => {
  const options = setUp([], { TINKER_API_KEY: "tml-x" });
  expect(await gatherKeys(LOCAL, options)).toEqual({
    keys: {},
    allowedOrigins: [],
    envFile: null,
  });
  expect(options.ui.shown).toEqual([]);
});

it("asks for no key that .env has, once reading it is allowed", async () => {
  const options = setUp([{ notify: "Yes" }], { TINKER_API_KEY: "tml-x" });
  const handedOver = { keys: {}, allowedOrigins: [], envFile: ENV_FILE };
  expect(await gatherKeys(HOSTED, options)).toEqual(handedOver);
  expect(await gatherKeys(HOSTED, options)).toEqual(handedOver);
});

it("asks for a key that .env has if reading it is not allowed", async () => {
  const options = setUp([{ notify: "No" }, { type: "tml-typed" }], { TINKER_API_KEY: "tml-x" });
  expect(await gatherKeys(HOSTED, options)).toEqual({
    keys: { TINKER_API_KEY: { value: "tml-typed", origin: "store", host: null } },
    allowedOrigins: [],
    envFile: null,
  });
});

it("asks for everything that a start lacks, with the reason, until the user dismisses a prompt", async () => {
  const config = configOf("Qwen/Qwen3-8B", "Owner/Name");
  const options = setUp([{ type: "tml-typed" }, { type: "or_typed" }]);
  const { keys } = (await gatherKeys(config, options)) ?? {};
  expect(Object.keys(keys ?? {})).toEqual(["TINKER_API_KEY", "OPENREWARD_API_KEY"]);
  expect(options.ui.text).toMatch(/model_name: Qwen\/Qwen3-8B is trained by Tinker/);
  expect(options.ui.text).toMatch(/Owner\/Name runs at OpenReward/);
  expect(await gatherKeys(config, setUp([{ type: "tml-typed" }, "leave"]))).toBeNull();
});

it("sends a secret to environments only with permission, which it asks for once", async () => {
  const options = setUp([{ confirm: false }, { confirm: true }]);
  await options.store.set("openreward", "or_value", null);
  await options.store.set("env:SEARCH_KEY", "search-value", null);
  expect(await gatherKeys(WITH_SECRET, options)).toBeNull();
  const handedOver = await gatherKeys(WITH_SECRET, options);
  expect(handedOver).toEqual(await gatherKeys(WITH_SECRET, options));
  const origin = "https://sessions.openreward.ai";
  expect(handedOver?.allowedOrigins).toEqual([{ key: "SEARCH_KEY", origin }]);
  expect(options.ui.text).toContain(`Send SEARCH_KEY to ${origin}?`);
  expect(options.ui.text).not.toMatch(/or_value|search-value/);
});

it("asks for permission after the trainer refused to send a key, but only once", async () => {
  const options = setUp([{ confirm: true }]);
  const refusal = {
    code: "key-host-not-allowed",
    message: "",
    key: "TINKER_API_KEY",
    host: "https://models.example.org",
  };
  expect(await recoverFromLaunchError(refusal, "/projects/project", options)).toBe(true);
  expect(options.ui.text).toContain("Send TINKER_API_KEY to https://models.example.org?");
  expect(options.approvals.allowedOrigins("/projects/project")).toEqual([
    { key: "TINKER_API_KEY", origin: "https://models.example.org" },
  ]);
  expect(await recoverFromLaunchError(refusal, "/projects/project", options)).toBe(false);
});

it("asks for a key that the trainer reported missing, and handles no other error", async () => {
  const options = setUp([{ type: "or_typed" }]);
  const missing = { code: "key-missing", message: "", name: "OPENREWARD_API_KEY" };
  expect(await recoverFromLaunchError(missing, "/projects/project", options)).toBe(true);
  expect(await options.store.list()).toMatchObject([{ id: "openreward" }]);
  expect(await recoverFromLaunchError({ code: "config-invalid", message: "" }, "/x", options)).toBe(
    false,
  );
});

it("asks about a secret from .env that would go to a server other than the official one", async () => {
  const config = configOf(
    ...(["local/tiny-tool", "Owner/Name"] as const),
    "secrets: {search_key: null}\nopenreward_base_url: https://envs.example.org",
  );
  const options = setUp([{ notify: "Yes" }, { confirm: true }], { SEARCH_KEY: "search-value" });
  const handedOver = await gatherKeys(config, options);
  expect(options.ui.text).toContain("Send SEARCH_KEY to https://envs.example.org?");
  expect(handedOver).toMatchObject({ keys: {}, envFile: ENV_FILE });
});
