import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { turnLines } from "../../../src/cli/chat/chatLines.ts";
import { runProgram } from "../../../src/cli/program.ts";
import { renderLine } from "../../../src/cli/terminal/line.ts";
import type { FileSystem } from "../../../src/core/ports.ts";
import { createFileSystem } from "../../../src/node/fileSystem.ts";
import type { ChatRequest } from "../../../src/trainer/chat/openChat.ts";
import { result, type SessionScript } from "../../core/rollout/scriptedEnvironment.ts";
import {
  call,
  encode,
  ended,
  type TurnScript,
  tokenizer,
} from "../../core/rollout/scriptedModel.ts";
import { createMemoryFileSystem } from "../../core/runFolder/memoryFileSystem.ts";
import { folderOfThisTest } from "../../fakes/onDisk.ts";
import { anOpenChat } from "../anOpenChat.ts";
import { aTrainer, createFakeProgram } from "../fakeProgram.ts";
import { createFakeTerminal } from "../fakeTerminal.ts";

interface Talk {
  readonly flags?: readonly string[];
  readonly turns: Readonly<Record<string, readonly TurnScript[]>>;
  readonly script?: SessionScript;
  readonly secret?: string;
  readonly fileSystem?: FileSystem;
  /** True if a person types at a terminal. */
  readonly isPerson?: boolean;
}

/** A program with scripted models. */
async function aProgram({
  flags = [],
  turns,
  script,
  secret = "",
  isPerson = false,
  fileSystem = createMemoryFileSystem(),
}: Talk) {
  const input = Object.assign(new PassThrough(), { isTTY: isPerson });
  const { opened, isClosed } = await anOpenChat({ turns, script, secret });
  const requests: ChatRequest[] = [];
  const program = createFakeProgram({
    input,
    fileSystem,
    trainer: aTrainer({
      openChat: async (_, request) => {
        requests.push(request);
        return opened;
      },
    }),
  });
  const ending = runProgram(program, ["chat", ...Object.keys(turns).slice(0, 1), ...flags]);
  return { program, input, ending, partners: opened.partners, requests, isClosed };
}

async function talked(talk: Talk, ...lines: readonly string[]) {
  const parts = await aProgram(talk);
  parts.input.end(lines.map((line) => `${line}\n`).join(""));
  const code = await parts.ending;
  const { lines: shown } = parts.program.out;
  return {
    ...parts,
    code,
    shown,
    text: shown.join("\n"),
    faults: parts.program.err.lines.join("\n"),
  };
}

const game: SessionScript = {
  onCall: ({ name }) =>
    name === "answer" ? result("Right.", { reward: 1, finished: true }) : result("5"),
};

