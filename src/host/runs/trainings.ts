/** Trainings that this window started or joined: from the request to the trainer's end. */

import * as l10n from "@vscode/l10n";
import { AppError } from "../../core/errors.ts";
import { Emitter } from "../../core/util/emitter.ts";
import { runFolder } from "../../node/runFolder.ts";
import type { InsteadOfTraining, LaunchError } from "../../shared/control.ts";
import type { SweepMember } from "../../shared/runFile.ts";
import { type LaunchEnd, sendAction, type TerminalAction, watchLaunch } from "./launchWatch.ts";
import type { Holder, RunSlots } from "./runSlots.ts";

export interface TrainingRequest {
  /** Absolute. */
  readonly configPath: string;
  readonly title: string;
  /** The run folder to resume; null = a new run. */
  readonly resume: string | null;
  /** Each `key=value`. */
  readonly overrides: readonly string[];
  /** Overrides from the setting, which those of the request override. */
  readonly settingOverrides: readonly string[];
  /** Absent for a run outside a sweep. */
  readonly sweep?: SweepMember | undefined;
  /** Absent = train. */
  readonly instead?: InsteadOfTraining | undefined;
  /** The workspace folder it comes from; null = requested by the user, without a folder. */
  readonly project: string | null;
}

export interface TrainingsOptions {
  readonly slots: RunSlots;
  /** Starts a trainer with its keys; resolves with the launch folder, or null if the user dismissed a prompt. */
  readonly start: (request: TrainingRequest, signal: AbortSignal) => Promise<string | null>;
  /** Called if the trainer refused to start; true = retry, because the user fixed the cause. */
  readonly recoverFromLaunchError: (
    error: LaunchError,
    request: TrainingRequest,
  ) => Promise<boolean>;
  readonly onError: (error: unknown) => void;
}

/** A training in this window. */
export interface ActiveTraining {
  readonly request: TrainingRequest;
  /** Null until its run has a folder. */
  readonly folder: string | null;
  /**
   * True if the user just started it in this window: it was not joined, did not wait for another run, and was not started later by a sweep.
   */
  readonly isStartedByHand: boolean;
  send(action: TerminalAction): Promise<string>;
}

export interface TrainingEnded extends LaunchEnd {
  readonly request: TrainingRequest;
}

/** A sweep whose runs have all ended. */
export interface SweepEnded extends Pick<LaunchEnd, "exitCode" | "folder"> {
  readonly name: string;
  /** True if its runs are the stages of a configuration. */
  readonly isStaged: boolean;
  readonly configPath: string;
}

export class Trainings {
  readonly #hub: Hub;
  readonly #sweeps = new Map<string, Training>();
  readonly #sweepEnded: Emitter<SweepEnded>;
  /** Fires when a training or a sweep starts, waits, stops waiting, gets its folder or ends. */
  readonly onDidChange: Emitter<void>["event"];
  readonly onDidEnd: Emitter<TrainingEnded>["event"];
  readonly onDidEndSweep: Emitter<SweepEnded>["event"];
  /** Fires when the user closes the terminal of a training that continues. */
  readonly onDidDetach: Emitter<ActiveTraining>["event"];

  constructor(options: TrainingsOptions) {
    const { onError } = options;
    const changed = new Emitter<void>(onError);
    const ended = new Emitter<TrainingEnded>(onError);
    const detached = new Emitter<ActiveTraining>(onError);
    const takeSlot: Trainings["takeSlot"] = (...what) => this.takeSlot(...what);
    this.#hub = { ...options, active: new Set(), changed, ended, detached, takeSlot };
    this.onDidChange = changed.event;
    this.onDidEnd = ended.event;
    this.#sweepEnded = new Emitter<SweepEnded>(onError);
    this.onDidEndSweep = this.#sweepEnded.event;
    this.onDidDetach = detached.event;
  }

