/** Code lenses of a configuration: start and status of a run, tasks of an environment, contents of a data source. */

import { formatReward } from "../../../../shared/format.ts";
import { checkText } from "../../check.ts";
import type { Span } from "../../source/span.ts";
import { languageOf, readYaml, type YamlSource } from "../../source/yamlSource.ts";
import { type Catalogue, EMPTY_CATALOGUE, findEnvironment } from "../catalogue/catalogue.ts";
import { environmentDetail } from "../descriptions/entryText.ts";
import {
  type DataSource,
  dataSources,
  describeFacts,
  type FactsOf,
} from "../diagnostics/dataSources.ts";
import { pairsOf } from "../text/yamlPairs.ts";

/** The newest run of a configuration. */
export type NewestRun =
  | { readonly kind: "none" }
  /** `outcome` as text, such as `done`, `stopped`, `failed`. */
  | { readonly kind: "ended"; readonly outcome: string; readonly reward: number | null }
  /** `reward` is that of the last completed step; `steps` is null for a run without a planned end. */
  | {
      readonly kind: "running";
      readonly completed: number;
      readonly steps: number | null;
      readonly reward: number | null;
    };

export type LensAction =
  | "start"
  | "validate"
  | "estimate"
  | "openLastRun"
  | "stop"
  | "openDashboard"
  /** Opens the examples of `Lens.source`. */
  | "readExamples"
  | "addDataSource"
  | "startStage"
  | "none";

export type LensSource = Pick<DataSource, "path" | "run">;

export interface Lens {
  readonly span: Span;
  readonly title: string;
  readonly action: LensAction;
  /** As named in the configuration: the file, or the run's folder. */
  readonly source?: LensSource;
  /** The stage that the lens is above. */
  readonly stage?: string;
}

export interface LensOptions {
  readonly path: string;
  readonly catalogue?: Catalogue;
  readonly overrides?: readonly string[];
  readonly status: NewestRun;
  /** Looks up what `data` sources hold; without it there are no lenses about their contents. */
  readonly factsOf?: FactsOf | undefined;
}

/** Lenses at the top of the file and above each environment, stage and data source. Never throws. */
export function lenses(
  text: string,
  { path, catalogue = EMPTY_CATALOGUE, overrides = [], status, factsOf }: LensOptions,
): readonly Lens[] {
  const source = readYaml(text, languageOf(path));
  const top = { start: 0, end: 0 };
  const head = headLenses(status).map((lens) => ({ ...lens, span: top }));
  return [
    ...head,
    ...environmentLenses(source, catalogue),
    ...stageLenses(source, status),
    ...dataLenses(text, { path, overrides }, factsOf),
  ];
}

function headLenses(status: NewestRun): readonly Omit<Lens, "span">[] {
  if (status.kind === "running") {
    return [
      { title: "Stop and Save", action: "stop" },
      { title: runningTitle(status), action: "openDashboard" },
      { title: "Open Dashboard", action: "openDashboard" },
    ];
  }
  const start = [
    { title: "Start Training", action: "start" },
    { title: "Validate", action: "validate" },
    { title: "Estimate", action: "estimate" },
  ] as const;
  if (status.kind === "none") return start;
  const reward = status.reward === null ? "" : `, ${formatReward(status.reward)}`;
  return [...start, { title: `Last run: ${status.outcome}${reward}`, action: "openLastRun" }];
}

/** `Step 12/200 · 0.63`: the number of completed steps and the reward of the last one. */
function runningTitle({
  completed,
  steps,
  reward,
}: Extract<NewestRun, { readonly kind: "running" }>): string {
  const count = steps === null ? `Step ${completed}` : `Step ${completed}/${steps}`;
  return reward === null ? count : `${count} · ${formatReward(reward)}`;
}

/** Any stage can be trained again by itself. */
function stageLenses(source: YamlSource, { kind }: NewestRun): readonly Lens[] {
  if (kind === "running") return [];
  const stages = pairsOf(source, source.root).find(({ key }) => key === "stages");
  return pairsOf(source, stages?.value ?? null).map(({ key: stage, keySpan: span }) => {
    return { span, title: "Train This Stage Alone", action: "startStage", stage };
  });
}

function environmentLenses(source: YamlSource, catalogue: Catalogue): readonly Lens[] {
  const environments = pairsOf(source, source.root).find(({ key }) => key === "environments");
  return pairsOf(source, environments?.value ?? null).flatMap(({ key, keySpan }) => {
    const entry = findEnvironment(catalogue, key);
    const title = entry === null ? "" : environmentDetail(entry);
    return title === "" ? [] : [{ span: keySpan, title, action: "none" as const }];
  });
}

function dataLenses(
  text: string,
  options: Pick<Required<LensOptions>, "path" | "overrides">,
  factsOf: FactsOf | undefined,
): readonly Lens[] {
  const checked = checkText(text, options);
  const { source, repaired } = checked;
  const data = pairsOf(source, source.root).find(({ key }) => key === "data");
  const isSupervised = data !== undefined && repaired?.config.method === "sft";
  const add: readonly Lens[] = isSupervised
    ? [{ span: data.keySpan, title: "Add Data Source…", action: "addDataSource" }]
    : [];
  const known = dataSources(checked).flatMap((written): readonly Lens[] => {
    const facts = factsOf?.(written) ?? null;
    if (facts === null) return [];
    const { span, source: own } = written;
    const title = describeFacts(facts);
    if (facts.kind === "unreadable") return [{ span, title, action: "none" }];
    return [{ span, title, action: "readExamples", source: { path: own.path, run: own.run } }];
  });
  return [...add, ...known];
}
