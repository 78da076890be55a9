import { describe, expect, it, vi } from "vitest";
import { CancellationTokenSource } from "vscode-languageserver";
import { CHAT_ACT, CHAT_REQUESTS, type OpenChatRequest } from "../../src/api/chat.ts";
import type { RequestOutcome } from "../../src/api/requests.ts";
import { AppError } from "../../src/core/errors.ts";
import type { TrainerFunctions } from "../../src/server/openRequests.ts";
import type { ChatAction, ChatReply, ChatView } from "../../src/shared/chat.ts";
import type { ChatRequest } from "../../src/trainer/chat/openChat.ts";
import { anOpenChat, type ChatScript } from "../cli/anOpenChat.ts";
import { result } from "../core/rollout/scriptedEnvironment.ts";
import { call, ended } from "../core/rollout/scriptedModel.ts";
import { anOrder } from "../fakes/anOrder.ts";
import { anEditor } from "./anEditor.ts";

const KEY = { value: "tml-secret-key", origin: "store", host: null } as const;
const START: OpenChatRequest = {
  progressToken: "chat-1",
  launch: anOrder({ keys: { TINKER_API_KEY: KEY } }),
  targets: ["/runs/demo"],
  task: null,
  turn: null,
  isReplayed: false,
  system: null,
  settings: null,
};

type Editor = ReturnType<typeof anEditor>;

function open(editor: Editor, request: OpenChatRequest) {
  const { progressToken: conversation } = request;
  const replies = editor.reports<ChatReply>(conversation);
  const closing = new CancellationTokenSource();
  const over = editor.ask<RequestOutcome<null>>(CHAT_REQUESTS.open, request, closing.token);
  return {
    over,
    replies,
    act: (action: ChatAction | Readonly<Record<string, unknown>>) =>
      editor.notify(CHAT_ACT, { conversation, action }),
    /** Closes it, and resolves once it has ended. */
    close: async () => {
      closing.cancel();
      expect(await over).toEqual({ ok: true, value: null });
    },
    /** The newest view that satisfies `check`. */
    see: (check: (view: ChatView) => void) =>
      vi.waitFor(() => {
        const view = replies.findLast((reply) => reply.kind === "view")?.view;
        if (view === undefined) throw new Error("nothing is shown yet");
        check(view);
      }),
  };
}

async function talk(script: ChatScript, changes: Partial<OpenChatRequest> = {}) {
  const { opened, isClosed } = await anOpenChat(script);
  const requests: ChatRequest[] = [];
  const notes: string[] = [];
  const openChat: TrainerFunctions["openChat"] = async (_, request) => {
    requests.push(request);
    return { ...opened, notes };
  };
  const editor = anEditor({ openChat });
  return { ...open(editor, { ...START, ...changes }), isClosed, requests, notes, editor };
}

