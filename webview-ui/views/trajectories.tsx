/** The rollouts of a step or evaluation, and the replay of one. */

import { useLayoutEffect, useMemo } from "preact/hooks";
import { setName } from "../../src/shared/rolloutSet.ts";
import type { DashboardModel } from "../model/dashboardModel.ts";
import { isTyping } from "../model/keys.ts";
import { strings } from "../strings/strings.ts";
import { besideOf } from "./besideReplay.tsx";
import { Replay } from "./replay.tsx";
import { RolloutFilters } from "./rolloutFilters.tsx";
import { RolloutGrid } from "./rolloutGrid.tsx";
import { filterRows, sortRows } from "./rolloutRows.ts";
import { StepNavigator } from "./stepNavigator.tsx";
import { useMessageSearch } from "./useMessageSearch.ts";

const text = strings.trajectories;

export function Trajectories({ dashboard }: { readonly dashboard: DashboardModel }) {
  const { filter, sorting, rollout } = dashboard.view.value;
  const shown = dashboard.selection.rollouts.value;
  const all = shown?.rows ?? [];
  const search = useMessageSearch(dashboard, shown, all.length);
  const rows = useMemo(
    () => sortRows(filterRows(all, filter, search?.found), sorting),
    [all, filter, sorting, search],
  );
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent): void => listKey(event, dashboard);
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [dashboard]);
  if (shown === null) {
    const why = text.noSteps[dashboard.data.run.value?.state ?? "unknown"] ?? text.noStepsYet;
    return <p class="message">{why}</p>;
  }
  return (
    <div
      class="trajectories"
      data-open={rollout !== null}
      data-beside={rollout !== null && besideOf(dashboard, shown) !== null}
    >
      <section class="list" aria-label={text.grid}>
        <StepNavigator dashboard={dashboard} />
        <RolloutFilters dashboard={dashboard} rows={all} shown={rows.length} search={search} />
        {rows.length === 0 ? (
          <p class="message">{all.length === 0 ? text.noneYet : text.noMatch}</p>
        ) : (
          <RolloutGrid dashboard={dashboard} rows={rows} />
        )}
      </section>
      {rollout === null ? null : (
        <Replay
          key={`${setName(shown)}/${rollout.group}/${rollout.rollout}`}
          dashboard={dashboard}
          rolloutKey={{ source: shown.source, step: shown.step, ...rollout }}
          siblings={all}
        />
      )}
    </div>
  );
}

function listKey(event: KeyboardEvent, dashboard: DashboardModel): void {
  if (event.key === "Escape" && !isInControl(event)) {
    dashboard.update({ rollout: null });
    return;
  }
  if (isTyping(event) || !dashboard.settings.value.hasSingleKeys) return;
  if (event.key === "/" || event.key === "f") {
    document.querySelector<HTMLElement>("#rollout-filter")?.focus();
    event.preventDefault();
  } else if (
    (event.key === "j" || event.key === "k") &&
    !(event.target instanceof HTMLElement && event.target.closest(".grid"))
  ) {
    document.querySelector<HTMLElement>(".grid")?.focus();
    event.preventDefault();
  }
}

/** True when the key means something to what has the focus: a field empties, a dialog closes. */
function isInControl({ target, defaultPrevented }: KeyboardEvent): boolean {
  const inside = target instanceof HTMLElement ? target.closest("input, select, dialog") : null;
  return defaultPrevented || inside !== null;
}
