import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Chat } from "../../../src/core/chat/chat.ts";
import { qwen35 } from "../../../src/core/chat/families/qwen35.ts";
import { withAddedText } from "../../../src/core/chat/firstPrompt.ts";
import { createNativeRenderer } from "../../../src/core/chat/nativeRenderer.ts";
import type {
  FollowUp,
  InitialMessage,
  ParsedTurn,
  Renderer,
} from "../../../src/core/chat/renderer.ts";
import { AppError } from "../../../src/core/errors.ts";
import { followUpsTo } from "../../../src/core/rollout/feedback.ts";
import { TokenStreams } from "../../../src/core/rollout/tokenStreams.ts";
import { buildDatum } from "../../../src/core/training/update/datums.ts";
import { sampled, tinyModel } from "../chat/tinyModel.ts";

const { tokenizer } = tinyModel();
const bytes = (text: string): readonly number[] => tokenizer.encodeText(text);

/** How the chat format continues after a turn. */
type Continuation =
  | "appends"
  | "renders the same"
  | "prunes"
  | "refuses and renders the same"
  | "refuses and prunes";

interface Turn {
  readonly text: string;
  readonly follows: Continuation;
}

/** A format in which a message is its text, and a conversation starts at the turn at which it was last pruned. */
function formatOf(turns: readonly Turn[]): Chat {
  const whole = (messages: readonly InitialMessage[]): string =>
    messages.map(({ content }) => content).join("");
  const renderer: Renderer = {
    id: "fake",
    stopIds: [],
    stopTexts: [],
    renderInitial: (messages) => {
      const done = messages.filter(({ role }) => role === "assistant").length;
      const pruned = turns
        .slice(0, done)
        .findLastIndex(({ follows }) => follows.endsWith("prunes"));
      return bytes(pruned < 0 ? whole(messages) : `~${pruned}${whole(messages)}`);
    },
    bridge: (_, followUps) => {
      const last = turns[asked++];
      if (last?.follows.startsWith("refuses")) throw new AppError("chat-bridge", "No.");
      return { closing: [], delta: followUps.flatMap(({ content }) => bytes(content)) };
    },
    writeTurn: ({ content }) => bytes(content),
    parse: (turn) => parsed(tokenizer.decode(turn)),
  };
  let asked = 0;
  return { renderer, tokenizer };
}

function parsed(content: string): ParsedTurn {
  return {
    reasoning: null,
    thinkingTokens: 0,
    content,
    lead: 0,
    calls: [],
    errors: [],
    unclosedThink: false,
    ended: true,
  };
}

function begin(chat: Chat, messages: readonly InitialMessage[], hint?: string): TokenStreams {
  const first = { messages, tools: [] };
  const render = (shown: readonly InitialMessage[]) => chat.renderer.renderInitial(shown, []);
  const taught =
    hint === undefined ? undefined : { text: hint, tokens: render(withAddedText(messages, hint)) };
  return new TokenStreams(chat, { first, tokens: render(messages), taught });
}

/** Samples the turns and returns the contexts in which they were sampled. */
async function play(chat: Chat, turns: readonly Turn[], hint?: string) {
  const streams = begin(chat, [{ role: "user", content: "Go." }], hint);
  const contexts: (readonly number[])[] = [];
  for (const [turn, { text }] of turns.entries()) {
    contexts.push([...streams.current.tokens]);
    const ids = bytes(text);
    streams.current.addTurn(
      ids,
      ids.map((_, i) => -(turn + 1) - i / 64),
    );
    if (turn < turns.length - 1)
      await streams.continue(ids, () => parsed(text), [{ role: "user", content: "+" }]);
  }
  return { streams, contexts };
}