describe("a chat for an editor", () => {
  it("executes the editor's actions, sends its full state, and closes when the request is canceled", async () => {
    const turns = { one: [ended("a"), ended("b")], two: [ended("c"), ended("d")] };
    const { act, see, close, isClosed, requests, editor } = await talk({ turns });
    await see(({ partners }) =>
      expect(partners.map(({ next }) => next)).toEqual(["message", "message"]),
    );
    await act({ action: "change", settings: { samples: 2, temperature: 0.5 } });
    await act({ action: "say", text: "Hi" });
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
    await act({ action: "choose", index: 1 });
    await see(({ partners }) =>
      expect(partners[1]?.entries).toMatchObject([
        { kind: "message", text: "Hi" },
        { kind: "turn", turn: { text: "d", isCut: false } },
      ]),
    );
    await close();
    expect(isClosed()).toBe(true);
    expect(requests[0]).toMatchObject({ targets: ["/runs/demo"], launchRequest: START.launch });
    expect(editor.received()).not.toContain(KEY.value);
  });

  it("plays a task, lets a person answer, and shows the reward of the episode without secrets", async () => {
    const { act, see, close } = await talk({
      turns: { one: [ended(call("add")), ended("sesame-open"), ended(call("answer"))] },
      script: { onCall: () => result("sesame-open", { reward: 0.5, finished: true }) },
      secret: "sesame-open",
    });
    await see(({ partners }) => {
      expect(partners[0]).toMatchObject({ next: "nothing", reward: 0.5 });
      expect(partners[0]?.opening).toContain("Add 2 and 3.");
      expect(JSON.stringify(partners)).not.toContain("sesame");
    });
    await act({ action: "change", settings: { answersBy: "person" } });
    await act({ action: "undo" });
    await close();
  });

  it("shows service messages in progress", async () => {
    const { see, close, requests, notes } = await talk({ turns: { one: [ended("a")] } });
    await see((view) => expect(view.notes).toEqual([]));
    notes.push("The server does not answer.");
    requests[0]?.onNotice("The server does not answer.");
    await see((view) => expect(view.notes).toEqual(["The server does not answer."]));
    await close();
  });

  it("starts with the settings of the previous chat, from its first turn on", async () => {
    const settings = {
      temperature: 0.5,
      maxTokens: 7,
      seed: 3,
      samples: 2,
      answersBy: "person",
    } as const;
    const turns = { one: [ended(call("add")), ended(call("add"))] };
    const { see, close } = await talk({ turns, script: {} }, { settings });
    await see(({ partners, settings: own }) => {
      expect(own).toEqual(settings);
      expect(partners[0]?.candidates).toHaveLength(2);
    });
    await close();
  });

  it("stops a sample immediately, and can continue", async () => {
    const { act, see, close, replies } = await talk({
      turns: { one: ["hang", ended("now")] },
    });
    await act({ action: "say", text: "Hi" });
    await see(({ sampling }) => expect(sampling).toEqual({ done: 0, total: 1 }));
    await act({ action: "stop" });
    await see(({ sampling, partners }) =>
      expect([sampling, partners[0]?.next]).toEqual([null, "turn"]),
    );
    await act({ action: "proceed" });
    await see(({ partners }) =>
      expect(partners[0]?.entries.at(-1)).toMatchObject({ turn: { text: "now" } }),
    );
    expect(replies.filter(({ kind }) => kind === "failed")).toEqual([]);
    await close();
  });

  it("reports a failed action, and ignores a message that is not an action", async () => {
    const { act, replies, close } = await talk({ turns: { one: [ended("a")] } });
    await act({ action: "answer", text: "5" });
    await act({ action: "explode" });
    await act({ action: "change", settings: { samples: 1000 } });
    await vi.waitFor(() => expect(replies.some(({ kind }) => kind === "failed")).toBe(true));
    await close();
    expect(replies.filter((reply) => reply.kind === "failed")).toMatchObject([
      { error: { code: "conversation-order" }, isOver: false },
    ]);
  });

  it("returns the reason when it cannot start", async () => {
    const noCheckpoint = new AppError("no-checkpoint", "There is none.");
    const editor = anEditor({ openChat: () => Promise.reject(noCheckpoint) });
    const { over, replies } = open(editor, START);
    expect(await over).toMatchObject({ ok: false, error: { code: "no-checkpoint" } });
    expect(replies).toEqual([]);
    const nothing = open(editor, { ...START, progressToken: "chat-2", targets: [] });
    await expect(nothing.over).rejects.toThrow("targets");
  });

  it("runs next to others, each closed separately, and all end when the editor disconnects", async () => {
    const first = await anOpenChat({ turns: { one: [ended("a")] } });
    const second = await anOpenChat({ turns: { two: [ended("b")] } });
    const opened = [first.opened, second.opened];
    const editor = anEditor({
      openChat: async () => {
        const next = opened.shift();
        if (next === undefined) throw new Error("The test did not expect a third conversation.");
        return next;
      },
    });
    const chats = ["chat-1", "chat-2"].map((progressToken) =>
      open(editor, { ...START, progressToken }),
    );
    for (const { see } of chats) await see(({ partners }) => expect(partners).toHaveLength(1));
    await chats[0]?.close();
    expect([first.isClosed(), second.isClosed()]).toEqual([true, false]);
    await chats[0]?.act({ action: "say", text: "Is anybody there?" });
    await chats[1]?.act({ action: "say", text: "Hi" });
    await chats[1]?.see(({ partners }) =>
      expect(partners[0]?.entries).toMatchObject([{ text: "Hi" }, { turn: { text: "b" } }]),
    );
    await editor.requests.close();
    expect(second.isClosed()).toBe(true);
  });
});
