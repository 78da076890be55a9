import { beforeEach, describe, expect, it } from "vitest";
import { parseConfig } from "../../../src/core/config/parse.ts";
import { keySources } from "../../../src/host/keys/keySources.ts";
import { type LaunchConfig, launchKeys } from "../../../src/host/keys/launchKeys.ts";
import { FakeVault, openStore } from "./fakeVault.ts";

const HOSTED = "GeneralReasoning/WhoDunit";
const LOCAL = "local/calculator";

interface Written {
  readonly model?: string;
  readonly environments?: Readonly<Record<string, string>>;
  readonly more?: string;
}

/** A configuration; each environment is followed by its extra lines. */
function config({ model = "Qwen/Qwen3-8B", environments = { [HOSTED]: "" }, more = "" }: Written) {
  const blocks = Object.entries(environments).map(
    ([name, lines]) =>
      `  ${name}:\n    splits: {train: {}}\n    num_rollouts: 4\n${lines && `    ${lines}\n`}`,
  );
  const text = `model_name: ${model}\nbatch_size: 4\nenvironments:\n${blocks.join("")}${more}\n`;
  const path = "/projects/project/tinker-config.yaml";
  const parsed = parseConfig(text, { path });
  return { parsed, path, project: "/projects/project" };
}

let vault: FakeVault;
let environment: Record<string, string>;
let envFile: Record<string, string>;

beforeEach(() => {
  [vault, environment, envFile] = [new FakeVault(), {}, {}];
});

async function gather(written: Written, scope: Pick<LaunchConfig, "only"> = {}) {
  const { store } = openStore(vault);
  const sources = keySources({
    store,
    environment: () => environment,
    envValues: async () => ({}),
  });
  return launchKeys({ ...config(written), ...scope }, sources, envFile);
}

async function keep(...entries: readonly (readonly [Parameters<StoreSet>[0], string])[]) {
  const { store } = openStore(vault);
  for (const [id, host] of entries) {
    await store.set(id, `value of ${id}`, host === "" ? null : host);
  }
}
type StoreSet = ReturnType<typeof openStore>["store"]["set"];

