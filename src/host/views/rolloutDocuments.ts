/** Stored rollouts as read-only JSON documents of the editor. */

import * as vscode from "vscode";
import type { FileSystem } from "../../core/ports.ts";
import { createRunReader } from "../../core/run/reader.ts";
import type { RunFeeds } from "../runs/runFeed.ts";

export const ROLLOUT_SCHEME = "tinker-rl-rollout";

/** Where a rollout stands; all numbers count from 0. */
export interface RolloutPlace {
  readonly folder: string;
  readonly step: number;
  readonly group: number;
  readonly rollout: number;
}

/** The address of a rollout's document; its title tells step, group and rollout from 1. */
export function rolloutUri({ folder, step, group, rollout }: RolloutPlace): vscode.Uri {
  const name = `step ${step + 1}, group ${group + 1}, rollout ${rollout + 1}.json`;
  const query = new URLSearchParams({
    folder,
    step: `${step}`,
    group: `${group}`,
    rollout: `${rollout}`,
  });
  return vscode.Uri.from({ scheme: ROLLOUT_SCHEME, path: `/${name}`, query: query.toString() });
}

export class RolloutDocuments implements vscode.TextDocumentContentProvider {
  readonly #feeds: RunFeeds;
  readonly #fileSystem: FileSystem;

  constructor(parts: { readonly feeds: RunFeeds; readonly fileSystem: FileSystem }) {
    this.#feeds = parts.feeds;
    this.#fileSystem = parts.fileSystem;
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const query = new URLSearchParams(uri.query);
    const folder = query.get("folder") ?? "";
    const [step, group, rollout] = ["step", "group", "rollout"].map((name) =>
      Number(query.get(name)),
    );
    const run = this.#feeds.follow(folder);
    try {
      const summary = (await run.follower.rollouts(step ?? -1)).find(
        (each) => each.group === group && each.rollout === rollout,
      );
      const body =
        summary === undefined
          ? null
          : await createRunReader(this.#fileSystem.within(folder), folder).body(summary);
      if (body === null)
        return vscode.l10n.t("// The run folder does not hold this rollout any more.");
      return JSON.stringify(body, null, 2);
    } finally {
      run.dispose();
    }
  }
}
