/** Offers `tinker-rl mcp` to the editor's language models and agents, for each of the window's folders. */

import { basename, join } from "node:path";
import * as vscode from "vscode";
import { ALLOWABLE, type Allowed } from "../../server/mcp/permission.ts";
import { groupBy } from "../../shared/groupBy.ts";
import { onSettingChange, readSetting } from "../vscode/settings.ts";

/** The id in the manifest. */
const MCP_PROVIDER = "tinkerRL.mcp";

export interface McpRegistration {
  /** Holds the program. */
  readonly programFolder: string;
  readonly version: string;
  /** Keys and addresses for a server that starts runs. */
  readonly variables: () => Promise<Readonly<Record<string, string>>>;
}

export function registerMcp(options: McpRegistration): vscode.Disposable {
  // Forks of VS Code may not have it.
  const lm: Partial<typeof vscode.lm> | undefined = vscode.lm;
  if (lm?.registerMcpServerDefinitionProvider === undefined) return vscode.Disposable.from();
  const changed = new vscode.EventEmitter<void>();
  return vscode.Disposable.from(
    changed,
    onSettingChange(["mcp.allow", "mcp.maxUsd"], () => changed.fire()),
    vscode.workspace.onDidChangeWorkspaceFolders(() => changed.fire()),
    vscode.workspace.onDidGrantWorkspaceTrust(() => changed.fire()),
    lm.registerMcpServerDefinitionProvider(MCP_PROVIDER, {
      onDidChangeMcpServerDefinitions: changed.event,
      provideMcpServerDefinitions: () => definitions(options),
      resolveMcpServerDefinition: ({ label }) => withKeys(label, options),
    }),
  );
}

/**
 * Builds the definition anew, so that permissions and keys follow from the same settings, and the list kept by the editor contains no keys.
 */
async function withKeys(label: string, options: McpRegistration) {
  const server = definitions(options).find((each) => each.label === label);
  if (server === undefined || !mayHaveKeys()) return server;
  server.env = { ...server.env, ...(await options.variables()) };
  return server;
}

function definitions({ programFolder, version }: McpRegistration) {
  const folders = (vscode.workspace.workspaceFolders ?? []).filter(
    ({ uri }) => uri.scheme === "file",
  );
  const program = join(programFolder, "tinker-rl.js");
  const named = groupBy(folders, ({ uri }) => basename(uri.fsPath));
  return folders.map(({ uri: { fsPath } }) => {
    const name = basename(fsPath);
    const isOnly = named.get(name)?.length === 1;
    const label = folders.length === 1 ? "Tinker RL" : `Tinker RL: ${isOnly ? name : fsPath}`;
    const args = [program, "mcp", "--root", fsPath, ...permissionWords()];
    const environment = { ELECTRON_RUN_AS_NODE: "1" };
    return new vscode.McpStdioServerDefinition(label, process.execPath, args, environment, version);
  });
}

/** Not with `commands`, because programs run by configurations could read the server's variables. */
function mayHaveKeys(): boolean {
  const allowed = allowedHere();
  const startsRuns = allowed.includes("start") || allowed.includes("evaluate");
  return startsRuns && !allowed.includes("commands");
}

/** From the user's settings only; nothing may be started in an untrusted folder. */
function allowedHere(): readonly Allowed[] {
  if (!vscode.workspace.isTrusted) return [];
  const wanted = readSetting("mcp.allow");
  return ALLOWABLE.filter((word) => wanted.includes(word));
}

function permissionWords(): readonly string[] {
  const allowed = allowedHere();
  if (allowed.length === 0) return [];
  return ["--allow", allowed.join(","), "--max-usd", String(readSetting("mcp.maxUsd"))];
}
