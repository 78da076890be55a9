/** The first prompt of a task as the program shows it: tokens with their text, how a turn ends, and an example of a call and its result. */

/** A control token or an image, or ordinary tokens between them. */
export interface PromptPiece {
  /** As decoded; for one control token its name. */
  readonly text: string;
  /** True for what ordinary text never yields: one added token of the tokenizer, or an image. */
  readonly isControl: boolean;
  /** Those of an image are below 0. */
  readonly ids: readonly number[];
}

/** What a call of the first tool looks like in the model's format, with arguments made up from the tool's schema. */
export interface ExampleCall {
  /** For people, as `tool({"argument": "value"})`. */
  readonly call: string;
  /** The turn as the model would write it, its end token included. */
  readonly turn: readonly PromptPiece[];
  /** True when the program reads the same call from `turn`. */
  readonly isRead: boolean;
  /** From the end of the turn to where the next one begins, with a made-up result in it. */
  readonly bridge: readonly PromptPiece[];
}

export interface PromptDescription {
  readonly model: string;
  /** Name of the chat format. */
  readonly format: string;
  readonly environment: string;
  readonly split: string;
  /** Counted in the split, from 0. */
  readonly index: number;
  readonly tools: readonly string[];
  readonly prompt: readonly PromptPiece[];
  /** `max_total_tokens` of the configuration, within which the prompt must leave room. */
  readonly maxTotalTokens: number;
  /** Tokens that end a turn; without ids for formats that stop on a text. */
  readonly stops: readonly PromptPiece[];
  /** Null when no example can be shown; `exampleProblem` says why. */
  readonly example: ExampleCall | null;
  readonly exampleProblem: string | null;
  /** Sentences about settings that have no effect with this model, and about parts that were left out. */
  readonly warnings: readonly string[];
}

export function countTokens(pieces: readonly PromptPiece[]): number {
  return pieces.reduce((sum, { ids }) => sum + ids.length, 0);
}