/** Checks that each sampled token is trained once, with its log-probability and the context it was sampled in. */
async function expectExactStreams(turns: readonly Turn[]): Promise<void> {
  const { streams, contexts } = await play(formatOf(turns), turns);
  const trained = streams.all.flatMap((ledger, stream) => {
    const datum = buildDatum({ group: 0, rollout: 0, stream, ledger }, [1]);
    return [...(datum?.targets ?? [])].flatMap((id, i) =>
      datum?.mask[i] === 1 ? [[id, datum.logprobs[i]]] : [],
    );
  });
  const sampled = turns.flatMap(({ text: own }, turnIndex) =>
    bytes(own).map((id, i) => [id, -(turnIndex + 1) - i / 64]),
  );
  expect(trained).toEqual(sampled);
  turns.forEach(({ text: own }, turnIndex) => {
    const ledger = streams.all.find(({ turns: of, mask }) =>
      of.some((number, i) => number === turnIndex && mask[i] === 1),
    );
    const at =
      ledger?.turns.findIndex((number, i) => number === turnIndex && ledger.mask[i] === 1) ?? -1;
    const ids = [...(ledger?.tokens ?? [])];
    expect(ids.slice(0, at)).toEqual(contexts[turnIndex]);
    expect(ids.slice(at, at + own.length)).toEqual(bytes(own));
  });
  const pruned = turns.slice(0, -1).filter((one) => one.follows === "refuses and prunes");
  expect(streams.breaks).toBe(pruned.length);
}

const text = fc.stringMatching(/^[a-z]{1,6}$/);

