import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { parseEvaluatedRollout } from "../../src/core/runFolder/rollouts/rolloutRecord.ts";
import { folderOfThisTest } from "../fakes/onDisk.ts";
import { listenAnywhere } from "../fakes/serveHere.ts";
import { runProgram, type Variables } from "./trainProgram.ts";

const CONFIG = `model_name: local/tiny-tool
environments:
  local/calculator:
    splits: {train: {}}
    num_rollouts: 2
batch_size: 1
max_steps: 1
`;
const KEY = "sk-of-the-player-1234567890";

/** The parts of a chat completions request that the player below reads. */
const asked = z.object({
  model: z.string(),
  messages: z.array(
    z.object({
      role: z.string(),
      content: z.string().nullable(),
      tool_call_id: z.string().optional(),
    }),
  ),
  tools: z.array(z.object({ function: z.object({ name: z.string() }) })),
});
type Asked = z.infer<typeof asked>;

const requests: Asked[] = [];
let failures = 0;
/** Answers with malformed JSON arguments before each good answer. */
let malformed = 0;

/** Computes the sum in the prompt with the calculator, and answers with the result. */
function answerTo({ messages }: Asked) {
  const [, sum = ""] =
    /What is (.*)\?/.exec(messages.find(({ role }) => role === "user")?.content ?? "") ?? [];
  const isProblem = (content: string | null) => content?.endsWith("not a JSON object.") === true;
  const learned = messages.findLastIndex(
    ({ role, content }) => role !== "assistant" && !isProblem(content),
  );
  const last = messages[learned];
  const problems = messages.slice(learned + 1).filter(({ role }) => role === "tool").length;
  const [name, args] =
    last?.role === "tool" ? ["answer", { value: last.content }] : ["calc", { expr: sum }];
  const call = { name, arguments: problems < malformed ? "[1" : JSON.stringify(args) };
  const tool_calls = [{ id: `call_${messages.length}`, type: "function", function: call }];
  return { choices: [{ message: { role: "assistant", content: null, tool_calls } }] };
}

const server = createServer((request, response) => {
  void text(request).then((body) => {
    const send = (status: number, value: unknown): void => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
    };
    if (request.url !== "/v1/chat/completions") return send(404, { error: "no such route" });
    if (request.headers.authorization !== `Bearer ${KEY}`) return send(401, { error: "bad key" });
    if (failures > 0) {
      failures -= 1;
      return send(503, { error: "busy" });
    }
    const read = asked.parse(JSON.parse(body));
    requests.push(read);
    send(200, answerTo(read));
  });
});

let address = "";
beforeAll(async () => {
  address = `${await listenAnywhere(server)}/v1`;
});
afterAll(() => server.close());

async function play(args: readonly string[], variables: Variables = {}) {
  const folder = folderOfThisTest();
  const path = join(folder, "sums.yaml");
  await writeFile(path, CONFIG);
  const ended = await runProgram(["env", "play", "-c", path, ...args], variables);
  return { ...ended, folder, stored: join(folder, ".tinker-rl", "runs", "sums-play") };
}

async function storedIn(folder: string) {
  const text = await readFile(join(folder, "eval", "step-000000.jsonl"), "utf8");
  return text
    .trim()
    .split("\n")
    .map((line) => {
      const stored = parseEvaluatedRollout(JSON.parse(line));
      if (stored === null) throw new Error("The line is no rollout.");
      const { reward, turns } = stored.record;
      return { model: stored.model, reward, turns };
    });
}

