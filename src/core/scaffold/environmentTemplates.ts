/** Templates for new environments, and the rules for their names. */

import type { JsonObject } from "../json.ts";

export type EnvironmentTemplateKind = "question" | "tools" | "state" | "code" | "judge";

export interface EnvironmentTemplate {
  readonly kind: EnvironmentTemplateKind;
  readonly description: string;
  /** True if the bundled model can learn its tasks. */
  readonly suitsEmbeddedModel: boolean;
  /** Settings that replace or extend the default entry. */
  readonly settings: JsonObject;
}

/** In display order. The first is the default. */
export const ENVIRONMENT_TEMPLATES: readonly EnvironmentTemplate[] = [
  {
    kind: "question",
    description: "One question, one answer tool, an exact grader",
    suitsEmbeddedModel: true,
    settings: {},
  },
  {
    kind: "tools",
    description: "Several tools: lookups before an answer",
    suitsEmbeddedModel: true,
    settings: {},
  },
  {
    kind: "state",
    description: "State over several turns, with partial rewards",
    suitsEmbeddedModel: true,
    settings: {},
  },
  {
    kind: "code",
    description: "The model writes a Python function that hidden tests grade",
    suitsEmbeddedModel: false,
    settings: {},
  },
  {
    kind: "judge",
    description: "A model grades answers by a rubric; needs the secret openai_api_key",
    suitsEmbeddedModel: false,
    // A failure of the judge does not count as a wrong answer.
    settings: { nonterminal_reward: null, secrets: { openai_api_key: null } },
  },
];

/** Also the name of a Python package and the first part of a path on the server. */
const NAME = /^[a-z](?:[a-z0-9_-]{0,62}[a-z0-9])?$/;

export function isEnvironmentName(name: string): boolean {
  return NAME.test(name);
}

/** Text of a template's file for the environment `name`. `guide` is included in every README. */
export function fillTemplate(text: string, name: string, guide: string): string {
  const words = name.split(/[-_]+/).map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return text
    .replace("template-guide\n", () => guide)
    .replaceAll("TemplateEnvironment", `${words.join("")}Environment`)
    .replaceAll("template-environment", name);
}

/** Packages from a template's `pyproject.toml`, including those for its tests. */
export function requirementsIn(pyproject: string): readonly string[] {
  const lists = pyproject.matchAll(/^(?:dependencies|dev) = \[(.*)\]$/gm);
  return [...lists].flatMap(([, list = ""]) =>
    [...list.matchAll(/"([^"]+)"/g)].map(([, requirement = ""]) => requirement),
  );
}