describe("the token streams of a rollout", () => {
  it("contain each sampled token once, in the context that it was sampled in", async () => {
    const follows = fc.constantFrom<Continuation>(
      ...(["appends", "refuses and renders the same", "refuses and prunes"] as const),
    );
    const turn = fc.record({ text, follows });
    const turns = fc.array(turn, { minLength: 1, maxLength: 8 });
    await fc.assert(fc.asyncProperty(turns, expectExactStreams));
  });

  it("are the same when rendering starts anew for a long text", async () => {
    const turns: readonly Turn[] = [
      { text: "one", follows: "renders the same" },
      { text: "two", follows: "prunes" },
      { text: "three", follows: "appends" },
    ];
    const whileEncoding = async <T>(render: () => T): Promise<T> => {
      render();
      return render();
    };
    const chat = { ...formatOf(turns), retention: "template" } as const;
    const { streams } = await play(chat, turns);
    const again = await play({ ...chat, tokenizer: { ...tokenizer, whileEncoding } }, turns);
    expect(again.streams.all).toEqual(streams.all);
    expect(again.streams.observationTokens).toBe(streams.observationTokens);
    expect(streams.all).toHaveLength(2);
  });

  it("with template retention, break only when a rendering does not extend the last one", async () => {
    const turns: readonly Turn[] = [
      { text: "one", follows: "renders the same" },
      { text: "two", follows: "prunes" },
      { text: "three", follows: "renders the same" },
      { text: "four", follows: "appends" },
    ];
    const { streams } = await play({ ...formatOf(turns), retention: "template" }, turns);
    expect(streams.all.map(({ tokens }) => tokenizer.decode(tokens))).toEqual([
      "Go.one+two",
      "~1Go.one+two+three+four",
    ]);
    expect(streams.breaks).toBe(1);
    expect(streams.all.map(({ turns: of }) => [...new Set(of)])).toEqual([
      [-1, 0, 1],
      [-1, 2, 3],
    ]);
  });

  it("each have a teacher prompt, with the text that only the teacher reads", async () => {
    const turns: readonly Turn[] = [
      { text: "one", follows: "renders the same" },
      { text: "two", follows: "prunes" },
      { text: "three", follows: "appends" },
    ];
    const chat = { ...formatOf(turns), retention: "template" } as const;
    const { streams } = await play(chat, turns, "Wait.");
    const plain = await play({ ...formatOf(turns), retention: "template" }, turns);
    expect(streams.all.map(({ tokens }) => [...tokens])).toEqual(
      plain.streams.all.map(({ tokens }) => [...tokens]),
    );
    expect(streams.all.map((own) => tokenizer.decode(own.taughtPrompt ?? []))).toEqual([
      "Go.\n\nWait.",
      "~1Go.\n\nWait.one+two+",
    ]);
    expect(plain.streams.all.map(({ taughtPrompt }) => taughtPrompt)).toEqual([
      undefined,
      undefined,
    ]);
  });

  it("count as broken only if a turn was sampled after the break", async () => {
    const turns: readonly Turn[] = [{ text: "one", follows: "refuses and prunes" }];
    const streams = begin(formatOf(turns), []);
    expect(streams.breaks).toBe(0);
    streams.current.addTurn(bytes("one"), null);
    await streams.continue(bytes("one"), () => parsed("one"), [{ role: "user", content: "five+" }]);
    expect([streams.all.length, streams.breaks, streams.observationTokens]).toEqual([2, 0, 5]);
  });

  it("fail a rollout with an explanation when the conversation cannot be rendered", async () => {
    const chat = formatOf([{ text: "one", follows: "refuses and prunes" }]);
    const renderInitial: Renderer["renderInitial"] = (messages) => {
      if (messages.length > 1) throw new AppError("chat-render", "Roles must alternate.");
      return bytes("Go.");
    };
    const strict = { ...chat, renderer: { ...chat.renderer, renderInitial } };
    const streams = begin(strict, [{ role: "user", content: "Go." }]);
    streams.current.addTurn(bytes("one"), null);
    await expect(streams.continue(bytes("one"), () => parsed("one"), [])).rejects.toEqual(
      expect.objectContaining({
        code: "chat-bridge",
        message: expect.stringMatching(
          /can neither append to it nor render it again\. Roles must alternate\.$/,
        ),
      }),
    );
  });

  it("with a built-in format, break only when it drops reasoning", async () => {
    const retention = "template";
    const options = { thinking: true, effort: null, retention, date: "2026-01-02" } as const;
    const chat = {
      renderer: createNativeRenderer(qwen35(options), tokenizer),
      tokenizer,
      retention,
    } as const;
    const streams = begin(chat, [{ role: "user", content: "Add 2 and 3." }]);
    const turn = async (
      written: string,
      answers: (calls: ParsedTurn) => readonly FollowUp[],
    ): Promise<void> => {
      const ids = sampled(written);
      streams.current.addTurn(
        ids,
        ids.map(() => -1),
      );
      const read = chat.renderer.parse(ids, []);
      await streams.continue(ids, () => read, answers(read));
    };
    const five = { record: { name: "add" }, said: { content: "5" } };
    const called = (thought: string): string =>
      `${thought}\n</think>\n\n<tool_call>\n<function=add>\n<parameter=a>\n2\n</parameter>\n</function>\n</tool_call><|im_end|>`;
    await turn(called("One."), (read) => followUpsTo(read, [five]));
    await turn(called("Two."), (read) => followUpsTo(read, [five]));
    await turn("Three.\n</think>\n\nIt is 5.<|im_end|>", (read) => followUpsTo(read, []));
    const [before = "", after = ""] = streams.all.map(({ tokens }) => tokenizer.decode(tokens));
    expect(streams.all).toHaveLength(2);
    for (const thought of ["One.", "Two.", "Three."]) {
      expect(before).toContain(thought);
      expect(after).not.toContain(thought);
    }
    expect(after).toContain("It is 5.<|im_end|>");
    expect(after.endsWith("<|im_start|>assistant\n<think>\n")).toBe(true);
  });

  it("keep an unreadable call as text of the turn", async () => {
    const chat = formatOf([{ text: "one", follows: "refuses and prunes" }]);
    const seen: (readonly InitialMessage[])[] = [];
    const renderInitial: Renderer["renderInitial"] = (messages) => {
      seen.push(messages);
      return bytes("~");
    };
    const streams = begin({ ...chat, renderer: { ...chat.renderer, renderInitial } }, []);
    const raw = "<tool_call>{no</tool_call>";
    const error = { kind: "not_json", raw, message: "That is not JSON." } as const;
    const call = { id: "functions.add:7", name: "add", args: {}, raw: "" };
    const read: ParsedTurn = { ...parsed("Hm."), calls: [call], errors: [error] };
    const five = { record: { name: "add" }, said: { content: "5" } };
    streams.current.addTurn(bytes("one"), null);
    await streams.continue(bytes("one"), () => read, followUpsTo(read, [five]));
    expect(seen.at(-1)).toMatchObject([
      {
        role: "assistant",
        content: `Hm.\n${raw}`,
        calls: [{ id: "functions.add:7", name: "add" }],
      },
      { role: "tool", callId: "functions.add:7", content: "5" },
      { role: "tool", callId: "call_1", content: "That is not JSON." },
    ]);
  });
});
