import { describe, expect, it } from "vitest";
import type { Config } from "../../../../src/core/config/fields/schema.ts";
import type { NewRunEvent } from "../../../../src/core/runFolder/events.ts";
import { tinkerError } from "../../../../src/core/tinker/transport/errors.ts";
import { checkLoss, checkRecordedLoss } from "../../../../src/core/training/checks/checkLoss.ts";
import { scriptedSampler } from "../../rollout/scriptedModel.ts";
import { answerOf, type LossServer } from "../../serverChecks/lossServer.ts";
import { aConfig } from "../builders.ts";
import { aContext } from "../fakeContext.ts";
import { resultOf } from "../fakeTrainingClient.ts";
import { prepareRun } from "../loop/prepareRun.ts";

function aRunOn(server: LossServer, changes: Partial<Config> = {}) {
  const recorded: NewRunEvent[] = [];
  const context = aContext({
    config: aConfig(changes),
    events: { record: async (event) => void recorded.push(event) },
  });
  context.client.answer = (call) =>
    answerOf(server, {
      ...call,
      data: call.data.map(({ lossInputs }) => ({
        targets: lossInputs["target_tokens"] ?? [],
        logprobs: lossInputs["logprobs"] ?? [],
        advantages: lossInputs["advantages"] ?? [],
      })),
    });
  return { context, recorded, check: () => checkLoss(context, 3) };
}

describe("the loss check", () => {
  it("records and reports that the server computes the loss", async () => {
    const { context, recorded, check } = aRunOn({});
    await check();
    const message =
      "The server at http://tinker.test computes loss_fn: ppo as documented (loss:sum).";
    expect(recorded).toMatchObject([
      {
        step: 3,
        level: "info",
        kind: "server-probed",
        message,
        data: { normalization: "token_sum" },
      },
    ]);
    expect(context.progress).toEqual([{ kind: "notice", message }]);
  });

  it("does not mention the embedded engine", async () => {
    const { context, recorded, check } = aRunOn({}, { model_name: "local/tiny-tool" });
    await check();
    expect(recorded).toHaveLength(1);
    expect(context.progress).toEqual([]);
  });

  it("warns about a normalized loss", async () => {
    const { context, recorded, check } = aRunOn({ normalization: "token_mean" });
    await check();
    expect(recorded).toMatchObject([{ level: "info" }, { level: "warn" }]);
    expect(context.progress.at(-1)).toEqual({
      kind: "warning",
      message: expect.stringContaining(
        "mean over trained tokens (loss:sum), where Tinker's is the sum",
      ),
    });
  });

  it("refuses to train when the server computes another known loss, and names it", async () => {
    const { check } = aRunOn({ always: "importance_sampling" });
    await expect(check()).rejects.toMatchObject({
      code: "loss-differs",
      configPath: "loss_fn",
      message: expect.stringMatching(
        /^loss_fn: the server at http:\/\/tinker.test does not compute ppo .* is what importance_sampling gives.*probe_server: false/,
      ),
    });
  });

  it("warns about a value that no known loss gives, and lets the run continue", async () => {
    const { context, check } = aRunOn({});
    const { answer } = context.client;
    context.client.answer = (call) => {
      const honest = answer(call);
      const metrics = { "loss:sum": 12.5 + 3 * (honest.metrics["loss:sum"] ?? 0) };
      return { ...honest, metrics };
    };
    await check();
    expect(context.progress).toEqual([
      {
        kind: "warning",
        message: expect.stringMatching(
          /could not be checked: for a probe its loss:sum is .*No known loss gives that number\. The run continues/,
        ),
      },
    ]);
  });

  it("lists the available losses when the server lacks the configured one", async () => {
    const { context, check } = aRunOn({}, { loss_fn: "dro" });
    const { answer } = context.client;
    context.client.answer = (call) => {
      if (call.lossFn === "dro") throw tinkerError("tinker-bad-request", "422: loss_fn");
      return answer(call);
    };
    await expect(check()).rejects.toMatchObject({
      code: "loss-not-offered",
      message: expect.stringMatching(
        /It accepts importance_sampling, ppo, cispo, gspo: set loss_fn/,
      ),
    });
  });

  it("reports what it could not check, and lets the run continue", async () => {
    const { context, check } = aRunOn({ metric: null });
    await check();
    expect(context.progress).toEqual([
      {
        kind: "notice",
        message: expect.stringMatching(/could not be checked: it reports no loss/),
      },
    ]);
  });
});

