/** A chat format that is written in this program, not taken from a model's template. */

import type { ImageSize } from "../images/imageFile.ts";
import type { ImagePiece, Piece, TokenContext } from "./pieces.ts";
import type {
  AssistantMessage,
  FollowUp,
  InitialMessage,
  ParsedTurn,
  ToolDeclaration,
} from "./renderer.ts";

/** What a run asks of a format; settings that a format does not know were refused before. */
export interface FormatOptions {
  readonly thinking: boolean;
  /** A name of the format's efforts, or a number as text; null = the format's default. */
  readonly effort: string | null;
  /** `all` keeps earlier reasoning when a conversation is rendered again; `template` does as the official template. */
  readonly retention: "all" | "template";
  /** The date that formats with a date in the prompt show, YYYY-MM-DD; fixed for a run. */
  readonly date: string;
  /** True leaves out the system text that the format itself writes. */
  readonly isBare?: boolean;
}

/** Reads one turn from its sampled ids; `tools` are those that the prompt declared. Never throws on model output. */
export type TurnParser = (turn: readonly number[], tools: readonly ToolDeclaration[]) => ParsedTurn;

/** How images are in a format. */
export interface ImageLayout {
  /** The image with what stands around it. */
  readonly wrap: (image: ImagePiece) => readonly Piece[];
  /** Tokens that an image takes, as the service counts them; null for one that the model's processor refuses. */
  readonly countTokens: (size: ImageSize) => number | null;
}

export interface ChatFormat {
  /** Stable name with the options that change the prompt; stored with the run. */
  readonly id: string;
  /** Texts of the added tokens that end a turn; sampling stops on any of them. */
  readonly ends: readonly string[];
  /** More of them, which not every tokenizer has. */
  readonly optionalEnds?: readonly string[];
  /** The token that ends a turn in an earlier part of a conversation, where that is none of `ends`. */
  readonly pastEnd?: string;
  /** False where a model cannot call tools; absent = it can. */
  readonly callsTools?: boolean;
  /** Texts on which sampling stops instead of tokens, for models without turn tokens. The sample holds the text. */
  readonly stopTexts?: readonly string[];
  /** A conversation up to where the model's next turn begins, what is prefilled of that turn included. */
  readonly renderPrompt: (
    messages: readonly InitialMessage[],
    tools: readonly ToolDeclaration[],
  ) => readonly Piece[];
  /** A turn of the model with its end, where a conversation does not show it as it is sampled. */
  readonly renderTurn?: (message: AssistantMessage) => readonly Piece[];
  /** From behind a turn to the opening of the next; `end` is the token that the turn ended with, sampled or closed. */
  readonly renderFollowUps: (
    followUps: readonly FollowUp[],
    end: string | null,
  ) => readonly Piece[];
  /**
   * What ends a turn that no token ended: the closing of what is open in it, then an end token where the format has one. `text` is the
   * turn as sampled, `last` the text of the added token that it stopped at; null for ordinary text.
   */
  readonly closeTurn: (turn: ParsedTurn, text: string, last: string | null) => readonly Piece[];
  /** Absent for formats without images. */
  readonly images?: ImageLayout | undefined;
  readonly createParser: (tokens: TokenContext) => TurnParser;
}
