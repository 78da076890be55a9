/** Alarms in `events.jsonl`: writing them, and finding those that fire now. */

import * as z from "zod";
import type { RunEnding } from "../../shared/runFile.ts";
import { withoutUndefined } from "../../shared/withoutUndefined.ts";
import { shapeAt } from "../config/fields/fields.ts";
import type { AlarmId } from "../config/fields/schema.ts";
import type { JsonObject } from "../json.ts";
import type { NewRunEvent, RunEvent } from "../runFolder/events.ts";
import { checkpointPath } from "../runFolder/files/storedNames.ts";
import type { RunFollower } from "../runFolder/follower.ts";
import type { AlarmSeverity } from "./alarm.ts";
import { ALARM_IDS } from "./alarmFacts.ts";
import { ALARMS } from "./alarmTable.ts";
import type { AlarmNotice } from "./evaluateAlarms.ts";

const ALARM_BEGINS = "alarm";
const ALARM_ENDS = "alarm-over";

/** A firing alarm, with the step at which it began. */
export interface FiringAlarm extends AlarmNotice {
  readonly step: number;
}

const LEVELS = { info: "info", warning: "warn", critical: "error" } as const;
/** Most serious first. */
const SEVERITIES: readonly AlarmSeverity[] = ["critical", "warning", "info"];

/** Run folders come from anywhere, so a suggestion must not set an address, a path or a secret. */
const SETTABLE: ReadonlySet<string> = new Set(["integer", "number", "boolean", "enum"]);

const noticeSchema = z.object({
  alarm: z.enum(ALARM_IDS),
  severity: z.enum(SEVERITIES),
  seen: z.string(),
  meaning: z.string(),
  edits: z.array(
    z
      .object({
        path: z.array(z.string()).min(1),
        value: z.union([z.number(), z.string(), z.boolean(), z.null()]),
      })
      .refine(({ path }) => SETTABLE.has(shapeAt(path)?.type ?? "")),
  ),
  goBackTo: checkpointPath.optional(),
});

export function alarmBegins(step: number, notice: AlarmNotice): NewRunEvent {
  const { id, severity, seen, meaning, edits, goBackTo } = notice;
  const data: JsonObject = {
    alarm: id,
    severity,
    seen,
    meaning,
    edits: edits.map(({ path, value }) => ({ path, value })),
    ...withoutUndefined({ goBackTo }),
  };
  return { step, level: LEVELS[severity], kind: ALARM_BEGINS, message: `${seen} ${meaning}`, data };
}

export function alarmEnds(step: number, id: AlarmId): NewRunEvent {
  const message = `Resolved: ${ALARMS[id].title.toLowerCase()}.`;
  return { step, level: "info", kind: ALARM_ENDS, message, data: { alarm: id } };
}

/** Null if the event does not begin an alarm, or one that this version does not know. */
export function noticeOf({ kind, data }: RunEvent): AlarmNotice | null {
  const read = kind === ALARM_BEGINS ? noticeSchema.safeParse(data).data : undefined;
  if (read === undefined) return null;
  const { alarm, ...rest } = read;
  return { id: alarm, ...rest };
}

/** The firing alarms of a followed run. */
export function firingIn({ metrics, events, runFile }: RunFollower): readonly FiringAlarm[] {
  return firingAlarms((id) => metrics.latest(`alarm/${id}`) === 1, events, runFile?.ending);
}

/**
 * `isFiring` says whether an alarm fires in the last row. Sorted by severity, then newest first. The alarm of a budget that ended
 * the run says so.
 */
export function firingAlarms(
  isFiring: (id: AlarmId) => boolean,
  events: readonly RunEvent[],
  ending?: RunEnding,
): readonly FiringAlarm[] {
  const begun = new Map<AlarmId, FiringAlarm>();
  for (const event of events) {
    const notice = noticeOf(event);
    if (notice !== null) begun.set(notice.id, { ...notice, step: event.step ?? 0 });
  }
  return [...begun.values()]
    .filter(({ id }) => isFiring(id))
    .map((alarm) =>
      // The codes of such endings match the names of the alarms.
      ending?.code.replace("-", "_") === alarm.id
        ? { ...alarm, seen: ending.message, meaning: "", edits: [] }
        : alarm,
    )
    .sort((a, b) => rank(a) - rank(b) || b.step - a.step);
}

function rank({ severity }: AlarmNotice): number {
  return SEVERITIES.indexOf(severity);
}
