/** Results of the last check of each environment in the workspace, and whether its code has changed since. */

import { join } from "node:path";
import * as l10n from "@vscode/l10n";
import * as z from "zod";
import { ENVIRONMENT_REQUESTS, type EnvironmentCode } from "../../api/environments.ts";
import type { RequestOutcome } from "../../api/requests.ts";
import { Emitter } from "../../core/util/emitter.ts";
import { parseJson } from "../../core/util/jsonl.ts";
import { isWithin } from "../../node/confinement.ts";
import { sha256 } from "../../node/hash.ts";
import { plural } from "../../shared/format.ts";
import type { Server } from "../server/server.ts";
import type { Memento } from "../vscode/memento.ts";
import type { OwnEnvironment } from "./ownServers.ts";

export interface EnvironmentChecksOptions {
  /** Folder for reports in the workspace's storage; it does not need to exist. */
  readonly folder: string;
  /** Stores the digest of the checked code, by report name. */
  readonly memory: Memento;
  readonly server: Pick<Server, "request">;
  readonly readText: (path: string) => Promise<string | null>;
  readonly overrides: (configPath: string) => readonly string[];
  readonly onError: (error: unknown) => void;
}

/** The result of a check; kinds are in order of severity. */
export interface CheckBadge {
  readonly kind: "passed" | "warnings" | "defects";
  readonly text: string;
  readonly isOutdated: boolean;
}

const severity = z.enum(["defect", "warning", "note"]);
const reportSchema = z.object({
  environments: z.array(
    z.object({
      environment: z.string(),
      checks: z.array(z.object({ findings: z.array(z.object({ severity })) })),
    }),
  ),
});

export class EnvironmentChecks {
  readonly #options: EnvironmentChecksOptions;
  readonly #badges = new Map<string, CheckBadge | null>();
  /** Checked environments and their code folders, by report name. */
  readonly #checked = new Map<
    string,
    { readonly environment: OwnEnvironment; readonly folder: string }
  >();
  readonly #changed = new Emitter<void>((error) => this.#options.onError(error));
  /** Fires when a badge has changed. */
  readonly onDidChange = this.#changed.event;

  constructor(options: EnvironmentChecksOptions) {
    this.#options = options;
  }

  /** The last known badge; null if the environment was not checked. The first call reads it in the background, and after a failure the next. */
  badge(environment: OwnEnvironment): CheckBadge | null {
    const name = reportName(environment);
    const known = this.#badges.get(name);
    if (known !== undefined) return known;
    this.#badges.set(name, null);
    this.#look(environment).catch((error: unknown) => {
      this.#badges.delete(name);
      this.#options.onError(error);
    });
    return null;
  }

  /** Updates the badges of environments to which the saved file `path` belongs. */
  saved(path: string): void {
    for (const { environment, folder } of this.#checked.values()) {
      if (path !== environment.config && !isWithin(path, folder)) continue;
      this.#look(environment).catch(this.#options.onError);
    }
  }

  /** Where the check should write its report; call `done` when it has ended. */
  async begin(
    environment: OwnEnvironment,
  ): Promise<{ readonly file: string; readonly done: () => Promise<void> }> {
    const name = reportName(environment);
    const code = await this.#code(environment);
    const done = async (): Promise<void> => {
      await this.#options.memory.update(name, code?.digest ?? null);
      await this.#look(environment);
    };
    return { file: join(this.#options.folder, name), done };
  }

  async #look(environment: OwnEnvironment): Promise<void> {
    const name = reportName(environment);
    const found = await this.#read(environment);
    this.#badges.set(name, found);
    this.#changed.fire();
  }

  async #read(environment: OwnEnvironment): Promise<CheckBadge | null> {
    const { folder, memory, readText } = this.#options;
    const name = reportName(environment);
    const text = await readText(join(folder, name));
    if (text === null) return null;
    const report = reportSchema.safeParse(parseJson(text)?.value).data;
    const own = report?.environments.find((each) => each.environment === environment.name);
    if (own === undefined) return null;
    const all = own.checks.flatMap(({ findings }) => findings);
    const count = (what: z.infer<typeof severity>) =>
      all.filter((each) => each.severity === what).length;
    const checked = memory.get(name) ?? null;
    const isOutdated = checked !== null && (await this.#code(environment))?.digest !== checked;
    return { ...said(count("defect"), count("warning")), isOutdated };
  }

  async #code(own: OwnEnvironment): Promise<EnvironmentCode | null> {
    const { server, overrides } = this.#options;
    const { name: environment, config: configPath } = own;
    const request = { configPath, overrides: overrides(configPath), environment };
    const outcome = await server.request<RequestOutcome<EnvironmentCode | null>>(
      ENVIRONMENT_REQUESTS.code,
      request,
    );
    const code = outcome.ok ? outcome.value : null;
    if (code !== null) {
      this.#checked.set(reportName(own), { environment: own, folder: code.folder });
    }
    return code;
  }
}

/** A safe file name derived from environment and configuration, whose own names may not be safe. */
function reportName({ name, config }: OwnEnvironment): string {
  return `check-${sha256(`${config}\0${name}`).slice(0, 16)}.json`;
}

function said(defects: number, warnings: number): Pick<CheckBadge, "kind" | "text"> {
  if (defects > 0) return { kind: "defects", text: plural(defects, "{0} defect", "{0} defects") };
  if (warnings === 0) return { kind: "passed", text: l10n.t("check passed") };
  const text = plural(warnings, "check passed, {0} warning", "check passed, {0} warnings");
  return { kind: "warnings", text };
}

/** The badge's text for a row. */
export function badgeText({ text, isOutdated }: CheckBadge): string {
  return isOutdated ? l10n.t("{0}, code changed since", text) : text;
}
