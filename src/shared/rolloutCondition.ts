/** Filters stored rollouts by comparisons such as `reward >= 1 and turns <= 4`. */

import { unknownField } from "./unknownField.ts";

/** Fields that comparisons can use. */
export const CONDITION_FIELDS = ["reward", "turns", "tokens", "tool_calls", "step"] as const;
export type ConditionField = (typeof CONDITION_FIELDS)[number];

export type ConditionFacts = Readonly<Record<ConditionField, number | null>>;

export type RolloutCondition = (facts: ConditionFacts) => boolean;

const AND = /\s+and\s+/i;
const COMPARISON = /^(\w+)\s*(>=|<=|==|!=|=|>|<)\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)$/i;

/** Parses a condition; null if the text is not one. A null fact satisfies no comparison. */
export function parseRolloutCondition(text: string): RolloutCondition | null {
  const parts = text.trim().split(AND);
  const comparisons = parts.map(parseComparison);
  if (comparisons.some((comparison) => comparison === null)) return null;
  return (facts) => comparisons.every((comparison) => comparison?.(facts) === true);
}

/** A message about the first unknown field; null if all are known. Ignores parts that are not comparisons. */
export function unknownConditionField(text: string): string | null {
  const fields: readonly string[] = CONDITION_FIELDS;
  for (const part of text.trim().split(AND)) {
    const [, name] = COMPARISON.exec(part) ?? [];
    if (name !== undefined && !fields.includes(name)) {
      return unknownField(name, { names: fields, examples: fields });
    }
  }
  return null;
}

function parseComparison(text: string): RolloutCondition | null {
  const [, name, sign, number] = COMPARISON.exec(text) ?? [];
  const field = CONDITION_FIELDS.find((own) => own === name);
  if (field === undefined || sign === undefined || number === undefined) return null;
  const bound = Number(number);
  return (facts) => {
    const value = facts[field];
    return value !== null && isTrue(value, sign, bound);
  };
}

function isTrue(value: number, sign: string, bound: number): boolean {
  switch (sign) {
    case ">=":
      return value >= bound;
    case "<=":
      return value <= bound;
    case ">":
      return value > bound;
    case "<":
      return value < bound;
    case "!=":
      return value !== bound;
    default:
      return value === bound;
  }
}
