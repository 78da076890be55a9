import { describe, expect, it, vi } from "vitest";
import { readChatCompletion } from "../../../src/core/endpoint/openaiChat.ts";
import { AppError, isAppError } from "../../../src/core/errors.ts";
import type { Ledger } from "../../../src/core/rollout/ledger.ts";
import { rolloutRecordSchema } from "../../../src/core/runFolder/rollouts/rolloutRecord.ts";
import { raceAbort } from "../../../src/core/util/abort.ts";
import { playEpisode } from "../rollout/builders.ts";
import {
  IMAGE,
  result,
  type SessionScript,
  scriptedSession,
} from "../rollout/scriptedEnvironment.ts";
import { call, encode, ended, scriptedSampler, tokenizer } from "../rollout/scriptedModel.ts";
import { aRecord } from "../runFolder/builders.ts";
import { ENVIRONMENT } from "../training/builders.ts";
import {
  type AgentScript,
  anAgentEpisode,
  loop,
  playAgent,
  results,
  said,
  TOOLS,
} from "./playAgent.ts";

const ADD = ended(`Let me see. ${call("add", { a: 2, b: 3 })}`);
const ANSWER = ended(call("answer"));
const DONE = ended("It is 5.");
const user = (content: string) => ({ role: "user", content });
const system = (content: string) => ({ role: "system", content });

/** Adds until the answer, which ends the episode with a reward. */
const game: Required<Pick<SessionScript, "onCall">> = {
  onCall: ({ name }) =>
    name === "answer"
      ? result("Right.", { reward: 1, finished: true })
      : result("5", { reward: 0.5 }),
};

function arraysOf(ledger: Ledger) {
  const { tokens, logprobs, mask, sources, turns } = ledger;
  return { tokens, logprobs, mask, sources, turns };
}

/** The trained texts, stream by stream. */
function trained(streams: readonly Ledger[]): readonly string[] {
  return streams.map(({ tokens, mask }) =>
    tokenizer.decode([...tokens].filter((_, i) => mask[i] === 1)),
  );
}

describe("an agent that behaves like the built-in loop", () => {
  it("produces the same tokens, rewards, and stop reason", async () => {
    const turns = [ADD, ADD, ANSWER];
    const native = await playEpisode({
      session: scriptedSession(game),
      sampler: scriptedSampler(turns),
      settings: {},
    });
    const { episode, stop } = await playAgent({ ...game, turns, program: loop });
    expect(episode.streams.map(arraysOf)).toEqual(native.episode.streams.map(arraysOf));
    expect(stop).toBe(native.stop);
    expect(episode.played.rewards).toEqual([0.5, 0.5, 1]);
    expect(episode.played.promptText).toBe(native.episode.played.promptText);
    expect(episode.played.conversation).toEqual(native.episode.played.conversation);
    const without = ({
      calls,
      results: own,
      content,
      stream,
    }: (typeof episode.played.turns)[number]) => {
      return { calls, results: own, content, stream };
    };
    expect(episode.played.turns.map(without)).toEqual(native.episode.played.turns.map(without));
    expect(episode.played.turnFacts).toEqual(native.episode.played.turnFacts);
  });

  it("samples with the run's settings and seeds, whatever it requests", async () => {
    const { sampler } = await playAgent({
      ...game,
      turns: [ANSWER],
      settings: { temperature: 0.7, topP: 0.9, topK: 20, maxResponseTokens: 64 },
      program: async (caller) => {
        const asked = { temperature: 0, top_p: 0.1, seed: 5, max_tokens: 32 };
        await results(caller, await caller.ask([user("Add 2 and 3.")], asked));
        return 0;
      },
    });
    const settings = { temperature: 0.7, topP: 0.9, topK: 20, seed: 100, maxTokens: 32 };
    expect(sampler.requests).toMatchObject([settings]);
  });
});

