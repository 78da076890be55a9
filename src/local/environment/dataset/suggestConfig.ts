/** Writes a configuration for a data file based on its column names and some of its rows. */

import type { GraderConfig } from "../../../core/config/fields/schema.ts";
import { numberGrader } from "./graders/number.ts";
import type { DataTable } from "./table.ts";

/** Common column names in datasets, the clearest first. */
const NAMES = {
  question: ["question", "problem", "prompt", "query", "input", "instruction", "text"],
  answer:
    "answer final_answer expected_answer ground_truth target label expected reference solution output response completion".split(
      " ",
    ),
  system: ["system", "system_prompt"],
  choices: ["choices", "options"],
  split: ["split"],
} as const satisfies Readonly<Record<string, readonly string[]>>;
type Role = keyof typeof NAMES;

/** `file` is the name of the data file, in the configuration's folder. */
export function suggestConfig(file: string, table: DataTable): string {
  const columns = findColumns(table);
  const renamed = Object.entries(columns).flatMap(([role, name]) =>
    name === undefined || name === role ? [] : [[role, name] as const],
  );
  const type = graderFor(table, columns);
  const { train, test } = splitsOf(table, columns.split);
  const lines = [
    `# Trains a hosted model on the questions of ${file}. Needs TINKER_API_KEY.`,
    "# Without a key, try local/tiny-tool: it shows how a run works, but can read hardly any question.",
    "model_name: Qwen/Qwen3-8B",
    "",
    "environments:",
    "  local/dataset:",
    `    tasks: ${scalar(file)}`,
    ...(renamed.length === 0 ? [] : ["    columns:"]),
    ...renamed.map(([role, name]) => `      ${role}: ${scalar(name)}`),
    "    grader:",
    `      type: ${type} # exact, number, choice, regex, json or contains`,
    "      in_prompt: true # adds how to answer to the prompt",
    "    splits:",
    `      ${scalar(train)}: {}${columns.split === undefined ? " # 90% of the questions; the others are in test" : ""}`,
    "    num_rollouts: 16 # rollouts per question, compared with each other",
    "    nonterminal_reward: 0 # a rollout without an answer counts as wrong",
    "",
    "batch_size: 32 # questions per step, so 32 x 16 = 512 rollouts",
    "num_epochs: 1",
    "max_response_tokens: 2048",
    ...(test === null
      ? []
      : [
          "",
          "evaluation:",
          "  splits:",
          `    local/dataset: [${scalar(test)}]`,
          "  num_samples: 128",
          "  every: 10",
        ]),
  ];
  return `${lines.join("\n")}\n`;
}

/** Always finds question and answer; without known names, uses the first two columns. */
function findColumns({ columns }: DataTable) {
  const all = [...columns];
  const find = (role: Role): string | undefined =>
    NAMES[role]
      .map((known) => all.find((name) => name.toLowerCase() === known))
      .find((name) => name !== undefined);
  const question = find("question") ?? all[0] ?? "question";
  const answer = find("answer") ?? all.find((name) => name !== question) ?? "answer";
  const [system, choices, split] = [find("system"), find("choices"), find("split")];
  return { question, answer, system, choices, split };
}

type Columns = ReturnType<typeof findColumns>;

function graderFor({ rows }: DataTable, { answer, choices }: Columns): GraderConfig["type"] {
  const answers = rows.map(({ values }) => values[answer]);
  if (choices !== undefined && rows.some(({ values }) => values[choices] != null)) return "choice";
  if (answers.length === 0) return "exact";
  if (answers.some((value) => typeof value === "object" && value !== null)) return "json";
  const { fault } = numberGrader({ relative: 0, absolute: 0 });
  const isNumber = (value: unknown): boolean =>
    fault({ answer: String(value ?? ""), choices: null }) === null;
  return answers.every(isNumber) ? "number" : "exact";
}

/** From the split column, of which only the first rows are known, or else the default two. */
function splitsOf({ rows }: DataTable, split: string | undefined) {
  if (split === undefined) return { train: "train", test: "test" };
  const names = [...new Set(rows.map(({ values }) => String(values[split] ?? "")))];
  const train = names.includes("train") ? "train" : (names[0] ?? "train");
  const test = names.find(
    (name) => /^(test|validation|valid|dev|eval)/i.test(name) && name !== train,
  );
  return { train, test: test ?? null };
}

const PLAIN = /^[A-Za-z_][\w./-]*$/;
const WORDS = /^(true|false|yes|no|on|off|null|y|n)$/i;

/** A string as YAML; uses JSON's form if it could be misread. */
function scalar(text: string): string {
  return PLAIN.test(text) && !WORDS.test(text) ? text : JSON.stringify(text);
}
