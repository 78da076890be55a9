/** Offers `tinker-rl mcp` to the editor's language models and agents, for each folder of the window. */

import { basename, join } from "node:path";
import * as vscode from "vscode";
import { ALLOWABLE } from "../../server/mcp/permission.ts";
import { onSettingChange, readSetting } from "../vscode/settings.ts";

/** As the manifest names it. */
const MCP_PROVIDER = "tinkerRL.mcp";

export interface McpRegistration {
  /** Holds the program. */
  readonly programFolder: string;
  readonly version: string;
}

export function registerMcp(options: McpRegistration): vscode.Disposable {
  // Editors that are made from VS Code may leave it out.
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
    }),
  );
}

function definitions({ programFolder, version }: McpRegistration) {
  const folders = (vscode.workspace.workspaceFolders ?? []).filter(
    ({ uri }) => uri.scheme === "file",
  );
  const program = join(programFolder, "tinker-rl.js");
  return folders.map(({ uri: { fsPath } }) => {
    const label = folders.length === 1 ? "Tinker RL" : `Tinker RL: ${basename(fsPath)}`;
    const args = [program, "mcp", "--root", fsPath, ...permissionWords()];
    const environment = { ELECTRON_RUN_AS_NODE: "1" };
    return new vscode.McpStdioServerDefinition(label, process.execPath, args, environment, version);
  });
}

/** Settings of the user alone; in a folder that is not trusted nothing is started. */
function permissionWords(): readonly string[] {
  if (!vscode.workspace.isTrusted) return [];
  const wanted = readSetting("mcp.allow");
  const allowed = ALLOWABLE.filter((word) => wanted.includes(word));
  if (allowed.length === 0) return [];
  return ["--allow", allowed.join(","), "--max-usd", String(readSetting("mcp.maxUsd"))];
}
