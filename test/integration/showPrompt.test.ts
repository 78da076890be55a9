import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PROMPT_REQUESTS, type PromptRequest } from "../../src/api/prompts.ts";
import type { RequestOutcome } from "../../src/api/requests.ts";
import type { LaunchRequest } from "../../src/shared/control.ts";
import type { PromptDescription } from "../../src/shared/promptDescription.ts";
import { orderOf } from "../fakes/anOrder.ts";
import { folderOfThisTest } from "../fakes/onDisk.ts";
import { startServer } from "./serverProgram.ts";
import { runProgram } from "./trainProgram.ts";

/** The local environment needs no key; the evaluation's environment, at a server, does. */
const CONFIG = `model_name: local/tiny-tool
environments:
  local/calculator:
    splits: {train: {}}
    num_rollouts: 2
batch_size: 1
max_steps: 1
evaluation:
  splits: {Owner/Game: [test]}
`;

async function configPath(): Promise<string> {
  const folder = folderOfThisTest();
  const path = join(folder, "config.yaml");
  await writeFile(path, CONFIG);
  return path;
}

const show = async (...flags: readonly string[]) =>
  runProgram(["show-prompt", await configPath(), ...flags], {});

describe("the program that shows a prompt", () => {
  it("prints the prompt of a task with control tokens marked, and asks for no key that the task does not need", async () => {
    const { code, stdout, stderr } = await show("--task", "3");
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("First prompt of task 3 of local/calculator, split train");
    expect(stdout).toContain("⟦<|im_end|>⟧\n⟦<|im_start|>⟧assistant\n← the model continues here");
    expect(stdout).toContain("Tinker RL reads this as the call: calc(");
  });

  it("colors control tokens when color is on, and marks them either way", async () => {
    const path = await configPath();
    const { stdout } = await runProgram(["show-prompt", path], { FORCE_COLOR: "1" });
    expect(stdout).toContain("\u001b[7m⟦<|im_start|>⟧\u001b[0m");
  });

  it.each([
    [["--task", "5000"], "local/calculator has no task 5000 in the split train."],
    [["--split", "trian"], "The configuration has no split trian. Did you mean train?"],
    [["--environment", "local/calc"], "The configuration has no environment local/calc."],
    [["--environment", "Owner/Game"], "needs OPENREWARD_API_KEY"],
    [["--max_stepz=3"], "Unknown flag --max_stepz. Did you mean --max_steps?"],
    [["--lora_rank=0"], "lora_rank"],
  ])("refuses %j in one line, with the exit code for usage errors", async (flags, words) => {
    const { code, stdout, stderr } = await show(...flags);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(words);
  });
});

describe("the server when an editor requests a prompt", () => {
  const ask = async (launch: LaunchRequest): Promise<RequestOutcome<PromptDescription>> => {
    const server = startServer();
    const place = { environment: "local/calculator", split: "train", task: 0 };
    const request: PromptRequest = { launch, ...place };
    const answer = await server.ask<RequestOutcome<PromptDescription>>(
      PROMPT_REQUESTS.preview,
      request,
    );
    expect(await server.leave()).toEqual({ code: 0, stderr: "" });
    return answer;
  };

  it("answers with the description", async () => {
    const launch = await orderOf(await configPath());
    expect(await ask(launch)).toMatchObject({ ok: true, value: { tools: ["calc", "answer"] } });
  });

  it("refuses a configuration that changed after keys were supplied for it", async () => {
    const launch = await orderOf(await configPath());
    const changed = { ...launch, training: { ...launch.training, digest: "other" } };
    expect(await ask(changed)).toMatchObject({ ok: false, error: { code: "config-changed" } });
  });
});
