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
  const name = `${nameOf({ step, group, rollout })}.json`;
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
    const number = (name: string): number => Number(query.get(name) ?? -1);
    const [step, group, rollout] = [number("step"), number("group"), number("rollout")];
    const run = this.#feeds.follow(folder);
    try {
      const summary = (await run.follower.rollouts(step)).find(
        (each) => each.group === group && each.rollout === rollout,
      );
      const body =
        summary === undefined
          ? null
          : await createRunReader(this.#fileSystem.within(folder), folder).body(summary);
      if (body === null)
        return vscode.l10n.t("// The run folder does not hold this rollout any more.");
      return JSON.stringify({ shown_as: shownAs({ step, group, rollout }), ...body }, null, 2);
    } finally {
      run.dispose();
    }
  }
}

function nameOf({ step, group, rollout }: Omit<RolloutPlace, "folder">): string {
  return `step ${step + 1}, group ${group + 1}, rollout ${rollout + 1}`;
}

/** Files count from 0, the screen from 1. */
function shownAs(place: Omit<RolloutPlace, "folder">): string {
  return `${nameOf(place)} (counted from 1, as on the screen; the fields below count from 0)`;
}
