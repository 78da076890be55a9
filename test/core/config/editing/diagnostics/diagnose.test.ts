import { describe, expect, it } from "vitest";
import type { Catalogue } from "../../../../../src/core/config/editing/catalogue/catalogue.ts";
import {
  type DiagnoseOptions,
  diagnose as diagnoseAll,
} from "../../../../../src/core/config/editing/diagnostics/diagnose.ts";
import { fixAll, fixesAt } from "../../../../../src/core/config/editing/fixes/fixes.ts";
import { applyEdits } from "../../../../../src/core/config/editing/text/textEdit.ts";
import { textWith, textWithEnvironment } from "../../configText.ts";
import { aCheckpoint, CATALOGUE, listing, NEW_CHECKPOINT, OLD_CHECKPOINT } from "../aCatalogue.ts";

const OPTIONS: DiagnoseOptions = { path: "run.yaml" };
const LIVE: DiagnoseOptions = { path: "run.yaml", catalogue: CATALOGUE };
/** Makes the minimal text explicit where it leaves something open. */
const SOUND = "num_epochs: 1";

/** Diagnoses without the hint about rollouts without a reward, which the minimal text does not address. */
function diagnose(text: string, options: DiagnoseOptions): ReturnType<typeof diagnoseAll> {
  return diagnoseAll(text, options).filter(
    ({ code, severity }) => code !== "TRL200" || severity !== "hint",
  );
}

/** Code, severity, and marked text of each finding, without hints about defaults. */
function found(text: string, options = OPTIONS): readonly string[] {
  return diagnose(text, options)
    .filter(({ code }) => code !== "TRL124")
    .map(({ code, severity, span }) => `${code} ${severity} ${text.slice(span.start, span.end)}`);
}

/** The text after applying the fix with this title. */
function repaired(text: string, title: string, options = OPTIONS): string {
  const all = fixesAt(text, { start: 0, end: text.length }, options);
  const fix = all.find((one) => one.title === title);
  if (fix === undefined) throw new Error(`offered are: ${all.map((one) => one.title).join(", ")}`);
  return applyEdits(text, fix.edits);
}

function preferred(text: string, code: string, options = OPTIONS): readonly string[] {
  return fixesAt(text, { start: 0, end: text.length }, options)
    .filter(({ isPreferred, diagnosis }) => isPreferred && diagnosis.code === code)
    .map(({ title }) => title);
}

