/** Checks that prompts and answers suit the model: its context length, and whether it reads images. */

import { formatCount } from "../../../shared/format.ts";
import { isAppError } from "../../errors.ts";
import { describeCall } from "../probe/answer.ts";
import { type EnvironmentCheck, found, notMade } from "../probe/finding.ts";
import { playedSteps, randomPlays, stepEvidence } from "../probe/players.ts";
import { type Probe, taskName } from "../probe/probe.ts";
import { promptSample } from "../probe/taskSample.ts";

const LONG_TOKENS = 32_768;
const ABOUT = "counted with about four letters per token, and one per character of other scripts";
const LONGER = "Shorten it, raise max_total_tokens, or use a model with a longer context.";

export const promptLength: EnvironmentCheck = {
  id: "prompt-length",
  rule: "Prompts fit the context with room for an answer.",
  async run(probe) {
    const sample = await promptSample(probe);
    const longest = sample.toSorted((a, b) => aboutTokens(b.prompt) - aboutTokens(a.prompt))[0];
    if (longest === undefined) return found("no prompts");
    const counted = await countedTokens(probe, longest);
    const tools = aboutTokens(JSON.stringify(await probe.tools()));
    const tokens = counted ?? aboutTokens(longest.prompt) + tools;
    const { limit, what } = limitOf(probe);
    const about = counted === null ? "about " : "";
    const length = `${about}${formatCount(tokens)} tokens with its tools`;
    return found(
      `longest prompt ${length}`,
      tokens < limit
        ? null
        : {
            severity: counted === null ? "warning" : "defect",
            message: `A prompt has ${length}; the limit${what} is ${formatCount(limit)}.`,
            evidence: {
              task: taskName(longest),
              numbers: `${formatCount(longest.prompt.length)} characters${counted === null ? `, ${ABOUT}` : ""}`,
            },
            advice: LONGER,
          },
    );
  },
};

/** Tokens as the model reads them; null if unknown. */
async function countedTokens(
  probe: Probe,
  task: Parameters<Probe["promptTokens"]>[0],
): Promise<number | null> {
  try {
    return await probe.promptTokens(task);
  } catch (error) {
    // Content that a model cannot read has its own check.
    if (isAppError(error)) return null;
    throw error;
  }
}

export const answerLength: EnvironmentCheck = {
  id: "answer-length",
  rule: "Answers of tools fit the context.",
  async run(probe) {
    await randomPlays(probe);
    const steps = playedSteps(probe).map((paid) => ({
      paid,
      tokens: aboutTokens(paid.step.answer.text),
    }));
    const [longest] = steps.toSorted((a, b) => b.tokens - a.tokens);
    if (longest === undefined) return notMade("no tool was called");
    const { paid, tokens } = longest;
    const { limit, what } = limitOf(probe);
    return found(
      `longest answer about ${formatCount(tokens)} tokens`,
      tokens < limit
        ? null
        : {
            severity: "warning",
            message: `An answer of ${paid.step.tool} has about ${formatCount(tokens)} tokens; the limit${what} is ${formatCount(limit)}.`,
            evidence: {
              task: taskName(paid.task),
              call: describeCall(paid.step),
              numbers: `${formatCount(paid.step.answer.text.length)} characters, ${ABOUT}`,
            },
            advice: LONGER,
          },
    );
  },
};

export const images: EnvironmentCheck = {
  id: "images",
  rule: "Images are sent to models that read them.",
  async run(probe) {
    const { readsImages } = probe.options;
    if (readsImages === undefined) return notMade("whether the model reads images is unknown");
    await promptSample(probe);
    await randomPlays(probe);
    const prompt = probe.plays.find(({ hasImage }) => hasImage);
    const result = playedSteps(probe).find(
      ({ step: { answer } }) => answer.kind === "result" && answer.hasImage,
    );
    if (prompt === undefined && result === undefined) return found("no images");
    if (readsImages) return found("read by the model");
    return found(undefined, {
      severity: "defect",
      message: `${prompt === undefined ? "Answers" : "Prompts"} hold images, and the model reads none: such rollouts fail.`,
      evidence: prompt === undefined ? stepEvidence(result) : { task: taskName(prompt.task) },
      advice:
        "Set on_image of the environment to placeholder, or choose a model that reads images.",
    });
  },
};

function limitOf({ options: { maxTotalTokens } }: Probe): {
  readonly limit: number;
  readonly what: string;
} {
  return maxTotalTokens === null
    ? { limit: LONG_TOKENS, what: "" }
    : { limit: maxTotalTokens, what: " of a rollout" };
}

/** English has about four letters per token, other scripts about one. */
function aboutTokens(text: string): number {
  const others =
    text.match(/[^\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]/gu)?.length ?? 0;
  return Math.round(others + (text.length - others) / 4);
}
