/** Stored rollouts as read-only JSON documents of the editor. */

import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";
import type { FileSystem } from "../../core/ports.ts";
import { createRunReader } from "../../core/runFolder/reader.ts";
import { transcriptOf } from "../../core/runFolder/rollouts/transcript.ts";
import type { RunFeeds } from "../../server/runs/runFeed.ts";
import { formatCount } from "../../shared/format.ts";
import type { RolloutKey } from "../../shared/rolloutSet.ts";

export const ROLLOUT_SCHEME = "tinker-rl-rollout";

/** Where a rollout stands; all numbers count from 0. */
export interface RolloutPlace extends RolloutKey {
  readonly folder: string;
}

/** Shows two rollouts in the editor's diff, as text; the one of the earlier step, or of the lower number, on the left. */
export async function diffRollouts(one: RolloutPlace, other: RolloutPlace): Promise<void> {
  const [left, right] = [one, other].toSorted(
    (a, b) => a.step - b.step || a.group - b.group || a.rollout - b.rollout,
  );
  if (left === undefined || right === undefined) return;
  await vscode.commands.executeCommand(
    "vscode.diff",
    rolloutUri(left, "txt"),
    rolloutUri(right, "txt"),
    l10n.t("{0} ↔ {1}", nameOf(left), nameOf(right)),
  );
}

/** The address of a rollout's document; its title names step, group and rollout from 1. */
export function rolloutUri(place: RolloutPlace, form: "json" | "txt" = "json"): vscode.Uri {
  const { folder, source, step, group, rollout } = place;
  const name = `${nameOf(place)}.${form}`;
  const query = new URLSearchParams({
    folder,
    source,
    step: `${step}`,
    group: `${group}`,
    rollout: `${rollout}`,
  });
  return vscode.Uri.from({ scheme: ROLLOUT_SCHEME, path: `/${name}`, query: query.toString() });
}

export class RolloutDocuments implements vscode.TextDocumentContentProvider {
  readonly #feeds: RunFeeds;
  readonly #fileSystem: FileSystem;

  constructor(options: { readonly feeds: RunFeeds; readonly fileSystem: FileSystem }) {
    this.#feeds = options.feeds;
    this.#fileSystem = options.fileSystem;
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const query = new URLSearchParams(uri.query);
    const folder = query.get("folder") ?? "";
    const number = (name: string): number => Number(query.get(name) ?? -1);
    const source = query.get("source") === "evaluation" ? "evaluation" : "training";
    const [step, group, rollout] = [number("step"), number("group"), number("rollout")];
    const run = this.#feeds.follow(folder);
    try {
      const summary = (await run.follower.rollouts(step, source)).find(
        (each) => each.group === group && each.rollout === rollout,
      );
      const body =
        summary === undefined
          ? null
          : await createRunReader(this.#fileSystem.within(folder), folder).body(summary);
      if (body === null) return vscode.l10n.t("// The run folder no longer has this rollout.");
      if (uri.path.endsWith(".txt")) return transcriptOf(body);
      return JSON.stringify(
        { shown_as: shownAs({ source, step, group, rollout }), ...body },
        null,
        2,
      );
    } finally {
      run.dispose();
    }
  }
}

function nameOf({ source, step, group, rollout }: RolloutKey): string {
  const from =
    source === "training"
      ? l10n.t("step {0}", formatCount(step + 1))
      : l10n.t("evaluation after {0}", formatCount(step));
  return l10n.t("{0}, group {1}, rollout {2}", from, group + 1, rollout + 1);
}

/** Files count from 0, the screen from 1. */
function shownAs(place: RolloutKey): string {
  return l10n.t(
    "{0} (counted from 1, as on the screen; the fields below count from 0)",
    nameOf(place),
  );
}
