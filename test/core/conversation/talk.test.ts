import { describe, expect, it } from "vitest";
import { declareTool } from "../../../src/core/chat/firstPrompt.ts";
import { Conversation } from "../../../src/core/conversation/conversation.ts";
import { LiveTask } from "../../../src/core/conversation/liveTask.ts";
import { messageOpening } from "../../../src/core/conversation/openings.ts";
import { Talk, type TalkPartner } from "../../../src/core/conversation/talk.ts";
import { AppError } from "../../../src/core/errors.ts";
import { sha256 } from "../../../src/node/hash.ts";
import type { ChatSettings } from "../../../src/shared/chat.ts";
import { FakeClock } from "../../fakes/fakeClock.ts";
import { result, type SessionScript, scriptedEnvironment } from "../rollout/scriptedEnvironment.ts";
import {
  call,
  ended,
  renderer,
  scriptedSampler,
  type TurnScript,
  tokenizer,
} from "../rollout/scriptedModel.ts";
import { someSettings } from "../training/builders.ts";

const SETTINGS: ChatSettings = {
  temperature: null,
  maxTokens: null,
  seed: 1,
  samples: 1,
  answersBy: "environment",
};
const chat = { renderer, tokenizer };

interface Setup {
  readonly script?: SessionScript;
  readonly settings?: Partial<ChatSettings>;
  /** Per model; the default is 50. */
  readonly maxTurns?: readonly number[];
}

async function aTalk(
  models: readonly (readonly TurnScript[])[],
  { script, settings = {}, maxTurns = [] }: Setup = {},
) {
  const partners = await Promise.all(
    models.map(async (turns, i): Promise<TalkPartner> => {
      const task =
        script === undefined
          ? null
          : await LiveTask.open({
              remote: scriptedEnvironment([script, script]),
              split: "train",
              index: 0,
              chat,
              settings: someSettings(),
              clock: new FakeClock(),
            });
      const opening = messageOpening(chat, { systemPromptTemplate: null, system: null });
      const conversation = new Conversation({
        chat,
        sampler: scriptedSampler(turns),
        sha256,
        maxTotalTokens: 900,
        task,
        opening: task?.rendered ?? opening,
        tools: task?.rendered.tools.map(declareTool) ?? [],
      });
      const sampling = { temperature: 1, topP: 1, topK: -1, maxTokens: 64 };
      return { conversation, sampling, maxTurns: maxTurns[i] ?? 50 };
    }),
  );
  const reported: unknown[] = [];
  const talk = new Talk(
    partners,
    { ...SETTINGS, ...settings },
    {
      onSampling: (progress) => reported.push(progress),
      onTurns: (partner, turns) =>
        reported.push([partners.indexOf(partner), turns.map(({ parsed }) => parsed.content)]),
      onAnswers: (partner, by, answers) =>
        reported.push([partners.indexOf(partner), by, answers.map(({ record }) => record.text)]),
    },
  );
  return { talk, partners, reported };
}

function saidIn({ events }: Conversation): readonly string[] {
  return events.flatMap((event) => {
    if (event.kind === "message") return [event.content];
    return event.kind === "turn" ? [event.turn.parsed.content] : [];
  });
}

describe("a talk with several models", () => {
  it("sends one message to all, and reports progress and turns", async () => {
    const { talk, reported } = await aTalk([[ended("a")], [ended("b")]]);
    await talk.say("Hi");
    expect(reported).toEqual([
      { done: 0, total: 2 },
      { done: 1, total: 2 },
      { done: 2, total: 2 },
      null,
      [0, ["a"]],
      [1, ["b"]],
    ]);
  });

  it("keeps one model's sample when the other fails, and retries only the other", async () => {
    const fault = new AppError("tinker-unavailable", "Not now.");
    const { talk, partners, reported } = await aTalk([[ended("a")], [fault, ended("b")]]);
    await expect(talk.say("Hi")).rejects.toBe(fault);
    expect(partners.map(({ conversation }) => conversation.next)).toEqual(["message", "turn"]);
    await talk.proceed();
    expect(reported.slice(-1)).toEqual([[1, ["b"]]]);
    expect(partners.map(({ conversation }) => conversation.next)).toEqual(["message", "message"]);
  });

  it("keeps the person's message when turns are sampled again and one fails", async () => {
    const fault = new AppError("tinker-unavailable", "Not now.");
    const { talk, partners } = await aTalk([
      [ended("a1"), ended("a2"), ended("a3")],
      [ended("b1"), fault, ended("b3")],
    ]);
    await talk.say("one");
    await expect(talk.say("two")).rejects.toBe(fault);
    expect(await talk.again()).toBe(true);
    expect(partners.map(({ conversation }) => saidIn(conversation))).toEqual([
      ["one", "a1", "two", "a3"],
      ["one", "b1", "two", "b3"],
    ]);
  });
});

