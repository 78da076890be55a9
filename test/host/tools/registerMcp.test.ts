import { join } from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";
import manifest from "../../../package.json" with { type: "json" };
import { parseArguments } from "../../../src/cli/arguments/arguments.ts";
import { registerMcp } from "../../../src/host/tools/registerMcp.ts";

interface Definition {
  readonly label: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}
interface Provider {
  provideMcpServerDefinitions(): readonly Definition[];
  resolveMcpServerDefinition(server: Definition): Promise<Definition | undefined>;
  onDidChangeMcpServerDefinitions: unknown;
}

const editor = vi.hoisted(() => ({
  isTrusted: true,
  folders: ["/home/me/project"],
  settings: {} as Record<string, unknown>,
  lm: undefined as undefined | object,
}));
vi.mock("vscode", async () => ({
  ...(await import("../fakeVscode.ts")).fakeVscode,
  McpStdioServerDefinition: class {
    label: string;
    command: string;
    args: readonly string[];
    env: object;
    constructor(label: string, command: string, args: readonly string[], env: object) {
      this.label = label;
      this.command = command;
      this.args = args;
      this.env = env;
    }
  },
  get lm() {
    return editor.lm;
  },
  workspace: {
    get isTrusted() {
      return editor.isTrusted;
    },
    get workspaceFolders() {
      return [
        ...editor.folders.map((fsPath) => ({ uri: { scheme: "file", fsPath } })),
        { uri: { scheme: "vscode-vfs", fsPath: "/remote" } },
      ];
    },
    getConfiguration: () => ({ get: (key: string) => editor.settings[key] }),
    onDidChangeConfiguration: () => undefined,
    onDidChangeWorkspaceFolders: () => undefined,
    onDidGrantWorkspaceTrust: () => undefined,
  },
}));

const registered = new Map<string, Provider>();
const KEYS = { TINKER_RL_HANDED_KEYS: "the keys" };
const options = {
  programFolder: join("/extension", "dist"),
  version: "1.2.3",
  variables: async () => KEYS,
};
beforeEach(() => {
  registered.clear();
  editor.isTrusted = true;
  editor.folders = ["/home/me/project"];
  editor.settings = {};
  editor.lm = {
    registerMcpServerDefinitionProvider: (id: string, provider: Provider) =>
      registered.set(id, provider),
  };
});

function provider(): Provider | undefined {
  registerMcp(options);
  return registered.get(manifest.contributes.mcpServerDefinitionProviders[0]?.id ?? "");
}

/** The command that the editor would run, as parsed by the program. */
function offered() {
  const definitions = provider()?.provideMcpServerDefinitions() ?? [];
  return definitions.map(({ args: [program, ...args], ...definition }) => ({
    ...definition,
    program,
    command: parseArguments(args),
  }));
}

it("offers a read-only server for each folder on this computer", () => {
  const [only, ...further] = offered();
  expect(further).toEqual([]);
  expect(only).toMatchObject({
    label: "Tinker RL",
    program: join("/extension", "dist", "tinker-rl.js"),
    env: { ELECTRON_RUN_AS_NODE: "1" },
    command: { kind: "mcp", root: "/home/me/project" },
  });
  expect(only?.command).toHaveProperty("permission.allowed", new Set());
  editor.folders = ["/home/me/project", "/home/me/other"];
  expect(offered().map(({ label }) => label)).toEqual(["Tinker RL: project", "Tinker RL: other"]);
});

it("names servers of folders with equal names by their paths, so that each is unique", async () => {
  editor.folders = ["/a/app", "/b/app", "/b/other"];
  const own = provider();
  const offers = own?.provideMcpServerDefinitions() ?? [];
  expect(offers.map(({ label }) => label)).toEqual([
    ...["Tinker RL: /a/app", "Tinker RL: /b/app"],
    "Tinker RL: other",
  ]);
  const found = await Promise.all(offers.map((offer) => own?.resolveMcpServerDefinition(offer)));
  expect(found.map((each) => each?.args)).toEqual(offers.map(({ args }) => args));
});

it("passes on the user's settings, in a trusted window only", () => {
  editor.settings = { "mcp.allow": ["start", "fly", "commands"], "mcp.maxUsd": 2.5 };
  expect(offered()[0]?.command).toMatchObject({
    permission: { allowed: new Set(["start", "commands"]), maxUsd: 2.5 },
  });
  editor.isTrusted = false;
  expect(offered()[0]?.command).toMatchObject({ permission: { allowed: new Set(), maxUsd: 0 } });
});

describe("keys of the editor", () => {
  const started = async () => {
    const own = provider();
    const [offer] = own?.provideMcpServerDefinitions() ?? [];
    if (own === undefined || offer === undefined) throw new Error("nothing is offered");
    const server = await own.resolveMcpServerDefinition(offer);
    // The editor keeps earlier offers.
    expect(offer.env).toEqual({ ELECTRON_RUN_AS_NODE: "1" });
    expect(server?.args).toEqual(offer.args);
    return server?.env;
  };

  it.each([
    ["a server that starts trainings", ["start"], true],
    ["a server that evaluates", ["stop", "evaluate"], true],
    ["a read-only server", [], false],
    ["a server that only controls runs", ["stop", "pause", "settings"], false],
    ["a server that runs commands of configurations", ["start", "evaluate", "commands"], false],
  ])("are passed to %s: %j %s", async (_, allow, isGiven) => {
    editor.settings = { "mcp.allow": allow, "mcp.maxUsd": 1 };
    expect(await started()).toEqual({ ELECTRON_RUN_AS_NODE: "1", ...(isGiven ? KEYS : {}) });
  });

  it("are not sent to an untrusted folder", async () => {
    editor.settings = { "mcp.allow": ["start"], "mcp.maxUsd": 1 };
    editor.isTrusted = false;
    expect(await started()).toEqual({ ELECTRON_RUN_AS_NODE: "1" });
  });

  it("are not sent to a folder that was closed in the meantime", async () => {
    editor.settings = { "mcp.allow": ["start"], "mcp.maxUsd": 1 };
    const own = provider();
    const [offer] = own?.provideMcpServerDefinitions() ?? [];
    editor.folders = [];
    expect(await own?.resolveMcpServerDefinition(offer as Definition)).toBeUndefined();
  });
});

it("permissions cannot be widened by workspace settings", () => {
  const properties = Object.assign(
    {},
    ...manifest.contributes.configuration.map((each) => each.properties),
  );
  for (const key of ["tinkerRL.mcp.allow", "tinkerRL.mcp.maxUsd"]) {
    expect(properties[key].scope).toBe("machine");
  }
});

it("does nothing in an editor without such servers", () => {
  editor.lm = undefined;
  expect(() => registerMcp(options)).not.toThrow();
  editor.lm = {};
  expect(() => registerMcp(options)).not.toThrow();
});