describe("chatting with a model", () => {
  it("shows reasoning and text separately, and marks truncated output", async () => {
    const turns = { base: [ended("Hello")] };
    const { code, isClosed, text, partners } = await talked({ turns }, "Hi");
    expect([code, isClosed()]).toEqual([0, true]);
    expect(text).toContain("text       Hello");
    const turn = partners[0]?.conversation.events.findLast((event) => event.kind === "turn")?.turn;
    if (turn === undefined) throw new Error("no turn");
    const parsed = { ...turn.parsed, reasoning: "Hm", ended: false };
    const cut = { ...turn, parsed, stopReason: "length" } as const;
    const shown = { width: 80, title: null, clean: <T extends object>(each: T) => each };
    const lines = turnLines(cut, shown).map((line) => renderLine(line, false));
    expect(lines.join("\n")).toMatch(/thinking +Hm\n +text +Hello\n.*cut off/);
  });

  it("prints service messages in progress", async () => {
    const { program, input, ending, requests } = await aProgram({ turns: { demo: [ended("a")] } });
    await vi.waitFor(() => expect(requests).toHaveLength(1));
    requests[0]?.onNotice("The server does not answer.");
    input.end("/quit\n");
    await ending;
    expect(program.err.lines).toContain("The server does not answer.");
  });

  it("reports the tokens and cost of all requests, including undone turns", async () => {
    const turns = { base: [ended("Hello"), ended("Hello there")] };
    const { text, partners } = await talked({ turns }, "Hi", "/again");
    const turn = partners[0]?.conversation.events.findLast((event) => event.kind === "turn")?.turn;
    const prompt = turn?.context.length ?? 0;
    const sampled = encode(ended("Hello")).length + encode(ended("Hello there")).length;
    const all = 2 * prompt + sampled;
    expect(text.split("\n").at(-1)).toMatch(new RegExp(`cost +\\$${all}\\.00, ${all} tokens`));
  });

  it("runs the calls of a task, shows rewards and ends with the reward of the episode", async () => {
    const turns = { base: [ended(call("add")), ended(call("answer"))] };
    const { text } = await talked({ turns, script: game });
    expect(text).toContain("result     5");
    expect(text).toContain("reward 1.00, finished");
    expect(text).toContain("The episode is over: reward 1.00.");
  });

  it("lets a person answer a call instead of the tool", async () => {
    const turns = { base: [ended("Ready"), ended(call("add")), ended("So it is 9")] };
    const parts = await talked({ turns, script: game }, "/tools person", "Add", "9");
    expect(parts.text).toContain("So it is 9");
    expect(parts.text).not.toContain("result     5");
    expect(tokenizer.decode(parts.partners[0]?.conversation.context ?? [])).toContain(
      "tool\n9<|im_end|>",
    );
  });

  it("sends the same message to two models, and picks one of several samples", async () => {
    const turns = { one: [ended("a"), ended("b")], two: [ended("c"), ended("d")] };
    const flags = ["--beside", "two", "--samples", "2"];
    const { text, partners, requests } = await talked({ turns, flags }, "Hi", "/pick 2");
    expect(requests[0]?.targets).toEqual(["one", "two"]);
    for (const title of ["one · sample 1 of 2", "two · sample 2 of 2"])
      expect(text).toContain(title);
    const contexts = partners.map(({ conversation }) => tokenizer.decode(conversation.context));
    expect(contexts.map((context) => context.slice(-11, -10))).toEqual(["b", "d"]);
  });

  it("undoes turns, and samples them again", async () => {
    const turns = { base: [ended("one"), ended("two")] };
    const { text, partners } = await talked({ turns }, "Hi", "/again", "/undo");
    expect(text).toMatch(/one.*two.*undone/s);
    expect(partners[0]?.conversation.events).toEqual([]);
  });

  it("joins lines that end with a backslash, and treats two slashes as one", async () => {
    const { partners } = await talked({ turns: { base: [ended("ok")] } }, "//one\\", "two");
    expect(partners[0]?.conversation.events[0]).toEqual({ kind: "message", content: "/one\ntwo" });
  });

  it("prints JSON lines that match their schemas", async () => {
    const turns = { base: [ended(call("add")), ended(call("answer"))] };
    const { shown } = await talked({ turns, script: game, flags: ["--json"] });
    const lines = shown.map((line) =>
      z.object({ format: z.string() }).loose().parse(JSON.parse(line)),
    );
    const outputs = ["chat-turn", "chat-answers"];
    expect(lines.map(({ format }) => format)).toEqual(
      [...outputs, ...outputs].map((name) => `tinker-rl.${name}/1`),
    );
    for (const line of lines) {
      const name = line.format.replace(/^tinker-rl\.|\/1$/g, "");
      const schema: unknown = JSON.parse(await readFile(`docs/json/${name}.schema.json`, "utf8"));
      // Both are JSON; the parameter's type is narrower.
      const checked = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
      expect(checked.safeParse(line).error).toBeUndefined();
    }
  });

  it("exports the conversation with its tokens, without secrets, and overwrites no file", async () => {
    const turns = { base: [ended("the key is sesame-open")] };
    const talk = { turns, secret: "sesame-open" };
    const { program, code, faults, text } = await talked(
      talk,
      "Hi",
      "/save x.json",
      "/save x.json",
    );
    const saved: unknown = JSON.parse(await program.fileSystem.readText("x.json"));
    expect(saved).toMatchObject({
      conversations: [
        {
          model: "base",
          events: [{ kind: "message" }, { text: "the key is ***", tokens: expect.any(Array) }],
        },
      ],
    });
    expect(text).not.toContain("sesame");
    expect([code, faults]).toEqual([2, expect.stringContaining("x.json already exists")]);
  });

  it("exports the conversation into a folder that does not exist yet", async () => {
    const path = join(folderOfThisTest(), "new", "x.json");
    const fileSystem = createFileSystem();
    const talk = { turns: { base: [] }, fileSystem };
    expect((await talked(talk, `/save ${path}`)).code).toBe(0);
    expect(JSON.parse(await fileSystem.readText(path))).toHaveProperty("conversations");
  });
});