describe("an agent with several conversations", () => {
  it("has a stream for each, and trains each sampled token once", async () => {
    const { episode } = await playAgent({
      turns: [ADD, DONE, ADD, DONE],
      program: async (caller) => {
        const main = [user("Add 2 and 3.")];
        const turn = await caller.ask(main);
        const [helper] = await Promise.all([
          caller.ask([system("You check sums."), user("Is 2 + 3 = 5?")]),
        ]);
        const answers = await results(caller, turn);
        const next = await caller.ask([...main, said(turn), ...answers]);
        // It compacts: the history is now a summary.
        await caller.ask([user(`Add 2 and 3. So far: ${helper.text} ${next.text}`)]);
        return 0;
      },
    });
    const texts = [`${ADD}${ADD}`, DONE, DONE];
    expect(trained(episode.streams)).toEqual(texts);
    expect(episode.played.turns.map(({ stream }) => stream)).toEqual([0, 1, 0, 2]);
    expect(episode.streams.map(({ turns }) => Math.max(...turns))).toEqual([2, 1, 3]);
    expect(episode.played.streamBreaks).toBe(2);
    expect(episode.played.turns.map(({ asked }) => asked)).toEqual([
      undefined,
      "[system]\nYou check sums.\n\n[user]\nIs 2 + 3 = 5?",
      undefined,
      "Add 2 and 3. So far: It is 5. Let me see.",
    ]);
  });

  it("is stored with the tools that its first turn could call", async () => {
    const [, answer] = TOOLS;
    const { episode } = await playAgent({
      turns: [DONE, DONE],
      program: async ({ ask }) => {
        await ask([user("First.")], { tools: [answer] });
        await ask([user("Second.")]);
        return 0;
      },
    });
    const parameters = JSON.stringify(answer?.function.parameters);
    expect(episode.played.tools).toEqual([{ name: "answer", description: "Ends.", parameters }]);
  });

  it("starts with the conversation of its first answered turn", async () => {
    const { episode } = await playAgent({
      turns: [DONE],
      program: async ({ ask }) => {
        await Promise.all([ask([user("First.")]), ask([user("Second.")])]);
        return 0;
      },
    });
    expect(episode.played.conversation).toEqual([{ type: "user_message", content: "First." }]);
  });

  it("samples different turns for repeated messages and in other conversations, in any order", async () => {
    const asked = [user("Add 2 and 3.")];
    const other = [system("You check sums."), ...asked];
    const seedsOf = async (order: readonly (typeof asked)[]) => {
      const { sampler } = await playAgent({
        turns: [DONE],
        program: async ({ ask }) => {
          for (const messages of order) await ask(messages);
          const turn = await ask(asked);
          await ask([...asked, said(turn), user("Another one.")]);
          return 0;
        },
      });
      return sampler.requests.map(({ seed }) => seed);
    };
    const seeds = await seedsOf([asked, other, other]);
    expect(new Set(seeds).size).toBe(5);
    expect([seeds[0], seeds[4]]).toEqual([100, 101]);
    const reordered = await seedsOf([other, asked, other]);
    expect(new Set(reordered)).toEqual(new Set(seeds));
  });

  it("trains nothing of a request that it abandons", async () => {
    const given = new AbortController();
    const { clock, episode, sampler } = anAgentEpisode({
      turns: ["hang", DONE],
      program: async ({ model, signal, ask }) => {
        const messages = [user("Hello.")];
        const asked = readChatCompletion({ model: "any", messages, tools: [] });
        const until = AbortSignal.any([signal, given.signal]);
        const turn = model.turn(asked, { signal: until, needsLogprobs: true });
        turn.catch(() => undefined);
        while (sampler.requests.length === 0) await null;
        given.abort(new Error("the client is gone"));
        await turn.catch(() => undefined);
        await ask(messages, { tools: [] });
        return 0;
      },
    });
    await clock.run(episode.play());
    const [abandoned, repeated] = sampler.requests.map(({ seed }) => seed);
    expect(abandoned).toBe(repeated);
    expect(trained(episode.streams)).toEqual([DONE]);
  });

  it("continues in the same conversation with a repeated request", async () => {
    const given = new AbortController();
    const { clock, episode, sampler } = anAgentEpisode({
      turns: [DONE, "hang", DONE],
      program: async ({ model, signal, ask }) => {
        const first = await ask([user("Hello.")], { tools: [] });
        const messages = [user("Hello."), said(first), user("More, please.")];
        const asked = readChatCompletion({ model: "any", messages, tools: [] });
        const until = AbortSignal.any([signal, given.signal]);
        const turn = model.turn(asked, { signal: until, needsLogprobs: true });
        turn.catch(() => undefined);
        while (sampler.requests.length < 2) await null;
        given.abort(new Error("the client is gone"));
        await turn.catch(() => undefined);
        await ask(messages, { tools: [] });
        return 0;
      },
    });
    await clock.run(episode.play());
    expect(episode.played.turns).toMatchObject([
      { stream: 0, asked: undefined, nudge: "More, please." },
      { stream: 0, asked: undefined },
    ]);
  });

  it("announces each conversation that does not follow the last turn from its beginning", async () => {
    const heard: [readonly unknown[], boolean][] = [];
    await playAgent({
      turns: [DONE],
      onMessages: (messages, isNew) => heard.push([messages.map(({ content }) => content), isNew]),
      program: async ({ ask }) => {
        const asked = [user("Add.")];
        const first = await ask(asked);
        const more = [...asked, said(first), user("Sure?")];
        const second = await ask(more);
        await ask([user("Is it right? Be thorough.")]);
        await ask([...more, said(second), user("Thanks.")]);
        return 0;
      },
    });
    const text = "It is 5.";
    expect(heard).toEqual([
      [["Add."], true],
      [["Sure?"], false],
      [["Is it right? Be thorough."], true],
      [["Add.", text, "Sure?", text, "Thanks."], true],
    ]);
  });
});