describe("each rule marks its place, and its fix resolves the finding", () => {
  it.each([
    ["batch_size: 3", "TRL100 error batch_size", "Keep the first"],
    ["batch_size: 3", "TRL100 error batch_size", "Keep the last"],
    ["lerning_rate: 1e-5", "TRL110 error lerning_rate", "Change to 'learning_rate'"],
    ["lr: 1e-5", "TRL110 error lr", "Change to 'learning_rate'"],
    ["num_train_epochs: 1", "TRL110 error num_train_epochs", "Remove 'num_train_epochs'"],
    ["kl_beta: 0.1", "TRL110 error kl_beta", "Change to 'kl_coef'"],
    ["kl_coef: -1", "TRL121 error -1", "Set to 0 (minimum)"],
    ["max_turns: 3", "TRL110 error max_turns", "Move to environments.Owner/Game.max_turns"],
    ["group_size: 4", "TRL110 error group_size", null],
    ["evaluation:\n  splits: {local/depot: test}", "TRL120 error test", "Wrap in a list"],
    ["rollout_timeout: 10:30", "TRL120 error 10:30", "Set to 630"],
    ["save_every: -1", "TRL121 error -1", "Set to 0 (minimum)"],
    ["lora_rank: 12", "TRL121 error 12", "Set to 8"],
    ["max_steps: 1.5", "TRL121 error 1.5", "Set to 2"],
    ["mix: weighed", "TRL122 error weighed", "Change to 'weighted'"],
    ["save_every: '5'", "TRL123 info '5'", "Write as 5"],
    ["sampling_seed: no", "TRL123 info no", "Write as false"],
    [
      "max_rollout_concurrency: 4",
      "TRL125 warning max_rollout_concurrency",
      "Change to 'max_active_tasks'",
    ],
    ["max_response_tokens: 40000", "TRL202 warning 40000", "Set to 32768"],
    ["overlong_buffer: 5000", "TRL202 error 5000", "Remove 'overlong_buffer'"],
    [
      "loss_fn_config: {clip_low_treshold: 0.5}",
      "TRL204 error clip_low_treshold",
      "Change to 'clip_low_threshold'",
    ],
    ["loss_fn_config: {beta: 1}", "TRL204 error beta", "Remove 'beta'"],
    [
      "loss_fn_config: {clip_low_threshold: 2}",
      "TRL204 error loss_fn_config",
      "Set to 0.8 and 1.2",
    ],
    [
      "loss_fn: importance_sampling\nmax_steps_off_policy: 1",
      "TRL203 info 1",
      "Set loss_fn to ppo",
    ],
    ["max_active_tasks: 999999", "TRL206 info 999999", "Set to 4096"],
    ["learning_rate: 1e-2", "TRL207 warning 1e-2", "Set to 2e-5"],
    ["learning_rate: 5", "TRL207 warning 5", "Set to 2e-5"],
    [
      "resume_from: auto\ninit_from: tinker://a/weights/b",
      "TRL209 error tinker://a/weights/b",
      "Remove 'resume_from'",
    ],
    ["wandb: online", "TRL111 error online", "Set wandb to disabled"],
  ])("%s", (line, mark, title) => {
    const text = textWith(line, SOUND);
    expect(found(text)).toContain(mark);
    if (title !== null) expect(found(repaired(text, title))).toEqual([]);
  });

  it.each([
    ["max_failing_rollouts: 3", "TRL200 error 3", "Set to 2"],
    ["max_failing_rollouts: 3", "TRL200 error 3", "Set num_rollouts to 5"],
    ["min_reward: 2\nmax_reward: 1", "TRL201 error 2", "Swap min_reward and max_reward"],
    ["temperature: 0", "TRL203 warning 0", "Set to 1"],
    ["temperature: 0.7", "TRL203 warning 0.7", "Set to 1"],
    ["top_p: 0.5", "TRL203 warning 0.5", "Set to 1"],
    ["top_k: 5", "TRL203 warning 5", "Set to null"],
  ])("in an environment: %s", (lines, mark, title) => {
    const text = textWithEnvironment(...lines.split("\n")) + SOUND;
    expect(found(text)).toEqual([mark]);
    expect(found(repaired(text, title))).toEqual([]);
  });

  it.each([
    ["model_name: Qwen/Qwen3-9B", "TRL302 error Qwen/Qwen3-9B", "Change to 'Qwen/Qwen3-8B'"],
    ["lora_rank: 128", "TRL302 error 128", "Set to 64 (maximum)"],
    ["max_total_tokens: 99999\nrollout_timeout: 1800", "TRL202 warning 99999", "Set to 32768"],
    [
      "resume_from: tinker://x:train:0/weights/y",
      "TRL303 warning tinker://x:train:0/weights/y",
      "Change to first · step 50",
    ],
  ])("from catalogue lists: %s", (line, mark, title) => {
    const isModel = line.startsWith("model_name");
    const text = textWith(line, SOUND).slice(isModel ? "model_name: Qwen/Qwen3-8B\n".length : 0);
    expect(found(text, LIVE)).toEqual([mark]);
    expect(found(repaired(text, title, LIVE), LIVE)).toEqual([]);
  });

  it("a missing key is marked at its parent and added there", () => {
    const text = `model_name: Qwen/Qwen3-8B\n${SOUND}\nenvironments:\n  Owner/Game:\n    splits: {train: }\n`;
    expect(found(text)).toEqual(["TRL111 error model_name", "TRL111 error Owner/Game"]);
    const once = repaired(text, "Add num_rollouts: 8");
    expect(found(repaired(once, "Add batch_size: 32"))).toEqual([]);
  });

  it("a run without an end causes a warning unless that is explicit", () => {
    expect(found(textWith())).toEqual(["TRL205 info model_name"]);
    expect(found(repaired(textWith(), "Add num_epochs: 1"))).toEqual([]);
    expect(found(textWith("num_epochs: null"))).toEqual([]);
    expect(found(textWith("save_every: 0"))).toEqual(["TRL205 warning 0"]);
    expect(found(textWith("learning_rate_schedule: linear"))).toEqual(["TRL205 error linear"]);
  });

  it("a default value is faded together with its key, and can be removed", () => {
    const text = textWith("seed: 42 # as ever", SOUND);
    const [hint] = diagnose(text, OPTIONS);
    expect(hint).toMatchObject({ code: "TRL124", severity: "hint", tag: "unnecessary" });
    expect(text.slice(hint?.span.start, hint?.span.end)).toBe("seed: 42");
    expect(repaired(text, "Remove 'seed'")).toBe(textWith(SOUND));
  });

  it.each([
    ["in a stage", textWith("num_substeps: 4", "stages:", "  two: { num_substeps: 1 }", SOUND)],
    ["beside a merge", textWithEnvironment("<<: { temperature: 0.7 }", "temperature: 1.0")],
  ])("a default that overrides another value is no default: %s", (_, text) => {
    const hints = diagnose(text, OPTIONS).filter(({ code }) => code === "TRL124");
    expect(hints.map(({ span }) => text.slice(span.start, span.end))).toEqual([]);
  });

  it.each([
    ["python environment.py", ["server: { command: [python, environment.py] }"]],
    ["python 'my environment.py'", []],
  ])("a command line becomes a list of its words: %s", (command, fixed) => {
    const text = textWithEnvironment(`server: { command: "${command}" }`);
    const fixes = fixesAt(text, { start: 0, end: text.length }, OPTIONS);
    const wrapped = fixes.filter(({ title }) => title === "Wrap in a list");
    const lines = wrapped.map(({ edits }) => /server: .*/.exec(applyEdits(text, edits))?.[0]);
    expect(lines).toEqual(fixed);
  });

  it("tabs are replaced by spaces", () => {
    const text = textWith(SOUND, "thinking:", "\tenabled: true");
    expect(found(text).join()).toContain("TRL100");
    expect(found(repaired(text, "Indent with spaces"))).toEqual([]);
  });

  it.each([
    ["after a colon", `num_epochs:\u00a01`],
    ["before a value", `num_epochs: \u00a01`],
    ["at the end of a line", `num_epochs: 1\u3000`],
    ["as indent", `thinking:\n\u00a0\u00a0enabled: true\n${SOUND}`],
    ["as a colon", `num_epochs：1`],
    ["as a colon before a space", `num_epochs： 1`],
    ["as all colons and spaces", `thinking：\n\u2003\u2003enabled：\u00a0true\n${SOUND}`],
  ])("a character that only looks like YAML is named and replaced: %s", (_where, lines) => {
    const text = textWith(lines);
    const messages = diagnose(text, OPTIONS).map(({ code, message }) => `${code} ${message}`);
    expect(messages.length).toBeGreaterThan(0);
    for (const message of messages) {
      expect(message).toMatch(
        /^TRL100 This is (not an ordinary space|a full-width colon), and YAML/,
      );
    }
    expect(found(repaired(text, "Use ordinary spaces and colons"))).toEqual([]);
  });

  it("other space characters inside a text value are left alone", () => {
    expect(found(textWith("wandb_run_name: Bonjour\u00a0tout：va", SOUND))).toEqual([]);
  });

  it("comments in JSON are reported and removed", () => {
    const json = `{"model_name": "Qwen/Qwen3-8B", "batch_size": 4, // "four"\n"num_epochs": 1, /* / */ "environments": {"o/E": {"splits": {"train": {}}, "num_rollouts": 8}}, "wandb_run_name": "a // b"}`;
    const options = { path: "run.json" };
    expect(found(json, options)).toEqual(['TRL100 error // "four"', "TRL100 error /* / */"]);
    const after = repaired(json, "Remove the comments", options);
    expect(found(after, options)).toEqual([]);
    expect(after).toContain("a // b");
  });

  it("a UTF-16 file is reported", () => {
    const text = Buffer.from(textWith(SOUND), "utf16le").toString("utf8");
    expect(diagnose(text, OPTIONS).map(({ message }) => message)).toEqual([
      "The file is in UTF-16. Save it in UTF-8.",
    ]);
  });

  it.each([
    [
      "environments:\nOwner/Game:\n  splits: {train: }\n  num_rollouts: 4\n",
      "TRL110 error Owner/Game",
      "Indent below 'environments'",
    ],
    [
      "environments:\n  Owner/Game:\n    splits:\n    train: {}\n    num_rollouts: 4\n",
      "TRL110 error train",
      "Indent below 'splits'",
    ],
    [
      "environments:\n  Owner/Game:\n  splits: {train: }\n  num_rollouts: 4\n",
      "TRL110 error splits",
      "Indent below 'Owner/Game'",
    ],
    [
      "environments:\n  Owner/Game:\n    splits: {train: }\n  num_rollouts: 4\n",
      "TRL110 error num_rollouts",
      "Move to environments.Owner/Game.num_rollouts",
    ],
    [
      "environments:\n  num_rollouts: 4\n  Owner/Game:\n    splits: {train: }\n",
      "TRL110 error num_rollouts",
      "Move to environments.Owner/Game.num_rollouts",
    ],
    [
      "environments:\n  Owner/Game:\n    splits: {train: }\n    num_rollouts: 4\n  max_steps: 3\n",
      "TRL110 error max_steps",
      "Move 'max_steps' to the top level",
    ],
  ])("one missing indent is one error with a fix: %j", (lines, mark, title) => {
    const text = `model_name: Qwen/Qwen3-8B\nbatch_size: 4\n${lines}${SOUND}\n`;
    expect(found(text)).toEqual([mark]);
    expect(found(repaired(text, title))).toEqual([]);
  });

  it("a field among several environments belongs to the one above it", () => {
    const text = textWithEnvironment().replace("num_rollouts: 4", "num_rollouts: 8");
    const lines = "  max_turns: 3\n  Owner/Other: {splits: {train: }, num_rollouts: 4}\n";
    expect(diagnose(text + lines + SOUND, OPTIONS).map(({ message }) => message)).toEqual([
      "`max_turns` is indented like an environment. It belongs in `environments.Owner/Game`.",
    ]);
  });

  it("a misindented line is reported without follow-up errors", () => {
    const text = textWith(SOUND).replace("    num_rollouts", "   num_rollouts");
    expect(found(text)).toEqual(["TRL100 error splits:"]);
    expect(found(repaired(text, "Correct the indentation"))).toEqual([]);
  });

  it("a key starting with x- is allowed wherever keys are checked", () => {
    const text = textWithEnvironment("x-note: mine").replace(
      "model_name",
      "x-all: &a {b: 1}\nmodel_name",
    );
    expect(found(text + SOUND)).toEqual([]);
  });

  it("an unknown key whose anchor is used is never removed", () => {
    const text = `defaults: &d { num_rollouts: 4 }\nmodel_name: Qwen/Qwen3-8B\nbatch_size: 4\nenvironments:\n  o/E: {splits: {train: }, <<: *d}\n${SOUND}\n`;
    const [fault] = diagnose(text, OPTIONS);
    expect(fault?.remedies.map(({ title }) => title)).toEqual(["Change to 'x-defaults'"]);
    expect(found(repaired(text, "Change to 'x-defaults'"))).toEqual([]);
  });

  it("a misspelled required key is one error", () => {
    const text = textWith(SOUND).replace("model_name", "model_nam");
    expect(found(text)).toEqual(["TRL110 error model_nam"]);
    expect(found(repaired(text, "Change to 'model_name'"))).toEqual([]);
  });

  it("a nonexistent embedded environment is an error, even without a catalogue", () => {
    const text = `model_name: local/tiny-tool\nbatch_size: 4\n${SOUND}\nenvironments:\n  local/depo: {splits: {train: }, num_rollouts: 8}\n`;
    expect(found(text)).toEqual(["TRL300 error local/depo"]);
    expect(found(repaired(text, "Change to 'local/depot'"))).toEqual([]);
  });

  it("large steps cause a warning", () => {
    expect(found(textWith("batch_size: 4096", SOUND).replace("batch_size: 4\n", ""))).toEqual([
      "TRL208 info 4096",
    ]);
    const supervised = textWith("method: sft", "data: [{ path: demos.jsonl }]", SOUND);
    const large = supervised.replace("batch_size: 4\n", "batch_size: 4096\n");
    expect(found(large)).not.toContain("TRL208 info 4096");
  });
});

