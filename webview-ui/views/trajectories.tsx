/** The rollouts of a step or evaluation, and the replay of one. */

import { useLayoutEffect, useMemo } from "preact/hooks";
import { setName } from "../../src/shared/rolloutSet.ts";
import { isTyping } from "../keys.ts";
import type { PanelModel } from "../panelModel.ts";
import { strings } from "../strings.ts";
import { besideOf } from "./besideReplay.tsx";
import { Replay } from "./replay.tsx";
import { RolloutFilters } from "./rolloutFilters.tsx";
import { RolloutGrid } from "./rolloutGrid.tsx";
import { filterRows, sortRows } from "./rolloutRows.ts";
import { StepNavigator } from "./stepNavigator.tsx";
import { useMessageSearch } from "./useMessageSearch.ts";

const text = strings.trajectories;

export function Trajectories({ panel }: { readonly panel: PanelModel }) {
  const { filter, sorting, rollout } = panel.view.value;
  const shown = panel.rollouts.value;
  const all = shown?.rows ?? [];
  const search = useMessageSearch(panel, shown, all.length);
  const rows = useMemo(
    () => sortRows(filterRows(all, filter, search?.found), sorting),
    [all, filter, sorting, search],
  );
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent): void => listKey(event, panel);
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [panel]);
  if (shown === null) {
    const why = text.noSteps[panel.run.value?.state ?? "unknown"] ?? text.noStepsYet;
    return <p class="message">{why}</p>;
  }
  return (
    <div
      class="trajectories"
      data-open={rollout !== null}
      data-beside={rollout !== null && besideOf(panel, shown) !== null}
    >
      <section class="list" aria-label={text.grid}>
        <StepNavigator panel={panel} />
        <RolloutFilters panel={panel} rows={all} shown={rows.length} search={search} />
        {rows.length === 0 ? (
          <p class="message">{all.length === 0 ? text.noneYet : text.noMatch}</p>
        ) : (
          <RolloutGrid panel={panel} rows={rows} />
        )}
      </section>
      {rollout === null ? null : (
        <Replay
          key={`${setName(shown)}/${rollout.group}/${rollout.rollout}`}
          panel={panel}
          rolloutKey={{ source: shown.source, step: shown.step, ...rollout }}
          siblings={all}
        />
      )}
    </div>
  );
}

function listKey(event: KeyboardEvent, panel: PanelModel): void {
  if (event.key === "Escape" && !isInControl(event)) {
    panel.update({ rollout: null });
    return;
  }
  if (isTyping(event) || !panel.settings.value.hasSingleKeys) return;
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
