import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { CHAT_REQUESTS, type OpenChatRequest, type TurnPlace } from "../../src/api/chat.ts";
import type { RequestOutcome } from "../../src/api/requests.ts";
import { createRunReader } from "../../src/core/runFolder/reader.ts";
import type { SamplingClient } from "../../src/core/tinker/samplingClient.ts";
import type { TrainingClient } from "../../src/core/tinker/trainingClient.ts";
import { startConfig, startDigest } from "../../src/node/startConfig.ts";
import type { ChatReply, ChatView } from "../../src/shared/chat.ts";
import type { LaunchRequest } from "../../src/shared/control.ts";
import { type ChatRequest, openChat } from "../../src/trainer/chat/openChat.ts";
import { call, encode, ended, tokenizer } from "../core/rollout/scriptedModel.ts";
import { anOrder } from "../fakes/anOrder.ts";
import { filesOnDisk } from "../fakes/onDisk.ts";
import { trainLocally } from "./localRun.ts";
import { startServer } from "./serverProgram.ts";
import { PROGRAM_FOLDER, runProgram } from "./trainProgram.ts";

const CONFIG = `
model_name: local/tiny-tool
environments:
  local/calculator: { splits: { train: { num_samples: 4 } }, num_rollouts: 4, nonterminal_reward: 0 }
batch_size: 4
max_steps: 1
`;

const SETTINGS = { temperature: 1, topP: 1, topK: -1, maxTokens: 48, seed: 5 };
const signal = new AbortController().signal;
const fileSystem = filesOnDisk();

/** Records what was sent for each sample. */
function recording(client: TrainingClient, sent: (readonly number[])[]): TrainingClient {
  const wrap = (sampler: SamplingClient): SamplingClient => ({
    ...sampler,
    sample: (request, options) => {
      sent.push(Array.from(request.prompt));
      return sampler.sample(request, options);
    },
  });
  return { ...client, ephemeralSampler: async () => wrap(await client.ephemeralSampler()) };
}

interface TrainedRun {
  readonly folder: string;
  /** Prompts of all samples of the run's rollouts. */
  readonly sent: readonly (readonly number[])[];
  /** A rollout with token data and at least two turns; rollouts are numbered from 1. */
  readonly place: Omit<TurnPlace, "turn">;
  readonly turns: number;
}

async function trainedRun(): Promise<TrainedRun> {
  const sent: (readonly number[])[] = [];
  const events = await trainLocally({
    config: CONFIG,
    wrapClient: (client) => recording(client, sent),
  });
  const end = events.find((event) => event.kind === "ended");
  if (end?.kind !== "ended") throw new Error("the run has not ended");
  const reader = createRunReader(fileSystem.within(end.folder), end.folder);
  const stored = await reader.rollouts(0);
  const long = stored.find(({ turns, tokenData }) => turns >= 2 && tokenData.length > 0);
  if (long === undefined) throw new Error("no rollout has two turns and tokens");
  const place = {
    source: "training" as const,
    step: 1,
    group: long.group + 1,
    rollout: long.rollout + 1,
  };
  return { folder: end.folder, sent, place, turns: long.turns };
}

function open(changes: Partial<ChatRequest>) {
  return openChat(fileSystem, {
    targets: ["local/tiny-tool"],
    configPath: null,
    overrides: [],
    allowedOrigins: [],
    task: null,
    turn: null,
    isReplayed: false,
    system: null,
    signal,
    programFolder: PROGRAM_FOLDER,
    onPart: () => undefined,
    onNotice: () => undefined,
    ...changes,
  });
}

let run: TrainedRun;
beforeAll(async () => {
  run = await trainedRun();
});

describe("a conversation that continues from a stored rollout", () => {
  it.each([false, true])(
    "sends exactly the tokens that the rollout sent in that turn (replayed: %s)",
    async (isReplayed) => {
      for (let turn = 1; turn <= run.turns; turn += 1) {
        const opened = await open({
          targets: [run.folder],
          turn: { ...run.place, turn },
          isReplayed,
        });
        const [partner] = opened.partners;
        const [sampled] = (await partner?.conversation.sample(SETTINGS)) ?? [];
        expect(run.sent).toContainEqual(sampled?.context);
        expect(partner?.conversation.events).toHaveLength(isReplayed ? 2 * turn - 1 : 1);
        expect(opened.notes.join(" ")).toContain(isReplayed ? "" : "is not restored");
        await opened.close();
      }
    },
  );

  it("appends a person's answers to them, and names turns and steps that do not exist", async () => {
    const turn = { ...run.place, turn: 1 };
    const opened = await open({ targets: [run.folder], turn });
    const [partner] = opened.partners;
    const before = partner?.conversation.context ?? [];
    partner?.conversation.adopt({
      tokens: encode(ended(call("calc", { expr: "1+1" }))),
      logprobs: null,
      stopReason: "stop",
      wereMissing: true,
    });
    await partner?.conversation.answer(["2"]);
    const after = partner?.conversation.context ?? [];
    expect(after.slice(0, before.length)).toEqual(before);
    expect(tokenizer.decode(after.slice(before.length))).toContain("<|im_start|>tool\n2<|im_end|>");
    await opened.close();
    for (const [wrong, words] of [
      [{ ...turn, turn: 99 }, "There is no turn 99"],
      [{ ...turn, step: 9 }, "no rollout"],
    ] as const) {
      await expect(open({ targets: [run.folder], turn: wrong })).rejects.toThrow(words);
    }
  });
});