describe("rules over several keys", () => {
  it("also point at the other key", () => {
    const text = textWithEnvironment("max_failing_rollouts: 3") + SOUND;
    const [mark] = diagnose(text, OPTIONS);
    expect(mark?.related.map(({ span }) => text.slice(span.start, span.end))).toEqual(["4"]);
  });

  it("are checked when another key is invalid, but without that key's value", () => {
    const text =
      textWithEnvironment("max_failing_rollouts: 3", "top_p: 7", "temperature: 0") + SOUND;
    expect(found(text)).toEqual(["TRL200 error 3", "TRL121 error 7", "TRL203 warning 0"]);
    const broken = textWithEnvironment("max_failing_rollouts: x", "temperature: 0") + SOUND;
    expect(found(broken)).toEqual(["TRL120 error x", "TRL203 warning 0"]);
  });
});

describe("catalogue lists", () => {
  const game = (name: string, rest = "") =>
    textWith(SOUND).replace("Owner/Game:", `${name}:${rest}`);

  it("suggest close names, regardless of case", () => {
    const text = game("GeneralReasoning/WhoDunit");
    expect(found(text, LIVE)).toEqual(["TRL300 error GeneralReasoning/WhoDunit"]);
    expect(preferred(text, "TRL300", LIVE)).toEqual(["Change to 'GeneralReasoning/WhoDunIt'"]);
    expect(diagnose(text, LIVE)[0]?.message).toContain("3 h 00 min old");
  });

  it("warn about a name that differs only in case, even with a partial list", () => {
    const environments = CATALOGUE.hosted.environments;
    if (environments === null) throw new Error("The catalogue has hosted environments.");
    const part = { ...environments, isComplete: false };
    const options = {
      ...LIVE,
      catalogue: { ...CATALOGUE, hosted: { ...CATALOGUE.hosted, environments: part } },
    };
    const text = game("generalreasoning/WhoDunit");
    expect(found(text, options)).toEqual(["TRL300 warning generalreasoning/WhoDunit"]);
    expect(preferred(text, "TRL300", options)).toEqual(["Change to 'GeneralReasoning/WhoDunIt'"]);
    expect(found(game("GeneralReasoning/WhoDunnit"), options)).toEqual([]);
  });

  it("check splits, including those for evaluation", () => {
    const text = textWith(SOUND, "evaluation: {splits: {Owner/Game: [tset]}}").replace(
      "      train:",
      "      trian:",
    );
    expect(found(text, LIVE)).toEqual(["TRL301 error trian", "TRL301 error tset"]);
    expect(found(repaired(text, "Change to 'train'", LIVE), LIVE)).toEqual(["TRL301 error tset"]);
  });

  it.each<[string, Catalogue]>([
    ["no list", { ...CATALOGUE, hosted: { environments: null, models: null, checkpoints: null } }],
    [
      "part of a list",
      {
        ...CATALOGUE,
        hosted: { ...CATALOGUE.hosted, environments: { ...listing([]), isComplete: false } },
      },
    ],
  ])("report nothing with %s", (_, catalogue) => {
    expect(found(game("Nobody/Knows"), { path: "run.yaml", catalogue })).toEqual([]);
  });

  it("report nothing for another server", () => {
    const text = `${game("Nobody/Knows")}\nopenreward_base_url: https://mine.example\n`;
    expect(found(text, LIVE)).toEqual([]);
  });

  it.each([
    ["resume_from: tinker://a/sampler_weights/b", {}, "TRL303 error tinker://a/sampler_weights/b"],
    [`resume_from: ${OLD_CHECKPOINT}`, { expiresInMs: -1 }, `TRL303 error ${OLD_CHECKPOINT}`],
    [`resume_from: ${OLD_CHECKPOINT}`, { model: "Other/Model" }, `TRL303 error ${OLD_CHECKPOINT}`],
    [`init_from: ${OLD_CHECKPOINT}`, { rank: 8 }, `TRL303 error ${OLD_CHECKPOINT}`],
    [`init_from: ${OLD_CHECKPOINT}`, { isGone: true }, `TRL303 error ${OLD_CHECKPOINT}`],
  ])("check checkpoints: %s %j", (line, rest, mark) => {
    const checkpoints = listing([aCheckpoint(OLD_CHECKPOINT, rest), aCheckpoint(NEW_CHECKPOINT)]);
    const catalogue = { ...CATALOGUE, hosted: { ...CATALOGUE.hosted, checkpoints } };
    expect(found(textWith(line, SOUND), { path: "run.yaml", catalogue })).toEqual([mark]);
  });

  it("report required secrets that are not set", () => {
    const text = game("GeneralReasoning/WhoDunIt");
    expect(found(text, LIVE)).toEqual(["TRL304 info GeneralReasoning/WhoDunIt"]);
    const added = repaired(text, "Add secrets: OPENAI_API_KEY", LIVE);
    expect(added).toContain("    secrets:\n      OPENAI_API_KEY: null\n");
    expect(found(added, LIVE)).toEqual(["TRL304 info GeneralReasoning/WhoDunIt"]);
    const fixes = fixesAt(added, { start: 0, end: added.length }, LIVE);
    expect(fixes.map(({ command }) => command)).toContainEqual({
      name: "setSecret",
      path: ["OPENAI_API_KEY"],
    });
  });
});

