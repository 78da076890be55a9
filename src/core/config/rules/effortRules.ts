/** Findings about `thinking.effort` and what the model's chat format accepts. */

import type { FormatFacts } from "../../models/formats.ts";
import { NUMBER_TEXT } from "../fields/coerce.ts";
import { modelFields } from "../fields/modelFields.ts";
import type { Config } from "../fields/schema.ts";
import { advice, conflict, type Finding } from "../source/finding.ts";
import { changeTo, preferFirst, preferred, type Remedy, setKeyTo } from "../source/remedy.ts";

const PATH = ["thinking", "effort"];
/** All effort levels in ascending order. */
const SCALE: readonly string[] = modelFields.thinking.fields.effort.values;
const OFF = "none";

export function effortFindings(
  { thinking }: Config,
  name: string,
  facts: FormatFacts,
): readonly Finding[] {
  const { enabled, effort } = thinking;
  if (effort === null || (enabled && (facts.thinking === "off" || isKnown(effort, facts)))) {
    return [];
  }
  if (!enabled) {
    // A model that always reasons has its own finding.
    if (facts.thinking === "on") return [];
    const message = "The effort has no effect while thinking is off.";
    return [advice("TRL216", PATH, message, { remedies: [withoutEffort()] })];
  }
  if (effort === OFF && facts.thinking === "switch") {
    const message = `\`${name}\` does not take the effort \`none\`; \`thinking: false\` turns its reasoning off.`;
    const off = preferred(setKeyTo(["thinking"], false));
    return [conflict("TRL216", PATH, message, { remedies: [off] })];
  }
  if (facts.efforts.length === 0) {
    const message = `\`${name}\` takes no effort, so this has no effect; its reasoning is ${facts.thinking === "on" ? "always on" : "only on or off"}.`;
    return [advice("TRL216", PATH, message, { remedies: [withoutEffort()] })];
  }
  const message = `\`${name}\` does not take the effort \`${effort}\`. ${describeEfforts(facts)}`;
  const choices = nearestEfforts(effort, facts);
  const remedies = preferFirst(choices.map((word) => changeTo(PATH, word)));
  return [conflict("TRL216", PATH, message, { remedies })];
}

/** A sentence that lists the efforts the model accepts. */
export function describeEfforts({ efforts, defaultEffort, effortRange }: FormatFacts): string {
  const words = efforts.map((word) =>
    word === defaultEffort ? `\`${word}\` (default)` : `\`${word}\``,
  );
  const range =
    effortRange === null ? [] : [`a number from ${effortRange[0]} to ${effortRange[1]}`];
  const all = [...words, ...range];
  if (all.length === 0) return "The model takes no effort.";
  const last = all.at(-1) ?? "";
  return `The model takes ${all.length === 1 ? last : `${all.slice(0, -1).join(", ")} or ${last}`}.`;
}

function isKnown(effort: string, { efforts, effortRange }: FormatFacts): boolean {
  if (!NUMBER_TEXT.test(effort)) return efforts.includes(effort);
  const value = Number(effort);
  return effortRange !== null && value >= effortRange[0] && value <= effortRange[1];
}

/** The format's levels, closest in strength first. A number has no place on the scale, so the default level stands for it. */
function nearestEfforts(
  effort: string,
  { efforts, defaultEffort }: FormatFacts,
): readonly string[] {
  const wanted = SCALE.indexOf(SCALE.includes(effort) ? effort : (defaultEffort ?? ""));
  const distance = (word: string): number => Math.abs(SCALE.indexOf(word) - wanted);
  return efforts.toSorted((a, b) => distance(a) - distance(b));
}

function withoutEffort(): Remedy {
  return preferred(setKeyTo(PATH, null));
}
