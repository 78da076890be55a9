/** A run's phase in its color. */

import type { ListedRun } from "../../core/runs/runList.ts";
import { type LinePiece, type Style, styled } from "./line.ts";

const STYLES: Partial<Readonly<Record<ListedRun["phase"], Style>>> = {
  running: "accent",
  done: "good",
  failed: "bad",
  interrupted: "warning",
  unreadable: "bad",
};

/** `text` is the phase's name. */
export function phasePiece(phase: ListedRun["phase"], text: string): LinePiece {
  const style = STYLES[phase];
  return style === undefined ? text : styled(style, text);
}
