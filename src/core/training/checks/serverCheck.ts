/** Checks that an attempt makes before training, with their token use, which belongs to no step. */

import { hasTeacher } from "../../config/fields/presets.ts";
import { teacherOf } from "../../config/rules/teachers.ts";
import { AppError, errorMessage, isAppError } from "../../errors.ts";
import type { MetricsTree } from "../../runFolder/metrics/metricsTree.ts";
import { meteredSampler } from "../../tinker/metered.ts";
import type { SamplingClient } from "../../tinker/samplingClient.ts";
import type { TokenUsage } from "../../usage/tokenUsage.ts";
import { UsageMeter } from "../../usage/usageMeter.ts";
import type { RunContext } from "../run/context.ts";
import { meteredContext } from "../run/meteredContext.ts";
import { referenceOf } from "../update/distillation.ts";
import { klReference } from "../update/klPenalty.ts";
import {
  type ReferenceContext,
  type ReferenceModel,
  referenceSampler,
} from "../update/reference.ts";
import { checkLoss, checkRecordedLoss } from "./checkLoss.ts";
import { checkSampling } from "./checkSampling.ts";
import { reportSkippedProbe } from "./reportServerCheck.ts";

export class ServerCheck {
  readonly #meter = new UsageMeter();
  readonly #context: RunContext;
  /** The step that comes next. */
  readonly #step: number;

  constructor(context: RunContext, step: number) {
    this.#context = meteredContext(context, this.#meter);
    this.#step = step;
  }

  get tokens(): TokenUsage {
    return this.#meter.usage.used;
  }

  /** Call before the sampler exists. @throws AppError as {@link checkLoss} */
  async loss(): Promise<void> {
    const { config } = this.#context;
    if (config.probe_server) await checkLoss(this.#context, this.#step);
    else await reportSkippedProbe(this.#context, this.#step);
  }

  /** Returns metrics for the next row. @throws AppError as {@link checkRecordedLoss}, {@link checkSampling} and {@link checkReferences} */
  async sampling(sampler: SamplingClient): Promise<MetricsTree> {
    const { config } = this.#context;
    const metered = meteredSampler(sampler, this.#meter);
    if (config.probe_server) await checkRecordedLoss(this.#context, metered, this.#step);
    const found = config.probe_server
      ? await checkSampling(this.#context, metered, this.#step)
      : {};
    await checkReferences(this.#context);
    return found;
  }
}

const REFUSALS = [
  "tinker-not-found",
  "tinker-bad-request",
  "tinker-request-failed",
  "tinker-protocol",
] as const;

/** @throws AppError `base-model-not-sampled`, `tinker-*`, `run-not-found`, `no-such-checkpoint` */
export async function checkReferences(context: ReferenceContext): Promise<void> {
  const { config } = context;
  if (config.kl_coef > 0) {
    const advice = "Set kl_coef to 0 to train without this penalty.";
    await check(context, klReference(context), { key: "kl_coef", advice });
  }
  if (!hasTeacher(config)) return;
  for (const environment of Object.keys(config.environments)) {
    const teacher = teacherOf(config, environment);
    const advice = "Choose another teacher, or none.";
    if (teacher !== null) await check(context, referenceOf(teacher), { key: "teacher", advice });
  }
}

async function check(
  context: ReferenceContext,
  reference: ReferenceModel,
  { key, advice }: { readonly key: string; readonly advice: string },
): Promise<void> {
  const { control, services } = context;
  const tokens = services.chat.tokenizer.encodeText("What is 2 + 3?");
  try {
    const sampler = await referenceSampler(context, reference);
    await sampler.computeLogprobs(tokens, { signal: control.signal });
  } catch (error) {
    if (!REFUSALS.some((code) => isAppError(error, code))) throw error;
    const name = reference.kind === "base" ? reference.name : reference.given;
    throw new AppError(
      "base-model-not-sampled",
      `${key} needs the log-probabilities of ${name}, which the service at ${services.service.address} does not provide. ${errorMessage(error)} ${advice}`,
      { configPath: key, cause: error },
    );
  }
}
