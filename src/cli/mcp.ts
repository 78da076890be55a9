/** The command `mcp`: serves an assistant, or installs (or prints) the entry with which an assistant starts this server. */

import { dirname, join, resolve } from "node:path";
import * as l10n from "@vscode/l10n";
import { AppError } from "../core/errors.ts";
import { isJsonObject, type JsonObject } from "../core/json.ts";
import type { FileSystem } from "../core/ports.ts";
import { parseJson } from "../core/util/jsonl.ts";
import { isFolder } from "../node/isFolder.ts";
import type { Permission } from "../server/mcp/permission.ts";
import type { McpClient, McpCommand } from "./arguments/planningArguments.ts";
import type { ProgramOptions } from "./arguments/programOptions.ts";
import { programWords, shortPath } from "./terminal/invocation.ts";
import { BLANK, type Line, quietLine, styled } from "./terminal/line.ts";

/**
 * Serves until the assistant disconnects, or writes the entry. @throws AppError `bad-arguments` if the root is not a folder,
 * `file-unreadable` if an entry cannot be added to the file
 */
export async function mcp(options: ProgramOptions, command: McpCommand): Promise<void> {
  const { invocation, out, serveMcp } = options;
  const { permission, client } = command;
  const root = resolve(invocation.cwd, command.root ?? ".");
  if (!(await isFolder(root))) {
    throw new AppError(
      "bad-arguments",
      `--root: there is no folder ${root}. Name the folder of your project.`,
    );
  }
  if (client === null) await serveMcp({ root, permission });
  else out.print(await writeMcpEntry(options, { root, permission, client }));
}

interface McpEntry {
  /** Absolute. */
  readonly root: string;
  readonly permission: Permission;
  readonly client: McpClient;
}

interface EntryFile {
  /** Relative to the workspace folder. */
  readonly path: string;
  /** Key that contains the server entries. */
  readonly key: string;
  /** How the file refers to the workspace folder; null = the server starts in it. */
  readonly root: string | null;
}

const NAME = "tinker-rl";
/** A variable that both programs expand. */
const WORKSPACE_FOLDER = "$".concat("{workspaceFolder}");
const MAX_FILE_BYTES = 1024 * 1024;

/**
 * Locations as documented: <https://code.claude.com/docs/en/mcp>, <https://cursor.com/docs/context/mcp>,
 * <https://code.visualstudio.com/docs/copilot/customization/mcp-servers>.
 */
const FILES: Readonly<Record<Exclude<McpClient, "codex">, EntryFile>> = {
  claude: { path: ".mcp.json", key: "mcpServers", root: null },
  cursor: { path: ".cursor/mcp.json", key: "mcpServers", root: WORKSPACE_FOLDER },
  vscode: { path: ".vscode/mcp.json", key: "servers", root: WORKSPACE_FOLDER },
};

/** Keeps other entries. @throws AppError `file-unreadable` for a file that cannot be parsed, `disk` */
async function writeMcpEntry(
  { fileSystem, invocation, scriptPath }: ProgramOptions,
  { root, permission, client }: McpEntry,
): Promise<readonly Line[]> {
  const absolute = (path: string): string => resolve(invocation.cwd, path);
  const [command = NAME, ...start] = programWords(scriptPath, absolute);
  const argsFor = (named: string | null): readonly string[] => [
    ...[...start, "mcp"],
    ...(named === null ? [] : ["--root", named]),
    ...permissionWords(permission),
  ];
  if (client === "codex") return codexLines(command, argsFor(root));
  const { path, key, root: named } = FILES[client];
  const file = join(root, path);
  const entry = { type: "stdio", command, args: argsFor(named) };
  const before = await readObject(fileSystem, file, entry);
  const entries = before[key] ?? {};
  if (!isJsonObject(entries)) throw notUnderstood(file, entry);
  const own = entries[NAME];
  // Its env, for example, is the user's.
  const updated = isJsonObject(own) ? { ...own, ...entry } : entry;
  const after = { ...before, [key]: { ...entries, [NAME]: updated } };
  const files = fileSystem.within(root);
  await files.makeDirectory(dirname(file));
  await files.writeAtomic(file, `${JSON.stringify(after, null, 2)}\n`);
  const shown = shortPath(file, invocation.cwd);
  return [
    [styled("strong", shown), "  ", l10n.t("has the entry {0}", NAME)],
    quietLine(l10n.t("Start the assistant again; it asks before it uses a new server.")),
  ];
}

/** Printed, because the file is the user's own and contains unrelated settings; see <https://developers.openai.com/codex/mcp>. */
function codexLines(command: string, args: readonly string[]): readonly Line[] {
  // JSON strings are valid TOML basic strings.
  const words = args.map((word) => JSON.stringify(word)).join(", ");
  return [
    [l10n.t("Add this to ~/.codex/config.toml:")],
    BLANK,
    [`[mcp_servers.${NAME}]`],
    [`command = ${JSON.stringify(command)}`],
    [`args = [${words}]`],
  ];
}

function permissionWords({ allowed, maxUsd, origins, secrets }: Permission): readonly string[] {
  return [
    ...(allowed.size === 0 ? [] : ["--allow", [...allowed].join(",")]),
    ...(maxUsd === 0 ? [] : ["--max-usd", String(maxUsd)]),
    ...origins.flatMap(({ origin }) => ["--allow-host", origin]),
    ...secrets.flatMap((name) => ["--allow-secret", name]),
  ];
}

async function readObject(
  fileSystem: FileSystem,
  file: string,
  entry: JsonObject,
): Promise<JsonObject> {
  if ((await fileSystem.size(file)) === null) return {};
  const parsed = parseJson(await fileSystem.readText(file, MAX_FILE_BYTES))?.value;
  if (isJsonObject(parsed)) return parsed;
  throw notUnderstood(file, entry);
}

function notUnderstood(file: string, entry: JsonObject): AppError {
  return new AppError(
    "file-unreadable",
    `${file} was not changed, because it is not plain JSON with a list of servers. Add this entry yourself, with the name ${NAME}: ${JSON.stringify(entry)}`,
  );
}