describe("the end of an agent", () => {
  it("comes immediately when the environment ends the episode", async () => {
    const { stop } = await playAgent({
      ...game,
      turns: [ANSWER],
      program: async (caller) => {
        await results(caller, await caller.ask([user("Add.")]));
        return await new Promise<number>(() => undefined);
      },
    });
    expect(stop).toBe("reached_terminal_state");
  });

  it("keeps what was played if the agent leaves or fails after a turn", async () => {
    const leaving = (code: number) =>
      playAgent({
        ...game,
        turns: [ADD],
        program: async (caller) => {
          await results(caller, await caller.ask([user("Add.")]));
          return code;
        },
      });
    for (const [code, stop] of [
      [0, "agent_ended"],
      [1, "agent_failed"],
    ] as const) {
      const played = await leaving(code);
      expect(played.stop).toBe(stop);
      expect(played.episode.played.rewards).toEqual([0.5]);
      expect(trained(played.episode.streams)).toEqual([ADD]);
      const failure = code === 0 ? undefined : `The agent of ${ENVIRONMENT} ended with code 1.`;
      expect(played.episode.played.agent?.failure).toBe(failure);
    }
  });

  it("is a failure with an explanation before any turn of the model", async () => {
    const { clock, episode } = anAgentEpisode({
      turns: [DONE],
      program: async () => ({ code: 1, output: "ModuleNotFoundError: x\n", rewardLine: null }),
    });
    await expect(clock.run(episode.play())).rejects.toThrow(
      /ended with code 1 without a turn of the model\. It printed: ModuleNotFoundError: x/,
    );
    expect(episode.played.agent?.failure).toBe(
      `The agent of ${ENVIRONMENT} ended with code 1 without a turn of the model.`,
    );
  });

  it("is a failure when its own calls end the episode before any turn of the model", async () => {
    const { clock, episode } = anAgentEpisode({
      ...game,
      turns: [DONE],
      program: async ({ tools }) => {
        await tools.call("answer", {});
        return 0;
      },
    });
    await expect(clock.run(episode.play())).rejects.toMatchObject({
      code: "agent-failed",
      message: `The agent of ${ENVIRONMENT} ended the rollout by its own tool calls without a turn of the model.`,
    });
  });

  it("is a rollout limit at the request that exceeds it", async () => {
    const asking = (settings: Parameters<typeof playAgent>[0]["settings"]) =>
      playAgent({ ...game, turns: [ADD], settings, program: loop });
    const turns = await asking({ maxTurns: 2 });
    expect([turns.stop, turns.episode.turnCount]).toEqual(["max_turns", 2]);
    const calls = await asking({ maxToolCalls: 3 });
    expect([calls.stop, calls.episode.played.rewards]).toEqual(["max_tool_calls", [0.5, 0.5, 0.5]]);
    const length = encode(ADD).length;
    const sampled = await asking({ maxSampledTokens: length });
    expect([sampled.stop, sampled.episode.turnCount]).toEqual(["max_sampled_tokens", 1]);
  });

  it("is a limit that concurrent requests do not exceed either", async () => {
    const asking = (settings: Parameters<typeof playAgent>[0]["settings"]) =>
      playAgent({
        turns: [DONE],
        settings,
        program: async ({ ask }) => {
          const asked = Array.from({ length: 8 }, (_, i) => ask([user(`Hello ${i}.`)]));
          await Promise.all(asked);
          return 0;
        },
      });
    const turns = await asking({ maxTurns: 3 });
    expect([turns.stop, turns.episode.turnCount]).toEqual(["max_turns", 3]);
    const length = encode(DONE).length;
    const sampled = await asking({ maxSampledTokens: 4 * length, maxResponseTokens: length });
    expect([sampled.stop, sampled.episode.turnCount]).toEqual(["max_sampled_tokens", 4]);
  });

  it("is max_tokens when it fails because its conversation is too long", async () => {
    const { stop } = await playAgent({
      ...game,
      turns: [ADD],
      settings: { maxTotalTokens: 120 },
      program: (caller) =>
        loop(caller).catch((error: unknown) => {
          if (!isAppError(error, "prompt-too-long")) throw error;
          return 1;
        }),
    });
    expect(stop).toBe("max_tokens");
  });

  it("comes after agent.timeout, which is an outcome only after a turn", async () => {
    const hanging = (asks: boolean) =>
      anAgentEpisode({
        turns: [DONE],
        agent: { timeoutMs: 5_000 },
        program: async ({ ask }) => {
          if (asks) await ask([user("Hello.")]);
          return await new Promise<number>(() => undefined);
        },
      });
    const played = hanging(true);
    expect(await played.clock.run(played.episode.play())).toBe("agent_timeout");
    const late = `The agent of ${ENVIRONMENT} took longer than 5 s (agent.timeout).`;
    expect(played.episode.played.agent?.failure).toBe(late);
    const silent = hanging(false);
    await expect(silent.clock.run(silent.episode.play())).rejects.toThrow(/longer than 5 s/);
    expect(silent.episode.played.agent?.failure).toBe(late);
  });

  it("is attributed to the service that failed", async () => {
    const fault = new AppError("tinker-unavailable", "The service is down.");
    const { clock, episode } = anAgentEpisode({
      turns: [fault],
      program: async ({ ask }) => {
        await ask([user("Hello.")]).catch(() => undefined);
        return 0;
      },
    });
    await expect(clock.run(episode.play())).rejects.toBe(fault);
  });
});