describe("the keys of a launch", () => {
  it("are the ones the run needs, with their hosts, and no others", async () => {
    await keep(["tinker", "models.example.org"], ["openreward", ""], ["wandb", ""], ["openai", ""]);
    await keep(["env:SEARCH_KEY", ""]);
    const { keys, missing } = await gather({});
    expect(keys).toEqual({
      TINKER_API_KEY: { value: "value of tinker", origin: "store", host: "models.example.org" },
      OPENREWARD_API_KEY: { value: "value of openreward", origin: "store", host: null },
    });
    expect(missing).toEqual([]);
  });

  it("include webhook addresses for a run, and for nothing else", async () => {
    const written = { model: "local/tiny-tool", environments: { [LOCAL]: "" } };
    const more = "notify: [{ webhook_variable: TEAM_HOOK }]";
    const { missing, needsKeys } = await gather({ ...written, more });
    expect(needsKeys).toBe(true);
    const reason = { kind: "secret", configPath: "notify.0.webhook_variable" };
    expect(missing).toEqual([{ id: "env:TEAM_HOOK", reason }]);
    await keep(["env:TEAM_HOOK", ""]);
    const { keys, toApprove } = await gather({ ...written, more });
    expect([Object.keys(keys), toApprove]).toEqual([["TEAM_HOOK"], []]);
    const only = { environment: LOCAL, isSampled: true };
    expect((await gather({ ...written, more }, { only })).keys).toEqual({});
  });

  it("are limited to those of a conversation or a preview when nothing is trained", async () => {
    await keep(["tinker", ""], ["openreward", ""], ["wandb", ""]);
    const written = { more: "wandb: online\nwandb_project_name: x" };
    const keysFor = async (environment: string | null, isSampled: boolean) =>
      Object.keys((await gather(written, { only: { environment, isSampled } })).keys);
    expect(await keysFor(null, true)).toEqual(["TINKER_API_KEY"]);
    expect(await keysFor(HOSTED, true)).toEqual(["TINKER_API_KEY", "OPENREWARD_API_KEY"]);
    expect(await keysFor(HOSTED, false)).toEqual(["OPENREWARD_API_KEY"]);
    expect(await keysFor(LOCAL, true)).toEqual(["TINKER_API_KEY"]);
  });

  it("are empty for a local run", async () => {
    await keep(["tinker", ""], ["openreward", ""]);
    const local = { model: "local/tiny-tool", environments: { [LOCAL]: "" } };
    expect(await gather(local)).toEqual({ needsKeys: false, keys: {}, missing: [], toApprove: [] });
  });

  it("cover only the hosted side of a mixed run", async () => {
    await keep(["tinker", ""], ["openreward", ""]);
    const modelHere = await gather({ model: "local/tiny-tool" });
    expect(Object.keys(modelHere.keys)).toEqual(["OPENREWARD_API_KEY"]);
    const environmentsHere = await gather({ environments: { [LOCAL]: "" } });
    expect(Object.keys(environmentsHere.keys)).toEqual(["TINKER_API_KEY"]);
  });

  it("include the key of another environment server instead of OpenReward's", async () => {
    await keep(["tinker", ""], ["openreward", ""], ["env:ORS_API_KEY", "envs.example.org"]);
    const { keys } = await gather({ more: "openreward_base_url: https://envs.example.org" });
    expect(Object.keys(keys)).toEqual(["TINKER_API_KEY", "ORS_API_KEY"]);
  });

  it("include a variable of the process, bound to the official host, but none from .env", async () => {
    environment["TINKER_API_KEY"] = "tml-from-environment";
    envFile["OPENREWARD_API_KEY"] = "or_from-file";
    const { keys, missing } = await gather({});
    const key = { value: "tml-from-environment", origin: "process", host: null };
    expect(keys).toEqual({ TINKER_API_KEY: key });
    expect(missing).toEqual([]);
  });

  it("include the key for reports if the configuration enables them", async () => {
    await keep(["wandb", ""]);
    const { keys } = await gather({ more: "wandb: online\nwandb_project_name: x" });
    expect(Object.keys(keys)).toEqual(["WANDB_API_KEY"]);
  });
});

describe("missing keys", () => {
  it("are listed with the model and the environments that need them", async () => {
    expect((await gather({ environments: { [HOSTED]: "", [LOCAL]: "" } })).missing).toEqual([
      {
        id: "tinker",
        reason: { kind: "model", model: "Qwen/Qwen3-8B" },
      },
      {
        id: "openreward",
        reason: { kind: "environments", names: [HOSTED] },
      },
    ]);
  });

  it("leave out keys that only reports need, and keys whose host is set elsewhere", async () => {
    envFile = { TINKER_API_KEY: "tml-x", OPENREWARD_SESSION_URL: "https://envs.example.org" };
    const { missing } = await gather({ more: "wandb: online\nwandb_project_name: x" });
    expect(missing).toEqual([]);
  });

  it("are empty for an invalid configuration", async () => {
    expect(await gather({ more: "no_such_key: 1" })).toMatchObject({ keys: {}, missing: [] });
  });
});

describe("an environment's own server", () => {
  it("gets its headers and secrets at its own address only, after a prompt", async () => {
    await keep(["env:X_PROXY_KEY", ""], ["env:MAZE_TOKEN", ""]);
    const at = "server: {url: 'https://maze.example/x', headers: {X-Proxy-Key: null}}";
    const environments = { maze: `${at}\n    secrets: {maze_token: null}` };
    const { keys, missing, toApprove } = await gather({ model: "local/tiny-tool", environments });
    expect(Object.keys(keys).sort()).toEqual(["MAZE_TOKEN", "X_PROXY_KEY"]);
    expect(missing).toEqual([]);
    expect(toApprove.map(({ key, origin }) => `${key} ${origin}`).sort()).toEqual([
      "MAZE_TOKEN https://maze.example",
      "X_PROXY_KEY https://maze.example",
    ]);
  });

  it("needs no OpenReward key, and a missing variable of its command is reported with its place", async () => {
    const environments = { maze: "server: {command: [python, maze.py], env: {MAZE_KEY: null}}" };
    const { missing } = await gather({ model: "local/tiny-tool", environments });
    expect(missing).toEqual([
      {
        id: "env:MAZE_KEY",
        reason: { kind: "secret", configPath: "environments.maze.server.env.MAZE_KEY" },
      },
    ]);
  });
});

