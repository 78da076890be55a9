import { describe, expect, it } from "vitest";
import { createRenderer } from "../../src/core/chat/setup/createRenderer.ts";
import { Episode } from "../../src/core/rollout/episode.ts";
import { NO_CALL_NUDGE } from "../../src/core/rollout/feedback.ts";
import type { SampleRequest, SamplingClient } from "../../src/core/tinker/samplingClient.ts";
import { aLimit } from "../core/rollout/builders.ts";
import { result, scriptedSession } from "../core/rollout/scriptedEnvironment.ts";
import { ENVIRONMENT, someSettings } from "../core/training/builders.ts";
import { FakeClock } from "../fakes/fakeClock.ts";
import { encodeWhole, qwen3Model } from "../node/tokenizer/qwen3Model.ts";

const thought = (text: string): string => `<think>\n${text}\n</think>\n\n`;
const call = (name: string, args = "{}"): string =>
  `<tool_call>\n{"name": "${name}", "arguments": ${args}}\n</tool_call>`;
const TURNS = [
  `${thought("What is asked?")}I shall add.<|im_end|>`,
  `${thought("I need 2 and 3.")}${call("add", '{"a": 2, "b": 12345678901234567890}')}<|im_end|>`,
  `${thought("Five.")}${call("answer")}<|im_end|>`,
] as const;

/** Answers with the turns in order; every token of turn k has the log-probability -k. */
function sampler() {
  const requests: SampleRequest[] = [];
  const client: SamplingClient = {
    samplerId: "scripted",
    baseModel: null,
    sample: async (request) => {
      const tokens = encodeWhole(TURNS[requests.length] ?? "");
      requests.push(request);
      const logprobs = tokens.map(() => -requests.length);
      return { tokens, logprobs, stopReason: "stop", sequenceId: null };
    },
    computeLogprobs: async (tokens) => tokens.map(() => null),
  };
  return { client, requests };
}

function setUp(thinking: { readonly enabled: boolean; readonly retention: "all" | "template" }) {
  return createRenderer({
    model: qwen3Model,
    date: "2026-01-02",
    config: {
      model_name: "Qwen/Qwen3-8B",
      chat_format: "auto",
      system_prompt_template: "{tools}",
      thinking: { effort: null, ...thinking },
    },
  });
}

async function play(retention: "all" | "template") {
  const { renderer, retention: kept } = setUp({ enabled: true, retention });
  const { client, requests } = sampler();
  const clock = new FakeClock();
  const episode = new Episode({
    session: scriptedSession({
      onCall: ({ name }) =>
        name === "answer" ? result("", { finished: true, reward: 1 }) : result("5"),
    }),
    chat: { renderer, tokenizer: qwen3Model.tokenizer, retention: kept },
    settings: someSettings({ systemPromptTemplate: "Tools: {tools}" }),
    sampler: client,
    clock,
    environment: ENVIRONMENT,
    seedOf: (turn) => turn,
    sampleSlot: async () => () => undefined,
    limit: aLimit(clock),
  });
  expect(await clock.run(episode.play())).toBe("reached_terminal_state");
  return { episode, requests };
}

const PROMPT = encodeWhole(`<|im_start|>user\nAdd 2 and 3.<|im_end|>\n<|im_start|>assistant\n`);
const textOf = (tokens: ArrayLike<number> = []): string => qwen3Model.tokenizer.decode(tokens);

describe("thinking.retention: template", () => {
  it("drops earlier reasoning where Qwen3's template does, in a stream of its own", async () => {
    const { episode, requests } = await play("template");
    const [first, second, ...others] = episode.streams;
    expect(others).toEqual([]);
    expect(textOf(first?.tokens).endsWith(textOf(PROMPT) + TURNS[0])).toBe(true);
    // The message of the user drops the thought; the result of the tool keeps the next one.
    const opened = textOf(PROMPT).replace(/<\|im_start\|>assistant\n$/, "");
    expect(textOf(second?.tokens)).toContain(
      `${opened}<|im_start|>assistant\nI shall add.<|im_end|>\n<|im_start|>user\n${NO_CALL_NUDGE}<|im_end|>\n<|im_start|>assistant\n` +
        `${TURNS[1]}\n<|im_start|>user\n<tool_response>\n5\n</tool_response><|im_end|>\n<|im_start|>assistant\n${TURNS[2]}`,
    );
    expect([episode.streamBreaks, episode.turns.map(({ stream }) => stream)]).toEqual([
      1,
      [0, 1, 1],
    ]);
    expect(requests.map(({ seed }) => seed)).toEqual([0, 1, 2]);
    expect(requests[1]?.prompt).toEqual(second?.tokens.slice(0, requests[1]?.prompt.length));
  });

  it("trains each sampled token once, behind what it was sampled from", async () => {
    const { episode, requests } = await play("template");
    const trained = episode.streams.flatMap(({ tokens, mask, logprobs }) =>
      [...tokens].flatMap((token, i) => (mask[i] === 1 ? [[token, logprobs[i]]] : [])),
    );
    expect(trained).toEqual(
      TURNS.flatMap((text, turn) => encodeWhole(text).map((token) => [token, -(turn + 1)])),
    );
    requests.forEach(({ prompt }, turn) => {
      const stream = episode.streams[turn === 0 ? 0 : 1];
      const at = stream?.turns.findIndex((of, i) => of === turn && stream.mask[i] === 1);
      expect(stream?.tokens.slice(0, at)).toEqual(prompt);
    });
  });

  it("leaves one stream to a rollout that keeps all", async () => {
    const { episode } = await play("all");
    expect([episode.streams.length, episode.streamBreaks]).toEqual([1, 0]);
    expect(textOf(episode.streams[0]?.tokens)).toContain("What is asked?");
  });

  it("says where it has no effect", () => {
    const none = /^thinking\.retention: template has no effect/;
    expect(setUp({ enabled: true, retention: "template" })).toMatchObject({
      retention: "template",
      warnings: [],
    });
    expect(setUp({ enabled: false, retention: "template" })).toMatchObject({
      retention: "all",
      warnings: [expect.stringMatching(none)],
    });
  });
});
