/** Tokens and turn opening shared by all DeepSeek releases. */

import { control, type Piece } from "../pieces.ts";
import { THINK } from "./turns.ts";

export const BEGIN = control("<｜begin▁of▁sentence｜>");
export const END = control("<｜end▁of▁sentence｜>");
export const USER = control("<｜User｜>");
export const ASSISTANT = control("<｜Assistant｜>");

/** Opens a model turn: starts its reasoning, or closes it at once when thinking is off. */
export function turnOpening(thinking: boolean): readonly Piece[] {
  return [ASSISTANT, thinking ? THINK.open : THINK.close];
}
