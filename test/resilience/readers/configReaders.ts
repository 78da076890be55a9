/** Parsers of configurations, of files next to them, and of names. */

import { tokenizerNameOf } from "../../../src/core/chat/modelName.ts";
import { plainName } from "../../../src/core/config/editing/catalogue/catalogue.ts";
import { taskConfigAt } from "../../../src/core/config/editing/completion/taskConfigAt.ts";
import { cursorAt } from "../../../src/core/config/editing/text/cursor.ts";
import { code, plainText } from "../../../src/core/config/editing/text/markdown.ts";
import { applyEdits } from "../../../src/core/config/editing/text/textEdit.ts";
import { parseAssignment } from "../../../src/core/config/overrides.ts";
import { splitValues, splitWords } from "../../../src/core/config/overrideWords.ts";
import { hasKeyShape } from "../../../src/core/config/rules/secretRules.ts";
import { withoutSecretValues } from "../../../src/core/config/secretValues.ts";
import { readYaml } from "../../../src/core/config/source/yamlSource.ts";
import { formatOfModel } from "../../../src/core/models/formatOfModel.ts";
import { folderName } from "../../../src/core/runFolder/runFolder.ts";
import { plainName as sweepName } from "../../../src/core/sweeps/runNames.ts";
import { parseTinkerPath } from "../../../src/core/tinker/paths.ts";
import { placesToComment, readEnv } from "../../../src/host/keys/envFile.ts";
import { judgeFormat } from "../../../src/host/keys/keyFormat.ts";
import { nearestWords } from "../../../src/shared/editDistance.ts";
import { fitsWildcard } from "../../../src/shared/wildcard.ts";
import { useAll } from "../../core/config/editing/fuzzedTexts.ts";
import { type Reader, reads } from "./reader.ts";

const YAML = [
  ...["a: \n", "? ", "- a\n", "&a ", "*a\n", "<<: *a\n", "!!x ", "---\n", "a: |\n", "a: 'x\n"],
  ...[
    'a: "x\n',
    "a: [\n",
    "a: {\n",
    "a: {b: \n",
    "a: &b\n",
    " x\n",
    "#\n",
    "{a,",
    "[{",
    "\n\n  a: b\n",
  ],
  ...["learning_rat: 1\n", "# tinker-rl-ignore TRL203\n", "secrets: {a: b}\n"],
];
const BASIC = [" ", '"', "'", "[", "{", "-", ":", ",", "a", "a ", "\t", "\r\n", "|", "%", "@", "`"];
const YAML_FRAMES: NonNullable<Reader["frames"]> = [
  ["", ""],
  ["a:\n", "\n"],
  ['model_name: "', '"\n'],
  ["secrets: {a: ", "}\n"],
  ["secrets:\n  a: &a\n    b: ", "\n"],
  ["environments:\n  local/depot:\n    ", ""],
];

export function configReaders(): readonly Reader[] {
  return [
    {
      name: "YAML",
      slowFrom: 2_048,
      atoms: [...YAML, ...BASIC],
      frames: YAML_FRAMES,
      prepare: reads((text) => readYaml(text, "yaml").faults),
    },
    {
      name: "JSON of a configuration",
      slowFrom: 4_096,
      atoms: [...YAML, ...BASIC],
      frames: [
        ["", ""],
        ['{"a": ', "}"],
      ],
      prepare: reads((text) => readYaml(text, "json").faults),
    },
    {
      name: "the place that is written at",
      atoms: YAML,
      frames: YAML_FRAMES,
      prepare: reads((text) => [
        cursorAt(text.slice(0, 200_000), Math.min(text.length, 200_000), "yaml"),
        cursorAt(text.slice(0, 200_000), Math.min(text.length, 200_000), "json"),
      ]),
    },
    {
      name: "all help for a configuration",
      slowFrom: 1_024,
      atoms: [
        ...["a: \n", "a: [\n", "a: {b: \n", "a: 'x\n", "- a\n", "<<: *a\n", "a:\n ", "#\n"],
        ...[" ", '"', "learning_rat: 1\n"],
      ],
      frames: YAML_FRAMES.slice(0, 2),
      prepare: reads((text) => useAll(text, text.length, "run.yaml")),
    },
    {
      name: "a configuration without its secrets",
      slowFrom: 2_048,
      atoms: [...YAML, " ", "a: b, "],
      frames: YAML_FRAMES,
      prepare: reads(withoutSecretValues),
    },
    { name: "overrides", prepare: reads((text) => [splitWords(text), splitValues(text)]) },
    { name: "an override", atoms: ['"a".', "a."], prepare: reads(parseAssignment) },
    {
      name: "tasks.json",
      atoms: ['{"type": "tinker-rl", "config": "', '"type" '],
      prepare: reads((text) => taskConfigAt(text, text.length, "tinker-rl")),
    },
    {
      name: "edits of a text",
      prepare: (text) => {
        const edits = Array.from({ length: text.length / 8 }, (_, at) => ({
          span: { start: 8 * at, end: 8 * at + 2 },
          text: "abc",
        }));
        return () => applyEdits(text, edits);
      },
    },
    { name: "Markdown of a hover", prepare: reads((text) => [plainText(text), code(text)]) },
    {
      name: "strings that look like a key",
      atoms: ["sk-", "://", "://a:", ":a", "hf_a", "AKIA"],
      frames: [
        ["", ""],
        ["https://", "!"],
      ],
      prepare: reads(hasKeyShape),
    },
    {
      name: "names",
      atoms: ["/Qwen3-", "Llama-3.1-", "a/b:", "Owner/", "-."],
      prepare: reads((text) => [
        formatOfModel(text),
        tokenizerNameOf({ tokenizer_name: null, model_name: text }),
        plainName(text),
        folderName(text),
        sweepName(text),
        nearestWords(text.slice(0, 80), ["a".repeat(80), text]),
      ]),
    },
    { name: "an address of weights", atoms: ["tinker://a/"], prepare: reads(parseTinkerPath) },
    {
      name: "a pattern of file names",
      atoms: ["a*", "*", "*a*b"],
      prepare: (text) => {
        const name = "ab".repeat(text.length / 2);
        return () => fitsWildcard(name, `${text}c`);
      },
    },
    {
      name: "a .env file",
      atoms: ['A="\n', "A='\n", "A=`\n", "A=1\n", "export A=\n", 'A="x"\n'],
      prepare: reads((text) => [readEnv(text), placesToComment(text, ["A", "B"])]),
    },
    {
      name: "a typed key",
      atoms: ["export ", "tml-", "a."],
      prepare: reads((text) => [
        judgeFormat("tinker", text, null),
        judgeFormat("wandb", text, null),
      ]),
    },
  ];
}