describe("a conversation with saved weights", () => {
  it("uses the newest sampler of a run, and names the sampler when given a state that cannot be sampled from", async () => {
    const text = await readFile(join(run.folder, "checkpoints.jsonl"), "utf8");
    const paths = z.object({ state_path: z.string(), sampler_path: z.string() });
    const lines = text.trim().split("\n");
    // A line with null marks a deleted save.
    const saved = lines.flatMap((line) => paths.safeParse(JSON.parse(line)).data ?? []).at(-1);
    if (saved === undefined) throw new Error("The run saved nothing.");
    const opened = await open({ targets: [run.folder, saved.sampler_path, "local/tiny-tool"] });
    const turns = await Promise.all(
      opened.partners.map(async ({ conversation }) => {
        await conversation.say("What is 2*3?");
        return (await conversation.sample(SETTINGS))[0];
      }),
    );
    await opened.close();
    const [ofRun, ofPath, ofBase] = turns;
    expect(ofRun?.logprobs).toEqual(ofPath?.logprobs);
    expect(ofRun?.logprobs).not.toEqual(ofBase?.logprobs);
    expect(ofRun?.context).toEqual(ofBase?.context);
    await expect(open({ targets: [saved.state_path] })).rejects.toThrow(
      `The sampler that was saved with it is ${saved.sampler_path}.`,
    );
  });
});

const turnLine = z.object({
  kind: z.literal("turn"),
  context: z.array(z.number()),
  tokens: z.array(z.number()),
  logprobs: z.array(z.number()),
});

const talk = (flags: readonly string[], input: string) => runProgram(["chat", ...flags], {}, input);

/** Opens a conversation for an editor that sends `launch`, and closes it after its first answers or a failed start. */
async function talkForEditor(launch: LaunchRequest) {
  const server = startServer();
  const request: OpenChatRequest = {
    progressToken: "chat",
    launch,
    targets: [run.folder],
    task: null,
    isReplayed: true,
    system: null,
    settings: null,
    turn: { ...run.place, turn: 2 },
  };
  const shown = new Promise<ChatView>((resolve) => {
    server.onReport(request, (reply: ChatReply) => {
      if (reply.kind === "view") resolve(reply.view);
    });
  });
  const over = server.ask<RequestOutcome<null>>(CHAT_REQUESTS.open, request).catch(() => null);
  const first = await Promise.race([shown, over]);
  expect((await server.leave()).stderr).toBe("");
  return first;
}

describe("the chat server for an editor", () => {
  it("continues from a turn of a run that the editor has approved, and from no other", async () => {
    const request = { resume: run.folder, overrides: [] };
    const start = await startConfig(fileSystem, request);
    const training = { configPath: start.path, ...request, digest: startDigest(start) };
    const view = await talkForEditor(anOrder({ training }));
    expect(view).toMatchObject({ task: expect.stringContaining("local/calculator train") });
    const [partner] = view !== null && "partners" in view ? view.partners : [];
    const kinds = partner?.entries.map(({ kind }) => kind);
    expect(kinds?.slice(0, 2)).toEqual(["turn", "answers"]);
    const changed = await talkForEditor(anOrder({ training: { ...training, digest: "other" } }));
    expect(changed).toMatchObject({ ok: false, error: { code: "config-changed" } });
  });
});

describe("the chat command", () => {
  it("reads one message per line, and prints one JSON line per turn whose context includes all sampled tokens", async () => {
    const flags = ["local/tiny-tool", "--json", "--seed", "3", "--max_tokens", "8"];
    const { code, stdout } = await talk(flags, "Hello\n/answer 7\n/undo\n");
    expect(code).toBe(0);
    const turns = stdout
      .trim()
      .split("\n")
      .map((line): unknown => JSON.parse(line))
      .flatMap((line) => turnLine.safeParse(line).data ?? []);
    expect(turns.length).toBeGreaterThan(0);
    for (const [i, { context, tokens, logprobs }] of turns.entries()) {
      expect(logprobs).toHaveLength(tokens.length);
      const next = turns[i + 1]?.context.slice(0, context.length + tokens.length);
      if (next !== undefined) expect(next).toEqual([...context, ...tokens]);
    }
  });

  it("plays a task, shows its reward, and reports refusals in one line", async () => {
    const flags = ["local/tiny-tool", "--environment", "local/calculator", "--task", "3"];
    const { code, stdout } = await talk([...flags, "--seed", "1"], "");
    expect(code).toBe(0);
    expect(stdout).toContain("What is 87*51?");
    expect(stdout).toMatch(/reward [01](, finished)?/);
    const refused = await talk(["local/tiny-tool"], "/wrong\n");
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining("Unknown command /wrong"),
    ]);
    const nowhere = await talk(["./nowhere"], "");
    expect([nowhere.code, nowhere.stderr]).toEqual([
      2,
      expect.stringContaining("is not a run folder"),
    ]);
  });
});
