/** Opens a rollout at the place where something was found in it, and marks that place. */

import { type RolloutKey, rolloutKeyName } from "../../src/shared/rolloutSet.ts";
import type { SearchSnippet } from "../../src/shared/search.ts";
import type { DashboardModel } from "../model/dashboardModel.ts";
import { rangeOfText } from "./textRange.ts";

/** For a rollout to be read and drawn. */
const PATIENCE_MS = 10_000;
/** For a rollout that is shown to be drawn as it stays. */
const SETTLING_MS = 2_000;
const FOUND = "found";

/** A rollout of a run. */
interface FoundPlace extends RolloutKey {
  readonly run: { readonly id: string };
}

export function openFound(
  dashboard: DashboardModel,
  hit: FoundPlace,
  snippet: SearchSnippet,
): void {
  const { run, source, step, group, rollout } = hit;
  if (run.id === dashboard.data.run.value?.id) {
    dashboard.openRollouts({ source, step }, { group, rollout });
  } else dashboard.host.selectRun(run.id, { source, step, group, rollout });
  const isAmongTokens = dashboard.view.value.replayMode === "tokens";
  dashboard.found.value = { run: run.id, rollout: rolloutKeyName(hit), snippet, isAmongTokens };
  const name = rolloutKeyName(hit);
  const until = performance.now() + PATIENCE_MS;
  const look = (): void => {
    const turns = document.querySelector(`.replay[data-rollout="${name}"] .turns`);
    if (turns !== null) mark(turns, snippet);
    else if (performance.now() < until) requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

/** The text is there only later where it is folded, or where Markdown takes the place of plain text. */
function mark(turns: Element, snippet: SearchSnippet): void {
  const { turn } = snippet;
  const root = (turn === null ? null : turns.querySelector(`[data-turn="${turn}"]`)) ?? turns;
  const observer = new MutationObserver(() => show(root, snippet));
  observer.observe(root, { childList: true, characterData: true, subtree: true });
  setTimeout(() => observer.disconnect(), SETTLING_MS);
  if (show(root, snippet)) return;
  root.scrollIntoView({ block: "start" });
  for (const fold of root.querySelectorAll<HTMLElement>('button.link[aria-expanded="false"]')) {
    fold.click();
  }
}

/** False when the text is not there. */
function show(root: Element, { before, match }: SearchSnippet): boolean {
  const range = rangeOfText(root, before.replace(/^…/, ""), match);
  const element = range?.startContainer.parentElement ?? null;
  if (range === null || element === null) return false;
  for (let fold = element.closest("details"); fold !== null; ) {
    fold.open = true;
    fold = fold.parentElement?.closest("details") ?? null;
  }
  CSS.highlights.set(FOUND, new Highlight(range));
  element.scrollIntoView({ block: "center" });
  element.closest<HTMLElement>("[data-turn]")?.focus({ preventScroll: true });
  return true;
}
