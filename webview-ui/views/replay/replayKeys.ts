/** Keyboard control of a replay. */

import type { RolloutRow } from "../../../src/shared/dashboardTypes.ts";
import type { Mark } from "../../../src/shared/marks.ts";
import type { RolloutKey } from "../../../src/shared/rolloutSet.ts";
import type { DashboardModel, DashboardProps } from "../../model/dashboardModel.ts";
import { isTyping } from "../../model/keys.ts";
import { markKey, toggleMark } from "../rollouts/markEditor.tsx";

interface ReplayTarget extends DashboardProps {
  /** The scrolling element. */
  readonly region: HTMLElement | null;
  readonly own: readonly RolloutRow[];
  readonly rolloutKey: RolloutKey;
  readonly mark: Mark;
}

const JUMPS: Readonly<Record<string, string>> = {
  r: "[data-reward]",
  e: "[data-error]",
  t: "[data-call]",
};

/** Handles a key and returns the prefix for the next one: `g` waits for a jump target. */
export function replayKey(event: KeyboardEvent, prefix: string, target: ReplayTarget): string {
  const { dashboard, region } = target;
  if (isTyping(event) || !dashboard.settings.value.hasSingleKeys) return "";
  const jump = prefix === "g" ? JUMPS[event.key] : undefined;
  if (jump === undefined && event.key === "g") return "g";
  const hasActed = jump === undefined ? actOn(event, target) : goTo(region, jump, 1);
  if (hasActed) event.preventDefault();
  return "";
}

function actOn(
  event: KeyboardEvent,
  { dashboard, region, own, rolloutKey, mark }: ReplayTarget,
): boolean {
  const { replayMode, isReasoningOpen, beside } = dashboard.view.value;
  const marked = markKey(event.key);
  if (marked !== null) {
    toggleMark(dashboard, rolloutKey, marked, mark);
    return true;
  }
  switch (event.key) {
    case "[":
      return goToSibling(dashboard, own, rolloutKey, -1);
    case "]":
      return goToSibling(dashboard, own, rolloutKey, 1);
    case "b":
      dashboard.update({ beside: beside === null ? "best" : null });
      return true;
    case "t":
      dashboard.update({ replayMode: replayMode === "tokens" ? "markdown" : "tokens" });
      return true;
    case "m":
      dashboard.update({ replayMode: replayMode === "markdown" ? "raw" : "markdown" });
      return true;
    case "r":
      dashboard.update({ isReasoningOpen: !isReasoningOpen });
      return true;
    case "ArrowLeft":
    case "ArrowRight": {
      const isOutside =
        event.target instanceof HTMLElement &&
        event.target.closest("[role=tab], [role=listbox], .toolbar, .grid, .plot");
      return isOutside ? false : goTo(region, "[data-turn]", event.key === "ArrowLeft" ? -1 : 1);
    }
    default:
      return false;
  }
}

/** Scrolls to the next or previous matching element; false if there is none. */
function goTo(region: HTMLElement | null, selector: string, direction: 1 | -1): boolean {
  if (region === null) return false;
  const top = region.getBoundingClientRect().top;
  const elements = [...region.querySelectorAll<HTMLElement>(selector)];
  const distance = (element: HTMLElement): number => element.getBoundingClientRect().top - top;
  // Starts from the focused element if there is one: the last elements may never reach the top.
  const active = document.activeElement;
  const isInside = active !== null && active !== region && region.contains(active);
  const from = isInside
    ? elements.findLastIndex((element) => element === active || isBefore(element, active))
    : elements.findLastIndex((element) => distance(element) < 4);
  const next = elements[from + direction];
  if (next === undefined) return false;
  next.scrollIntoView({ block: "start" });
  next.focus({ preventScroll: true });
  return true;
}

/** True if the element begins before `other`, even if it contains it. */
function isBefore(element: Element, other: Element): boolean {
  return (element.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
}

/** Shows the next or previous rollout of the group; false if there is none. */
export function goToSibling(
  dashboard: DashboardModel,
  own: readonly RolloutRow[],
  { rollout }: Pick<RolloutKey, "rollout">,
  direction: 1 | -1,
): boolean {
  const at = own.findIndex((row) => row.rollout === rollout);
  const next = own[at + direction];
  if (next === undefined) return false;
  dashboard.update({ rollout: { group: next.group, rollout: next.rollout } });
  return true;
}