describe("secrets in the file", () => {
  const KEY = "tml-abcdefghijklmnopqrstuv";

  it.each([
    textWith(SOUND, `secrets: {a_key: ${KEY}}`),
    textWith(SOUND, "secrets:", `  a_key: "correct horse battery"`),
    textWith(SOUND, `system_prompt_template: use ${KEY} for it`),
  ])("are errors in the editor, and their text is in no message or title", (text) => {
    const marks = diagnose(text, OPTIONS).filter(({ code }) => code === "TRL400");
    expect(marks.map(({ severity }) => severity)).toEqual(["error"]);
    const fixes = fixesAt(text, { start: 0, end: text.length }, OPTIONS);
    const reported = JSON.stringify([
      marks.map(({ message }) => message),
      fixes.map((fix) => fix.title),
    ]);
    expect(reported).not.toMatch(/tml-|horse/);
  });

  it("are not shown when another type was expected", () => {
    const [mark] = diagnose(textWith(SOUND, `seed: ${KEY}`), OPTIONS);
    expect(mark?.message).toBe("Expected an integer >= 0, got text.");
  });

  it("are not reported if they are looked up or redacted", () => {
    expect(found(textWith(SOUND, "secrets: {a: null, b: '', c: short}"))).toEqual([]);
  });

  it("are not quoted in parser errors either", () => {
    const text = textWith(`secrets: {a: "x" ${KEY}}`, `  ${KEY}`);
    expect(JSON.stringify(diagnose(text, OPTIONS).map(({ message }) => message))).not.toContain(
      "tml-",
    );
  });
});

