/** Carries out what is wished of a run, and says in a sentence what will come of it. */

import { AppError } from "../../core/errors.ts";
import type { FileSystem } from "../../core/ports.ts";
import type { Redactor } from "../../core/secrets/redact.ts";
import type { RunControl } from "../../core/training/control.ts";
import { tunableChanges } from "../../core/training/retune.ts";
import { sha256 } from "../../node/hash.ts";
import type { ControlWish, RunStatus } from "../../shared/control.ts";
import { formatQuantity } from "../../shared/format.ts";
import {
  type LoadedConfig,
  loadConfigText,
  redactSecrets,
  writeConfigFiles,
} from "../configFiles.ts";

/** A prepared run, as far as new settings need it. */
export interface TunableRun {
  readonly loaded: LoadedConfig;
  readonly folder: string;
  readonly redactor: Redactor;
}

export interface WishParts {
  readonly control: RunControl;
  readonly fileSystem: FileSystem;
  readonly status: () => RunStatus;
  /** Ends the run at once. */
  readonly stopNow: () => void;
  /** Called when `pausing` begins or ends. */
  readonly onPausing: (isPausing: boolean) => void;
}

export class Wishes {
  readonly #parts: WishParts;
  #run: TunableRun | null = null;

  constructor(parts: WishParts) {
    this.#parts = parts;
  }

  /** From now on settings can be changed. */
  prepared(run: TunableRun): void {
    this.#run = run;
  }

  /** @throws AppError when the wish cannot be met, with the reason */
  async carryOut(wish: ControlWish): Promise<string> {
    const { control, status, stopNow, onPausing } = this.#parts;
    switch (wish.action) {
      case "status":
      case "attach":
        return "";
      case "pause":
        control.pause();
        onPausing(true);
        return status().rollouts === null
          ? "The run waits before its next step."
          : `The run waits after step ${status().step + 1}.`;
      case "continue":
        control.continue();
        onPausing(false);
        return "The run goes on.";
      case "save": {
        const entry = await control.saveNow();
        return `Saved ${entry.name} after ${formatQuantity(entry.step, "step")}.`;
      }
      case "stop":
        control.stop();
        return `The step under way is given up; ${formatQuantity(status().step, "completed step")} will be saved.`;
      case "stop-now":
        stopNow();
        return "The run ends without saving.";
      case "retune":
        return this.#retune(wish.settings);
    }
  }

  #retune(settings: readonly string[]): string {
    const { control, fileSystem } = this.#parts;
    const run = this.#run;
    if (run === null) {
      throw new AppError("run-preparing", "Settings can be changed once the run has begun.");
    }
    const { loaded, folder, redactor } = run;
    const before = loaded.overrides.map(({ text }) => text);
    const next = loadConfigText(loaded.text, loaded.path, [...before, ...settings]);
    const keys = tunableChanges(redactSecrets(loaded.config), redactSecrets(next.config));
    const configHash = sha256(JSON.stringify(next.config));
    this.#run = { ...run, loaded: next };
    control.retune({
      ...{ config: next.config, configHash, keys },
      record: () => writeConfigFiles(fileSystem, folder, next, redactor),
      dropped: () => {
        this.#run = run;
      },
    });
    return `From the next step on with the new ${keys.length === 1 ? "value" : "values"} of ${keys.join(", ")}.`;
  }
}