describe("an agent", () => {
  it("gets the variables that it looks up, on this computer only, after a prompt", async () => {
    await keep(["env:SEARCH_KEY", ""]);
    const agent = "agent: {command: [python, agent.py], env: {SEARCH_KEY: null, OTHER: null}}";
    const environments = { [LOCAL]: agent };
    const found = await gather({ model: "local/tiny-tool", environments });
    expect(Object.keys(found.keys)).toEqual(["SEARCH_KEY"]);
    expect(found.missing).toMatchObject([
      { id: "env:OTHER", reason: { configPath: `environments.${LOCAL}.agent.env.OTHER` } },
    ]);
    expect(found.toApprove).toMatchObject([{ key: "SEARCH_KEY", origin: "http://127.0.0.1" }]);
  });
});

describe("secrets that the configuration looks up", () => {
  it("are sent under their upper-case names, an environment's own map first", async () => {
    await keep(["tinker", ""], ["openreward", ""], ["env:SEARCH_KEY", ""], ["openai", ""]);
    const { keys, missing, toApprove } = await gather({
      environments: { [HOSTED]: 'secrets: {search_key: null, unused: "", written: value}' },
      more: "secrets: {openai_api_key: null, unused: null, written: null}",
    });
    expect(Object.keys(keys).toSorted()).toEqual([
      ...["OPENAI_API_KEY", "OPENREWARD_API_KEY", "SEARCH_KEY", "TINKER_API_KEY"],
    ]);
    expect(missing).toEqual([]);
    const leave = { folder: "/projects/project", origin: "https://sessions.openreward.ai" };
    expect(toApprove).toEqual([
      { ...leave, key: "OPENAI_API_KEY" },
      { ...leave, key: "SEARCH_KEY" },
    ]);
  });

  it("are reported as missing with the place that needs them", async () => {
    await keep(["tinker", ""], ["openreward", ""]);
    const { missing } = await gather({ environments: { [HOSTED]: "secrets: {search_key: null}" } });
    expect(missing).toEqual([
      {
        id: "env:SEARCH_KEY",
        reason: { kind: "secret", configPath: `environments.${HOSTED}.secrets.search_key` },
      },
    ]);
  });

  it("need permission from .env also for a conversation, because its run chooses the environment", async () => {
    envFile = { SEARCH_KEY: "in the file", TINKER_API_KEY: "x", OPENREWARD_API_KEY: "x" };
    const written = { environments: { [HOSTED]: "secrets: {search_key: null}" } };
    expect((await gather(written)).toApprove).toEqual([]);
    const only = { environment: HOSTED, isSampled: true };
    const { toApprove } = await gather(written, { only });
    expect(toApprove.map(({ key }) => key)).toEqual(["SEARCH_KEY"]);
  });

  it("need no permission for environments on this computer", async () => {
    await keep(["env:SEARCH_KEY", ""]);
    const { keys, toApprove } = await gather({
      model: "local/tiny-tool",
      environments: { [LOCAL]: "secrets: {search_key: null}" },
    });
    expect(Object.keys(keys)).toEqual(["SEARCH_KEY"]);
    expect(toApprove).toEqual([]);
  });

  it.each([
    ...["TINKER_API_KEY", "OPENREWARD_API_KEY", "WANDB_API_KEY", "HF_TOKEN", "ORS_API_KEY"],
    "tinker_api_key",
  ])("never send %s, one of the program's own keys, to environments", async (name) => {
    await keep(["tinker", ""], ["wandb", ""]);
    environment[name] = "value-of-the-key";
    const environments = { [LOCAL]: `secrets: {${name}: null}` };
    for (const more of ["", `secrets: {${name}: null}`]) {
      expect((await gather({ model: "local/tiny-tool", environments, more })).keys).toEqual({});
    }
  });
});
