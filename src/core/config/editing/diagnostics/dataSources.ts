/** The `data` sources in a text, with facts about their contents that others read from files and run folders. */

import { formatQuantity, formatRounded } from "../../../../shared/format.ts";
import { parseRolloutCondition } from "../../../../shared/rolloutCondition.ts";
import { type CheckedPart, type CheckedText, locateFinding } from "../../check.ts";
import type { Config } from "../../fields/schema.ts";
import { referencedStage } from "../../rules/stageRules.ts";
import { conflict } from "../../source/finding.ts";
import type { KeyPath } from "../../source/keyPath.ts";
import { entryAt, locate } from "../../source/locate.ts";
import type { Problem } from "../../source/problem.ts";
import type { Span } from "../../source/span.ts";
import type { YamlSource } from "../../source/yamlSource.ts";
import { ownPlace } from "../../stages.ts";

export type DataSource = Config["data"][number];

/** A source that a run would read, as written in the text. */
export interface WrittenSource {
  /** Path of the source in the configuration. */
  readonly path: KeyPath;
  /** Index in its list. */
  readonly index: number;
  readonly source: DataSource;
  readonly span: Span;
}

/** What a source holds, or why it cannot be read. */
export type SourceFacts =
  | { readonly kind: "unreadable"; readonly message: string }
  | {
      readonly kind: "read";
      readonly unit: "example" | "rollout";
      /** Examples or rollouts that are trained on or held out. */
      readonly count: number;
      readonly turns: number;
      /** For a file an estimate from its characters; for rollouts the number of sampled tokens. */
      readonly tokens: number;
      /** Lines of a file marked as held out. */
      readonly heldOut: number;
      readonly test: number;
      /** True when the source has more than was counted. */
      readonly isPart: boolean;
      /** The first rows that cannot be trained on, one sentence each. */
      readonly refused: readonly string[];
      readonly refusedCount: number;
    };

/** Returns null when the source has not been read yet. */
export type FactsOf = (source: WrittenSource) => SourceFacts | null;

/** Sources of supervised runs or stages that look valid in the text and are not replaced by an override. */
export function dataSources({ source: text, parts }: CheckedText): readonly WrittenSource[] {
  const found = parts.flatMap((part) => sourcesOf(text, part));
  // A source in the shared part of the file counts once for all stages.
  return found.filter(
    ({ span }, index) => found.findIndex((other) => other.span.start === span.start) === index,
  );
}

function sourcesOf(
  text: YamlSource,
  { name, repaired, overridden }: CheckedPart,
): readonly WrittenSource[] {
  if (repaired === null || repaired.config.method !== "sft") return [];
  return repaired.config.data.flatMap((source, index) => {
    const ofFile = ["data", String(index)];
    const path = ownPlace(text, name, ofFile);
    const isSound =
      (source.path === null) !== (source.run === null) &&
      (source.where === null || parseRolloutCondition(source.where) !== null);
    // The run of another stage is only known once that stage is done.
    const isKnown = isSound && referencedStage(source.run) === null;
    const isWritten = entryAt(text, path) !== null;
    if (!isWritten || !isKnown || overridden.overrideBehind(ofFile) !== null) return [];
    const span = locate(text, path, "value");
    return span === null ? [] : [{ path, index, source, span }];
  });
}

/** Faults that would keep a run from training on its sources. */
export function dataProblems(checked: CheckedText, factsOf: FactsOf): readonly Problem[] {
  return dataSources(checked).flatMap((written) => {
    const facts = factsOf(written);
    if (facts === null) return [];
    const path = [...written.path, written.source.path === null ? "run" : "path"];
    return problemsOf(facts).map((message) =>
      locateFinding(checked.source, conflict("TRL222", path, message), () => null),
    );
  });
}

/** What a run would refuse in a source, as sentences. */
export function problemsOf(facts: SourceFacts): readonly string[] {
  if (facts.kind === "unreadable") return [facts.message];
  const more = facts.refusedCount - facts.refused.length;
  if (more <= 0) return facts.refused;
  return [...facts.refused, `${formatQuantity(more, "more row")} cannot be trained on.`];
}

/** `200 examples · 400 turns · about 48k tokens`. */
export function describeFacts(facts: SourceFacts): string {
  if (facts.kind === "unreadable") return "cannot be read";
  const { unit, count, turns, tokens, heldOut, test, isPart, refusedCount } = facts;
  const counted =
    unit === "example" ? `about ${formatRounded(roughly(tokens))}` : formatRounded(tokens);
  return [
    `${isPart ? "more than " : ""}${formatQuantity(count, unit)}`,
    formatQuantity(turns, "turn"),
    `${counted} tokens`,
    ...(heldOut > 0 ? [`${formatQuantity(heldOut, "line")} held out`] : []),
    ...(test > 0 ? [`${formatQuantity(test, "line")} of split test left out`] : []),
    ...(refusedCount > 0 ? [`${formatQuantity(refusedCount, "row")} refused`] : []),
  ].join(" · ");
}

/** An estimate has only one significant digit. */
function roughly(tokens: number): number {
  return Number(tokens.toPrecision(1));
}
