/** Stored rollouts as read-only documents. */

import * as vscode from "vscode";
import { type RolloutTextRequest, TRAJECTORY_REQUESTS } from "../../api/trajectories.ts";
import { rolloutName } from "../../shared/rolloutName.ts";
import type { RolloutKey } from "../../shared/rolloutSet.ts";
import { ask } from "../server/ask.ts";
import type { Server } from "../server/server.ts";

export const ROLLOUT_SCHEME = "tinker-rl-rollout";

/** A rollout's location; all numbers count from 0. */
export interface RolloutPlace extends RolloutKey {
  readonly folder: string;
}

/** Shows two rollouts as text in the diff view; the earlier step or lower number is on the left. */
export async function diffRollouts(one: RolloutPlace, other: RolloutPlace): Promise<void> {
  const [left, right] = [one, other].toSorted(
    (a, b) => a.step - b.step || a.group - b.group || a.rollout - b.rollout,
  );
  if (left === undefined || right === undefined) return;
  await vscode.commands.executeCommand(
    "vscode.diff",
    rolloutUri(left, "txt"),
    rolloutUri(right, "txt"),
    vscode.l10n.t("{0} ↔ {1}", rolloutName(left), rolloutName(right)),
  );
}

/** The URI of a rollout's document; its title contains step, group and rollout, from 1. */
export function rolloutUri(place: RolloutPlace, form: "json" | "txt" = "json"): vscode.Uri {
  const { folder, source, step, group, rollout } = place;
  const name = `${rolloutName(place)}.${form}`;
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
  readonly #server: Server;

  constructor(server: Server) {
    this.#server = server;
  }

  async provideTextDocumentContent({ query, path }: vscode.Uri): Promise<string> {
    const place = new URLSearchParams(query);
    const number = (name: string): number => Number(place.get(name) ?? -1);
    const request: RolloutTextRequest = {
      folder: place.get("folder") ?? "",
      source: place.get("source") === "evaluation" ? "evaluation" : "training",
      step: number("step"),
      group: number("group"),
      rollout: number("rollout"),
      form: path.endsWith(".txt") ? "txt" : "json",
    };
    const text = await ask<string | null>(this.#server, TRAJECTORY_REQUESTS.text, request);
    return text ?? vscode.l10n.t("// The run folder no longer has this rollout.");
  }
}
