/** Shared by both programs of the test: measures each case, searches for planted secrets, records its outcome. */

import { appendFileSync, readFileSync } from "node:fs";
import { isAppError } from "../../../src/core/errors.ts";
import { BlockMeter } from "./blockMeter.ts";
import { PLANTED } from "./home.ts";
import { LIMIT_MS, type Outcome, type Plan, type PlannedCase, TOO_LONG } from "./plan.ts";

/** The command line's message for an unexpected error. */
const PROGRAM_FAULT = "This is a bug in Tinker RL, not in your setup";

/** Runs one case; `show` receives everything a person would see. Resolves with its outcome. */
type Action = (show: (shown: unknown) => void) => Promise<string>;

export class CaseRunner {
  readonly plan: Plan;
  readonly #report: string;
  readonly #meter = new BlockMeter();

  /** `args` are the paths of the plan and of the report. */
  constructor([plan = "", report = ""]: readonly string[]) {
    this.plan = JSON.parse(readFileSync(plan, "utf8"));
    this.#report = report;
  }

  each(room: PlannedCase["room"]): readonly PlannedCase[] {
    return this.plan.cases.filter((one) => one.room === room);
  }

  async measure({ id, kind }: Pick<Outcome, "id" | "kind">, action: Action): Promise<void> {
    this.#note({ begins: id, kind });
    await new Promise((resolve) => setTimeout(resolve, 1));
    globalThis.gc?.();
    this.#meter.take();
    const began = performance.now();
    const faults = new Set<string>();
    const show = (shown: unknown): void => {
      const text = typeof shown === "string" ? shown : JSON.stringify(shown);
      if (text?.includes(PLANTED)) faults.add("showed what was planted");
      if (text?.includes(PROGRAM_FAULT)) faults.add(text.slice(0, 500));
    };
    let end: string;
    try {
      end = await limited(action(show));
      if (end === TOO_LONG) faults.add(TOO_LONG);
    } catch (error) {
      if (!isAppError(error)) faults.add(error instanceof Error ? `${error.stack}` : String(error));
      end = isAppError(error) ? error.code : "fault";
      show(error instanceof Error ? error.message : error);
    }
    const tookMs = performance.now() - began;
    const outcome: Outcome = { id, kind, tookMs, ...this.#meter.take(), faults: [...faults], end };
    this.#note(outcome);
  }

  /** Exits the process: a hanging operation must not keep it alive. */
  end(): never {
    process.exit(0);
  }

  #note(line: object): void {
    appendFileSync(this.#report, `${JSON.stringify(line)}\n`);
  }
}

function limited(action: Promise<string>): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(TOO_LONG), LIMIT_MS);
  });
  return Promise.race([action, limit]).finally(() => clearTimeout(timer));
}
