/** Resources of work outside of a run: connects like a run, and closes everything at the end. */

import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { AllowedOrigin } from "../../core/secrets/hostBinding.ts";
import { redactingLog } from "../../core/secrets/redaction/redactingPorts.ts";
import { Redactor } from "../../core/secrets/redaction/redactor.ts";
import { RunControl } from "../../core/training/run/control.ts";
import type { LaunchRequest } from "../../shared/control.ts";
import { CleanupStack } from "./cleanupStack.ts";
import type { ConnectionOptions } from "./connections.ts";
import { debugLog } from "./debugLog.ts";
import { learnSecrets } from "./environmentSecrets.ts";
import type { LocalPrograms } from "./localServices.ts";
import { ServerOutput } from "./serverOutput.ts";
import { loadVariables } from "./variables.ts";

export interface Surroundings {
  /** Stopped when the work is done. */
  readonly control: RunControl;
  readonly redactor: Redactor;
  readonly cleanup: CleanupStack;
}

/** Closes whatever `work` has opened once it ends. Rethrows its errors, cleaned of secrets. */
export async function withSurroundings<T>(
  redactor: Redactor | undefined,
  work: (surroundings: Surroundings) => Promise<T>,
): Promise<T> {
  const surroundings = {
    control: new RunControl(),
    redactor: redactor ?? new Redactor(),
    cleanup: new CleanupStack(),
  };
  try {
    return await work(surroundings);
  } catch (error) {
    throw surroundings.redactor.redactError(error);
  } finally {
    surroundings.control.stop();
    await surroundings.cleanup.closeAll();
  }
}

export interface ConnectionRequest {
  /** Origins to which the user allows keys to be sent. */
  readonly allowedOrigins?: readonly AllowedOrigin[];
  /** The editor's request; absent for a terminal. */
  readonly launchRequest?: LaunchRequest | undefined;
  /** Folder of environments and model; default: next to the running program. */
  readonly programFolder?: string | undefined;
}

/** Connects without reporting progress. The redactor learns the configuration's secrets. */
export async function connectionsOf(
  { allowedOrigins = [], launchRequest, programFolder }: ConnectionRequest,
  own: Pick<ConnectionOptions, "config" | "configPath" | "runName" | keyof Surroundings>,
): Promise<ConnectionOptions> {
  const { config, configPath, redactor, cleanup } = own;
  learnSecrets(config, redactor);
  const serverOutput = new ServerOutput(redactor);
  cleanup.add(() => serverOutput.close());
  return {
    ...own,
    serverOutput,
    datasets: new Map(),
    variables: await loadVariables(dirname(configPath), launchRequest),
    allowedOrigins: launchRequest?.allowedOrigins ?? allowedOrigins,
    programs: localPrograms(programFolder),
    log: redactingLog(debugLog, redactor),
    watch: () => undefined,
  };
}

export function localPrograms(folder: string | undefined): LocalPrograms {
  return { folder: folder ?? dirname(fileURLToPath(import.meta.url)) };
}