describe("a talk with a task", () => {
  it("samples the last turn again, even when the turn limit is reached", async () => {
    const turns = [ended(call("add", { a: 1 })), ended(call("add", { a: 2 }))];
    const { talk, partners } = await aTalk([turns], { script: {}, maxTurns: [1] });
    await talk.goOn();
    const conversation = partners[0]?.conversation;
    expect(conversation?.next).toBe("turn");
    const length = conversation?.events.length;
    await talk.again();
    expect(conversation?.events).toHaveLength(length ?? 0);
  });

  it("asks the person for one answer per call, in order, before the turn continues", async () => {
    const turns = [ended(call("add", { a: 1 }) + call("answer", { a: 2 })), ended("done")];
    const { talk, reported } = await aTalk([turns], {
      script: {},
      settings: { answersBy: "person" },
    });
    await talk.goOn();
    expect(talk.askedCall).toBe("add");
    await talk.say("one");
    expect(talk.askedCall).toBe("answer");
    await talk.answer("two");
    expect(reported).toContainEqual([0, "person", ["one", "two"]]);
    expect(reported.at(-1)).toEqual([0, ["done"]]);
    await expect(talk.answer("three")).rejects.toMatchObject({ code: "conversation-order" });
  });

  it("discards the person's answers to calls that the environment then answers", async () => {
    const turn = ended(call("add", { a: 1 }) + call("add", { a: 2 }));
    const { talk, reported } = await aTalk([[turn]], {
      script: { onCall: () => result("5") },
      settings: { answersBy: "person" },
      maxTurns: [1],
    });
    await talk.goOn();
    await talk.say("one");
    talk.settings = { ...talk.settings, answersBy: "environment" };
    await talk.goOn();
    talk.settings = { ...talk.settings, answersBy: "person" };
    await talk.goOn();
    await talk.say("two");
    await talk.say("three");
    expect(reported).toContainEqual([0, "person", ["two", "three"]]);
  });

  it("passes the calls to the person after the environment failed, instead of retrying forever", async () => {
    const fault = new AppError("environment-tool-crashed", "It broke.");
    const { talk } = await aTalk([[ended(call("add")), ended("done")]], {
      script: { onCall: () => Promise.reject(fault) },
    });
    await expect(talk.goOn()).rejects.toBe(fault);
    expect([talk.settings.answersBy, talk.askedCall]).toEqual(["person", "add"]);
    await talk.answer("5");
    expect(talk.askedCall).toBeNull();
  });

  it("waits for the person after each model has used the turns of a rollout", async () => {
    const adding = [ended(call("add"))];
    const { talk, partners } = await aTalk([adding, adding], {
      script: { onCall: () => result("5") },
      maxTurns: [3, 1],
    });
    await talk.goOn();
    const counts = partners.map(({ conversation: { events } }) => {
      return events.filter(({ kind }) => kind === "turn").length;
    });
    expect(counts).toEqual([3, 1]);
  });

  it("reports an unreadable call to the model, without asking anyone", async () => {
    const broken = ended("<tool_call>{</tool_call>");
    const { talk, reported } = await aTalk([[broken, ended("Sorry")]]);
    await talk.say("Hi");
    expect(reported.at(-1)).toEqual([0, ["Sorry"]]);
  });
});
