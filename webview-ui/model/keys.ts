/** Single keys that work everywhere in the page; views add their own. */

import { setName } from "../../src/shared/rolloutSet.ts";
import type { DashboardModel } from "./dashboardModel.ts";
import { placeOf, TABS, type ViewState } from "./viewState.ts";

/** In the order of the number keys from 1: the tabs, then other views with a key of their own. */
const PLACES: readonly Partial<ViewState>[] = [
  ...TABS.map(placeOf),
  { tab: "run", runPart: "timeline" },
  { tab: "rollouts", rolloutPart: "search" },
  { tab: "rollouts", rolloutPart: "changes" },
];

/** True while keys belong to a control, a dialog, or the editor. */
export function isTyping(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return true;
  const { target } = event;
  if (!(target instanceof HTMLElement)) return false;
  return target.closest("input, select, textarea, dialog, [role=menu]") !== null;
}

export function globalKey(
  event: KeyboardEvent,
  dashboard: DashboardModel,
  openHelp: () => void,
): void {
  if (isTyping(event) || !dashboard.settings.value.hasSingleKeys) return;
  const place = PLACES[Number(event.key) - 1];
  if (place !== undefined) dashboard.update(place);
  else if (event.key === "?") openHelp();
  else if (event.key === "l") dashboard.host.command("openLog");
  else if (event.key === "{") stepBy(dashboard, -1);
  else if (event.key === "}") stepBy(dashboard, 1);
  else return;
  event.preventDefault();
}

/** Moves to the previous or next step or evaluation that has rollouts. */
export function stepBy(dashboard: DashboardModel, direction: 1 | -1): void {
  const sets = dashboard.selection.sets.value;
  const chosen = dashboard.selection.chosen.value;
  const at = sets.findIndex((set) => chosen !== null && setName(set) === setName(chosen));
  const next = sets[at - direction];
  if (at < 0 || next === undefined) return;
  const isLatest = next === sets.find(({ source }) => source === "training");
  dashboard.update({ rolloutSet: isLatest ? null : next, rollout: null });
}