describe("an ignore comment", () => {
  it("silences advice on its own line or the next one", () => {
    const above =
      textWithEnvironment("# tinker-rl-ignore TRL203, TRL207", "temperature: 0.5") + SOUND;
    const beside = textWithEnvironment("temperature: 0.5 # tinker-rl-ignore TRL203") + SOUND;
    expect([found(above), found(beside)]).toEqual([[], []]);
    expect(found(above.replace("TRL203", "TRL204"))).toEqual(["TRL203 warning 0.5"]);
  });

  it("is offered as a fix", () => {
    const text = textWithEnvironment("temperature: 0.5") + SOUND;
    const silent = repaired(text, "Ignore TRL203 here");
    expect(silent).toContain("    # tinker-rl-ignore TRL203\n    temperature: 0.5\n");
    expect(found(silent)).toEqual([]);
  });

  it("is not offered at a file value that an override replaces", () => {
    const options = { path: "run.yaml", overrides: ["max_response_tokens=40000"] };
    const text = textWith("max_response_tokens: 48", SOUND);
    expect(found(text, options)).toContain("TRL202 warning 48");
    const fixes = fixesAt(text, { start: 0, end: text.length }, options);
    expect(fixes.map(({ title }) => title)).not.toContain("Ignore TRL202 here");
  });

  it("cannot silence an error that keeps a run from starting", () => {
    expect(found(textWith(SOUND, "seed: x # tinker-rl-ignore TRL120"))).toEqual(["TRL120 error x"]);
  });
});

