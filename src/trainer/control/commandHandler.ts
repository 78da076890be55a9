/** Executes commands sent to a run. The reply says what happens next, preceded by a line per warning about new settings. */

import { AppError } from "../../core/errors.ts";
import type { FileSystem } from "../../core/ports.ts";
import type { Redactor } from "../../core/secrets/redaction/redactor.ts";
import { tunableChanges } from "../../core/training/run/applySettings.ts";
import type { RunControl } from "../../core/training/run/control.ts";
import { sha256 } from "../../node/hash.ts";
import type { ControlCommand } from "../../shared/control.ts";
import { formatQuantity } from "../../shared/format.ts";
import { type SweepChange, type SweepMember, sweptKeys } from "../../shared/runFile.ts";
import { type LoadedConfig, loadConfigText, writeConfigFiles } from "../config/configFiles.ts";

/** The part of a prepared run that is needed to change its settings. */
export interface TunableRun {
  readonly loaded: LoadedConfig;
  readonly folder: string;
  readonly redactor: Redactor;
  /** Absent for a run outside a sweep. */
  readonly sweep?: SweepMember | undefined;
}

export interface CommandHandlerOptions {
  readonly control: RunControl;
  readonly fileSystem: FileSystem;
  /** Ends the run immediately. */
  readonly stopNow: () => void;
  /** Called when a pause is requested and when it ends. */
  readonly onPausing: (isPausing: boolean) => void;
  /** Called before new settings are stored. */
  readonly onChange: (change: SweepChange) => Promise<void>;
}

export class RunCommandHandler {
  readonly #options: CommandHandlerOptions;
  /** Includes all settings requested so far. */
  #run: TunableRun | null = null;
  #inForce: TunableRun | null = null;
  #isTraining = true;

  constructor(options: CommandHandlerOptions) {
    this.#options = options;
  }

  /** The settings in force; null before the run has started. */
  get settings(): LoadedConfig | null {
    return this.#inForce?.loaded ?? null;
  }

  /** Refuses commands that need training steps from now on. */
  refuseTraining(): void {
    this.#isTraining = false;
  }

  /** Allows changing settings from now on. A later attempt in the same process keeps the settings requested before. */
  prepared(run: TunableRun): void {
    this.#run ??= run;
    this.#inForce ??= run;
  }

  /** @throws AppError with the reason if the command cannot be executed */
  async execute(command: ControlCommand): Promise<string> {
    const { control, stopNow, onPausing } = this.#options;
    switch (command.action) {
      case "status":
      case "attach":
        return "";
      case "pause":
        this.#requireSteps();
        control.pause();
        onPausing(true);
        return "The run waits before its next step.";
      case "continue":
        control.continue();
        onPausing(false);
        return "The run continues.";
      case "save": {
        this.#requireTraining();
        const entry = await control.saveNow();
        return `Saved ${entry.name} after ${formatQuantity(entry.step, "step")}.`;
      }
      case "stop":
        control.stop();
        if (!this.#isTraining) return "The run ends; it has nothing to save.";
        return this.#run === null
          ? "The run ends; it has not begun to train."
          : "The run discards its unfinished step, saves its last completed one and ends.";
      case "stop-now":
        // After the reply, which could not be sent otherwise.
        setImmediate(stopNow);
        return "The run ends without saving.";
      case "change-settings":
        this.#requireSteps();
        return this.#changeSettings(command.settings);
    }
  }

  #requireTraining(): void {
    if (this.#isTraining) return;
    throw new AppError(
      "run-without-steps",
      "This run trains nothing, so it has no step to wait for, to save or to change. Stop it, and start the same command again.",
    );
  }

  #requireSteps(): void {
    this.#requireTraining();
    if (this.#options.control.hasStepsLeft) return;
    throw new AppError("run-ended", "The run has completed all its steps and is about to end.");
  }

  #changeSettings(settings: readonly string[]): string {
    const { control, fileSystem, onChange } = this.#options;
    const run = this.#run;
    if (run === null) {
      throw new AppError("run-preparing", "Settings can be changed after the run begins.");
    }
    const { loaded, folder, redactor } = run;
    const before = loaded.overrides.map(({ text }) => text);
    const next = loadConfigText(loaded.text, loaded.path, [...before, ...settings]);
    const keys = tunableChanges(loaded.config, next.config);
    const configHash = sha256(JSON.stringify(next.config));
    const requested = { ...run, loaded: next };
    this.#run = requested;
    control.changeSettings({
      config: next.config,
      configHash,
      keys,
      record: async (change) => {
        this.#inForce = requested;
        await onChange(change);
        await writeConfigFiles(fileSystem.within(folder), folder, next, redactor);
      },
      // Other pending changes were dropped together with this one.
      dropped: () => {
        this.#run = this.#inForce;
      },
    });
    const values = keys.length === 1 ? "value" : "values";
    const sentence = `From its next step on the run uses the new ${values} of ${keys.join(", ")}.`;
    const warnings = next.warnings.filter((warning) => !loaded.warnings.includes(warning));
    return [...warnings, sentence, ...leavingText(run, keys)].join("\n");
  }
}

function leavingText({ sweep }: TunableRun, changed: readonly string[]): readonly string[] {
  const swept = sweptKeys(sweep, changed);
  if (swept.length === 0) return [];
  return [
    `The run no longer counts in the results of its sweep ${sweep?.name ?? ""}, which varies ${swept.join(", ")}.`,
  ];
}
