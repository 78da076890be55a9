/** Finds out whether a server computes the loss that it is asked for, by a forward-only call that trains nothing. */

import type { Config } from "../config/fields/schema.ts";
import { type LossName, lossParameters } from "../config/rules/lossDefaults.ts";
import type { TrainingClient } from "../tinker/trainingClient.ts";
import type { ForwardBackwardResult } from "../tinker/wire/forwardBackwardProto.ts";
import { LOSS_NAMES, lossCandidates } from "./lossCandidates.ts";
import { type LossVerdict, lossVerdict } from "./lossVerdict.ts";
import { type ProbeData, probeData, toDatums } from "./probeData.ts";
import { answerOrRefusal, type Refusal } from "./refusal.ts";

export type LossFinding =
  | LossVerdict
  /** Refused, while it would take `offered`. */
  | { readonly kind: "not-offered"; readonly words: string; readonly offered: readonly string[] }
  /** It cannot be asked in this way. */
  | { readonly kind: "refused"; readonly words: string };

type Asked = Pick<Config, "loss_fn" | "loss_fn_config">;

/**
 * One request when all is well. What looks wrong or odd, or could be two losses, is asked again with data made for the model's own
 * log-probabilities. `tokens` are ids of the model's.
 * @throws AppError `tinker-*` when the server is out of reach
 */
export async function probeLoss(
  client: TrainingClient,
  tokens: readonly number[],
  config: Asked,
): Promise<LossFinding> {
  const parameters = lossParameters(config);
  const { loss_fn: loss } = config;
  const candidates = lossCandidates(loss, parameters);
  const initial = probeData(tokens);
  const first = await ask(client, initial, loss, parameters);
  if ("refusal" in first) return await refusedLoss(client, initial, loss, first);
  const verdict = lossVerdict(candidates, initial, first);
  if (verdict.kind === "unreported" || isPlain(verdict)) return verdict;
  const logprobs = first.outputs.map((output) => output.logprobs);
  const { clip_low_threshold: low, clip_high_threshold: high } = parameters;
  const calibrated = probeData(tokens, { logprobs, low, high });
  const second = await ask(client, calibrated, loss, parameters);
  if ("refusal" in second) return verdict;
  const checked = lossVerdict(candidates, calibrated, second);
  if (checked.kind !== "matches" || isPlain(checked)) return checked;
  // One number may fit some average by chance; two numbers rarely fit the same one.
  const isSame = verdict.kind === "matches" && verdict.normalization === checked.normalization;
  return { ...checked, isCertain: checked.isCertain && isSame };
}

/** True for the documented answer, which needs no second request: the requested loss, summed. */
function isPlain(verdict: Exclude<LossVerdict, { kind: "unreported" }>): boolean {
  if (verdict.kind === "other" || !verdict.isCertain) return false;
  return verdict.normalization === null || verdict.normalization === "token_sum";
}

function ask(
  client: TrainingClient,
  data: ProbeData,
  loss: LossName,
  parameters: Readonly<Record<string, number>>,
): Promise<ForwardBackwardResult | Refusal> {
  const how = { forwardOnly: true, mayBeRefused: true };
  return answerOrRefusal(client.forwardBackward(toDatums(data, loss), loss, parameters, how));
}

/** A server that refuses all losses in this form may well take them in training. */
async function refusedLoss(
  client: TrainingClient,
  data: ProbeData,
  asked: LossName,
  { refusal: words }: Refusal,
): Promise<LossFinding> {
  const offered: LossName[] = [];
  for (const loss of LOSS_NAMES.filter((other) => other !== asked)) {
    const parameters = lossParameters({ loss_fn: loss, loss_fn_config: {} });
    if (!("refusal" in (await ask(client, data, loss, parameters)))) offered.push(loss);
  }
  return offered.length === 0
    ? { kind: "refused", words }
    : { kind: "not-offered", words, offered };
}