describe("options", () => {
  it("an override that hides a value is reported only at that value", () => {
    const options = { path: "run.yaml", overrides: ["batch_size=8", "max_steps=3"] };
    expect(found(textWith(SOUND), options)).toEqual(["TRL500 warning 4"]);
  });

  it("an override that hides a value is reported in each stage that has its own", () => {
    const stages = "stages:\n  one: { max_steps: 1 }\n  two: { num_epochs: 2 }\n";
    const text = `max_steps: 3\nseed: 1\n${textWith(stages)}`;
    const options = { path: "run.yaml", overrides: ["max_steps=5"] };
    const marked = found(text, options).filter((line) => line.startsWith("TRL500"));
    expect(marked).toEqual(["TRL500 warning 3", "TRL500 warning 1"]);
    const chosen = { path: "run.yaml", overrides: ["max_steps=5", "stage=one"] };
    expect(found(text, chosen)).toEqual(["TRL500 warning 1"]);
  });

  it("advice can be limited or turned off", () => {
    const text = `${textWithEnvironment("temperature: 0.5")}max_active_tasks: 9999`;
    const codes = (advice: "all" | "essential" | "off") =>
      found(text, { path: "run.yaml", advice }).map((line) => line.slice(0, 6));
    expect(codes("all")).toEqual(["TRL205", "TRL203", "TRL206"]);
    expect(codes("essential")).toEqual(["TRL203"]);
    expect(codes("off")).toEqual([]);
  });

  it("schema errors are left to another program with a schema checker", () => {
    const text = textWith("zzz: 1", "lora_rank: 12", "learning_rate: 0", SOUND);
    expect(found(text, { path: "run.yaml", hasSchemaChecker: true })).toEqual(["TRL207 warning 0"]);
  });

  it.each([
    ["/tmp/runs", true],
    ["C:\\Users\\me\\OneDrive - Work\\runs", true],
    ["/srv/elsewhere", true],
    ["/home/me/runs", false],
    ["D:\\project\\runs", false],
    ["D:\\elsewhere", true],
    ["runs", false],
  ])("%s is checked when the machine's folders are known", (folder, isMarked) => {
    const folders = { workspace: ["/projects/project", "d:\\project"], home: "/home/me" };
    const text = textWith(SOUND, `log_path: '${folder}'`);
    expect(found(text, { path: "run.yaml", folders }).length).toBe(isMarked ? 1 : 0);
  });
});

