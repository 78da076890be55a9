/** Has the extension look for the filter's words in the messages of a step or evaluation. */

import { useEffect, useState } from "preact/hooks";
import type { RolloutSet } from "../../../src/shared/rolloutSet.ts";
import type { DashboardModel } from "../../model/dashboardModel.ts";
import { rolloutName } from "./rolloutRows.ts";

export interface MessageSearch {
  /** Names of the rollouts found so far. */
  readonly found: ReadonlySet<string>;
  /** From 0 to 1. */
  readonly progress: number;
  readonly isComplete: boolean;
}

const TYPING_MS = 250;

/** Null when nothing is looked for. Starts over with other words, another step or evaluation, or more rollouts. */
export function useMessageSearch(
  dashboard: DashboardModel,
  set: RolloutSet | null,
  rollouts: number,
): MessageSearch | null {
  const { text, isInMessages } = dashboard.view.value.filter;
  const { source, step } = set ?? {};
  const [search, setSearch] = useState<MessageSearch | null>(null);
  const words = isInMessages ? text.trim() : "";
  useEffect(() => {
    setSearch(null);
    if (source === undefined || step === undefined || words === "") return;
    const found = new Set<string>();
    let cancel = (): void => undefined;
    const timer = setTimeout(() => {
      const query = { text: words, isRegex: false, roles: [] };
      const scope = { source, step };
      cancel = dashboard.host.ask({ ask: "search", query, scope }, (answer) => {
        if (answer.kind !== "search") return;
        const { hits, progress, isComplete } = answer;
        for (const hit of hits) found.add(rolloutName(hit));
        setSearch({ found: new Set(found), progress, isComplete });
      });
    }, TYPING_MS);
    return () => {
      clearTimeout(timer);
      cancel();
    };
  }, [dashboard, source, step, words, rollouts]);
  return search;
}
