import { describe, expect, it, vi } from "vitest";
import type { RequestOutcome } from "../../../src/api/requests.ts";
import { AppError } from "../../../src/core/errors.ts";
import {
  ChatSession,
  type ChatSessionOptions,
  type OpenConversation,
} from "../../../src/host/chat/chatSession.ts";
import type { ChatAction, ChatReply, ChatView } from "../../../src/shared/chat.ts";
import type { LaunchError } from "../../../src/shared/control.ts";

const VIEW: ChatView = {
  task: null,
  notes: ["see /home/me/run/notes"],
  sampling: null,
  askedCall: null,
  settings: { temperature: null, maxTokens: null, seed: 1, samples: 1, answersBy: "person" },
  configured: { temperature: 1, maxTokens: 48 },
  partners: [],
};
const view: ChatReply = { kind: "view", view: VIEW };

function failed(code: string, isOver: boolean): ChatReply {
  return { kind: "failed", error: { code, message: `${code} in /home/me/run` }, isOver };
}

interface FakeConversation extends OpenConversation {
  readonly acted: ChatAction[];
  readonly reply: (reply: ChatReply) => void;
  readonly refuse: (error: LaunchError) => void;
  /** Ends the server that holds it. */
  readonly lose: () => void;
  isClosed: boolean;
}

function aConversation(reply: (reply: ChatReply) => void): FakeConversation {
  let end: (outcome: RequestOutcome<null>) => void = () => undefined;
  let fail: (error: Error) => void = () => undefined;
  const over = new Promise<RequestOutcome<null>>((resolve, reject) => {
    [end, fail] = [resolve, reject];
  });
  const conversation: FakeConversation = {
    acted: [],
    reply,
    isClosed: false,
    over,
    act: (action) => void conversation.acted.push(action),
    close: () => {
      conversation.isClosed = true;
      end({ ok: true, value: null });
    },
    refuse: (error) => end({ ok: false, error }),
    lose: () => fail(new AppError("server-stopped", "The server stopped. Try again.")),
  };
  return conversation;
}

function begin(changes: Partial<ChatSessionOptions> = {}) {
  const opened: FakeConversation[] = [];
  const posted: ChatReply[] = [];
  const asked: string[] = [];
  const begunWith: unknown[] = [];
  const session = new ChatSession({
    open: async (onReply, settings) => {
      begunWith.push(settings);
      const conversation = aConversation(onReply);
      opened.push(conversation);
      return conversation;
    },
    recover: async () => false,
    post: (reply) => posted.push(reply),
    ask: (what) => asked.push(what),
    shorten: (text) => text.replaceAll("/home/me/run", "run"),
    ...changes,
  });
  session.begin();
  /** The latest conversation, once `count` were opened. */
  const newest = async (count: number): Promise<FakeConversation> => {
    await vi.waitFor(() => expect(opened).toHaveLength(count));
    const conversation = opened.at(-1);
    if (conversation === undefined) throw new Error("no conversation was opened");
    return conversation;
  };
  return { session, posted, asked, begunWith, newest };
}

describe("the page of a conversation", () => {
  it("gets the full state whenever it loads, without absolute paths", async () => {
    const { session, posted, newest } = begin();
    const conversation = await newest(1);
    conversation.reply({ kind: "part", what: "opening /home/me/run" });
    conversation.reply(view);
    conversation.reply(failed("no-such-key", false));
    posted.length = 0;
    session.receive({ kind: "ready" });
    expect(posted.map(({ kind }) => kind)).toEqual(["view", "failed"]);
    expect(JSON.stringify(posted)).not.toContain("/home/me");
  });

  it("triggers known actions only", async () => {
    const { session, asked, newest } = begin();
    const conversation = await newest(1);
    const say = { action: "say", text: "Hi" };
    session.receive({ kind: "act", action: say });
    for (const message of [
      null,
      "say",
      { kind: "act", action: { action: "explode" } },
      { kind: "act", action: { ...say, launch: {} } },
      { kind: "act", action: { action: "change", settings: { samples: 65 } } },
      { kind: "begin", what: "elsewhere" },
      { kind: "command", command: "openLink" },
    ]) {
      session.receive(message);
    }
    expect(conversation.acted).toEqual([say]);
    session.receive({ kind: "begin", what: "beside" });
    expect(asked).toEqual(["beside"]);
  });
});

describe("the conversation behind the page", () => {
  it("is replaced on restart with the same settings, and the earlier one is closed without a message", async () => {
    const { session, posted, begunWith, newest } = begin();
    const first = await newest(1);
    first.reply(view);
    session.receive({ kind: "begin", what: "again" });
    const second = await newest(2);
    expect(begunWith).toEqual([null, { ...VIEW.settings, answersBy: "environment" }]);
    expect([first.isClosed, second.isClosed]).toEqual([true, false]);
    posted.length = 0;
    first.reply(failed("late", false));
    await first.over;
    session.receive({ kind: "ready" });
    expect(posted.map(({ kind }) => kind)).toEqual(["part"]);
    session.dispose();
    expect(second.isClosed).toBe(true);
  });

  it("retries after the user has fixed the cause of a failed start", async () => {
    const causes: string[] = [];
    const recover = async ({ code }: LaunchError): Promise<boolean> => {
      causes.push(code);
      return causes.length === 1;
    };
    const { posted, newest } = begin({ recover });
    (await newest(1)).refuse({ code: "key-missing", message: "no key" });
    (await newest(2)).refuse({ code: "no-checkpoint", message: "none in /home/me/run" });
    await vi.waitFor(() => expect(causes).toEqual(["key-missing", "no-checkpoint"]));
    expect(posted.at(-1)).toEqual({
      kind: "failed",
      error: { code: "no-checkpoint", message: "none in run" },
      isOver: true,
    });
  });

  it("ends with its server, then accepts no action, and can be restarted", async () => {
    const { session, posted, newest } = begin();
    const first = await newest(1);
    first.reply(view);
    first.lose();
    await vi.waitFor(() =>
      expect(posted.at(-1)).toMatchObject({
        error: { message: expect.stringContaining("This conversation ended with it.") },
        isOver: true,
      }),
    );
    session.receive({ kind: "act", action: { action: "say", text: "Hi" } });
    expect(first.acted).toEqual([]);
    session.receive({ kind: "begin", what: "again" });
    (await newest(2)).reply(view);
    expect(posted.at(-1)).toMatchObject({ kind: "view" });
  });

  it("reports a failed or canceled start", async () => {
    const none = begin({ open: () => Promise.reject(new Error("spawn ENOENT")) });
    await vi.waitFor(() =>
      expect(none.posted.at(-1)).toMatchObject({ error: { message: "spawn ENOENT" } }),
    );
    const unwanted = begin({ open: async () => null });
    await vi.waitFor(() =>
      expect(unwanted.posted.at(-1)).toMatchObject({ error: { code: "not-begun" }, isOver: true }),
    );
  });

  it("is closed immediately if its tab was closed while it was opening", async () => {
    const conversation = aConversation(() => undefined);
    let go: (opened: OpenConversation) => void = () => undefined;
    const opening = new Promise<OpenConversation>((resolve) => {
      go = resolve;
    });
    const { session } = begin({ open: () => opening });
    session.dispose();
    go(conversation);
    await vi.waitFor(() => expect(conversation.isClosed).toBe(true));
  });
});
