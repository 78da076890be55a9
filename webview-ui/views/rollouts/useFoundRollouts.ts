/** Has the host find rollouts of a step or evaluation: by words in their messages, or those that caused an alarm. */

import { useState } from "preact/hooks";
import type { DashboardQuestion } from "../../../src/shared/dashboardMessages.ts";
import type { RolloutSet } from "../../../src/shared/rolloutSet.ts";
import type { DashboardModel } from "../../model/dashboardModel.ts";
import { lasting } from "../../model/lastingQuestion.ts";
import { useAsking } from "../../model/useAsking.ts";
import { rolloutName } from "./rolloutGroups.ts";

export interface FoundRollouts {
  /** Names of the rollouts found so far. */
  readonly found: ReadonlySet<string>;
  /** From 0 to 1; 0 for alarms, which find their rollouts at once. */
  readonly progress: number;
  readonly isComplete: boolean;
}

const TYPING_MS = 250;
const NOTHING: FoundRollouts = { found: new Set(), progress: 0, isComplete: false };

/** Null without a search, and until its first answer. */
export function useMessageSearch(
  dashboard: DashboardModel,
  set: RolloutSet | null,
  rollouts: number,
): FoundRollouts | null {
  const { text, isInMessages } = dashboard.view.value.filter;
  const words = isInMessages ? text.trim() : "";
  const query = { text: words, isRegex: false, roles: [] };
  const question =
    set === null || words === ""
      ? null
      : { ask: "search" as const, query, scope: { source: set.source, step: set.step } };
  return useFoundRollouts(dashboard, question, rollouts, TYPING_MS);
}

/** Null if no alarm is selected. */
export function useAlarmRollouts(
  dashboard: DashboardModel,
  set: RolloutSet | null,
  rollouts: number,
): FoundRollouts | null {
  const { alarmFilter: alarm } = dashboard.view.value;
  const question =
    set === null || alarm === null
      ? null
      : { ask: "evidence" as const, source: set.source, step: set.step, alarm: alarm.id };
  const search = useFoundRollouts(dashboard, question, rollouts, 0);
  return alarm === null ? null : (search ?? NOTHING);
}

/** Repeats the search when there are more rollouts; starts over for another question. */
function useFoundRollouts(
  dashboard: DashboardModel,
  question: DashboardQuestion | null,
  rollouts: number,
  pauseMs: number,
): FoundRollouts | null {
  const asked = JSON.stringify(question);
  const [search, setSearch] = useState<(FoundRollouts & { readonly asked: string }) | null>(null);
  useAsking(dashboard, () => {
    setSearch((last) => (last?.asked === asked && last.isComplete ? last : null));
    if (question === null) return;
    const found = new Set<string>();
    return dashboard.host.askLater(question, pauseMs, (answer) => {
      if (answer.kind !== "search" && answer.kind !== "evidence") return;
      const keys = answer.kind === "search" ? answer.hits : answer.found;
      for (const key of keys) found.add(rolloutName(key));
      const progress = answer.kind === "search" ? answer.progress : 0;
      const { isComplete } = answer;
      setSearch((last) => lasting(last, { asked, found: new Set(found), progress, isComplete }));
    });
  }, [asked, rollouts]);
  return search;
}