describe("Ctrl+C while chatting with a model", () => {
  it("stops the current sample, and exits if there is none", async () => {
    const { program, input, ending, partners, isClosed } = await aProgram({
      turns: { base: ["hang", ended("now")] },
      isPerson: true,
    });
    input.write("Hi\n");
    await vi.waitFor(() => expect(program.err.live.join()).toContain("sampling"));
    program.interrupt();
    await vi.waitFor(() => expect(program.err.lines.join()).toContain("stopped"));
    expect(partners[0]?.conversation.next).toBe("turn");
    input.write("\n");
    await vi.waitFor(() => expect(program.out.lines.join()).toContain("now"));
    program.interrupt();
    expect(await ending).toBe(0);
    expect([isClosed(), program.listeners.size]).toEqual([true, 0]);
  });

  it("exits immediately while the services are being connected", async () => {
    for (const [isTTY, code] of [
      [true, 0],
      [false, 3],
    ] as const) {
      const program = createFakeProgram({
        input: Object.assign(new PassThrough(), { isTTY }),
        trainer: aTrainer({ openChat: () => new Promise(() => undefined) }),
      });
      const ending = runProgram(program, ["chat", "base"]);
      await vi.waitFor(() => expect(program.listeners.size).toBe(1));
      program.interrupt();
      expect(await ending).toBe(code);
    }
  });

  it("ends a script, without the lines that it would send next", async () => {
    const { program, input, ending, partners, isClosed } = await aProgram({
      turns: { base: ["hang", ended("now")] },
    });
    input.write("Hi\n\nMore\n");
    await vi.waitFor(() => expect(program.err.live.join()).toContain("sampling"));
    program.interrupt();
    expect([await ending, isClosed()]).toEqual([3, true]);
    expect(partners[0]?.conversation.events).toHaveLength(1);
    expect(program.err.lines.at(-1)).toContain("The conversation was stopped.");
  });

  it("ends a script that has sent nothing yet", async () => {
    const { program, ending } = await aProgram({ turns: { base: [] } });
    await vi.waitFor(() => expect(program.err.live.join()).toContain("you>"));
    program.interrupt();
    expect(await ending).toBe(3);
  });
});

describe("an input error while chatting with a model", () => {
  it("ends a script with one line, even one piped at a terminal, and lets a person continue", async () => {
    const turns = { base: [ended("fine")] };
    const script = await talked({ turns }, "/unod", "Hi");
    expect([script.code, script.faults]).toEqual([
      2,
      expect.stringContaining("Did you mean /undo?"),
    ]);
    expect(script.text).not.toContain("fine");
    const piped = await aProgram({ turns });
    Object.assign(piped.program.err, createFakeTerminal({ isInteractive: true }));
    piped.input.end("/unod\nHi\n");
    expect(await piped.ending).toBe(2);
    const { program, input, ending } = await aProgram({ turns, isPerson: true });
    input.end("/unod\nHi\n");
    expect(await ending).toBe(0);
    expect(program.out.lines.join()).toContain("fine");
  });
});
