import { join } from "node:path";
import { beforeEach, expect, it, vi } from "vitest";
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
  onDidChangeMcpServerDefinitions: unknown;
}

const editor = vi.hoisted(() => ({
  isTrusted: true,
  folders: ["/home/me/project"],
  settings: {} as Record<string, unknown>,
  lm: undefined as undefined | object,
}));
vi.mock("vscode", () => ({
  Disposable: { from: () => ({ dispose: () => undefined }) },
  EventEmitter: class {
    event = "changed";
  },
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
const options = { programFolder: join("/extension", "dist"), version: "1.2.3" };
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

/** What the editor would start, as the program understands it. */
function offered() {
  registerMcp(options);
  const [provider] = manifest.contributes.mcpServerDefinitionProviders;
  const definitions = registered.get(provider?.id ?? "")?.provideMcpServerDefinitions() ?? [];
  return definitions.map(({ args: [program, ...args], ...definition }) => ({
    ...definition,
    program,
    command: parseArguments(args),
  }));
}

it("offers a server for each folder on this computer that reads and does nothing else", () => {
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

it("hands on what the user's settings allow, in a trusted window only", () => {
  editor.settings = { "mcp.allow": ["start", "fly", "commands"], "mcp.maxUsd": 2.5 };
  expect(offered()[0]?.command).toMatchObject({
    permission: { allowed: new Set(["start", "commands"]), maxUsd: 2.5 },
  });
  editor.isTrusted = false;
  expect(offered()[0]?.command).toMatchObject({ permission: { allowed: new Set(), maxUsd: 0 } });
});

it("cannot be widened by the settings of a workspace", () => {
  const properties = Object.assign(
    {},
    ...manifest.contributes.configuration.map((each) => each.properties),
  );
  for (const key of ["tinkerRL.mcp.allow", "tinkerRL.mcp.maxUsd"]) {
    expect(properties[key].scope).toBe("machine");
  }
});

it("leaves an editor alone that knows no such servers", () => {
  editor.lm = undefined;
  expect(() => registerMcp(options)).not.toThrow();
  editor.lm = {};
  expect(() => registerMcp(options)).not.toThrow();
});
