/** A chat format implemented in this program instead of by the model's template. */

import type { ImageSize } from "../images/imageFile.ts";
import type { ImagePiece, Piece, TokenContext } from "./pieces.ts";
import type {
  AssistantMessage,
  FollowUp,
  InitialMessage,
  ParsedTurn,
  ToolDeclaration,
} from "./renderer.ts";

/** A run's options for a format. Options that the format does not support were rejected earlier. */
export interface FormatOptions {
  readonly thinking: boolean;
  /** One of the format's effort names, or a number as text; null = the format's default. */
  readonly effort: string | null;
  /** `all` keeps earlier reasoning when a conversation is rendered again; `template` does what the official template does. */
  readonly retention: "all" | "template";
  /** The date shown by formats whose prompt has one, YYYY-MM-DD; fixed for a run. */
  readonly date: string;
  /** True omits the system text that the format itself adds. */
  readonly isBare?: boolean;
}

/** Parses one turn from its sampled ids; `tools` are the tools declared in the prompt. Never throws on model output. */
export type TurnParser = (turn: readonly number[], tools: readonly ToolDeclaration[]) => ParsedTurn;

/** How a format represents images. */
export interface ImageLayout {
  /** The image with the pieces around it. */
  readonly wrap: (image: ImagePiece) => readonly Piece[];
  /** Tokens per image as the service counts them; null for an image that the model's processor refuses. */
  readonly countTokens: (size: ImageSize) => number | null;
}

export interface ChatFormat {
  /** Stable name that includes the options that change the prompt; stored with the run. */
  readonly id: string;
  /** Texts of the added tokens that end a turn; sampling stops on any of them. */
  readonly ends: readonly string[];
  /** More end tokens, which some tokenizers lack. */
  readonly optionalEnds?: readonly string[];
  /** The token that ends earlier turns of a conversation, if it is not one of `ends`. */
  readonly pastEnd?: string;
  /** False if the model cannot call tools; absent = it can. */
  readonly callsTools?: boolean;
  /** Texts that stop sampling, for models without turn tokens. The sample includes the text. */
  readonly stopTexts?: readonly string[];
  /** A conversation up to the model's next turn, including any prefilled part of that turn. */
  readonly renderPrompt: (
    messages: readonly InitialMessage[],
    tools: readonly ToolDeclaration[],
  ) => readonly Piece[];
  /** A model turn with its end, for formats whose conversations print a turn differently from how it is sampled. */
  readonly renderTurn?: (message: AssistantMessage) => readonly Piece[];
  /** From after a turn to the opening of the next; `end` is the token that ended the turn, sampled or added on closing. */
  readonly renderFollowUps: (
    followUps: readonly FollowUp[],
    end: string | null,
  ) => readonly Piece[];
  /**
   * Closes a turn that did not sample an end token: first whatever is still open, then an end token if the format has
   * one. `text` is the turn as sampled. `last` is the text of its last token if that is an added token, else null.
   */
  readonly closeTurn: (turn: ParsedTurn, text: string, last: string | null) => readonly Piece[];
  /** Absent = the format has no images. */
  readonly images?: ImageLayout | undefined;
  readonly createParser: (tokens: TokenContext) => TurnParser;
}
