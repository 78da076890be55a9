/** Refuses what only a run folder says, before anything of the user's is sent there. */

import { parseConfig } from "../../core/config/parse.ts";
import { AppError } from "../../core/errors.ts";
import {
  type Destinations,
  destinationsOf,
  OFFICIAL_SERVICES,
  requireNamed,
} from "../../core/secrets/destinations.ts";
import type { AllowedOrigin } from "../../core/secrets/hostBinding.ts";
import { OPENREWARD_SESSIONS_URL, TINKER_URL } from "../../core/services.ts";
import { RunRecord } from "../../node/runRecord.ts";
import type { StartConfig } from "../../node/startConfig.ts";
import type { LaunchRequest } from "../../shared/control.ts";
import type { AccountRequest } from "../services/hostedAccount.ts";
import { type LoadedConfig, loadStart } from "./configFiles.ts";
import { requireJudged } from "./requireJudged.ts";

const official = {
  tinker_base_url: TINKER_URL,
  openreward_base_url: OPENREWARD_SESSIONS_URL,
};

/** Who may decide where keys go. */
export interface KeyPermission {
  /** Where keys may go by the user's word; absent = nowhere else. */
  readonly allowedOrigins?: readonly AllowedOrigin[] | undefined;
  /** The request of an editor, which has approved the configuration; absent for a terminal. */
  readonly launchRequest?: LaunchRequest | undefined;
}

export interface NamedStart extends LoadedConfig {
  /** A sentence for each thing that passes by the allowed origins alone; the warnings have them, too. */
  readonly notes: readonly string[];
}

/**
 * What a start trains with: what an editor has judged, or what the user of a terminal has named. `judged` is the start as it was read,
 * where `start` leaves settings out.
 * @throws AppError `config-invalid`, `config-changed`, `run-destination`
 */
export async function loadNamed(
  start: StartConfig,
  { allowedOrigins = [], launchRequest }: KeyPermission,
  judged: StartConfig = start,
): Promise<NamedStart> {
  if (launchRequest !== undefined) requireJudged(launchRequest, judged);
  const loaded = loadStart(start);
  const { folder, named, path } = start;
  if (folder === null || launchRequest !== undefined) return { ...loaded, notes: [] };
  const parsed = named === null ? null : parseConfig(named.text, { ...named, path });
  const ofFile = parsed?.ok === true ? [destinationsOf(parsed.config)] : [];
  const { destinations: before } = await RunRecord.open(folder);
  const others = named === null ? [OFFICIAL_SERVICES] : ofFile;
  const notes = requireNamed(destinationsOf(loaded.config), {
    named: [...before, ...others],
    allowedOrigins,
    official,
    folder,
    advice: named === null ? nameIt : repeatIt,
  });
  return { ...loaded, warnings: [...notes, ...loaded.warnings], notes };
}

export interface NamedElsewhere {
  /** The run whose folder says what `config` does. */
  readonly folder: string;
  /** What the user has named beside it. */
  readonly also?: readonly Destinations[];
  /** True where the user has named a configuration, so that no advice asks for one. */
  readonly hasConfig?: boolean | undefined;
}

/**
 * For what is done with a run without training it. Returns a sentence for each thing that passes by `allowedOrigins` alone.
 * @throws AppError `run-destination`
 */
export async function requireNamedByUser(
  wanted: Destinations,
  { folder, also = [], hasConfig = false }: NamedElsewhere,
  { allowedOrigins = [], launchRequest }: KeyPermission,
): Promise<readonly string[]> {
  if (launchRequest !== undefined) {
    // What an editor has judged stands for what its user has named.
    return requireNamed(wanted, {
      named: also,
      allowedOrigins,
      official,
      folder,
      advice: correctIt,
    });
  }
  const { destinations } = await RunRecord.open(folder);
  const named = [...destinations, OFFICIAL_SERVICES, ...also];
  const advice = hasConfig ? repeatIt : nameIt;
  return requireNamed(wanted, { named, allowedOrigins, official, folder, advice });
}

/**
 * Refuses the address of a model's service that only a run folder names. An editor's keys are bound to their hosts, and its user is asked.
 * @throws AppError `run-destination`
 */
export async function requireNamedService(
  tinkerBaseUrl: string | null,
  folder: string,
  {
    allowedOrigins,
    launchRequest,
    onNotice,
  }: Pick<AccountRequest, "allowedOrigins" | "launchRequest" | "onNotice">,
): Promise<void> {
  if (launchRequest !== undefined) return;
  const wanted = { addresses: { tinker_base_url: tinkerBaseUrl }, environments: {} };
  const { destinations } = await RunRecord.open(folder);
  const named = [...destinations, OFFICIAL_SERVICES];
  const notes = requireNamed(wanted, { named, allowedOrigins, official, folder, advice: allowIt });
  for (const note of notes) onNotice?.(note);
}

/** Refuses to change checkpoints that only a run folder calls its own. @throws AppError `checkpoint-not-own` */
export async function requireOwnCheckpoints(
  folder: string,
  paths: readonly string[],
): Promise<void> {
  const record = await RunRecord.open(folder);
  const foreign = paths.filter((path) => !record.isOwn(path));
  if (foreign.length === 0) return;
  throw new AppError(
    "checkpoint-not-own",
    `Nothing was changed: only ${folder} says that its run saved ${foreign.join(" and ")}; your trainers on this computer did not save it. To change it, specify the address instead of the folder.`,
    { data: { paths: foreign } },
  );
}

function nameIt(origins: readonly string[]): string {
  return `Specify your own configuration with -c FILE${orAllow(origins)}.`;
}

function repeatIt(origins: readonly string[]): string {
  return `Your configuration does not. Write it there or repeat it with --overrides${orAllow(origins)}.`;
}

/** A command has no origin: a run of one's own has it in its configuration. */
function orAllow(origins: readonly string[]): string {
  const hosts = origins.filter((origin) => URL.canParse(origin));
  if (hosts.length === 0) return "";
  return `; or, if you trust ${hosts.length === 1 ? "it" : "them"}, add ${allowHost(hosts)}`;
}

function correctIt(): string {
  return "The configuration of the run does not. Correct it, or start a new run with it.";
}

function allowIt(origins: readonly string[]): string {
  return `If you trust it, add ${allowHost(origins)}.`;
}

function allowHost(origins: readonly string[]): string {
  return origins.map((origin) => `--allow-host ${origin}`).join(" ");
}
