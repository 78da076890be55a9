/** Extracts a model turn from a rendered conversation, between the opening before it and the follow-ups after it. */

import type { ChatFormat } from "./format.ts";
import { type Control, control, isControl, type Piece } from "./pieces.ts";
import type { AssistantMessage, InitialMessage, ToolMessage } from "./renderer.ts";

const TASK: InitialMessage = { role: "user", content: "Task" };

/** The pieces from after the turn's opening up to and including the token that ends it, where sampling stops. */
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

/** Dummy results for its calls. A user message instead would make some formats drop the turn's reasoning. */
function answersTo({ calls }: AssistantMessage): readonly ToolMessage[] {
  return calls.map(({ id, name }) => ({ role: "tool", name, callId: id, content: "Done" }));
}

/** Adds the token that stops sampling; `next` is the piece that follows in the conversation. */
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

/** Splits text into single characters; other pieces stay whole. */
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
