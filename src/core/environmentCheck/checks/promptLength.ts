/** Prompts leave room for a rollout. */

import { formatCount } from "../../../shared/format.ts";
import { type EnvironmentCheck, found } from "../probe/finding.ts";
import { taskName } from "../probe/probe.ts";
import { promptSample } from "../probe/taskSample.ts";

/** English has about four to a token; without the tokenizer this is an estimate. */
const UNITS_PER_TOKEN = 4;
const LONG_TOKENS = 32_768;

export const promptLength: EnvironmentCheck = {
  id: "prompt-length",
  rule: "Prompts fit the context with room for an answer.",
  async run(probe) {
    const sample = await promptSample(probe);
    const longest = sample.toSorted((a, b) => b.prompt.length - a.prompt.length)[0];
    if (longest === undefined) return found("no prompts");
    const tokens = Math.round(longest.prompt.length / UNITS_PER_TOKEN);
    const { maxTotalTokens } = probe.options;
    const limit = maxTotalTokens ?? LONG_TOKENS;
    const what = maxTotalTokens === null ? "" : " of max_total_tokens";
    return found(
      `longest prompt about ${formatCount(tokens)} tokens`,
      tokens < limit
        ? null
        : {
            severity: "warning",
            message: `A prompt has about ${formatCount(tokens)} tokens; the limit${what} is ${formatCount(limit)}.`,
            evidence: {
              task: taskName(longest),
              numbers: `${formatCount(longest.prompt.length)} characters, four to a token`,
            },
            advice:
              "Shorten the prompt, raise max_total_tokens, or use a model with a longer context.",
          },
    );
  },
};
