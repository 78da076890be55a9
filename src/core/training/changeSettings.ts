/** What happens between two steps when new settings were given. */

import { type SettingChange, settingChanges } from "../config/changes.ts";
import { errorMessage } from "../errors.ts";
import { settingsChanged } from "../runFolder/settingEvents.ts";
import { applySettings } from "./run/applySettings.ts";
import type { RunContext } from "./run/context.ts";
import type { SettingsChange } from "./run/control.ts";
import type { RunIdentity } from "./step/loopPosition.ts";

interface InForce {
  readonly context: RunContext;
  readonly identity: RunIdentity;
}

interface Place {
  /** Steps that are completed. */
  readonly step: number;
  /** Whether groups wait that were issued with the settings before. */
  readonly hasOlder: boolean;
}

/**
 * Puts new settings into force, or leaves those before with a warning when the run cannot take them. What it returns is in force at
 * once; `recorded` ends when the change is written down.
 */
export function changeSettings(
  { context, identity }: InForce,
  change: SettingsChange,
  place: Place,
): InForce & { readonly recorded: Promise<void> } {
  const { configHash, dropped } = change;
  let changed: RunContext;
  try {
    changed = applySettings(context, change.config);
  } catch (error) {
    dropped();
    return { context, identity, recorded: recordRefusal(context, error, place) };
  }
  const values = settingChanges(context.config, changed.config);
  const recorded = recordChange(changed, change, values, place);
  return { context: changed, identity: { ...identity, configHash }, recorded };
}

async function recordRefusal(
  { reporting }: RunContext,
  error: unknown,
  { step }: Place,
): Promise<void> {
  const message = `The new settings were not applied: ${errorMessage(error)}`;
  reporting.watch({ kind: "warning", message });
  const kind = "settings-refused";
  await reporting.events.record({ step, level: "info", kind, message, data: {} });
}

async function recordChange(
  { reporting }: RunContext,
  { keys, record }: SettingsChange,
  values: readonly SettingChange[],
  { step, hasOlder }: Place,
): Promise<void> {
  await record();
  reporting.watch({ kind: "settings-changed", step, keys });
  const event = settingsChanged(step, keys, values);
  const older = hasOlder
    ? " Rollouts that were issued earlier keep the settings that they began with."
    : "";
  await reporting.events.record({ ...event, message: event.message + older });
}
