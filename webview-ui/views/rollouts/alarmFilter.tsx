/** Lists only the rollouts that made an alarm. */

import * as l10n from "@vscode/l10n";
import { useEffect, useState } from "preact/hooks";
import { formatCount } from "../../../src/shared/format.ts";
import type { RolloutSet } from "../../../src/shared/rolloutSet.ts";
import { Button } from "../../controls/button.tsx";
import { Icon } from "../../controls/icon.tsx";
import type { DashboardModel, DashboardProps } from "../../model/dashboardModel.ts";
import { strings } from "../../strings/strings.ts";
import { rolloutName } from "./rolloutRows.ts";

export interface AlarmSearch {
  /** Names of the rollouts found so far. */
  readonly found: ReadonlySet<string>;
  readonly isComplete: boolean;
}

/** Null when no alarm is chosen. Begins again with another alarm, another step, or more rollouts. */
export function useAlarmRollouts(
  dashboard: DashboardModel,
  set: RolloutSet | null,
  rollouts: number,
): AlarmSearch | null {
  const { alarmFilter: alarm } = dashboard.view.value;
  const { source, step } = set ?? {};
  const [search, setSearch] = useState<AlarmSearch | null>(null);
  useEffect(() => {
    setSearch(null);
    if (source === undefined || step === undefined || alarm === null) return;
    const found = new Set<string>();
    return dashboard.host.ask({ ask: "evidence", source, step, alarm: alarm.id }, (answer) => {
      if (answer.kind !== "evidence") return;
      for (const key of answer.found) found.add(rolloutName(key));
      setSearch({ found: new Set(found), isComplete: answer.isComplete });
    });
  }, [dashboard, source, step, alarm?.id, rollouts]);
  return alarm === null ? null : (search ?? NOTHING);
}

const NOTHING: AlarmSearch = { found: new Set(), isComplete: false };

interface AlarmFilterProps extends DashboardProps {
  readonly search: AlarmSearch;
}

/** Says what is listed, and lists all again. */
export function AlarmFilter({ dashboard, search }: AlarmFilterProps) {
  const { alarmFilter } = dashboard.view.value;
  if (alarmFilter === null) return null;
  return (
    <p class="alarm-filter row" aria-busy={!search.isComplete}>
      <Icon name="warning" />
      <span>
        {l10n.t(
          "Only rollouts that triggered the alarm “{0}”: {1}",
          alarmFilter.title,
          formatCount(search.found.size),
        )}
      </span>
      <Button
        class="link"
        label={strings.showAll}
        onClick={() => dashboard.update({ alarmFilter: null })}
      />
    </p>
  );
}
