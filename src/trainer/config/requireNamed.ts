/** Refuses destinations that only a run folder names, before anything of the user's is sent there. */

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

/** Determines where keys may be sent. */
export interface KeyPermission {
  /** Origins to which the user allows keys to be sent; absent = no others. */
  readonly allowedOrigins?: readonly AllowedOrigin[] | undefined;
  /** The request of an editor that has approved the configuration; absent for a terminal. */
  readonly launchRequest?: LaunchRequest | undefined;
}

export interface NamedStart extends LoadedConfig {
  /** A note for each destination that is only permitted by the allowed origins; also among the warnings. */
  readonly notes: readonly string[];
}

/**
 * The configuration that a run starts with: approved by an editor, or named by the user of a terminal. `judged` is the start as read
 * from disk, if `start` omits some of its settings.
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
  /** The run whose folder names the destinations. */
  readonly folder: string;
  /** Further destinations named by the user. */
  readonly also?: readonly Destinations[];
  /** True if the user named a configuration, so that the error does not suggest naming one. */
  readonly hasConfig?: boolean | undefined;
}

/**
 * For operations on a run other than training. Returns a note for each destination that only `allowedOrigins` permits.
 * @throws AppError `run-destination`
 */
export async function requireNamedByUser(
  wanted: Destinations,
  { folder, also = [], hasConfig = false }: NamedElsewhere,
  { allowedOrigins = [], launchRequest }: KeyPermission,
): Promise<readonly string[]> {
  if (launchRequest !== undefined) {
    // What an editor approved counts as named by its user.
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
 * Refuses a model service's address that only a run folder names. An editor's keys are bound to hosts, and it asks its user instead.
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

/** Refuses to change checkpoints that only the run folder claims to own. @throws AppError `checkpoint-not-own` */
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

/** Commands have no origin, so none is suggested for them; the user's own runs have the command in their configuration. */
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
