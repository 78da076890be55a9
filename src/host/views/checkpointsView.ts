/** The Checkpoints view: checkpoints grouped by run. */

import * as vscode from "vscode";
import { type CheckpointEntry, usableCheckpoints } from "../../core/runFolder/checkpointLog.ts";
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

export class CheckpointsView implements vscode.TreeDataProvider<CheckpointNode>, vscode.Disposable {
  readonly #options: CheckpointsViewOptions;
  readonly #changes = new vscode.EventEmitter<CheckpointNode | undefined>();
  readonly #listening: { dispose(): void };
  readonly #runs = new Map<string, CheckpointNode>();

  readonly onDidChangeTreeData = this.#changes.event;

  readonly refresh = soon(REDRAW_MS, () => this.#changes.fire(undefined));

  constructor(options: CheckpointsViewOptions) {
    this.#options = options;
    this.#listening = options.store.onDidChange(() => this.refresh());
  }

  dispose(): void {
    this.#listening.dispose();
    this.refresh.dispose();
    this.#changes.dispose();
  }

  async getChildren(node?: CheckpointNode): Promise<CheckpointNode[]> {
    const { store, saved } = this.#options;
    if (node?.kind === "checkpoint") return [];
    if (node !== undefined) return savedNodes(saved, node.folder);
    const found: CheckpointNode[] = [];
    for (const { folder } of store.runs) {
      if (usableCheckpoints(await saved.read(folder), Date.now()).length > 0)
        found.push(this.#runNode(folder));
    }
    return found;
  }

  getTreeItem(node: CheckpointNode): vscode.TreeItem {
    return node.kind === "checkpoint" ? checkpointItem(node) : this.#runItem(node.folder);
  }

  #runItem(folder: string): vscode.TreeItem {
    const name = plainLine(this.#options.store.get(folder)?.name ?? folder);
    const place = workspaceFolderOf(folder);
    const description = place === null ? undefined : plainLine(place);
    const row = {
      label: name,
      description,
      id: `checkpoints:${folder}`,
      context: "checkpointRun",
      icon: "history",
      spoken: [
        vscode.l10n.t("checkpoints of the run {0}", name),
        ...(description === undefined ? [] : [description]),
      ].join(", "),
    };
    return treeItem(row, vscode.TreeItemCollapsibleState.Expanded);
  }

  #runNode(folder: string): CheckpointNode {
    const known = this.#runs.get(folder) ?? { kind: "checkpointRun", folder };
    this.#runs.set(folder, known);
    return known;
  }
}

/** The usable checkpoints of the run in `folder`, the newest first. */
export async function savedNodes(saved: SavedSource, folder: string): Promise<SavedNode[]> {
  const entries = usableCheckpoints(await saved.read(folder), Date.now())
    .toReversed()
    .slice(0, MAX_SHOWN);
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
