/** How a run is controlled from outside: the socket, the status reported over it, and what happens when no editor is left. */

import { errorMessage } from "../../core/errors.ts";
import type { Clock, FileSystem, Log } from "../../core/ports.ts";
import type { RunLease } from "../../core/runFolder/runLease.ts";
import type { RunControl } from "../../core/training/run/control.ts";
import type { ProgressEvent } from "../../core/training/run/progress.ts";
import type { LaunchRequest, RunStatus } from "../../shared/control.ts";
import { afterChange, type ControlAddress, type RunPhase } from "../../shared/runFile.ts";
import type { LoadedConfig } from "../config/configFiles.ts";
import { RunCommandHandler, type TunableRun } from "./commandHandler.ts";
import { ControlServer } from "./controlServer.ts";
import { advanceStatus, INITIAL_STATUS } from "./runStatus.ts";

export interface ControlChannelOptions {
  readonly control: RunControl;
  readonly clock: Clock;
  readonly fileSystem: FileSystem;
  readonly log: Log;
  readonly stopNow: () => void;
  /** From the editor that started this trainer; absent for a terminal, which may come and go. */
  readonly onQuit?: LaunchRequest["onQuit"] | undefined;
}

/** After this long without an editor it counts as closed; reloading its window takes seconds. */
const QUIT_AFTER_MS = 60_000;

export class ControlChannel {
  readonly #options: ControlChannelOptions;
  readonly #handler: RunCommandHandler;
  #server: ControlServer | null = null;
  #lease: RunLease | null = null;
  #status: RunStatus = INITIAL_STATUS;
  #stopWaiting: () => void = () => undefined;

  private constructor(options: ControlChannelOptions) {
    this.#options = options;
    this.#handler = new RunCommandHandler({
      ...options,
      onPausing: (isPausing) => this.#showPausing(isPausing),
      onChange: async (change) => {
        const lease = this.#lease;
        await lease?.update({ sweep: afterChange(lease.file.sweep, change) });
      },
    });
  }

  /** Starts listening. If no socket can be created, the run cannot be controlled, and the log has a warning. */
  static async open(options: ControlChannelOptions): Promise<ControlChannel> {
    const controlChannel = new ControlChannel(options);
    try {
      controlChannel.#server = await ControlServer.start({
        clock: options.clock,
        status: () => controlChannel.#status,
        execute: (command) => controlChannel.#handler.execute(command),
        onAttached: (attached) => {
          controlChannel.#status = { ...controlChannel.#status, attached };
          controlChannel.#server?.changed();
          controlChannel.#expectEditor(attached);
        },
      });
    } catch (error) {
      options.log.warn("The run cannot be controlled from other programs.", {
        reason: errorMessage(error),
      });
    }
    return controlChannel;
  }

  get address(): ControlAddress | null {
    return this.#server?.address ?? null;
  }

  /** The settings in force; null before the run has started. */
  get settings(): LoadedConfig | null {
    return this.#handler.settings;
  }

  /** Updates the status with the progress of the run. */
  onProgress(event: ProgressEvent): void {
    this.#status = advanceStatus(this.#status, event);
    this.#server?.changed();
  }

  /** Allows changing settings from now on. */
  onPrepared(run: Omit<TunableRun, "folder" | "sweep">, lease: RunLease): void {
    this.#lease = lease;
    this.#status = { ...this.#status, folder: lease.folder };
    this.#handler.prepared({ ...run, folder: lease.folder, sweep: lease.file.sweep });
    this.#expectEditor(this.#status.attached);
  }

  /** For evaluations, collecting stages, and dry runs: refuses commands that need training steps from now on. */
  refuseTraining(): void {
    this.#handler.refuseTraining();
  }

  /** Updates the status for a phase that is not a progress event. */
  onPhase(phase: RunPhase): void {
    this.#status = { ...this.#status, phase, rollouts: null };
    this.#server?.changed();
  }

  async close(): Promise<void> {
    this.#stopWaiting();
    await this.#server?.close();
  }

  #showPausing(isPausing: boolean): void {
    const { phase } = this.#status;
    if (phase !== "running" && phase !== "pausing") return;
    this.#status = { ...this.#status, phase: isPausing ? "pausing" : "running" };
    this.#lease?.update({ phase: this.#status.phase }).catch(() => undefined);
    this.#server?.changed();
  }

  /** Editors find the socket through the run folder, so before it exists none can have connected or left. */
  #expectEditor(attached: number): void {
    this.#stopWaiting();
    const { clock, control, onQuit } = this.#options;
    if (this.#lease === null || onQuit !== "stop and save" || attached > 0) return;
    this.#stopWaiting = clock.after(QUIT_AFTER_MS, () =>
      control.stop("The editor that started the run was closed, so it saved and stopped."),
    );
  }
}
