/** Finds a text in a part of the page, however it is divided into elements and lines. */

import { foldText, LAYOUT } from "../../src/shared/foldedText.ts";

/** The range of `match`, if it can be behind `before`; null when it is not there. White space and case do not count. */
export function rangeOfText(root: Element, before: string, match: string): Range | null {
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
