/** What the releases of DeepSeek share: tokens, and the opening of a turn. */

import { control, type Piece } from "../pieces.ts";
import { THINK } from "./turns.ts";

export const BEGIN = control("<｜begin▁of▁sentence｜>");
export const END = control("<｜end▁of▁sentence｜>");
export const USER = control("<｜User｜>");
export const ASSISTANT = control("<｜Assistant｜>");

/** What opens a turn of the model: its reasoning, or the end of a reasoning that there is not. */
export function turnOpening(thinking: boolean): readonly Piece[] {
  return [ASSISTANT, thinking ? THINK.open : THINK.close];
}
