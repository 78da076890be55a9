/** The four services of a run, each behind a proxy, and the program that trains with them. */

import { join, resolve } from "node:path";
import { startServing, type Variables } from "../../integration/trainProgram.ts";
import { type FaultLedger, FaultPlan } from "./faultPlan.ts";
import { FaultProxy, type Passage } from "./faultProxy.ts";
import { FAULT_RULES, SERVICE_NAMES, type ServiceName } from "./faultRules.ts";
import { TrainingRequests } from "./trainingRequests.ts";
import { UploadGateway } from "./uploadGateway.ts";
import { startWandbService, type WandbService } from "./wandbService.ts";

export interface StageOptions {
  /** For checkpoints of the engine. */
  readonly folder: string;
  readonly seed: number;
  /** Null = no faults. */
  readonly ledger: FaultLedger | null;
}

export interface Stage {
  readonly proxies: Readonly<Record<ServiceName, FaultProxy>>;
  readonly training: TrainingRequests;
  readonly uploads: UploadGateway;
  readonly wandb: WandbService["fake"];
  /** Addresses and keys, as the program's environment variables. */
  readonly variables: Variables;
  /** The engine's checkpoints. */
  readonly store: string;
  close(): Promise<void>;
}

/** Names beginning with `local/` are embedded, so the served model has another one of the same length. */
export const MODEL = { client: "Org/Tiny-tool-1", service: "local/tiny-tool" };
export const TOKENIZER = resolve("src/local/engine/model");

export async function openStage({ folder, seed, ledger }: StageOptions): Promise<Stage> {
  const store = join(folder, "checkpoints");
  const serving = await startServing(store);
  const uploads = await UploadGateway.start();
  const wandb = await startWandbService();
  const training = new TrainingRequests();
  const upstreams = {
    tinker: serving.tinkerUrl,
    environments: serving.environmentsUrl,
    uploads: uploads.url,
    wandb: wandb.url,
  };
  const open = (name: ServiceName): Promise<FaultProxy> => {
    const ownSeed = seed + SERVICE_NAMES.indexOf(name);
    const plan = ledger && new FaultPlan(ownSeed, FAULT_RULES[name], ledger);
    const onPassage = (passage: Passage): void => training.note(passage);
    const more = name === "tinker" ? { rename: MODEL, onPassage } : {};
    return FaultProxy.start({ upstream: upstreams[name], plan, ...more });
  };
  const proxies = {
    tinker: await open("tinker"),
    environments: await open("environments"),
    uploads: await open("uploads"),
    wandb: await open("wandb"),
  };
  return {
    proxies,
    training,
    uploads,
    store,
    wandb: wandb.fake,
    variables: {
      TINKER_API_KEY: serving.key,
      TINKER_BASE_URL: proxies.tinker.url,
      ORS_API_KEY: serving.key,
      OPENREWARD_SESSION_URL: proxies.environments.url,
      OPENREWARD_API_KEY: "or_resilience",
      OPENREWARD_API_URL: proxies.uploads.url,
      WANDB_API_KEY: "k".repeat(40),
      WANDB_BASE_URL: proxies.wandb.url,
    },
    close: async () => {
      for (const proxy of Object.values(proxies)) proxy.close();
      uploads.close();
      wandb.close();
      await serving.stop();
    },
  };
}
