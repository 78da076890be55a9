/** The first prompt of a task: its tokens as text, how a turn ends, and an example call with its result. */

/** A control token, an image, or a stretch of ordinary tokens. */
export interface PromptPiece {
  /** Decoded text; for a control token, its name. */
  readonly text: string;
  /** True for what ordinary text never encodes to: an added token of the tokenizer, or an image. */
  readonly isControl: boolean;
  /** Ids of an image are negative. */
  readonly ids: readonly number[];
}

/** A call of the first tool in the model's format, with arguments made up from the tool's schema. */
export interface ExampleCall {
  /** For display: `tool({"argument": "value"})`. */
  readonly call: string;
  /** The turn as the model would write it, including the end token. */
  readonly turn: readonly PromptPiece[];
  /** True when the program parses the same call back from `turn`. */
  readonly isRead: boolean;
  /** From the end of the turn to the start of the next one, including a made-up result. */
  readonly bridge: readonly PromptPiece[];
}

export interface PromptDescription {
  readonly model: string;
  /** Name of the chat format. */
  readonly format: string;
  readonly environment: string;
  readonly split: string;
  /** Index in the split, from 0. */
  readonly index: number;
  readonly tools: readonly string[];
  readonly prompt: readonly PromptPiece[];
  /** `max_total_tokens` of the configuration; the prompt must leave room within it. */
  readonly maxTotalTokens: number;
  /** Tokens that end a turn; without ids for formats that stop on a text. */
  readonly stops: readonly PromptPiece[];
  /** Null when there is no example; `exampleProblem` says why. */
  readonly example: ExampleCall | null;
  readonly exampleProblem: string | null;
  /** Sentences about settings without effect on this model, and about omitted parts. */
  readonly warnings: readonly string[];
}

export function countTokens(pieces: readonly PromptPiece[]): number {
  return pieces.reduce((sum, { ids }) => sum + ids.length, 0);
}
