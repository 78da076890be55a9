/** Sampling settings with the same names in all protocols. */

import type { AskedSampling } from "./endpointRequest.ts";
import type { RequestFields } from "./requestFields.ts";

/** As many as servers of open models accept. */
export const MAX_STOP_TEXTS = 16;
const MAX = Number.MAX_SAFE_INTEGER;

/** `maxTokensKeys` are the names for the token limit of a turn; the first one set applies. @throws ColumnError */
export function samplingIn(
  fields: RequestFields,
  maxTokensKeys: readonly string[],
  maxTemperature: number,
): AskedSampling {
  const topK = fields.number("top_k", { from: -1, to: MAX, isInteger: true });
  const asked = maxTokensKeys.map((key) =>
    fields.number(key, { from: 1, to: MAX, isInteger: true }),
  );
  return {
    temperature: fields.number("temperature", { from: 0, to: maxTemperature }),
    topP: fields.number("top_p", { above: 0, to: 1 }),
    topK: topK === 0 ? -1 : topK,
    maxTokens: asked.find((tokens) => tokens !== null) ?? null,
    seed: fields.number("seed", { from: 0, to: 2 ** 31 - 1, isInteger: true }),
  };
}
