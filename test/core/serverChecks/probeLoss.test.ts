import { describe, expect, it } from "vitest";
import type { LossNormalization } from "../../../src/core/serverChecks/normalizations.ts";
import type { DocumentedLoss } from "../../../src/core/serverChecks/policyLosses.ts";
import { probeLoss } from "../../../src/core/serverChecks/probeLoss.ts";
import { tinkerError } from "../../../src/core/tinker/transport/errors.ts";
import { FakeTrainingClient, type LossCall } from "../training/fakeTrainingClient.ts";
import { answerOf, type LossServer } from "./lossServer.ts";

const LOSSES: readonly DocumentedLoss[] = ["importance_sampling", "ppo", "cispo", "dro", "gspo"];
const TOKENS = Array.from({ length: 20 }, (_, i) => 3 + 7 * i);

function clientOf(server: LossServer): FakeTrainingClient {
  const client = new FakeTrainingClient();
  client.answer = (call) => answerOf(server, { ...call, data: call.data.map(inputs) });
  return client;
}

function inputs({ lossInputs }: LossCall["data"][number]) {
  const of = (name: string): ArrayLike<number> => lossInputs[name] ?? [];
  return { targets: of("target_tokens"), logprobs: of("logprobs"), advantages: of("advantages") };
}

function probe(client: FakeTrainingClient, loss_fn: DocumentedLoss, loss_fn_config = {}) {
  return probeLoss(client, TOKENS, { loss_fn, loss_fn_config });
}

describe.each(LOSSES)("a server that is asked for %s", (asked) => {
  it("and computes it is recognized with one forward-only request", async () => {
    const client = clientOf({});
    expect(await probe(client, asked)).toMatchObject({
      kind: "matches",
      isCertain: true,
      normalization: "token_sum",
      source: "loss:sum",
    });
    expect(client.lossCalls).toMatchObject([{ lossFn: asked, forwardOnly: true }]);
  });

  it.each(LOSSES.filter((loss) => loss !== asked))(
    "but computes %s is detected",
    async (always) => {
      const finding = await probe(clientOf({ always }), asked);
      expect(finding).toMatchObject({ kind: "other", source: "loss:sum" });
    },
  );

  it.each<LossNormalization>([
    "token_mean",
    "position_mean",
    "datum_mean",
    "sum_of_token_means",
    "sequence_mean",
    "sum_of_position_means",
    "mean_of_position_means",
  ])("may report it as a %s", async (normalization) => {
    const finding = await probe(clientOf({ normalization, metric: "loss:mean" }), asked);
    expect(finding).toMatchObject({ kind: "matches", normalization, source: "loss:mean" });
  });

  it.each([
    ["likely", () => -1e-4],
    ["unlikely", () => -18],
  ])("is also recognized with tokens that are all %s", async (_name, logprob) => {
    expect(await probe(clientOf({ logprob }), asked)).toMatchObject({ kind: "matches" });
    for (const always of LOSSES.filter((loss) => loss !== asked)) {
      const finding = await probe(clientOf({ always, logprob }), asked);
      expect(finding.kind, always).not.toBe("matches");
    }
  });

  it("and reports per-token losses instead is recognized or detected by those", async () => {
    const unreported = { metric: null, reportsElements: true };
    expect(await probe(clientOf(unreported), asked)).toMatchObject({
      kind: "matches",
      isCertain: true,
      normalization: null,
      source: "elementwise_loss",
    });
    const always = asked === "ppo" ? "cispo" : "ppo";
    expect(await probe(clientOf({ ...unreported, always }), asked)).toMatchObject({
      kind: "other",
    });
  });

  it("and reports no loss cannot be checked", async () => {
    expect(await probe(clientOf({ metric: null }), asked)).toEqual({ kind: "unreported" });
  });
});

describe("a server that ignores the parameters of the loss", () => {
  it.each<[DocumentedLoss, Record<string, number>, Record<string, number>, string]>([
    [
      "ppo",
      { clip_high_threshold: 1.5 },
      { clip_low_threshold: 0.8, clip_high_threshold: 1.2 },
      "ppo with clip_low_threshold 0.8 and clip_high_threshold 1.2",
    ],
    [
      "cispo",
      {},
      { clip_low_threshold: 0.8, clip_high_threshold: 1.2 },
      "cispo with clip_low_threshold 0.8 and clip_high_threshold 1.2",
    ],
    ["dro", { beta: 0.2 }, { beta: 0.1 }, "dro with beta 0.1"],
  ])("%s %o is detected", async (loss, sent, parameters, fits) => {
    expect(await probe(clientOf({}), loss, sent)).toMatchObject({ kind: "matches" });
    const finding = await probe(clientOf({ parameters }), loss, sent);
    expect(finding).toMatchObject({ kind: "other", fits });
  });
});

describe("a server that refuses", () => {
  const refusing = (
    losses: readonly string[],
    message = "Unknown loss function",
  ): FakeTrainingClient => {
    const client = clientOf({});
    const { answer } = client;
    client.answer = (call) => {
      if (losses.includes(call.lossFn)) throw tinkerError("tinker-request-failed", message);
      return answer(call);
    };
    return client;
  };

  it("the loss is asked which losses it supports", async () => {
    expect(await probe(refusing(["dro", "cispo"]), "dro")).toEqual({
      kind: "not-offered",
      words: expect.stringContaining("Unknown loss function"),
      offered: ["importance_sampling", "ppo", "gspo"],
    });
  });

  it("every loss in this form is not checked", async () => {
    expect(await probe(refusing(LOSSES, "forward_only is unknown"), "ppo")).toEqual({
      kind: "refused",
      words: expect.stringContaining("forward_only is unknown"),
    });
  });

  it("to answer at all fails the probe", async () => {
    const client = new FakeTrainingClient();
    client.answer = () => {
      throw tinkerError("tinker-unavailable", "No answer");
    };
    await expect(probe(client, "ppo")).rejects.toMatchObject({ code: "tinker-unavailable" });
  });
});
