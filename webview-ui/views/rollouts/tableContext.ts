/** Data of the rollout table beyond its rows: groups, marks, and details loaded for visible rows. */

import { createContext } from "preact";
import { useCallback, useMemo, useState } from "preact/hooks";
import type { RolloutDetail, RolloutRow } from "../../../src/shared/dashboardTypes.ts";
import { type Mark, NO_MARK } from "../../../src/shared/marks.ts";
import { plainKey, rolloutKeyName } from "../../../src/shared/rolloutSet.ts";
import type { DashboardModel } from "../../model/dashboardModel.ts";
import { useAsking } from "../../model/useAsking.ts";
import { type GroupStats, groupStats, rolloutName } from "./rolloutGroups.ts";

export interface TableContext {
  groupOf(row: RolloutRow): GroupStats | null;
  /** Null until it has arrived. */
  detailOf(row: RolloutRow): RolloutDetail | null;
  markOf(row: RolloutRow): Mark;
}

/** For components below the table; null outside of a list. */
export const DetailContext = createContext<TableContext["detailOf"] | null>(null);

/** Delay before details are requested, because rows scroll by faster than anyone reads. */
const PAUSE_MS = 60;
const MAX_ASKED = 100;
/** Beyond this the cache is cleared. */
const MAX_DETAILS = 20_000;

/** `all` are the rollouts of the step, filtered or not. */
export function useTableContext(
  dashboard: DashboardModel,
  all: readonly RolloutRow[],
): TableContext & { look(inSight: readonly RolloutRow[]): void } {
  const stats = useMemo(() => groupStats(all), [all]);
  const marks = dashboard.data.marks.value;
  const [details, setDetails] = useState<ReadonlyMap<string, RolloutDetail>>(new Map());
  const [wanted, look] = useState<readonly RolloutRow[]>([]);
  const missing = wanted.filter((row) => needsDetail(row) && !details.has(detailName(row)));
  const names = missing.map(detailName).join();
  useAsking(dashboard, () => {
    if (missing.length === 0) return;
    const asked = missing.slice(0, MAX_ASKED);
    const keys = asked.map(plainKey);
    return dashboard.host.askLater({ ask: "details", keys }, PAUSE_MS, (answer) => {
      if (answer.kind !== "details") return;
      const byPlace = new Map(answer.details.map((own) => [rolloutName(own), own]));
      setDetails((before) => {
        const kept = before.size > MAX_DETAILS ? new Map<string, RolloutDetail>() : before;
        const added = asked.map((row): [string, RolloutDetail] => [
          detailName(row),
          byPlace.get(rolloutName(row)) ?? {
            group: row.group,
            rollout: row.rollout,
            strip: null,
            tokenAdvantage: null,
          },
        ]);
        return new Map([...kept, ...added]);
      });
    });
  }, [names]);
  const groupOf = useCallback(({ group }: RolloutRow) => stats.get(group) ?? null, [stats]);
  const detailOf = useCallback(
    (row: RolloutRow) => details.get(detailName(row)) ?? null,
    [details],
  );
  const markOf = useCallback(
    (row: RolloutRow) => marks.get(rolloutKeyName(row))?.mark ?? NO_MARK,
    [marks],
  );
  return useMemo(() => ({ look, groupOf, detailOf, markOf }), [groupOf, detailOf, markOf]);
}

function needsDetail({ streams }: RolloutRow): boolean {
  return streams.length > 0;
}

/** Token data arrive after the rollout, and a resume changes the duration. */
function detailName(row: RolloutRow): string {
  return `${rolloutKeyName(row)}/${row.streams.length}/${row.durationMs}`;
}
