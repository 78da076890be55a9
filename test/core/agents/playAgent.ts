/** Plays rollouts with agents that are functions in a test. */

import type { AgentEnd, AgentRollout, AgentSettings } from "../../../src/core/agents/agent.ts";
import { AgentEpisode } from "../../../src/core/agents/agentEpisode.ts";
import type { Chat } from "../../../src/core/chat/chat.ts";
import { messageJson } from "../../../src/core/chat/openaiMessages.ts";
import type { PolicyTurn } from "../../../src/core/endpoint/endpointModel.ts";
import { readChatCompletion } from "../../../src/core/endpoint/openaiChat.ts";
import { imageAddress } from "../../../src/core/images/imageFile.ts";
import type { EpisodeOptions } from "../../../src/core/rollout/episode.ts";
import type { RolloutSettings } from "../../../src/core/rollout/settings.ts";
import { raceAbort } from "../../../src/core/util/abort.ts";
import { sha256 } from "../../../src/node/hash.ts";
import { FakeClock } from "../../fakes/fakeClock.ts";
import { aLimit } from "../rollout/builders.ts";
import { type SessionScript, scriptedSession } from "../rollout/scriptedEnvironment.ts";
import {
  renderer,
  type SamplerOptions,
  scriptedSampler,
  type TurnScript,
  tokenizer,
} from "../rollout/scriptedModel.ts";
import { ENVIRONMENT, someSettings } from "../training/builders.ts";

type Message = Readonly<Record<string, unknown>>;

const declared = (name: string, description: string) => ({
  type: "function",
  function: { name, description, parameters: { type: "object", properties: {} } },
});

/** The tools of a scripted session, as an agent declares them. */
export const TOOLS = [declared("add", "Adds."), declared("answer", "Ends.")];

/** What an agent program can do. */
export interface Caller extends AgentRollout {
  /** Requests a turn as a client of OpenAI's protocol does. */
  readonly ask: (
    messages: readonly Message[],
    more?: Readonly<Record<string, unknown>>,
  ) => Promise<PolicyTurn>;
}

/** Returns the exit code, or how the program ended. */
export type AgentProgram = (caller: Caller) => Promise<number | AgentEnd>;

export interface AgentScript extends SessionScript {
  /** Replaces the embedded model's chat. */
  readonly chat?: Chat | undefined;
  readonly sampling?: SamplerOptions;
  readonly turns: readonly TurnScript[];
  readonly settings?: Partial<RolloutSettings> | undefined;
  readonly agent?: Partial<AgentSettings>;
  readonly program: AgentProgram;
  readonly onMessages?: EpisodeOptions["onMessages"];
  /** Its `reward_command`, if any. */
  readonly grader?: ((signal: AbortSignal) => Promise<AgentEnd>) | undefined;
}

export function anAgentEpisode(script: AgentScript) {
  const { chat = { renderer, tokenizer }, sampling } = script;
  const { turns, settings, agent, program, grader, onMessages, ...session } = script;
  const clock = new FakeClock();
  const sampler = scriptedSampler(turns, sampling);
  const scripted = scriptedSession(session);
  const episode = new AgentEpisode({
    session: scripted,
    sampler,
    chat,
    clock,
    settings: someSettings(settings),
    environment: ENVIRONMENT,
    seedOf: (turn) => 100 + turn,
    sampleSlot: async () => () => undefined,
    limit: aLimit(clock),
    task: { split: "train", index: 3 },
    sha256,
    onMessages,
    agent: {
      settings: { timeoutMs: null, reward: "session", ...agent },
      run: async (rollout) => {
        const ask: Caller["ask"] = (messages, more = {}) => {
          const { signal } = rollout;
          const body = { model: "any", messages, tools: TOOLS, ...more };
          const needs = { signal, needsLogprobs: true };
          return rollout.model.turn(readChatCompletion(body), needs);
        };
        const played = raceAbort(program({ ...rollout, ask }), rollout.signal);
        if (grader === undefined) return endOf(await played);
        return await rollout.graded(endOf(await played.catch(() => null)), grader);
      },
    },
  });
  return { clock, episode, sampler, session: scripted };
}

/** Null: the rollout ended it. */
function endOf(ended: Awaited<ReturnType<AgentProgram>> | null): AgentEnd {
  if (typeof ended === "object" && ended !== null) return ended;
  return { code: ended, output: "", rewardLine: null };
}

/** The finished episode and its stop reason. */
export async function playAgent(script: AgentScript) {
  const parts = anAgentEpisode(script);
  return { ...parts, stop: await parts.clock.run(parts.episode.play()) };
}

/** A turn as its caller repeats it. */
export function said({ text, calls }: PolicyTurn): Message {
  return {
    role: "assistant",
    content: text,
    tool_calls: calls.map(({ id, name, args }) => {
      return { id, type: "function", function: { name, arguments: JSON.stringify(args) } };
    }),
  };
}

/** Runs the calls of a turn in the session, and returns the results for the model. */
export async function results({ tools }: Caller, { calls }: PolicyTurn) {
  const answers: Message[] = [];
  for (const { id, name, args } of calls) {
    const { parts } = await tools.call(name, args);
    const content = parts.map((part) =>
      typeof part === "string"
        ? { type: "text", text: part }
        : { type: "image_url", image_url: { url: imageAddress(part) } },
    );
    answers.push({ role: "tool", tool_call_id: id, content });
  }
  return answers;
}

/** The built-in loop's behavior: runs all calls of each turn, until a turn without one. */
export const loop: AgentProgram = async (caller) => {
  const { images, messages: opening } = caller.task;
  const messages: Message[] = opening.map((message) => messageJson(message, images));
  for (;;) {
    const turn = await caller.ask(messages);
    if (turn.calls.length === 0) return 0;
    messages.push(said(turn), ...(await results(caller, turn)));
  }
};
