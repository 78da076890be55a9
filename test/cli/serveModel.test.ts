import { expect, test } from "vitest";
import { runProgram } from "../../src/cli/program.ts";
import { AppError } from "../../src/core/errors.ts";
import type { ServeModelRequest } from "../../src/trainer/chat/serveModel.ts";

import { aService, aTrainer, createFakeProgram, underWay } from "./fakeProgram.ts";

/** A model on a port that may fail. */
function aServing() {
  const { serving, ...service } = aService();
  const requests: ServeModelRequest[] = [];
  const trainer = aTrainer({
    serveModel: async (_, request) => {
      requests.push(request);
      return {
        ...service,
        url: "http://127.0.0.1:8100",
        key: "tinker-rl-1",
        label: "demo · final",
        maxTotalTokens: 4_096,
        notes: ["The checkpoint expires soon."],
        used: () => ({ tokens: 1_234, costUsd: 0.5 }),
      };
    },
  });
  return { serving, requests, program: createFakeProgram({ trainer }) };
}

test("serve-model prints how to connect clients to the model, and their usage at the end", async () => {
  const { serving, requests, program } = aServing();
  const exit = runProgram(program, ["serve-model", "runs/demo", "--port", "8100"]);
  await underWay(program);
  expect(requests).toMatchObject([{ target: "runs/demo", port: 8100, configPath: null }]);
  expect(program.out.lines).toEqual(
    expect.arrayContaining([
      "The checkpoint expires soon.",
      expect.stringContaining("demo · final"),
      "  export OPENAI_BASE_URL=http://127.0.0.1:8100/v1",
      "  export OPENAI_API_KEY=tinker-rl-1",
      "  export ANTHROPIC_BASE_URL=http://127.0.0.1:8100",
      "  export ANTHROPIC_API_KEY=tinker-rl-1",
    ]),
  );
  requests[0]?.onNotice("The server does not answer.");
  expect(program.err.lines).toContain("The server does not answer.");
  expect(serving.isClosed).toBe(false);
  program.interrupt();
  expect(await exit).toBe(0);
  expect(program.out.lines.at(-1)).toContain("$0.50, 1,234 tokens");
  expect(serving.isClosed).toBe(true);
  expect(program.listeners.size).toBe(0);
});

test("serve-model ends with the reason when the engine does", async () => {
  const { serving, program } = aServing();
  const exit = runProgram(program, ["serve-model", "local/tiny-tool"]);
  await underWay(program);
  serving.fail(new AppError("local-service", "The embedded engine ended unexpectedly (SIGKILL)."));
  expect(await exit).toBe(5);
  expect(program.err.lines.join("\n")).toContain("The embedded engine ended unexpectedly");
  expect(serving.isClosed).toBe(true);
});

test("serve-model exits without an error if it is interrupted while starting", async () => {
  const trainer = aTrainer({
    serveModel: (_, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      }),
  });
  const program = createFakeProgram({ trainer });
  const exit = runProgram(program, ["serve-model", "local/tiny-tool"]);
  await underWay(program);
  program.interrupt();
  expect(await exit).toBe(0);
  expect(program.err.lines).toEqual([]);
});
