/** Creates a renderer for one tokenizer from a chat format implemented in this program. */

import { createControlTokens } from "./controlTokens.ts";
import type { ChatFormat } from "./format.ts";
import { layOut } from "./layOut.ts";
import { encodePieces, isControl, requireId } from "./pieces.ts";
import type { Renderer } from "./renderer.ts";
import type { Tokenizer } from "./tokenizer.ts";
import { writtenPieces } from "./writtenPieces.ts";

/** How to write turns that were given rather than sampled. */
export interface WritingOptions {
  /** The same format with `retention: all`. */
  readonly format: ChatFormat;
  /** False omits reasoning, for prompts that close it immediately. */
  readonly thinking: boolean;
}

/** @throws AppError `chat-token-missing` if the tokenizer lacks one of the format's required end tokens */
export function createNativeRenderer(
  format: ChatFormat,
  tokenizer: Tokenizer,
  writing: WritingOptions = { format, thinking: true },
): Renderer {
  const controls = createControlTokens(tokenizer);
  const tokens = { tokenizer, controls };
  const added = new Map(tokenizer.addedTokens.map(({ id, text }) => [id, text]));
  const { ends: required, optionalEnds = [], callsTools = true } = format;
  const known = optionalEnds.filter((text) => controls.idOf(text) !== null);
  const ends = new Map([...required, ...known].map((text) => [requireId(controls, text), text]));
  const parse = format.createParser(tokens);
  const { stopTexts = [], images: imageLayout } = format;
  return {
    id: `native/${format.id}`,
    stopIds: stopTexts.length === 0 ? [...ends.keys()] : [],
    stopTexts,
    callsTools,
    renderInitial: (messages, tools) =>
      layOut({
        tokens,
        imageLayout,
        messages,
        others: tools,
        render: (marked) => format.renderPrompt(marked, tools),
      }),
    bridge: (turn, followUps) => {
      const lastId = turn.at(-1) ?? -1;
      const sampledEnd = ends.get(lastId);
      const closing =
        sampledEnd === undefined
          ? format.closeTurn(parse(turn, []), tokenizer.decode(turn), added.get(lastId) ?? null)
          : [];
      const last = closing.at(-1);
      const closed = last !== undefined && isControl(last) ? last.control : null;
      return {
        closing: encodePieces(closing, tokens),
        delta: layOut({
          tokens,
          imageLayout,
          messages: followUps,
          others: null,
          render: (marked) => format.renderFollowUps(marked, sampledEnd ?? closed),
        }),
      };
    },
    writeTurn: (message) => {
      const shown = writing.thinking ? message : { ...message, reasoning: null };
      return encodePieces(writtenPieces(writing.format, shown), tokens);
    },
    parse: (turn, tools = []) => parse(turn, tools),
  };
}