describe("the reward of an agent", () => {
  it("does not increase through a call answered after the end", async () => {
    let answer = (): void => undefined;
    const { episode, stop } = await playAgent({
      turns: [ADD],
      onCall: ({ signal = AbortSignal.any([]) }) => {
        const late = new Promise<ReturnType<typeof result>>((resolve) => {
          answer = () => resolve(result("5", { reward: 0.5 }));
        });
        return raceAbort(late, signal);
      },
      program: async (caller) => {
        const turn = await caller.ask([user("Add.")]);
        results(caller, turn).catch(() => undefined);
        await new Promise(setImmediate);
        return 0;
      },
    });
    answer();
    await new Promise(setImmediate);
    expect([stop, episode.played.rewards, episode.played.toolFacts]).toEqual([
      "agent_ended",
      [],
      [],
    ]);
  });

  const printing = (rewardLine: string | null, code = 0) =>
    playAgent({
      ...game,
      turns: [ADD],
      agent: { reward: "output" },
      program: async (caller) => {
        await results(caller, await caller.ask([user("Add.")]));
        return { code, output: "", rewardLine };
      },
    });

  /** Adds a grading command. */
  const graded = (script: Partial<AgentScript>) =>
    playAgent({
      ...game,
      turns: [ADD, DONE],
      program: loop,
      ...script,
      agent: { reward: "command", ...script.agent },
    });

  it("is the printed value, instead of what the session gives", async () => {
    for (const line of ["0.25", '{"reward": 0.25, "note": "close"}']) {
      const { stop, episode } = await printing(line);
      expect(stop).toBe("reached_terminal_state");
      expect(episode.played).toMatchObject({ rewards: [0.25], turnRewards: [0.25] });
    }
  });

  it("does not count if the agent fails, and the failure mentions it", async () => {
    const { stop, episode } = await printing("0.25", 3);
    expect([stop, episode.played.rewards]).toEqual(["agent_failed", []]);
    expect(episode.played.turnRewards).toEqual([0]);
    expect(episode.played.agent?.failure).toBe(
      `The agent of ${ENVIRONMENT} ended with code 3. Its reward 0.25 does not count: it needs code 0.`,
    );
  });

  it("counts even if the agent's later tool calls are refused after the episode's end", async () => {
    const over = { kind: "rejected", reason: "episode_finished", error: "over" } as const;
    const { stop, episode } = await playAgent({
      onCall: ({ name }) => (name === "answer" ? result("Right.", { finished: true }) : over),
      turns: [ended(call("answer")), DONE],
      agent: { reward: "output" },
      program: async (caller) => {
        await results(caller, await caller.ask([user("Add.")]));
        expect(await caller.tools.call("add", {})).toEqual({
          parts: ["Not run: the episode is over."],
          isError: true,
        });
        return { code: 0, output: "", rewardLine: "0.5" };
      },
    });
    expect([stop, episode.played.rewards]).toEqual(["reached_terminal_state", [0.5]]);
  });

  it("does not lift the call limit", async () => {
    const { stop, session } = await playAgent({
      ...game,
      turns: [ended(`${call("add")}${call("add")}${call("add")}`)],
      settings: { maxToolCalls: 2 },
      agent: { reward: "output" },
      program: async (caller) => {
        await results(caller, await caller.ask([user("Add.")]));
        return { code: 0, output: "", rewardLine: "0.5" };
      },
    });
    expect([stop, session.calls.length]).toEqual(["max_tool_calls", 2]);
  });

  it("is reported as missing with the grading command, its exit code, and its output", async () => {
    const end = { code: 1, output: "Traceback: no such file", rewardLine: null };
    const grading = graded({ grader: async () => end });
    await expect(grading).rejects.toThrow(
      /^The reward_command of .* ended with code 1 without a reward. It printed: Traceback: no such file$/,
    );
  });

  it("comes from a command that grades the folder, even if a rollout limit ended the agent", async () => {
    const reward = async () => ({ code: 0, output: "", rewardLine: "0.5" });
    const left = await graded({ grader: reward });
    expect([left.stop, left.episode.played.rewards]).toEqual(["reached_terminal_state", [0.5]]);
    const limited = await graded({ grader: reward, settings: { maxTurns: 1 }, program: loop });
    expect([limited.stop, limited.episode.played.rewards]).toEqual(["max_turns", [0.5]]);
  });

  it("does not come from the command after an agent that failed", async () => {
    const grader = vi.fn();
    const { stop } = await graded({
      grader,
      program: async (caller) => {
        await caller.ask([user("Add.")]);
        return 1;
      },
    });
    expect(stop).toBe("agent_failed");
    expect(grader).not.toHaveBeenCalled();
  });

  it("fails the rollout if the command hangs, by the command's own time limit", async () => {
    const hangs = (signal: AbortSignal): Promise<never> =>
      raceAbort(new Promise<never>(() => undefined), signal);
    for (const settings of [{}, { maxTurns: 1 }]) {
      const grading = graded({
        grader: hangs,
        settings,
        program: loop,
        agent: { timeoutMs: 5_000 },
      });
      await expect(grading).rejects.toMatchObject({
        code: "agent-reward",
        message: `The reward_command of ${ENVIRONMENT} took longer than 5 s, its own time after the agent (agent.timeout).`,
      });
    }
  });

  it("is an error of its source if it is too large", async () => {
    await expect(printing("1e40")).rejects.toThrow(
      /^The agent of .* ended without a reward of at most 1e\+30 in size\. It printed: 1e40\. /,
    );
  });

  it("is missing if the printed line has none", async () => {
    for (const line of [null, "done", "NaN", '{"score": 1}', '"1"']) {
      await expect(printing(line)).rejects.toThrow(/ended without a reward/);
    }
  });

  it("comes from the final message if the environment grades it", async () => {
    const { stop, episode, session } = await playAgent({
      terminalTool: { name: "grade", arg: "text", description: "Grades." },
      onCall: () => result("Right.", { reward: 1, finished: true }),
      turns: [DONE],
      program: async ({ ask }) => {
        await ask([user("Add 2 and 3.")], { tools: [] });
        return 0;
      },
    });
    expect(session.calls).toEqual([["grade", { text: "It is 5." }]]);
    expect(stop).toBe("reached_terminal_state");
    expect(episode.played.rewards).toEqual([1]);
  });
});

