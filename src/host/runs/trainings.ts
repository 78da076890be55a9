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

export class Trainings {
  readonly #options: TrainingsOptions;
  readonly #active = new Set<Session>();
  readonly #changed: Emitter<void>;
  /** Fires when a training starts, waits, stops waiting, gets its folder or ends. */
  readonly onDidChange: Emitter<void>["event"];
  readonly #ended: Emitter<TrainingEnded>;
  readonly onDidEnd: Emitter<TrainingEnded>["event"];
  readonly #detached: Emitter<ActiveTraining>;
  /** Fires when the user closes the terminal of a training that continues. */
  readonly onDidDetach: Emitter<ActiveTraining>["event"];

  constructor(options: TrainingsOptions) {
    this.#options = options;
    this.#changed = new Emitter(options.onError);
    this.onDidChange = this.#changed.event;
    this.#ended = new Emitter(options.onError);
    this.onDidEnd = this.#ended.event;
    this.#detached = new Emitter(options.onError);
    this.onDidDetach = this.#detached.event;
  }

  get active(): readonly ActiveTraining[] {
    return [...this.#active];
  }

  /** Trainings that wait for another one to end. */
  get waiting(): readonly Holder[] {
    return this.#options.slots.waiting;
  }

  /** Cancels one of {@link waiting}. */
  cancel(holder: Holder): void {
    this.#options.slots.cancel(holder);
  }

  /**
   * A training for a terminal: a new one or, with `launch`, one that another window has started. `isByHand` is false if no one just
   * requested it.
   */
  open(request: TrainingRequest, launch: string | null, isByHand = launch === null): Training {
    return new Session(
      this.#options,
      { request, launch, isByHand },
      {
        added: (session) => this.#active.add(session),
        changed: () => this.#changed.fire(),
        ended: (session, end) => {
          this.#active.delete(session);
          this.#changed.fire();
          if (end !== null) this.#ended.fire({ ...end, request });
        },
        detached: (session) => this.#detached.fire(session),
        takeSlot: (holder, following, onWait) => this.takeSlot(holder, following, onWait),
      },
    );
  }

  /**
   * Waits for a slot, and resolves with a function that releases it; null if the user decides not to start. Rejects if the terminal is
   * closed meanwhile. `onWait` is called if another training has to end first.
   */
  async takeSlot(
    holder: Holder,
    { print, signal }: Parameters<Training["follow"]>[0],
    onWait: () => void,
  ): Promise<(() => void) | null> {
    let hasWaited = false;
    const wait = (): void => {
      hasWaited = true;
      onWait();
      print(`${l10n.t("{0} waits until another run ends.", holder.title)}\n`);
      this.#changed.fire();
    };
    try {
      return await this.#options.slots.take(holder, { onWait: wait, signal });
    } finally {
      if (hasWaited) this.#changed.fire();
    }
  }
}

interface SessionEvents {
  readonly added: (session: Session) => void;
  readonly changed: () => void;
  /** `end` is null when nothing was started. */
  readonly ended: (session: Session, end: LaunchEnd | null) => void;
  readonly detached: (session: Session) => void;
  readonly takeSlot: Trainings["takeSlot"];
}

class Session implements Training, ActiveTraining {
  readonly request: TrainingRequest;
  readonly #options: TrainingsOptions;
  readonly #events: SessionEvents;
  #launch: string | null;
  #folder: string | null = null;
  #isByHand: boolean;

  constructor(
    options: TrainingsOptions,
    what: {
      readonly request: TrainingRequest;
      readonly launch: string | null;
      readonly isByHand: boolean;
    },
    events: SessionEvents,
  ) {
    this.#options = options;
    this.request = what.request;
    this.#launch = what.launch;
    this.#isByHand = what.isByHand;
    this.#events = events;
  }

  get isStartedByHand(): boolean {
    return this.#isByHand;
  }

  get folder(): string | null {
    return this.#folder;
  }

  async follow(options: Parameters<Training["follow"]>[0]): Promise<LaunchEnd | null> {
    const release = await this.#place(options);
    if (release === null) {
      options.print(notStartedText());
      return null;
    }
    this.#events.added(this);
    this.#events.changed();
    let end: LaunchEnd | null = null;
    try {
      end = await this.#train(options);
      if (end === null) options.print(notStartedText());
      return end;
    } finally {
      release();
      this.#events.ended(this, end);
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
    if (this.#launch !== null) this.#events.detached(this);
  }

  #place(following: Parameters<Training["follow"]>[0]): Promise<(() => void) | null> {
    const { title, sweep, configPath } = this.request;
    // The sweep holds one slot for all of its runs.
    if (sweep !== undefined) return Promise.resolve(() => undefined);
    const stop = (): Promise<boolean> =>
      this.send("stop").then(
        () => true,
        (error: unknown) => {
          this.#options.onError(error);
          return false;
        },
      );
    const holder = { title, stop, startsAgain: isPlain(this.request) ? configPath : null };
    if (this.#launch !== null) return Promise.resolve(this.#options.slots.join(holder));
    return this.#events.takeSlot(holder, following, () => {
      this.#isByHand = false;
    });
  }

  async #train({ print, signal }: Parameters<Training["follow"]>[0]): Promise<LaunchEnd | null> {
    for (;;) {
      const launch = this.#launch ?? (await this.#start(signal));
      if (launch === null) return null;
      const end = await watchLaunch(launch, {
        onOutput: print,
        onFolder: (folder) => {
          this.#folder = runFolder(folder);
          this.#events.changed();
        },
      });
      if (end.error === null || end.folder !== null) return end;
      this.#launch = null;
      if (!(await this.#options.recoverFromLaunchError(end.error, this.request))) return end;
      print("\n");
    }
  }

  async #start(signal: AbortSignal): Promise<string | null> {
    this.#launch = await this.#options.start(this.request, signal);
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

/** What a terminal needs from its training. */
export interface Training {
  /** Starts or joins the training, and resolves when it ends; null if it was not started. */
  follow(options: {
    readonly print: (text: string) => void;
    /** Aborted when the terminal is closed; a training that has not started yet is then dropped. */
    readonly signal: AbortSignal;
  }): Promise<LaunchEnd | null>;
  /** Sends an action; resolves with what will happen. */
  send(action: TerminalAction): Promise<string>;
  /** Called when the user closes the terminal while the training continues. */
  detached(): void;
}
