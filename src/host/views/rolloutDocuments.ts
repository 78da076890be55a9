/** Stored rollouts as read-only documents. */

import * as vscode from "vscode";
import * as z from "zod";
import { type RolloutTextRequest, TRAJECTORY_REQUESTS } from "../../api/trajectories.ts";
import { parseJson } from "../../core/util/jsonl.ts";
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
  const query = JSON.stringify({ folder, source, step, group, rollout });
  return vscode.Uri.from({ scheme: ROLLOUT_SCHEME, path: `/${rolloutName(place)}.${form}`, query });
}

/** The rollout in a view's row or from the dashboard; null for anything else. */
export function rolloutAt(target: unknown): RolloutPlace | null {
  return rolloutPlace.safeParse(target).data ?? null;
}

const rolloutPlace = z.object({
  folder: z.string(),
  source: z.enum(["training", "evaluation"]).catch("training"),
  step: z.number(),
  group: z.number(),
  rollout: z.number(),
});

export function rolloutDocuments(server: Server): vscode.TextDocumentContentProvider {
  return {
    provideTextDocumentContent: async ({ query, path }) => {
      const place = rolloutAt(parseJson(query)?.value);
      const form = path.endsWith(".txt") ? "txt" : "json";
      const request: RolloutTextRequest | null = place && { ...place, form };
      const text = request && (await ask<string | null>(server, TRAJECTORY_REQUESTS.text, request));
      return text ?? vscode.l10n.t("// The run folder no longer has this rollout.");
    },
  };
}