  get active(): readonly ActiveTraining[] {
    return [...this.#hub.active];
  }

  /** Trainings that wait for another one to end. */
  get waiting(): readonly Holder[] {
    return this.#hub.slots.waiting;
  }

  /** The sweep with this id, if this window runs it. */
  sweep(id: string): Training | undefined {
    return this.#sweeps.get(id);
  }

  /** Lists a sweep that begins as {@link sweep}; returns a function to call at its end, with null if it ended with an error. */
  beginSweep(id: string, sweep: Training): (end: SweepEnded | null) => void {
    this.#sweeps.set(id, sweep);
    this.#hub.changed.fire();
    return (end) => {
      this.#sweeps.delete(id);
      this.#hub.changed.fire();
      if (end !== null) this.#sweepEnded.fire(end);
    };
  }

  /** Cancels one of {@link waiting}. */
  cancel(holder: Holder): void {
    this.#hub.slots.cancel(holder);
  }

  /**
   * A training for a terminal: a new one or, with `launch`, one that another window has started. `isByHand` is false if no one just
   * requested it.
   */
  open(request: TrainingRequest, launch: string | null, isByHand = launch === null): Training {
    return new Session(this.#hub, { request, launch, isByHand });
  }

  /**
   * Waits for a slot, and resolves with a function that releases it; null if the user decides not to start. Rejects if the terminal is
   * closed meanwhile. `onWait` is called if another training has to end first.
   */
  async takeSlot(
    holder: Holder,
    { print, signal }: Following,
    onWait: () => void,
  ): Promise<(() => void) | null> {
    let hasWaited = false;
    const wait = (): void => {
      hasWaited = true;
      onWait();
      print(`${l10n.t("{0} waits until another run ends.", holder.title)}\n`);
      this.#hub.changed.fire();
    };
    try {
      return await this.#hub.slots.take(holder, { onWait: wait, signal });
    } finally {
      if (hasWaited) this.#hub.changed.fire();
    }
  }
}

/** What the sessions of a window share. */
interface Hub extends TrainingsOptions {
  readonly active: Set<ActiveTraining>;
  readonly changed: Emitter<void>;
  readonly ended: Emitter<TrainingEnded>;
  readonly detached: Emitter<ActiveTraining>;
  readonly takeSlot: Trainings["takeSlot"];
}

class Session implements Training, ActiveTraining {
  readonly request: TrainingRequest;
  readonly #hub: Hub;
  #launch: string | null;
  #folder: string | null = null;
  #isByHand: boolean;

  constructor(
    hub: Hub,
    what: {
      readonly request: TrainingRequest;
      readonly launch: string | null;
      readonly isByHand: boolean;
    },
  ) {
    this.#hub = hub;
    this.request = what.request;
    this.#launch = what.launch;
    this.#isByHand = what.isByHand;
  }

  get isStartedByHand(): boolean {
    return this.#isByHand;
  }

  get folder(): string | null {
    return this.#folder;
  }

  async follow(options: Following): Promise<LaunchEnd | null> {
    const release = await this.#place(options);
    if (release === null) {
      options.print(notStartedText());
      return null;
    }
    const { active, changed, ended } = this.#hub;
    active.add(this);
    changed.fire();
    let end: LaunchEnd | null = null;
    try {
      end = await this.#train(options);
      if (end === null) options.print(notStartedText());
      return end;
    } finally {
      release();
      active.delete(this);
      changed.fire();
      if (end !== null) ended.fire({ ...end, request: this.request });
    }
  }

  send(action: TerminalAction): Promise<string> {
    if (this.#launch === null) {
      const waits = l10n.t("The run is waiting for its turn.");
      return Promise.reject(new AppError("run-not-reachable", waits));
    }
    return sendAction(this.#launch, action);
  }

  /** After the terminal was closed, a started training continues and keeps its slot; one that waits or asks for keys is not started. */
  detached(): void {
    if (this.#launch !== null) this.#hub.detached.fire(this);
  }

  #place(following: Following): Promise<(() => void) | null> {
    const { title, sweep, configPath } = this.request;
    // The sweep holds one slot for all of its runs.
    if (sweep !== undefined) return Promise.resolve(() => undefined);
    const stop = (): Promise<boolean> =>
      this.send("stop").then(
        () => true,
        (error: unknown) => {
          this.#hub.onError(error);
          return false;
        },
      );
    const holder = { title, stop, startsAgain: isPlain(this.request) ? configPath : null };
    if (this.#launch !== null) return Promise.resolve(this.#hub.slots.join(holder));
    return this.#hub.takeSlot(holder, following, () => {
      this.#isByHand = false;
    });
  }

  async #train({ print, signal }: Following): Promise<LaunchEnd | null> {
    for (;;) {
      const launch = this.#launch ?? (await this.#start(signal));
      if (launch === null) return null;
      const end = await watchLaunch(launch, {
        onOutput: print,
        onFolder: (folder) => {
          this.#folder = runFolder(folder);
          this.#hub.changed.fire();
        },
      });
      if (end.error === null || end.folder !== null) return end;
      this.#launch = null;
      if (!(await this.#hub.recoverFromLaunchError(end.error, this.request))) return end;
      print("\n");
    }
  }

  async #start(signal: AbortSignal): Promise<string | null> {
    this.#launch = await this.#hub.start(this.request, signal);
    if (signal.aborted) this.detached();
    return this.#launch;
  }
}

/** True for a training that is fully described by its configuration. */
function isPlain({ resume, overrides, instead }: TrainingRequest): boolean {
  return resume === null && overrides.length === 0 && instead === undefined;
}

function notStartedText(): string {
  return `${l10n.t("Not started, because you canceled. Nothing was sent.")}\n`;
}

/** What a training needs from its terminal. */
export interface Following {
  readonly print: (text: string) => void;
  /** Aborted when the terminal is closed; a training that has not started yet is then dropped. */
  readonly signal: AbortSignal;
}

/** What a terminal needs from its training. */
export interface Training {
  /** Starts or joins the training, and resolves when it ends; null if it was not started. */
  follow(terminal: Following): Promise<LaunchEnd | null>;
  /** Sends an action; resolves with what will happen. */
  send(action: TerminalAction): Promise<string>;
  /** Called when the user closes the terminal while the training continues. */
  detached(): void;
}
