/**
 * Measures the overhead of playing rollouts with an agent compared to the built-in loop: the endpoint alone, and with a small Node
 * program per rollout. Turns are scripted, so that nothing else takes time. Run: `npm run bench:agents`.
 */

import { join, resolve } from "node:path";
import type { Agent, AgentRollout } from "../src/core/agents/agent.ts";
import { AgentEpisode } from "../src/core/agents/agentEpisode.ts";
import { createControlTokens } from "../src/core/chat/controlTokens.ts";
import { chatml } from "../src/core/chat/template/templateFamily.ts";
import { createTemplateRenderer } from "../src/core/chat/template/templateRenderer.ts";
import { chatCompletion, readChatCompletion } from "../src/core/endpoint/openaiChat.ts";
import { Episode, type RolloutEpisode } from "../src/core/rollout/episode.ts";
import { Redactor } from "../src/core/secrets/redaction/redactor.ts";
import type { SamplingClient } from "../src/core/tinker/samplingClient.ts";
import { deadline, timeoutError } from "../src/core/util/abort.ts";
import { parseExactJson, writeExactJson } from "../src/core/util/exactJson.ts";
import { systemClock } from "../src/node/clock.ts";
import { sha256 } from "../src/node/hash.ts";
import { loadModelTokenizer } from "../src/node/tokenizer/modelTokenizer.ts";
import { AgentHost } from "../src/trainer/agents/agentHost.ts";
import { result, scriptedSession } from "../test/core/rollout/scriptedEnvironment.ts";
import {
  aConfig,
  anEnvironment,
  ENVIRONMENT,
  someSettings,
} from "../test/core/training/builders.ts";
import { silentLog } from "../test/fakes/silentLog.ts";
import { inBenchFolder, PROGRAMS } from "./benchFolder.ts";
import { print } from "./measure.ts";
import { type Taken, take } from "./observe.ts";

const TURNS = 8;
const AT_ONCE = [64, 256];
/** Unmeasured rounds, so that the code is compiled. */
const WARM_UPS = 2;
const PROGRAM = resolve("test/integration/agents/openai.mjs");

const model = await loadModelTokenizer(resolve("src/local/engine/model"));
const chat = {
  tokenizer: model.tokenizer,
  renderer: createTemplateRenderer({ model, family: chatml, thinking: false }),
};
const controls = createControlTokens(model.tokenizer);

function turnOf(name: string, args: object): readonly number[] {
  const call = JSON.stringify({ name, arguments: args });
  return controls.encode(`<tool_call>${call}</tool_call><|im_end|>`);
}

const CALL = turnOf("add", { a: 2, b: 3 });
const LAST = turnOf("answer", { value: 5 });

/** Samples scripted calls and ends with the last one. */
function scriptedSampler(): SamplingClient {
  let count = 0;
  return {
    samplerId: "bench",
    baseModel: null,
    sample: async () => {
      count += 1;
      const tokens = count < TURNS ? CALL : LAST;
      const logprobs = tokens.map(() => -0.5);
      return { tokens, logprobs, stopReason: "stop" };
    },
    computeLogprobs: async (tokens) => tokens.map(() => -0.5),
  };
}

function anEpisode(agent: Agent | null): RolloutEpisode {
  const onLimit = (): Error => timeoutError("The rollout", null);
  const options = {
    chat,
    session: scriptedSession({
      onCall: ({ name }) => result("5", { finished: name === "answer" }),
    }),
    sampler: scriptedSampler(),
    clock: systemClock,
    environment: ENVIRONMENT,
    settings: someSettings(),
    seedOf: () => undefined,
    sampleSlot: async () => () => undefined,
    limit: deadline({ clock: systemClock, limitMs: null, onLimit }),
  };
  if (agent === null) return new Episode(options);
  return new AgentEpisode({ ...options, agent, task: { split: "train", index: 3 }, sha256 });
}

/** The endpoint as an agent program uses it, without connections and processes. */
const inProcess: Agent = {
  settings: { timeoutMs: null, reward: "session" },
  run: async (rollout) => {
    const messages: object[] = [{ role: "user", content: rollout.task.prompt }];
    for (let turn = 0; turn < TURNS; turn += 1)
      messages.push(...(await oneTurn(rollout, messages)));
    return { code: 0, output: "", rewardLine: null };
  },
};

async function oneTurn(
  { task, model, tools: session, signal }: AgentRollout,
  messages: readonly object[],
): Promise<readonly object[]> {
  const tools = task.tools.map(({ name }) => ({ type: "function", function: { name } }));
  const request = readChatCompletion(parseExactJson(JSON.stringify({ messages, tools })));
  const turn = await model.turn(request, { signal, needsLogprobs: true });
  const facts = { id: "1", model: "bench", created: 0 };
  const { message } = JSON.parse(writeExactJson(chatCompletion(turn, request, facts))).choices[0];
  const results = [];
  for (const { id, function: made } of message.tool_calls) {
    const { parts } = await session.call(made.name, JSON.parse(made.arguments));
    results.push({ role: "tool", tool_call_id: id, content: parts.join("") });
  }
  return [message, ...results];
}

async function play(agent: Agent | null, count: number): Promise<Taken<void>> {
  return await take(async () => {
    const episodes = Array.from({ length: count }, () => anEpisode(agent));
    const stops = await Promise.all(episodes.map((episode) => episode.play()));
    const isWhole = episodes.every(({ turnCount }) => turnCount === TURNS);
    if (!isWhole || stops.some((stop) => stop !== "reached_terminal_state")) {
      throw new Error(`Rollouts ended early: ${[...new Set(stops)].join()}`);
    }
  });
}

async function warm(agent: Agent | null, count: number): Promise<Taken<void>> {
  for (let round = 0; round < WARM_UPS; round += 1) await play(agent, count);
  return await play(agent, count);
}

const environments = {
  [ENVIRONMENT]: anEnvironment({
    agent: {
      command: [process.execPath, PROGRAM],
      protocol: "openai",
      env: null,
      timeout: null,
      reward: "session",
      reward_command: null,
    },
  }),
};
await inBenchFolder(async (folder, cleanup) => {
  const host = new AgentHost({
    config: aConfig({ environments }),
    configPath: join(folder, "config.yaml"),
    variables: () => null,
    programs: { folder: PROGRAMS },
    redactor: new Redactor(),
    log: silentLog,
    cleanup,
    signal: new AbortController().signal,
  });
  for (const count of AT_ONCE) {
    const turns = count * TURNS;
    const native = await warm(null, count);
    const endpoint = await warm(inProcess, count);
    const programs = await play(host.agentOf(ENVIRONMENT), count);
    const ms = (seconds: number): number => (seconds * 1000) / turns;
    const name = `${count} at once`;
    print({ name: `${name}: built-in loop`, value: ms(native.cpuS), unit: "CPU ms per turn" });
    print({ name: `${name}: endpoint`, value: ms(endpoint.cpuS), unit: "CPU ms per turn" });
    print({
      name: `${name}: endpoint`,
      value: endpoint.cpuS / native.cpuS,
      unit: "times the loop",
    });
    print({ name: `${name}: with programs`, value: ms(programs.cpuS), unit: "CPU ms per turn" });
    print({
      name: `${name}: with programs`,
      value: programs.cpuS / native.cpuS,
      unit: "times the loop",
    });
    print({
      name: `${name}: with programs`,
      value: count / programs.wallS,
      unit: "rollouts per second",
    });
  }
});
