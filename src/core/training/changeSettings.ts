/** Applies new settings between two steps. */

import { type SettingChange, settingChanges } from "../config/changes.ts";
import { errorMessage } from "../errors.ts";
import { settingsChanged } from "../runFolder/settingEvents.ts";
import { applySettings } from "./run/applySettings.ts";
import type { RunContext } from "./run/context.ts";
import type { SettingsChange } from "./run/control.ts";
import type { RunIdentity } from "./step/loopPosition.ts";

interface ActiveSettings {
  readonly context: RunContext;
  readonly identity: RunIdentity;
}

interface Place {
  /** Completed steps. */
  readonly step: number;
  /** Whether groups issued with the old settings are still waiting. */
  readonly hasOlder: boolean;
}

/**
 * Applies new settings, or keeps the old ones with a warning when the run cannot use the new ones. The returned context is in effect
 * immediately; `recorded` resolves when the change is stored.
 */
export function changeSettings(
  { context, identity }: ActiveSettings,
  change: SettingsChange,
  place: Place,
): ActiveSettings & { readonly recorded: Promise<void> } {
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
  await record({ keys, step });
  reporting.watch({ kind: "settings-changed", step, keys });
  const event = settingsChanged(step, keys, values);
  const older = hasOlder
    ? " Rollouts that were issued earlier keep the settings that they began with."
    : "";
  await reporting.events.record({ ...event, message: event.message + older });
}
