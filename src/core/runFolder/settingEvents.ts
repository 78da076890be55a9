/** Setting changes in `events.jsonl`: writing them, and collecting what a run has changed. */

import * as z from "zod";
import { formatCount, formatKey } from "../../shared/format.ts";
import { groupBy } from "../../shared/groupBy.ts";
import type { SettingChange } from "../config/changes.ts";
import type { Json } from "../json.ts";
import type { FolderFiles } from "../ports.ts";
import { type NewRunEvent, type RunEvent, readEvents } from "./events.ts";

/** A setting that was changed during a run. */
export interface ChangedSetting {
  /** The first step with the new value, counted from 0. */
  readonly step: number;
  /** Dotted. */
  readonly key: string;
  /** Null for a secret, and in runs of older versions. */
  readonly change: SettingChange | null;
}

const KIND = "settings-changed";
/** Values may be long, for example a prompt. */
const MAX_VALUE = 80;

const dataSchema = z.object({
  keys: z.array(z.string()),
  changes: z
    .array(z.object({ path: z.array(z.string()).min(1), before: z.json(), after: z.json() }))
    .catch([]),
});

/** `keys` are all changed keys, including secrets; `step` is the number of completed steps. */
export function settingsChanged(
  step: number,
  keys: readonly string[],
  changes: readonly SettingChange[],
): NewRunEvent {
  const texts = changesOf(step, keys, changes).map(changedSettingText);
  const message = `From step ${step + 1} on, the run uses new settings: ${texts.join(", ")}.`;
  const data = {
    keys: [...keys],
    changes: changes.map(({ path, before, after }) => ({ path: [...path], before, after })),
  };
  return { step, level: "info", kind: KIND, message, data };
}

/**
 * In order, without `stop_at_step`, which does not change the training. If a step was repeated after a later change, the change applies
 * from that step.
 */
export function changedSettings(events: readonly RunEvent[]): readonly ChangedSetting[] {
  let found: readonly ChangedSetting[] = [];
  for (const { kind, step, data } of events) {
    if (kind === "run-started" && step !== null) {
      found = found.map((each) => ({ ...each, step: Math.min(each.step, step) }));
    }
    const read = kind === KIND ? dataSchema.safeParse(data).data : undefined;
    if (read !== undefined) found = found.concat(changesOf(step ?? 0, read.keys, read.changes));
  }
  return found.filter(({ key }) => key !== "stop_at_step");
}

/** Like {@link changedSettings}, for the run in `folder`. */
export async function readChangedSettings(
  files: FolderFiles,
  folder: string,
): Promise<readonly ChangedSetting[]> {
  const events: RunEvent[] = [];
  for await (const event of readEvents(files, folder)) events.push(event);
  return changedSettings(events);
}

/** One line per step with changes: `step 15: learning_rate 0.004 → 0.2`. */
export function changedSettingLines(changed: readonly ChangedSetting[]): readonly string[] {
  return changeLines(
    changed.map((each) => ({ step: each.step + 1, text: changedSettingText(each) })),
  );
}

/** The same of what the changes say; steps count from 1. */
export function changeLines(
  changes: readonly { readonly step: number; readonly text: string }[],
): readonly string[] {
  return [...groupBy(changes, ({ step }) => step)].map(
    ([step, own]) => `step ${formatCount(step)}: ${own.map(({ text }) => text).join(", ")}`,
  );
}

/** A single change: `learning_rate 0.004 → 0.2`. */
export function changedSettingText({ key, change }: ChangedSetting): string {
  return change === null
    ? `${key} changed`
    : `${key} ${shown(change.before)} → ${shown(change.after)}`;
}

function shown(value: Json): string {
  const text = JSON.stringify(value);
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text;
}

function changesOf(
  step: number,
  keys: readonly string[],
  changes: readonly SettingChange[],
): readonly ChangedSetting[] {
  const known = changes.map((change) => ({ step, key: formatKey(change.path), change }));
  const others = keys.filter((key) => !known.some((each) => `${each.key}.`.startsWith(`${key}.`)));
  return [...known, ...others.map((key) => ({ step, key, change: null }))];
}
