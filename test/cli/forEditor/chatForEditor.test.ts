import { PassThrough } from "node:stream";
import { describe, expect, it, vi } from "vitest";
import type { TrainerApi } from "../../../src/cli/arguments/programOptions.ts";
import { runProgram } from "../../../src/cli/program.ts";
import { AppError } from "../../../src/core/errors.ts";
import { chatReplySchema } from "../../../src/node/control/chatMessages.ts";
import type { ChatAction, ChatReply, ChatStart, ChatView } from "../../../src/shared/chat.ts";
import type { ChatRequest } from "../../../src/trainer/chat/openChat.ts";
import { result } from "../../core/rollout/scriptedEnvironment.ts";
import { call, ended } from "../../core/rollout/scriptedModel.ts";
import { anOrder } from "../../fakes/anOrder.ts";
import { anOpenChat, type ChatScript } from "../anOpenChat.ts";
import { aTrainer, createFakeProgram } from "../fakeProgram.ts";

const KEY = { value: "tml-secret-key", origin: "store", host: null } as const;
const START: ChatStart = {
  launch: anOrder({ keys: { TINKER_API_KEY: KEY } }),
  targets: ["/runs/demo"],
  task: null,
  turn: null,
  isReplayed: false,
  system: null,
  settings: null,
};

function start(openChat: TrainerApi["openChat"], first: unknown = START) {
  const input = new PassThrough();
  const program = createFakeProgram({ input, trainer: aTrainer({ openChat }) });
  const ending = runProgram(program, ["--chat"]);
  const send = (line: unknown): boolean => input.write(`${JSON.stringify(line)}\n`);
  send(first);
  const replies = (): readonly ChatReply[] =>
    program.out.lines.map((line) => chatReplySchema.parse(JSON.parse(line)));
  return {
    program,
    ending,
    replies,
    act: (action: ChatAction | Readonly<Record<string, unknown>>) => send(action),
    end: () => input.end(),
    /** The newest view, once it is as `check` wants it. */
    see: (check: (view: ChatView) => void) =>
      vi.waitFor(() => {
        const view = replies().findLast((reply) => reply.kind === "view")?.view;
        if (view === undefined) throw new Error("nothing is shown yet");
        check(view);
      }),
  };
}

async function talk(script: ChatScript, changes: Partial<ChatStart> = {}) {
  const { opened, isClosed } = await anOpenChat(script);
  const requests: ChatRequest[] = [];
  const parts = start(
    async (_, request) => {
      requests.push(request);
      return opened;
    },
    { ...START, ...changes },
  );
  return { ...parts, isClosed, requests };
}

describe("a conversation for an editor", () => {
  it("carries out what the editor asks, shows all there is, and ends with its input", async () => {
    const turns = { one: [ended("a"), ended("b")], two: [ended("c"), ended("d")] };
    const { act, see, end, ending, isClosed, requests, program } = await talk({ turns });
    await see(({ partners }) =>
      expect(partners.map(({ next }) => next)).toEqual(["message", "message"]),
    );
    act({ action: "change", settings: { samples: 2, temperature: 0.5 } });
    act({ action: "say", text: "Hi" });
    await see(({ partners, settings }) => {
      expect(settings).toMatchObject({ samples: 2, temperature: 0.5, maxTokens: null });
      expect(partners.map(({ candidates }) => candidates.map(({ text }) => text))).toEqual([
        ["a", "b"],
        ["c", "d"],
      ]);
      const written = partners[0]?.candidates.reduce((sum, { tokens }) => sum + tokens, 0) ?? 0;
      const tokens = 2 * (partners[0]?.tokens ?? 0) + written;
      expect(partners[0]?.used).toEqual({ tokens, costUsd: tokens });
    });
    act({ action: "choose", index: 1 });
    await see(({ partners }) =>
      expect(partners[1]?.entries).toMatchObject([
        { kind: "message", text: "Hi" },
        { kind: "turn", turn: { text: "d", isCut: false } },
      ]),
    );
    end();
    expect(await ending).toBe(0);
    expect(isClosed()).toBe(true);
    expect(requests[0]).toMatchObject({ targets: ["/runs/demo"], launchRequest: START.launch });
    expect(program.out.lines.join("")).not.toContain(KEY.value);
  });

  it("plays a task, lets a person answer, and shows the reward of the episode without secrets", async () => {
    const { act, see, end, ending } = await talk({
      turns: { one: [ended(call("add")), ended("sesame-open"), ended(call("answer"))] },
      script: { onCall: () => result("sesame-open", { reward: 0.5, finished: true }) },
      secret: "sesame-open",
    });
    await see(({ partners }) => {
      expect(partners[0]).toMatchObject({ next: "nothing", reward: 0.5 });
      expect(partners[0]?.opening).toContain("Add 2 and 3.");
      expect(JSON.stringify(partners)).not.toContain("sesame");
    });
    act({ action: "change", settings: { answersBy: "person" } });
    act({ action: "undo" });
    end();
    expect(await ending).toBe(0);
  });

  it("begins with the settings of the conversation before, from its first turn on", async () => {
    const settings = {
      temperature: 0.5,
      maxTokens: 7,
      seed: 3,
      samples: 2,
      answersBy: "person",
    } as const;
    const turns = { one: [ended(call("add")), ended(call("add"))] };
    const { see, end, ending } = await talk({ turns, script: {} }, { settings });
    await see(({ partners, settings: own }) => {
      expect(own).toEqual(settings);
      expect(partners[0]?.candidates).toHaveLength(2);
    });
    end();
    expect(await ending).toBe(0);
  });

  it("stops a sample at once, and continues afterward", async () => {
    const { act, see, end, ending, replies } = await talk({
      turns: { one: ["hang", ended("now")] },
    });
    act({ action: "say", text: "Hi" });
    await see(({ sampling }) => expect(sampling).toEqual({ done: 0, total: 1 }));
    act({ action: "stop" });
    await see(({ sampling, partners }) =>
      expect([sampling, partners[0]?.next]).toEqual([null, "turn"]),
    );
    act({ action: "proceed" });
    await see(({ partners }) =>
      expect(partners[0]?.entries.at(-1)).toMatchObject({ turn: { text: "now" } }),
    );
    expect(replies().filter(({ kind }) => kind === "failed")).toEqual([]);
    end();
    expect(await ending).toBe(0);
  });

  it("reports an action that fails, and ignores a line that is not an action", async () => {
    const { act, replies, end, ending } = await talk({ turns: { one: [ended("a")] } });
    act({ action: "answer", text: "5" });
    act({ action: "explode" });
    act({ action: "change", settings: { samples: 1000 } });
    await vi.waitFor(() => expect(replies().some(({ kind }) => kind === "failed")).toBe(true));
    end();
    expect(await ending).toBe(0);
    expect(replies().filter((reply) => reply.kind === "failed")).toMatchObject([
      { error: { code: "conversation-order" }, isOver: false },
    ]);
  });

  it("answers with the error of a failed start, and refuses a line that is not a start", async () => {
    const failed = start(() => Promise.reject(new AppError("no-checkpoint", "There is none.")));
    expect(await failed.ending).toBe(2);
    expect(failed.replies()).toMatchObject([
      { kind: "failed", error: { code: "no-checkpoint" }, isOver: true },
    ]);
    const refused = start(() => Promise.reject(new Error("unused")), { targets: [] });
    expect(await refused.ending).toBe(2);
    expect(refused.program.err.lines.join()).toContain("--chat is for editors");
  });
});
