/** The Checkpoints view: checkpoints grouped by run. */

import * as vscode from "vscode";
import type { CheckpointEntry } from "../../core/runFolder/checkpointLog.ts";
import { plainLine } from "../../core/util/plainText.ts";
import { soon } from "../../node/soon.ts";
import { workspaceFolderOf } from "../runs/inWorkspace.ts";
import type { RunList } from "../runs/runList.ts";
import { checkpointRow } from "./checkpointRow.ts";
import type { SavedSource } from "./savedCheckpoints.ts";
import { treeItem } from "./treeItem.ts";

/** A checkpoint's row, used here and below its run in the Runs view. */
export interface SavedNode {
  readonly kind: "checkpoint";
  readonly folder: string;
  readonly name: string;
  readonly entry: CheckpointEntry;
  readonly isHosted: boolean;
}

export type CheckpointNode =
  | { readonly kind: "checkpointRun"; readonly folder: string }
  | SavedNode;

export interface CheckpointsViewOptions {
  readonly store: RunList;
  readonly saved: SavedSource;
}

const REDRAW_MS = 1_000;
const MAX_SHOWN = 200;

export type CheckpointsView = ReturnType<typeof createCheckpointsView>;

export function createCheckpointsView({ store, saved }: CheckpointsViewOptions) {
  const changes = new vscode.EventEmitter<CheckpointNode | undefined>();
  const runs = new Map<string, CheckpointNode>();
  const refresh = soon(REDRAW_MS, () => changes.fire(undefined));
  const listening = store.onDidChange(refresh);
  const runNode = (folder: string): CheckpointNode => {
    const known = runs.get(folder) ?? { kind: "checkpointRun", folder };
    runs.set(folder, known);
    return known;
  };
  return {
    onDidChangeTreeData: changes.event,
    refresh,
    getChildren: async (node?: CheckpointNode): Promise<CheckpointNode[]> => {
      if (node?.kind === "checkpoint") return [];
      if (node !== undefined) return savedNodes(saved, node.folder);
      const found: CheckpointNode[] = [];
      for (const { folder } of store.runs) {
        if ((await saved.usable(folder)).length > 0) found.push(runNode(folder));
      }
      return found;
    },
    getTreeItem: (node: CheckpointNode): vscode.TreeItem =>
      node.kind === "checkpoint"
        ? checkpointItem(node)
        : runItem(node.folder, store.get(node.folder)?.name ?? node.folder),
    dispose: (): void => {
      listening.dispose();
      refresh.dispose();
      changes.dispose();
    },
  };
}

function runItem(folder: string, named: string): vscode.TreeItem {
  const name = plainLine(named);
  const place = workspaceFolderOf(folder);
  const description = place === null ? undefined : plainLine(place);
  const spoken = vscode.l10n.t("checkpoints of the run {0}", name);
  const row = {
    label: name,
    description,
    id: `checkpoints:${folder}`,
    context: "checkpointRun",
    icon: "history",
    spoken: description === undefined ? spoken : `${spoken}, ${description}`,
  };
  return treeItem(row, vscode.TreeItemCollapsibleState.Expanded);
}

/** The usable checkpoints of the run in `folder`, the newest first. */
export async function savedNodes(saved: SavedSource, folder: string): Promise<SavedNode[]> {
  const entries = (await saved.usable(folder)).slice(0, MAX_SHOWN);
  if (entries.length === 0) return [];
  const isHosted = await saved.isHosted(folder);
  return entries.map((entry) => ({
    kind: "checkpoint",
    folder,
    name: entry.name,
    entry,
    isHosted,
  }));
}

export function checkpointItem({ folder, name, entry, isHosted }: SavedNode): vscode.TreeItem {
  const row = checkpointRow(entry, { nowMs: Date.now(), isHosted });
  const paths = [entry.state_path, entry.sampler_path].filter((path) => path !== null);
  const said = [`${row.label} · ${row.description}`, ...bestBy(entry), keptUntil(entry), ...paths];
  return treeItem({ ...row, id: `checkpoint:${folder}:${name}`, tooltip: said.join("\n") });
}

function bestBy({ best }: CheckpointEntry): readonly string[] {
  return best === undefined ? [] : [vscode.l10n.t("best by {0}", plainLine(best.metric))];
}

function keptUntil({ expires_at }: CheckpointEntry): string {
  return expires_at === null
    ? vscode.l10n.t("kept until it is deleted")
    : vscode.l10n.t("kept until {0}", new Date(expires_at).toLocaleString(vscode.env.language));
}