describe("the record of an agent", () => {
  it("has the agent's requests to the model, rewards by turn, its output, and its refusals", async () => {
    const { episode } = await playAgent({
      ...game,
      turns: [ended(`${call("add")}${call("look")}`), DONE],
      program: async (caller) => {
        const asked = [system("You add."), user("Add 2 and 3.")];
        const [add] = TOOLS;
        const look = { ...add, function: { ...add?.function, name: "look" } };
        const more = { tools: [...TOOLS, look] };
        const turn = await caller.ask(asked, more);
        // The first tool belongs to the environment, the second to the agent.
        await caller.tools.call("add", {});
        const answers = turn.calls.map(({ id, name }) => {
          return { role: "tool", tool_call_id: id, content: `${name} says 5` };
        });
        await caller.ask([...asked, said(turn), ...answers, user("Go on.")], more);
        const refusal = { status: 400, message: "n: only 1.", param: "n", code: null };
        caller.model.onRefused?.(refusal);
        caller.model.onRefused?.(refusal);
        return { code: 3, output: "bye\n", rewardLine: null };
      },
    });
    const [first] = episode.played.turns;
    expect(first?.results).toMatchObject([
      { name: "add", text: "add says 5", reward: 0.5 },
      { name: "look", text: "look says 5", reward: null },
    ]);
    expect(first?.nudge).toBe("Go on.");
    expect(episode.played.conversation.map(({ type }) => type)).toEqual([
      "system_message",
      "user_message",
    ]);
    const refusals = [{ message: "n: only 1.", count: 2 }];
    const failure = `The agent of ${ENVIRONMENT} ended with code 3.`;
    expect(episode.played.agent).toEqual({ exit: "3", output: "bye\n", refusals, failure });
    const record = { ...aRecord(), turns: episode.played.turns, agent: episode.played.agent };
    expect(rolloutRecordSchema.parse(JSON.parse(JSON.stringify(record)))).toEqual(record);
  });

  it("shows a call of an undeclared tool as text, and results next to the other calls", async () => {
    const { episode } = await playAgent({
      ...game,
      turns: [ended(`${call("look")}${call("add", { a: 2, b: 3 })}`), DONE],
      program: async (caller) => {
        const turn = await caller.ask([user("Add 2 and 3.")]);
        await results(caller, turn);
        const [added] = turn.calls;
        const answer = { role: "tool", tool_call_id: added?.id, content: "5" };
        await caller.ask([user("Add 2 and 3."), said(turn), answer]);
        return 0;
      },
    });
    const [turn] = episode.played.turns;
    expect(turn?.calls.map(({ name }) => name)).toEqual(["add"]);
    expect(turn?.errors).toMatchObject([{ kind: "undeclared", raw: call("look") }]);
    expect(turn?.results).toMatchObject([{ name: "add", text: "5", reward: 0.5 }]);
  });

  it("distinguishes the agent's own calls from the model's, which it changed", async () => {
    const { episode } = await playAgent({
      ...game,
      turns: [ADD],
      program: async (caller) => {
        await caller.ask([user("Add 2 and 3.")]);
        await caller.tools.call("add", { a: 2, b: 4 });
        await caller.tools.call("add", { b: 3, a: 2 });
        return 0;
      },
    });
    const [turn] = episode.played.turns;
    expect(turn?.results.map(({ agentArgs }) => agentArgs)).toEqual([undefined, '{"a":2,"b":4}']);
  });

  it("treats a call with filled-in defaults as the model's", async () => {
    const { episode } = await playAgent({
      ...game,
      turns: [ended(`${call("add")}${call("add", { a: 2 })}`)],
      program: async (caller) => {
        await caller.ask([user("Add 2 and 3.")]);
        await caller.tools.call("add", { a: 2, b: 3 });
        await caller.tools.call("add", { a: 0, b: 3 });
        return 0;
      },
    });
    const [turn] = episode.played.turns;
    expect(turn?.results.map(({ agentArgs }) => agentArgs)).toEqual([undefined, undefined]);
  });

  it("refuses a task with images if the model reads none", async () => {
    const script = { prompt: [IMAGE], turns: [DONE], program: loop };
    const { clock, episode } = anAgentEpisode(script);
    await expect(clock.run(episode.play())).rejects.toThrow("sends images, and the model reads");
  });
});
