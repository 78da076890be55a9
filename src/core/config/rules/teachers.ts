/** Which teacher an environment has, and findings about teachers. */

import { formatOfModel } from "../../models/formatOfModel.ts";
import type { Config } from "../fields/schema.ts";
import { advice, conflict, type Finding } from "../source/finding.ts";
import type { KeyPath } from "../source/keyPath.ts";

export type Teacher = NonNullable<Config["teacher"]>;

/** The teacher of the environment, or else of the run; null without one. */
export function teacherOf(
  { teacher, environments }: Pick<Config, "teacher" | "environments">,
  environment: string,
): Teacher | null {
  return environments[environment]?.teacher ?? teacher;
}

export function teacherFindings(config: Config): readonly Finding[] {
  const { environments, teacher } = config;
  const own = Object.entries(environments).flatMap(([name, environment]) =>
    findingsAbout(config, environment.teacher, ["environments", name, "teacher"]),
  );
  return [...findingsAbout(config, teacher, ["teacher"]), ...own, ...referenceFindings(config)];
}

function findingsAbout(
  { model_name: student }: Config,
  teacher: Teacher | null,
  path: KeyPath,
): readonly Finding[] {
  if (teacher === null) return [];
  const { model, checkpoint, context } = teacher;
  if ((model === null) === (checkpoint === null)) {
    const message = "A teacher is either a base `model` or the weights of a `checkpoint`.";
    return [conflict("TRL227", path, message)];
  }
  if (context?.trim() === "") {
    const message =
      "The text that the teacher alone reads is empty. Write it, or leave the key out.";
    return [conflict("TRL227", [...path, "context"], message)];
  }
  if (model === null || formatOfModel(model) === formatOfModel(student)) return [];
  const message = `\`${model}\` is of another family than \`${student}\`. A teacher reads the same tokens as the policy, so it must have the same tokenizer and chat format.`;
  return [advice("TRL227", [...path, "model"], message, { relatedPaths: [["model_name"]] })];
}

function referenceFindings({ init_from, kl_coef, kl_reference }: Config): readonly Finding[] {
  if (kl_coef === 0 || kl_reference !== "init" || init_from !== null) return [];
  const message =
    "`kl_reference: init` is the weights of `init_from`, which is not set. Set it, or use `base`.";
  return [conflict("TRL227", ["kl_reference"], message, { relatedPaths: [["init_from"]] })];
}
