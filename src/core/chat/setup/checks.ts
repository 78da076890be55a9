/** Runs a list of pre-run checks in order; the first failure rejects the run. */

import { AppError, errorMessage } from "../../errors.ts";
import { OTHER_TOKENIZER } from "../pieces.ts";
import type { Renderer } from "../renderer.ts";
import type { Tokenizer } from "../tokenizer.ts";

/** Returns a description of the problem, including what was tried, or null. */
export type Check<Context> = (context: Context) => string | null;

const ROUND_TRIPS = [
  "Hello, world!",
  "  two\n\n lines\t\n",
  'é 漢字 🙂 {"a": [1, null]}',
  "0123456789",
];

/** Advice after any failed check; the same for all because the cause is the same. */
const ADVICE = `The run does not start, because training would go wrong without any error. ${OTHER_TOKENIZER}`;

/** @throws AppError `chat-self-check` for the first check that fails */
export function requireChecks<Context>(
  { id }: Renderer,
  checks: Readonly<Record<string, Check<Context>>>,
  context: Context,
): void {
  for (const [name, check] of Object.entries(checks)) {
    const problem = run(check, context);
    if (problem === null) continue;
    throw new AppError(
      "chat-self-check",
      `The chat format ${id} failed its check: ${problem}. ${ADVICE}`,
      { data: { check: name, renderer: id }, configPath: "tokenizer_name" },
    );
  }
}

function run<Context>(check: Check<Context>, context: Context): string | null {
  try {
    return check(context);
  } catch (error) {
    return errorMessage(error).replace(OTHER_TOKENIZER, "").trimEnd().replace(/\.$/, "");
  }
}

export function roundTripProblem(tokenizer: Tokenizer): string | null {
  const lost = ROUND_TRIPS.find((text) => tokenizer.decode(tokenizer.encodeText(text)) !== text);
  return lost === undefined
    ? null
    : `the tokenizer encodes ${JSON.stringify(lost)} and decodes something else`;
}
