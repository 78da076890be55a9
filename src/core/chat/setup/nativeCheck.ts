/** Checks before training that a format of ours and the tokenizer fit together. */

import { AppError } from "../../errors.ts";
import type { InitialMessage, Renderer, ToolDeclaration } from "../renderer.ts";
import type { Tokenizer } from "../tokenizer.ts";

const ROUND_TRIPS = ["Hello, world!", "  two\n\n lines\t\n", 'é 漢字 🙂 {"a": [1, null]}'];

/**
 * The tokenizer must give text back, and text from outside must not become a control token.
 * @throws AppError `chat-self-check`
 */
export function checkNativeRenderer(renderer: Renderer, tokenizer: Tokenizer): void {
  const lost = ROUND_TRIPS.find((text) => tokenizer.decode(tokenizer.encodeText(text)) !== text);
  if (lost !== undefined) {
    throw failed(renderer, `the tokenizer does not give ${JSON.stringify(lost)} back`);
  }
  const added = new Set(tokenizer.addedTokens.map(({ id }) => id));
  const count = (ids: readonly number[]): number => ids.filter((id) => added.has(id)).length;
  const forged = tokenizer.addedTokens.map(({ text }) => text).join("");
  const [benign, hostile] = ["x", forged].map((text) =>
    count([
      ...renderer.renderInitial(...promptWith(text)),
      ...renderer.bridge([], [{ kind: "tool_result", name: "probe", callId: "0", content: text }])
        .delta,
    ]),
  );
  if (benign !== hostile) {
    throw failed(renderer, "text from an environment can forge control tokens");
  }
}

function promptWith(text: string): [InitialMessage[], ToolDeclaration[]] {
  const parameters = { type: "object", properties: { x: { type: "string", description: text } } };
  return [
    [{ role: "user", content: `Task ${text}` }],
    [{ type: "function", function: { name: "probe", description: text, parameters } }],
  ];
}

function failed({ id }: Renderer, problem: string): AppError {
  return new AppError(
    "chat-self-check",
    `The chat format ${id} does not hold: ${problem}. Training would go wrong without any error, so the run does not start. ` +
      "Set `tokenizer_name` to the tokenizer of the model that is trained, or another `chat_format`.",
    { configPath: "tokenizer_name", data: { renderer: id } },
  );
}
