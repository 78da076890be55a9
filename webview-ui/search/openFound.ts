/** Opens a rollout at a search hit and highlights it. */

import { foldText, LAYOUT } from "../../src/shared/foldedText.ts";
import { plainKey, type RolloutKey, rolloutKeyName } from "../../src/shared/rolloutSet.ts";
import type { SearchSnippet } from "../../src/shared/search.ts";
import type { DashboardModel } from "../model/dashboardModel.ts";

/** Time for the rollout to load and render. */
const PATIENCE_MS = 10_000;
/** Time for a rendered rollout to reach its final form. */
const SETTLING_MS = 2_000;
const FOUND = "found";

export function openFound(
  dashboard: DashboardModel,
  hit: RolloutKey & { readonly run: { readonly id: string } },
  snippet: SearchSnippet,
): void {
  const { run } = hit;
  if (run.id === dashboard.data.run.value?.id) dashboard.openRollouts(hit, hit);
  else dashboard.host.selectRun(run.id, plainKey(hit));
  const isAmongTokens = dashboard.view.value.replayMode === "tokens";
  const name = rolloutKeyName(hit);
  dashboard.lookFor({ run: run.id, rollout: name, snippet, isAmongTokens });
  const until = performance.now() + PATIENCE_MS;
  const look = (): void => {
    const turns = document.querySelector(`.replay[data-rollout="${name}"] .turns`);
    if (turns !== null) mark(turns, snippet);
    else if (performance.now() < until) requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

/** Keeps highlighting for a while: folded text appears only after a click, and Markdown replaces plain text once it has loaded. */
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

/** Highlights the text and scrolls to it. Returns false if it is not there. */
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

/** The range of `match`, preferably directly after `before`; null if it is not found. Ignores white space and case. */
function rangeOfText(root: Element, before: string, match: string): Range | null {
  const nodes: Text[] = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    if (node instanceof Text) nodes.push(node);
  }
  const drawn = foldText(
    nodes.map(({ data }) => data),
    LAYOUT,
  );
  const lead = foldText([before], LAYOUT).text;
  const wanted = foldText([match], LAYOUT).text;
  const behind = drawn.text.indexOf(lead + wanted);
  const start = behind === -1 ? drawn.text.indexOf(wanted) : behind + lead.length;
  const first = wanted === "" || start === -1 ? null : drawn.at(start);
  const last = first === null ? null : drawn.at(start + wanted.length - 1);
  const [from, to] = [nodes[first?.piece ?? -1], nodes[last?.piece ?? -1]];
  if (first === null || last === null || from === undefined || to === undefined) return null;
  const range = document.createRange();
  range.setStart(from, first.offset);
  range.setEnd(to, last.offset + 1);
  return range;
}
