/** A turn of the model as a format writes it, found between what stands before it in a conversation and what follows. */

import type { ChatFormat } from "./format.ts";
import { type Control, control, isControl, type Piece } from "./pieces.ts";
import type { AssistantMessage, InitialMessage, ToolMessage } from "./renderer.ts";

const TASK: InitialMessage = { role: "user", content: "Task" };

/** From behind the opening of the turn up to the token that ends it, which sampling stops at. */
export function writtenPieces(format: ChatFormat, message: AssistantMessage): readonly Piece[] {
  if (format.renderTurn !== undefined) return format.renderTurn(message);
  const before = atomsOf(format.renderPrompt([TASK], []));
  const results = answersTo(message);
  const whole = atomsOf(format.renderPrompt([TASK, message, ...results], []));
  const start = commonLength(before, whole);
  const after = atomsOf(format.renderFollowUps(results, null));
  const end = whole.length - commonLength(after.toReversed(), whole.toReversed());
  return ended(format, joined(whole.slice(start, Math.max(start, end))), whole[end]);
}

/** Results for its calls; a message of the user would make some formats leave its reasoning out. */
function answersTo({ calls }: AssistantMessage): readonly ToolMessage[] {
  return calls.map(({ id, name }) => ({ role: "tool", name, callId: id, content: "Done" }));
}

/** With what sampling stops at behind it; `next` follows it in the conversation. */
function ended(
  { ends, pastEnd }: ChatFormat,
  pieces: readonly Piece[],
  next: Piece | undefined,
): readonly Piece[] {
  const last = pieces.at(-1);
  if (isOneOf(ends, last)) return pieces;
  const open = isOneOf([pastEnd ?? ""], last) ? pieces.slice(0, -1) : pieces;
  return [...open, isOneOf(ends, next) ? next : control(ends[0] ?? "")];
}

function isOneOf(texts: readonly string[], piece: Piece | undefined): piece is Control {
  return piece !== undefined && isControl(piece) && texts.includes(piece.control);
}

/** Single characters and whatever is no text. */
function atomsOf(pieces: readonly Piece[]): readonly Piece[] {
  return pieces.flatMap((piece): readonly Piece[] =>
    typeof piece === "string" ? [...piece] : [piece],
  );
}

function joined(atoms: readonly Piece[]): readonly Piece[] {
  const pieces: Piece[] = [];
  for (const atom of atoms) {
    const last = pieces.at(-1);
    if (typeof atom === "string" && typeof last === "string")
      pieces[pieces.length - 1] = last + atom;
    else pieces.push(atom);
  }
  return pieces;
}

function commonLength(one: readonly Piece[], other: readonly Piece[]): number {
  const differing = one.findIndex((atom, i) => keyOf(atom) !== keyOf(other[i]));
  return differing === -1 ? one.length : differing;
}

function keyOf(atom: Piece | undefined): string {
  return typeof atom === "string" ? `text ${atom}` : JSON.stringify(atom ?? null);
}
