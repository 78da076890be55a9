/** The rollouts of a step or evaluation, and the replay of one. */

import * as l10n from "@vscode/l10n";
import { useMemo } from "preact/hooks";
import type { RolloutRow, RunView } from "../../src/shared/dashboardTypes.ts";
import { formatCount } from "../../src/shared/format.ts";
import { hasEnded } from "../../src/shared/hasEnded.ts";
import { setName } from "../../src/shared/rolloutSet.ts";
import { Button } from "../controls/button.tsx";
import { Icon } from "../controls/icon.tsx";
import { StepNavigator } from "../controls/stepNavigator.tsx";
import { useKeys } from "../controls/useKeys.ts";
import type { DashboardModel, DashboardProps } from "../model/dashboardModel.ts";
import { isTyping } from "../model/keys.ts";
import { strings } from "../strings/strings.ts";
import { type ReadingOrder, useReadingOrder } from "./replay/readingOrder.ts";
import { Replay } from "./replay/replay.tsx";
import { MarkedMenu } from "./rollouts/markedMenu.tsx";
import { RolloutFilters } from "./rollouts/rolloutFilters.tsx";
import { RolloutGrid } from "./rollouts/rolloutGrid.tsx";
import { byGroup, rolloutName } from "./rollouts/rolloutGroups.ts";
import { filterRows, sortRows } from "./rollouts/rolloutRows.ts";
import { DetailContext, type TableContext, useTableContext } from "./rollouts/tableContext.ts";
import {
  type FoundRollouts,
  useAlarmRollouts,
  useMessageSearch,
} from "./rollouts/useFoundRollouts.ts";

const text = strings.trajectories;

export function Trajectories({ dashboard }: DashboardProps) {
  const { rollout, isListKept, beside } = dashboard.view.value;
  const shown = dashboard.selection.rollouts.value;
  const all = shown?.rows ?? [];
  const search = useMessageSearch(dashboard, shown, all.length);
  const context = useTableContext(dashboard, all);
  const made = useAlarmRollouts(dashboard, shown, all.length);
  const own = useMemo(
    () => (made === null ? all : all.filter((row) => made.found.has(rolloutName(row)))),
    [all, made],
  );
  const rows = useRows(dashboard, own, search?.found, context);
  const order = useReadingOrder(dashboard, rows);
  useKeys((event) => listKey(event, dashboard, order));
  if (shown === null) {
    return <p class="message">{whyNone(dashboard.data.run.value)}</p>;
  }
  return (
    <div
      class="trajectories"
      data-open={rollout !== null}
      data-list-kept={isListKept}
      data-beside={rollout !== null && beside !== null}
    >
      <section class="list stack" aria-label={text.grid}>
        <div class="list-head row">
          {dashboard.data.run.value?.examples === "read" ? null : (
            <StepNavigator dashboard={dashboard} />
          )}
          <MarkedMenu dashboard={dashboard} />
          {dashboard.data.run.value?.examples != null ? null : (
            <Button
              class="quiet"
              label={l10n.t("Compare steps…")}
              title={l10n.t("What changed between the first and the last steps, or any others")}
              onClick={() => dashboard.update({ rolloutPart: "changes" })}
            />
          )}
        </div>
        <RolloutFilters
          dashboard={dashboard}
          rows={all}
          shown={rows.length}
          search={search}
          markOf={context.markOf}
        />
        {made === null ? null : <AlarmFilter dashboard={dashboard} search={made} />}
        {rows.length === 0 ? (
          <p class="message">
            {all.length === 0
              ? l10n.t("No rollout has finished here yet.")
              : l10n.t("No rollout matches the filters.")}
          </p>
        ) : (
          <RolloutGrid dashboard={dashboard} rows={rows} context={context} />
        )}
      </section>
      {rollout === null ? null : (
        <DetailContext.Provider value={context.detailOf}>
          <Replay
            key={`${setName(shown)}/${rollout.group}/${rollout.rollout}`}
            dashboard={dashboard}
            rolloutKey={{ source: shown.source, step: shown.step, ...rollout }}
            siblings={all}
            order={order}
          />
        </DetailContext.Provider>
      )}
    </div>
  );
}

/** A finished run with steps did have rollouts, but they were not stored. */
function whyNone(run: RunView | null): string {
  const state = run?.state ?? "unknown";
  const hasSteps = hasEnded(state) && run?.completedSteps !== 0;
  return text.noSteps[hasSteps ? "done" : state] ?? text.noStepsYet;
}

interface AlarmFilterProps extends DashboardProps {
  readonly search: FoundRollouts;
}

/** Names the alarm that limits the list, with a button to list all rollouts again. */
function AlarmFilter({ dashboard, search }: AlarmFilterProps) {
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

/** Filtered and sorted rows. Details that arrive later reorder them only if they are the sort key. */
function useRows(
  dashboard: DashboardModel,
  all: readonly RolloutRow[],
  found: ReadonlySet<string> | undefined,
  context: TableContext,
): readonly RolloutRow[] {
  const { filter, sorting, isGrouped } = dashboard.view.value;
  const { groupOf, markOf } = context;
  const detailOf = sorting.column === "strip" ? context.detailOf : noDetail;
  return useMemo(() => {
    const listed = filterRows(all, filter, found, markOf);
    const sorted = sortRows(listed, sorting, { groupOf, markOf, detailOf });
    return isGrouped ? [...byGroup(sorted).values()].flat() : sorted;
  }, [all, filter, found, sorting, isGrouped, groupOf, markOf, detailOf]);
}

function noDetail(): null {
  return null;
}

function listKey(event: KeyboardEvent, dashboard: DashboardModel, order: ReadingOrder): void {
  if (event.key === "Escape" && !isInControl(event)) {
    dashboard.update({ rollout: null });
    return;
  }
  if (isTyping(event) || !dashboard.settings.value.hasSingleKeys) return;
  if (event.key === "/" || event.key === "f") {
    document.querySelector<HTMLElement>("#rollout-filter")?.focus();
    event.preventDefault();
  } else if (dashboard.view.value.rollout !== null && (event.key === "j" || event.key === "k")) {
    order.go(event.key === "j" ? 1 : -1);
    event.preventDefault();
  } else if (
    (event.key === "j" || event.key === "k") &&
    !(event.target instanceof HTMLElement && event.target.closest(".grid"))
  ) {
    document.querySelector<HTMLElement>(".grid")?.focus();
    event.preventDefault();
  }
}

/** True if the focused control handles the key itself: a field is cleared, a dialog closes. */
function isInControl({ target, defaultPrevented }: KeyboardEvent): boolean {
  const inside = target instanceof HTMLElement ? target.closest("input, select, dialog") : null;
  return defaultPrevented || inside !== null;
}