describe("play", () => {
  it("with a model at an address learns the result, and is stored without the key", async () => {
    failures = 1;
    const { code, stdout, stderr, stored } = await play(
      ["--player", address, "--model", "summer", "--key", "SUMMER_KEY", "--tasks", "2"],
      { SUMMER_KEY: KEY },
    );
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("mean reward 1.00 · 2 tasks");
    const [first, second] = requests;
    expect(first?.model).toBe("summer");
    expect(first?.tools.map((tool) => tool.function.name)).toEqual(["calc", "answer"]);
    expect(second?.messages.at(-1)).toMatchObject({ role: "tool", tool_call_id: "call_1" });
    const plays = await storedIn(stored);
    expect(plays.map(({ model, reward }) => [model, reward])).toEqual([
      ["summer", 1],
      ["summer", 1],
    ]);
    expect(plays[0]?.turns.map(({ calls }) => calls[0]?.name)).toEqual(["calc", "answer"]);
    const files = ["run.json", "config.yaml", "eval/step-000000.jsonl", "eval/results.jsonl"];
    const texts = await Promise.all(files.map((file) => readFile(join(stored, file), "utf8")));
    expect(texts.join("\n")).not.toContain(KEY);
  });

  it("with a model at an address sends it no secrets of the environment", async () => {
    const secret = "What is 92*86";
    const args = ["--player", address, "--model", "m", "--overrides", `secrets.WORD=${secret}`];
    const { code } = await play(args, { OPENAI_API_KEY: KEY });
    const [question] = requests.at(-1)?.messages ?? [];
    expect([code, question?.content]).toEqual([0, "***?"]);
  });

  it.each([
    [
      ["--player", "ADDRESS", "--model", "m"],
      {},
      "wants a key: name its variable with --key (status 401)",
    ],
    [
      ["--player", "ADDRESS", "--model", "m"],
      { OPENAI_API_KEY: "sk-x" },
      "refused the key in OPENAI_API_KEY (status 401)",
    ],
    [
      ["--player", "ADDRESS/more", "--model", "m"],
      {},
      "has no chat completions there, or no model m (status 404)",
    ],
    [["--player", "ADDRESS"], {}, "needs --model NAME"],
    [
      ["--player", "http://example.com/v1", "--model", "m"],
      { OPENAI_API_KEY: "sk-x" },
      "OPENAI_API_KEY",
    ],
    [["--player", "./nowhere"], {}, "./nowhere is not a run folder"],
  ])("with %j fails with a reason, and stores nothing", async (args, variables, words) => {
    const given = args.map((word) => word.replace("ADDRESS", address));
    const { code, stderr, stored } = await play(given, variables);
    expect([code === 0, stderr]).toEqual([false, expect.stringContaining(words)]);
    await expect(readFile(join(stored, "run.json"), "utf8")).rejects.toThrow();
  });

  it("with a model at an address continues after malformed calls, unless there are three in a row", async () => {
    const args = ["--player", address, "--model", "m"];
    malformed = 2;
    const patient = await play(args, { OPENAI_API_KEY: KEY });
    malformed = 3;
    const ended = await play(args, { OPENAI_API_KEY: KEY });
    malformed = 0;
    expect([patient.code, (await storedIn(patient.stored)).map(({ reward }) => reward)]).toEqual([
      0,
      [1],
    ]);
    expect([ended.code, ended.stderr]).toEqual([
      5,
      expect.stringContaining(
        "gave 3 answers that cannot be played. The last: The arguments of calc",
      ),
    ]);
  });

  it("with random actions repeats for the same seed", async () => {
    const random = (seed: number) =>
      play(["--player", "random", "--seed", String(seed), "--tasks", "3"]);
    const [one, again, other] = [await random(1), await random(1), await random(2)];
    const calls = async ({ stored }: typeof one) =>
      (await storedIn(stored)).map(({ turns }) => turns.flatMap((turn) => turn.calls));
    expect(await calls(again)).toEqual(await calls(one));
    expect(await calls(other)).not.toEqual(await calls(one));
  });

  it("with a model of the training service samples from its weights", async () => {
    const { code, stdout, stored } = await play(["--player", "local/tiny-tool", "--tasks", "2"]);
    expect([code, stdout]).toEqual([0, expect.stringContaining("the model writes:")]);
    expect((await storedIn(stored)).map(({ model }) => model)).toEqual([
      "local/tiny-tool",
      "local/tiny-tool",
    ]);
  });

  it("covers all tasks of the split, and rejects an index past the end", async () => {
    const from = (task: number) =>
      play(["--player", "random", "--task", String(task), "--tasks", "3"]);
    const { code, stdout } = await from(4_095);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/ · 1 task$/m)]);
    expect(await from(4_096)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Its tasks have the numbers 0 to 4095."),
    });
  });

  it("leaves nothing behind with --no-save", async () => {
    const { code, stored } = await play(["--player", "random", "--no-save"]);
    expect(code).toBe(0);
    await expect(readFile(join(stored, "run.json"), "utf8")).rejects.toThrow();
  });
});

const checkReport = z.object({
  environments: z.array(
    z.object({ checks: z.array(z.object({ id: z.string(), measured: z.string().nullable() })) }),
  ),
});

describe("a check with a model", () => {
  it("reports its findings without the model before it reports why the model cannot play", async () => {
    const path = join(folderOfThisTest(), "sums.yaml");
    await writeFile(path, CONFIG);
    const args = ["env", "check", "-c", path, "--model", "./nowhere", "--tasks", "4"];
    const { code, stdout, stderr } = await runProgram(args, {});
    expect([code, stdout]).toEqual([2, expect.stringContaining("nothing found")]);
    expect(stderr).toContain("./nowhere is not a run folder");
  });

  it("compares rewards across groups of its rollouts", async () => {
    const folder = folderOfThisTest();
    const path = join(folder, "sums.yaml");
    await writeFile(path, CONFIG);
    const size = ["--groups", "4", "--group_size", "4"];
    const args = ["env", "check", "-c", path, "--model", "local/tiny-tool", ...size, "--json"];
    const { code, stdout } = await runProgram(args, {});
    const { environments } = checkReport.parse(JSON.parse(stdout));
    const signal = environments[0]?.checks.find(({ id }) => id === "model-signal");
    expect([code, signal?.measured]).toEqual([
      0,
      expect.stringMatching(
        /^\d of 4 groups of 4 have a signal; mean reward 0\.\d\d; per rollout \d+ sampled/,
      ),
    ]);
  });
});