/** Runs three steps on a server that accepts no request without an update. */
async function run(changes: Partial<Config>) {
  const recorded: NewRunEvent[] = [];
  const { context, run: train } = prepareRun({
    config: changes,
    events: { record: async (event) => void recorded.push(event) },
  });
  context.client.answer = (one) => {
    if (one.forwardOnly) throw tinkerError("tinker-request-failed", "no forward pass here");
    return resultOf(one, -1);
  };
  await train();
  const said = context.progress.flatMap((event) =>
    event.kind === "notice" || event.kind === "warning" ? [event.message] : [],
  );
  const events = recorded.filter(({ kind }) => kind === "server-probed");
  return { said, events: events.map(({ message }) => message) };
}

describe("a server whose loss was not checked", () => {
  it("is reported once with probe_server: false", async () => {
    const message =
      "probe_server is false, so the run does not check that the server at http://tinker.test computes loss_fn: ppo as documented.";
    expect(await run({ probe_server: false })).toEqual({ said: [message], events: [message] });
  });

  it("is reported once when the check fails", async () => {
    const { said, events } = await run({ probe_server: true });
    expect(said).toEqual(events);
    expect(said).toEqual([expect.stringMatching(/could not be checked: no forward pass here/)]);
  });

  it("is only an event with the embedded engine", async () => {
    const { said, events } = await run({ probe_server: false, model_name: "local/tiny-tool" });
    expect(said).toEqual([]);
    expect(events).toHaveLength(1);
  });
});

describe("the check of stable_reinforce", () => {
  const stable = { loss_fn: "stable_reinforce" } as const;

  it.each(["as it comes", "without log-probabilities"])(
    "trains nothing, and only asks the server to take a sample that it recorded, %s",
    async (kind) => {
      const { context, check } = aRunOn({}, stable);
      await check();
      expect(context.client.calls).toEqual([]);
      context.client.answer = (call) => resultOf(call, -1);
      const script = scriptedSampler(["An answer of many tokens."]);
      const sampler = {
        ...script,
        sample: async (...args: Parameters<typeof script.sample>) => ({
          ...(await script.sample(...args)),
          sequenceId: "q",
          ...(kind === "as it comes" ? {} : { logprobs: null }),
        }),
      };
      await checkRecordedLoss(context, sampler, 3);
      expect(script.requests).toMatchObject([{ recordsStability: true }]);
      expect(context.client.lossCalls).toMatchObject([
        { lossFn: "stable_reinforce", forwardOnly: true, data: [{ provenance: {} }] },
      ]);
      expect(context.progress).toEqual([
        { kind: "notice", message: expect.stringMatching(/accepts loss_fn: stable_reinforce/) },
      ]);
    },
  );

  it.each([
    ["names no sequences", "tinker-protocol", "Sampler S names no sequence of a sample"],
    ["does not record samples", "tinker-bad-request", "Sampler S records nothing"],
  ] as const)(
    "ends the run when the server %s but computes other losses",
    async (_, code, problem) => {
      const { context } = aRunOn({}, stable);
      const error = tinkerError(code, problem, { data: { detail: problem, status: 400 } });
      await expect(checkRecordedLoss(context, scriptedSampler([error]), 3)).rejects.toMatchObject({
        code: "loss-not-offered",
        message: expect.stringMatching(
          /does not accept stable_reinforce \(Sampler S .*It accepts importance_sampling, ppo,.*probe_server: false/,
        ),
      });
    },
  );
});
