import { describe, expect, it, vi } from "vitest";
import { ChatSession, type ChatSessionOptions } from "../../../src/host/chat/chatSession.ts";
import type { StartedProgram } from "../../../src/host/runs/startProgram.ts";
import type { ChatReply, ChatView } from "../../../src/shared/chat.ts";

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

interface FakeProgram extends StartedProgram {
  readonly sent: object[];
  readonly reply: (reply: ChatReply) => void;
  /** Ends it, with what it wrote to standard error. */
  readonly end: (errors?: string) => void;
  isInputEnded: boolean;
}

function aProgram(reply: (reply: ChatReply) => void): FakeProgram {
  let end: FakeProgram["end"] = () => undefined;
  const ended: StartedProgram["ended"] = new Promise((resolve) => {
    end = (errors = "") => resolve({ replies: 1, errors });
  });
  const program: FakeProgram = {
    sent: [],
    reply,
    isInputEnded: false,
    ended,
    send: (message) => void program.sent.push(message),
    endInput: () => {
      program.isInputEnded = true;
    },
    kill: () => undefined,
    end: (errors) => end(errors),
  };
  return program;
}

function open(changes: Partial<ChatSessionOptions> = {}) {
  const programs: FakeProgram[] = [];
  const posted: ChatReply[] = [];
  const asked: string[] = [];
  const begunWith: unknown[] = [];
  const session = new ChatSession({
    start: async (onReply, settings) => {
      begunWith.push(settings);
      const program = aProgram(onReply);
      programs.push(program);
      return program;
    },
    recover: async () => false,
    post: (reply) => posted.push(reply),
    ask: (what) => asked.push(what),
    shorten: (text) => text.replaceAll("/home/me/run", "run"),
    ...changes,
  });
  session.begin();
  const started = async (count: number): Promise<FakeProgram> => {
    await vi.waitFor(() => expect(programs).toHaveLength(count));
    const program = programs.at(-1);
    if (program === undefined) throw new Error("no program was started");
    return program;
  };
  return { session, programs, posted, asked, begunWith, started };
}

describe("the page of a conversation", () => {
  it("gets all there is whenever it loads, without absolute paths", async () => {
    const { session, posted, started } = open();
    const program = await started(1);
    program.reply({ kind: "part", what: "opening /home/me/run" });
    program.reply(view);
    program.reply(failed("no-such-key", false));
    posted.length = 0;
    session.receive({ kind: "ready" });
    expect(posted.map(({ kind }) => kind)).toEqual(["view", "failed"]);
    expect(JSON.stringify(posted)).not.toContain("/home/me");
  });

  it("acts on the program with known actions only", async () => {
    const { session, asked, started } = open();
    const program = await started(1);
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
    expect(program.sent).toEqual([say]);
    session.receive({ kind: "begin", what: "beside" });
    expect(asked).toEqual(["beside"]);
  });
});

describe("the program of a conversation", () => {
  it("is another one after a new beginning, with the same settings, and the earlier one ends unheard", async () => {
    const { session, posted, begunWith, started } = open();
    const first = await started(1);
    first.reply(view);
    session.receive({ kind: "begin", what: "again" });
    const second = await started(2);
    expect(begunWith).toEqual([null, { ...VIEW.settings, answersBy: "environment" }]);
    expect([first.isInputEnded, second.isInputEnded]).toEqual([true, false]);
    posted.length = 0;
    first.reply(failed("late", true));
    first.end();
    await first.ended;
    session.receive({ kind: "ready" });
    expect(posted.map(({ kind }) => kind)).toEqual(["part"]);
    session.dispose();
    expect(second.isInputEnded).toBe(true);
  });

  it("begins once more when the user has removed what it refused to begin for", async () => {
    const causes: string[] = [];
    const recover = async ({ code }: { readonly code: string }): Promise<boolean> => {
      causes.push(code);
      return causes.length === 1;
    };
    const { posted, started } = open({ recover });
    const first = await started(1);
    first.reply(failed("key-missing", true));
    first.end();
    const second = await started(2);
    second.reply(failed("no-checkpoint", true));
    second.end();
    await vi.waitFor(() => expect(causes).toEqual(["key-missing", "no-checkpoint"]));
    expect(posted.at(-1)).toMatchObject({ error: { code: "no-checkpoint" }, isOver: true });
  });

  it("is reported when it ends without a word, could not be started, or was not wanted", async () => {
    const silent = open();
    (await silent.started(1)).end("Segmentation fault in /home/me/run");
    await vi.waitFor(() =>
      expect(silent.posted.at(-1)).toMatchObject({
        error: { code: "program-failed", message: "Segmentation fault in run" },
        isOver: true,
      }),
    );
    const none = open({ start: () => Promise.reject(new Error("spawn ENOENT")) });
    await vi.waitFor(() =>
      expect(none.posted.at(-1)).toMatchObject({ error: { message: "spawn ENOENT" } }),
    );
    const unwanted = open({ start: async () => null });
    await vi.waitFor(() =>
      expect(unwanted.posted.at(-1)).toMatchObject({ error: { code: "not-begun" }, isOver: true }),
    );
  });

  it("ends at once when its tab was closed while it started", async () => {
    const program = aProgram(() => undefined);
    let go: (program: StartedProgram) => void = () => undefined;
    const starting = new Promise<StartedProgram>((resolve) => {
      go = resolve;
    });
    const { session } = open({ start: () => starting });
    session.dispose();
    go(program);
    await vi.waitFor(() => expect(program.isInputEnded).toBe(true));
  });
});