it("fix-all repairs notation and deprecated names, and keeps comments", () => {
  const text = textWith(SOUND, "save_every: '5' # often", "max_rollout_concurrency: 4", "seed: 42");
  expect(applyEdits(text, fixAll(text, OPTIONS))).toBe(
    textWith(SOUND, "save_every: 5 # often", "max_active_tasks: 4", "seed: 42"),
  );
});

it("names are looked up in each stage, and marked where the stage writes them", () => {
  const stage = (split: string) =>
    textWith(
      SOUND,
      "stages:",
      "  one: {}",
      `  two: { evaluation: { splits: { Owner/Game: [${split}] } } }`,
    );
  const text = stage("tset");
  expect(found(text, LIVE)).toEqual(["TRL301 error tset"]);
  expect(repaired(text, "Change to 'test'", LIVE)).toBe(stage("test"));
});

it("fix-all renames no key whose value another part of the file would then override", () => {
  const stage = "  one: { max_active_tasks: 8 }";
  const text = textWith(SOUND, "max_rollout_concurrency: 4", "stages:", stage);
  expect(applyEdits(text, fixAll(text, OPTIONS))).toBe(text);
});

it("JSON files get the same checks and fixes", () => {
  const text =
    '{\n  "model_name": "Qwen/Qwen3-8B",\n  "batch_size": "2",\n  "lr": 1e-5,\n  "num_epochs": 1\n}';
  const options = { path: "run.json" };
  expect(found(text, options)).toEqual([
    'TRL111 error "model_name"',
    'TRL123 info "2"',
    'TRL110 error "lr"',
  ]);
  const once = repaired(text, "Change to 'learning_rate'", options);
  const twice = repaired(once, "Write as 2", options);
  expect(JSON.parse(twice)).toEqual({
    model_name: "Qwen/Qwen3-8B",
    batch_size: 2,
    learning_rate: 1e-5,
    num_epochs: 1,
  });
});
