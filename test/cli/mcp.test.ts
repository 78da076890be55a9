import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import type { McpRequest } from "../../src/cli/arguments/programOptions.ts";
import { runProgram } from "../../src/cli/program.ts";
import { filesOnDisk, folderOfEachTest } from "../fakes/onDisk.ts";
import { createFakeProgram } from "./fakeProgram.ts";

const root = folderOfEachTest();
const fileSystem = filesOnDisk();

function program(scriptPath = "/usr/bin/tinker-rl") {
  const serveMcp = vi.fn<(request: McpRequest) => Promise<void>>(async () => undefined);
  const invocation = { program: "tinker-rl", cwd: root };
  return { ...createFakeProgram({ fileSystem, serveMcp, invocation, scriptPath }), serveMcp };
}

async function written(path: string) {
  return JSON.parse(await readFile(join(root, path), "utf8"));
}

describe("mcp", () => {
  it("serves the current folder, and allows nothing", async () => {
    const options = program();
    expect(await runProgram(options, ["mcp"])).toBe(0);
    const permission = { allowed: new Set(), maxUsd: 0, origins: [], secrets: [] };
    expect(options.serveMcp).toHaveBeenCalledWith({ root, permission });
  });

  it("parses permissions", async () => {
    await mkdir(join(root, "deep"));
    const options = program();
    const flags = ["--allow", "start,stop", "--allow", "commands", "--max-usd", "2.50"];
    const also = ["--allow-host", "example.test", "--allow-secret", "weather_key,b"];
    await runProgram(options, ["mcp", "--root", "deep", ...flags, ...also]);
    expect(options.serveMcp.mock.calls[0]?.[0]).toEqual({
      root: join(root, "deep"),
      permission: {
        allowed: new Set(["start", "stop", "commands"]),
        maxUsd: 2.5,
        origins: [{ origin: "https://example.test", key: null }],
        secrets: ["WEATHER_KEY", "B"],
      },
    });
  });

  it.each([
    [["--allow", "strat"], '--allow is "strat". Did you mean start?'],
    [["--allow", "delete"], "It can be start, stop, pause"],
    [["--max-usd", "-1"], "not an amount such as 5"],
    [["--max-usd", "Infinity"], "not an amount such as 5"],
    [["--install", "emacs"], "It can be claude, codex, cursor, or vscode"],
    [["somewhere"], "unexpected argument"],
  ])("rejects %j", async (args, message) => {
    const options = program();
    expect(await runProgram(options, ["mcp", ...args])).toBe(2);
    expect(options.err.lines.join("\n")).toContain(message);
    expect(options.serveMcp).not.toHaveBeenCalled();
  });
});

it.each([[[]], [["--install", "cursor"]], [["--install", "codex"]]])(
  "mcp %j rejects a root that is not a folder, and creates none",
  async (args) => {
    await writeFile(join(root, "file"), "");
    for (const name of ["mistyped", "file"]) {
      const options = program();
      expect(await runProgram(options, ["mcp", ...args, "--root", name])).toBe(2);
      expect(options.err.lines.join("\n")).toContain(`there is no folder ${join(root, name)}`);
      expect(options.serveMcp).not.toHaveBeenCalled();
    }
    expect(await readdir(root)).toEqual(["file"]);
  },
);

describe("mcp --install", () => {
  it.each([
    ["claude", ".mcp.json", "mcpServers", []],
    ["cursor", ".cursor/mcp.json", "mcpServers", ["--root", `$${"{workspaceFolder}"}`]],
    ["vscode", ".vscode/mcp.json", "servers", ["--root", `$${"{workspaceFolder}"}`]],
  ])(
    "writes the entry of %s next to others, and can overwrite it",
    async (client, path, key, args) => {
      const allowing = ["--allow", "start", "--max-usd", "5"];
      expect(await runProgram(program(), ["mcp", "--install", client, ...allowing])).toBe(0);
      const entry = { type: "stdio", command: "tinker-rl", args: ["mcp", ...args] };
      const withLeave = { ...entry, args: [...entry.args, ...allowing] };
      expect(await written(path)).toEqual({ [key]: { "tinker-rl": withLeave } });
      const others = { [key]: { other: { url: "https://example.test" } }, inputs: [1] };
      await writeFile(join(root, path), JSON.stringify(others));
      await runProgram(program(), ["mcp", "--install", client]);
      expect(await written(path)).toEqual({
        ...others,
        [key]: { ...others[key], "tinker-rl": entry },
      });
    },
  );

  it("keeps what the user has added to its own entry", async () => {
    await runProgram(program(), ["mcp", "--install", "claude", "--allow", "start"]);
    const { mcpServers } = await written(".mcp.json");
    const env = { TINKER_API_KEY: "$KEY" };
    const edited = { mcpServers: { "tinker-rl": { ...mcpServers["tinker-rl"], env } } };
    await writeFile(join(root, ".mcp.json"), JSON.stringify(edited));
    await runProgram(program(), ["mcp", "--install", "claude"]);
    expect(await written(".mcp.json")).toEqual({
      mcpServers: { "tinker-rl": { type: "stdio", command: "tinker-rl", args: ["mcp"], env } },
    });
  });

  it.each(["{ // mine\n}", "[]", '{"mcpServers": []}', ""])(
    "leaves a file alone that it cannot parse, and says what to add: %j",
    async (text) => {
      await writeFile(join(root, ".mcp.json"), text);
      const options = program();
      expect(await runProgram(options, ["mcp", "--install", "claude"])).not.toBe(0);
      expect(options.err.lines.join("\n")).toContain('"command":"tinker-rl"');
      expect(await readFile(join(root, ".mcp.json"), "utf8")).toBe(text);
    },
  );

  it("prints what to add to a user's file, and changes nothing", async () => {
    const options = program(join(root, "dist", "tinker-rl.js"));
    expect(await runProgram(options, ["mcp", "--install", "codex"])).toBe(0);
    const text = options.out.lines.join("\n");
    expect(text).toContain('[mcp_servers.tinker-rl]\ncommand = "node"\n');
    const args = [join(root, "dist", "tinker-rl.js"), "mcp", "--root", root];
    expect(text).toContain(`args = [${args.map((word) => JSON.stringify(word)).join(", ")}]`);
  });

  it("starts a package that is not installed globally through npx", async () => {
    const options = program(join(root, "node_modules", ".bin", "tinker-rl"));
    await runProgram(options, ["mcp", "--install", "claude"]);
    const { mcpServers } = await written(".mcp.json");
    expect(mcpServers["tinker-rl"]).toMatchObject({ command: "npx", args: ["tinker-rl", "mcp"] });
  });
});
