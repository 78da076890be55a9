import { describe, expect, it, test } from "vitest";
import { parseArguments } from "../../../src/cli/arguments/arguments.ts";

const show = {
  kind: "show",
  folder: "runs/x",
  step: null,
  group: null,
  rollout: null,
  wantsTokens: false,
  wantsTasks: false,
  wantsBilled: false,
  allowedOrigins: [],
  wantsEvaluation: false,
  wantsJson: false,
};

test.each([
  [["train", "--config_path", "a.yaml"]],
  [["train", "--config_path=a.yaml"]],
  [["train", "-c", "a.yaml"]],
  [["train", "--config", "a.yaml"]],
  [["train", "--config=a.yaml"]],
  [["--config", "a.yaml"]],
  [["train", "a.yaml"]],
  [["--config_path", "a.yaml"]],
  [["-c", "a.yaml"]],
  [["a.yaml"]],
])("%j trains", (args) => {
  expect(parseArguments(args)).toEqual({
    kind: "train",
    configPath: "a.yaml",
    overrides: [],
    allowedOrigins: [],
  });
});

test("every other command parses its values", () => {
  expect(parseArguments(["resume", "runs/x"])).toEqual({
    kind: "resume",
    folder: "runs/x",
    configPath: null,
    overrides: [],
    allowedOrigins: [],
  });
  expect(parseArguments(["validate", "a.yaml", "--seed=7"])).toEqual({
    kind: "validate",
    configPath: "a.yaml",
    overrides: ["seed=7"],
    wantsJson: false,
  });
  const runs = { kind: "runs", wantsJson: false };
  expect(parseArguments(["runs"])).toEqual({ ...runs, path: null });
  expect(parseArguments(["runs", "logs"])).toEqual({ ...runs, path: "logs" });
  expect(parseArguments(["show", "runs/x"])).toEqual(show);
  const deep = ["show", "--step", "12", "--group", "3", "runs/x", "--rollout", "1", "--tokens"];
  expect(parseArguments(deep)).toEqual({
    ...show,
    step: 12,
    group: 3,
    rollout: 1,
    wantsTokens: true,
  });
  const evaluated = "chat runs/x --eval --step 0 --rollout 2 --turn 1".split(" ");
  expect(parseArguments(evaluated)).toMatchObject({
    kind: "chat",
    turn: { source: "evaluation", step: 0, group: null, rollout: 2, turn: 1 },
  });
  expect(parseArguments(["serve", "--tinker_port", "8001", "--store", "here"])).toEqual({
    kind: "serve",
    tinkerPort: 8001,
    environmentsPort: 0,
    maxSessions: null,
    store: "here",
    random: null,
  });
  expect(parseArguments("serve-model base -c a.yaml --port 8100 --seed 3".split(" "))).toEqual({
    kind: "serve-model",
    target: "base",
    configPath: "a.yaml",
    overrides: ["seed=3"],
    port: 8100,
    allowedOrigins: [],
  });
  const random = { model: "Qwen/Qwen3-8B", tokenizer: "./here" };
  const words = ["serve", "--model", random.model, "--tokenizer", random.tokenizer];
  expect(parseArguments(words)).toMatchObject({ kind: "serve", random });
});

test("overrides are accepted in both forms, in their order", () => {
  const words = [
    "--seed=1",
    "--overrides",
    "a=1",
    'environments."local/calculator".num_rollouts=4',
    "--environments.local/calculator.num_rollouts=4",
    "--overrides=b=2",
    "c= 3",
    'd="e f"',
  ];
  const overrides = [
    "seed=1",
    "a=1",
    'environments."local/calculator".num_rollouts=4',
    "environments.local/calculator.num_rollouts=4",
    "b=2",
    "c= 3",
    'd="e f"',
  ];
  expect(parseArguments(["train", "-c", "a.yaml", ...words])).toMatchObject({ overrides });
  expect(parseArguments([...words, "a.yaml"])).toMatchObject({ configPath: "a.yaml", overrides });
  expect(parseArguments(["resume", ...words, "runs/x"])).toMatchObject({
    folder: "runs/x",
    overrides,
  });
});

test("an empty system text replaces the configuration's", () => {
  expect(parseArguments(["chat", "a/b", "--system", ""])).toMatchObject({ system: "" });
});

test("a report whose name ends in .md or .markdown is Markdown", () => {
  for (const output of ["r.md", "r.MD", "r.markdown"]) {
    const report = parseArguments(["report", "runs/x", "--output", output]);
    expect(report).toMatchObject({ format: "markdown" });
  }
});

test("several hosts can be allowed", () => {
  const args = ["train", "a.yaml", "--allow-host", "one.example", "--allow-host=two.example"];
  const allowedOrigins = ["https://one.example", "https://two.example"].map((origin) => ({
    origin,
    key: null,
  }));
  expect(parseArguments(args)).toMatchObject({ allowedOrigins });
  const plain = parseArguments(["resume", "runs/x", "--allow-host", "http://one.example:80"]);
  expect(plain).toMatchObject({ allowedOrigins: [{ origin: "http://one.example", key: null }] });
  for (const odd of ["one.example/path", "ada@one.example", "ftp://one.example"]) {
    expect(() => parseArguments(["train", "a.yaml", `--allow-host=${odd}`])).toThrow(
      /--allow-host is ".*", not HOST/,
    );
  }
});

test("an editor passes only its folder, in a flag that is hidden from people", () => {
  expect(parseArguments(["--launch", "/launches/1"])).toEqual({
    kind: "launch",
    folder: "/launches/1",
  });
  for (const more of [
    ["train", "a.yaml", "--launch", "/x"],
    ["--launch", "/x", "--seed=1"],
  ]) {
    expect(() => parseArguments(more)).toThrow(/Unknown flag --launch/);
  }
});

test("help and version are available with and without a command", () => {
  expect(parseArguments([])).toEqual({ kind: "help", topic: null });
  expect(parseArguments(["-h"])).toEqual({ kind: "help", topic: null });
  expect(parseArguments(["show", "--help"])).toEqual({ kind: "help", topic: "show" });
  expect(parseArguments(["help"])).toEqual({ kind: "help", topic: null });
  expect(parseArguments(["help", "show"])).toEqual({ kind: "help", topic: "show" });
  expect(() => parseArguments(["help", "shw"])).toThrow("Did you mean show?");
  expect(parseArguments(["--version"])).toEqual({ kind: "version" });
});

test.each([
  [["train", "--confg_path", "a.yaml"], "Unknown flag --confg_path. Did you mean --config_path?"],
  [["train", "--config-path", "a.yaml"], "Unknown flag --config-path. Did you mean --config_path?"],
  [["train", "--learning_rate"], "--learning_rate needs a value: --learning_rate VALUE."],
  [["train", "--lerning_rate=1"], "Unknown flag --lerning_rate. Did you mean --learning_rate?"],
  [["show", "x", "--seed=1"], "Unknown flag --seed. The flags are --help, --allow-host, --step"],
  [["train", "--overrides"], "--overrides needs a value."],
  [["runs", "a", "b"], 'unexpected argument "b".'],
  [["shwo", "runs/x"], 'Unknown command "shwo". Did you mean show?'],
  [["train"], "train needs the configuration file."],
  [["train", "a.yaml", "b.yaml"], 'unexpected argument "b.yaml".'],
  [["train", "--config_path"], "--config_path needs a value."],
  [["show", "x", "--step", "--tokens"], "--step needs a value."],
  [["show", "x", "--step", "-1"], '--step is "-1", not an integer of at least 0.'],
  [["control", "", "stop"], "An argument is empty: a variable in it may not be set."],
  [["mcp", "--root", ""], "The value of --root is empty: a variable in it may not be set."],
  [["env", "play", "-c", ""], "The value of -c is empty"],
  [["collect", "x", "--max_per_task", "0"], "--max_per_task is 0, not at least 1."],
  [["env", "play", "a", "--model", "b"], "--model has no use here."],
  [["env", "new", "a", "--tasks", "4"], "--tasks has no use here."],
  [["env", "check", "a", "--no-venv"], "--no-venv has no use here."],
  [["env", "check", "a", "--groups", "4"], "--groups has no use here."],
  [["checkpoints", "list", "runs/x", "--for", "vllm"], "--for has no use here."],
  [["checkpoints", "delete", "tinker://a/weights/b", "--json"], "--json has no use here."],
  [["show", "x", "--tokens=yes"], "--tokens takes no value."],
  [["show", "x", "--group", "1"], "--group and --rollout need --step"],
  [["show", "x", "--step", "1", "--tokens"], "--tokens needs a single rollout"],
  [["show", "x", "--eval", "--step", "1", "--tokens"], "--tokens needs a single rollout"],
  [["chat", "x", "--eval", "--step", "0", "--turn", "1"], "--eval needs --step, --rollout and"],
  [["chat"], "chat needs a checkpoint"],
  [["chat", "a/b", "c/d"], "unexpected argument"],
  [["chat", "a/b", "--samples", "0"], "--samples is 0"],
  [["chat", "a/b", "--step", "1"], "must be used together"],
  [["chat", "a/b", "--replay"], "--replay needs --turn"],
  [["chat", "a/b", "--temperature", "hot"], "--temperature is"],
  ["chat a/b --task 1 --step 1 --group 1 --rollout 1 --turn 1".split(" "), "its own task"],
  [["serve-model"], "serve-model needs a checkpoint, a run folder, a model or base."],
  [["serve", "--tinker_port", "70000"], "not an integer from 0 to 65535."],
  [["serve", "--max_sessions", "0"], "--max_sessions is 0, not at least 1."],
  [["serve", "--model", "a/b"], "--model serves random weights and needs --tokenizer."],
  [["serve", "--tokenizer", "a"], "--tokenizer serves random weights and needs --model."],
])("%j is rejected in one line", (args, message) => {
  expect(() => parseArguments(args)).toThrow(message);
  expect(() => parseArguments(args)).toThrow(/^[^\n]* --help` explains the command line\.$/);
});

const CHECKPOINT_PATHS = ["tinker://s:train:0/weights/a", "tinker://s:train:0/sampler_weights/a"];
const [CHECKPOINT_PATH = ""] = CHECKPOINT_PATHS;

test.each([
  [["list"], { action: "list", folder: null, wantsJson: false }],
  [["list", "runs/demo", "--json"], { action: "list", folder: "runs/demo", wantsJson: true }],
  [["info", CHECKPOINT_PATH], { action: "info", path: CHECKPOINT_PATH, wantsJson: false }],
  [
    ["download", "runs/demo", "--name", "step_000010", "--output=w"],
    {
      action: "download",
      source: "runs/demo",
      name: "step_000010",
      output: "w",
      form: null,
      wantsJson: false,
    },
  ],
  [
    ["download", "runs/demo", "--for", "vllm", "--drop-unembed", "--base=b"],
    {
      action: "download",
      source: "runs/demo",
      name: null,
      output: null,
      form: { form: "vllm", base: "b", dropsUnembedding: true },
      wantsJson: false,
    },
  ],
  [
    ["delete", ...CHECKPOINT_PATHS],
    { action: "change", paths: CHECKPOINT_PATHS, name: null, change: { action: "delete" } },
  ],
  [
    ["set-ttl", CHECKPOINT_PATH, "30d"],
    {
      action: "change",
      paths: [CHECKPOINT_PATH],
      name: null,
      change: { action: "set-ttl", ttlSeconds: 2_592_000 },
    },
  ],
  [
    ["set-ttl", "runs/demo", "never", "--name", "final_000002"],
    {
      action: "change",
      paths: ["runs/demo"],
      name: "final_000002",
      change: { action: "set-ttl", ttlSeconds: null },
    },
  ],
])("checkpoints %j", (words, action) => {
  expect(parseArguments(["checkpoints", ...words, "--local"])).toEqual({
    kind: "checkpoints",
    action,
    isLocalOnly: true,
    allowedOrigins: [],
  });
});

test.each([
  [[], "checkpoints needs one of list, info"],
  [["remove", "a"], "checkpoints needs one of list, info"],
  [["delete"], "delete needs the address of a checkpoint"],
  [["delete", "runs/demo"], "runs/demo is not the address of a checkpoint"],
  [["set-ttl", CHECKPOINT_PATH], "set-ttl ends with how long"],
  [["set-ttl", CHECKPOINT_PATH, "5m"], "set-ttl ends with how long"],
  [["download"], "checkpoints needs a run folder"],
  [["download", "a", "--for", "gguf"], '--for is "gguf". It can be peft, vllm, or merged'],
  [["download", "a", "--base", "b"], "--base goes with --for vllm or --for merged"],
  [["download", "a", "--for", "merged", "--drop-unembed"], "--drop-unembed goes with --for vllm"],
  [["publish", "a", "b", "--name", "c"], 'unexpected argument "b"'],
  [["info", "a", "b"], 'unexpected argument "b"'],
])("checkpoints %j is rejected", (words, message) => {
  expect(() => parseArguments(["checkpoints", ...words])).toThrow(message);
});

test("a sweep accepts its grid, besides the arguments of train", () => {
  const words = ["sweep", "a.yaml", "--grid", "seed=1,2", "--grid=lora_rank=4", "--max_steps", "3"];
  const flags = ["--parallel", "2", "--halve", "5", "--retry-failed", "--allow-host=one.example"];
  expect(parseArguments([...words, ...flags])).toEqual({
    kind: "sweep",
    configPath: "a.yaml",
    grid: ["seed=1,2", "lora_rank=4"],
    overrides: ["max_steps=3"],
    parallel: 2,
    halve: 5,
    retriesFailed: true,
    isShowOnly: false,
    wantsJson: false,
    isConfirmed: false,
    allowedOrigins: [{ origin: "https://one.example", key: null }],
  });
  expect(() => parseArguments(["sweep", "a.yaml", "--parallel", "0"])).toThrow(/at least 1/);
});

test("evaluate accepts models, and flags of the evaluation as settings", () => {
  const flags = ["--splits", "test", "--splits", "a/b=x,y", "--num_samples", "8"];
  const more = ["--rollouts_per_task", "4", "--temperature", "0,0.5", "--json", "--seed=7"];
  expect(
    parseArguments(["evaluate", "base", "runs/x@10", "-c", "a.yaml", ...flags, ...more]),
  ).toEqual({
    kind: "evaluate",
    models: ["base", "runs/x@10"],
    configPath: "a.yaml",
    splits: ["test", "a/b=x,y"],
    overrides: [
      "seed=7",
      "evaluation.num_samples=8",
      "evaluation.rollouts_per_task=4",
      "evaluation.temperatures=[0,0.5]",
    ],
    wantsJson: true,
    allowedOrigins: [],
  });
  expect(parseArguments(["evaluate", "-c", "a.yaml"])).toMatchObject({ models: [] });
  expect(() => parseArguments(["evaluate"])).toThrow("needs a model or --config_path");
});

test("a dry run plays two groups unless --groups is set, and has its own flags", () => {
  const dry = { kind: "dry-run", configPath: "a.yaml", overrides: [], allowedOrigins: [] };
  expect(parseArguments(["train", "a.yaml", "--dry_run"])).toEqual({
    ...dry,
    groups: 2,
    isKept: false,
  });
  expect(parseArguments(["a.yaml", "--dry_run", "--groups", "5", "--keep"])).toEqual({
    ...dry,
    groups: 5,
    isKept: true,
  });
  expect(() => parseArguments(["a.yaml", "--dry_run", "--groups", "0"])).toThrow("at least 1");
  expect(() => parseArguments(["a.yaml", "--keep"])).toThrow("need --dry_run");
});

it("a checkpoint path from a run folder is never parsed as a flag", () => {
  const words = [
    "checkpoints",
    "delete",
    "--local",
    "--",
    "--allow-host=x",
    "tinker://a/weights/b",
  ];
  expect(() => parseArguments(words)).toThrow("--allow-host=x is not the address of a checkpoint");
});

function overridesOf(words: readonly string[]) {
  const command = parseArguments(words);
  if (command.kind !== "train" && command.kind !== "resume" && command.kind !== "validate") {
    throw new Error(`${command.kind} takes no overrides`);
  }
  return command.overrides;
}

describe("a setting whose value follows after a space", () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ["a number", ["--max_steps", "12"], ["max_steps=12"]],
    ["a negative number", ["--seed", "-1"], ["seed=-1"]],
    ["a negative fraction", ["--advantage_eps", "-.5e-3"], ["advantage_eps=-.5e-3"]],
    ["a boolean", ["--probe_server", "false"], ["probe_server=false"]],
    ["null", ["--max_steps", "null"], ["max_steps=null"]],
    ["a list in one word", ["--environments.a.x", "[0, 1]"], ["environments.a.x=[0, 1]"]],
    [
      "a text with spaces",
      ["--system_prompt_template", "Use {tools} = well"],
      ["system_prompt_template=Use {tools} = well"],
    ],
    ["an empty text", ["--log_path", ""], ["log_path="]],
    [
      "a key with dots and slashes",
      ["--environments.local/calculator.num_rollouts", "4"],
      ["environments.local/calculator.num_rollouts=4"],
    ],
    [
      "several",
      ["--seed", "1", "--max_steps=2", "--seed", "3"],
      ["seed=1", "max_steps=2", "seed=3"],
    ],
    [
      "one after --overrides",
      ["--overrides", "a=1", "b=2", "--seed", "3"],
      ["a=1", "b=2", "seed=3"],
    ],
  ])("is %s", (_name, words, overrides) => {
    expect(overridesOf(["train", "-c", "a.yaml", ...words])).toEqual(overrides);
    expect(overridesOf(["validate", ...words, "a.yaml"])).toEqual(overrides);
    expect(overridesOf(["resume", ...words, "runs/x"])).toEqual(overrides);
    expect(overridesOf([...words, "--config_path", "a.yaml"])).toEqual(overrides);
  });

  it("leaves the configuration after it in place", () => {
    expect(parseArguments(["train", "--max_steps", "12", "a.yaml"])).toMatchObject({
      configPath: "a.yaml",
      overrides: ["max_steps=12"],
    });
  });

  it("may be a file name if the setting is a text", () => {
    expect(parseArguments(["train", "--log_path", "logs.json", "a.yaml"])).toMatchObject({
      configPath: "a.yaml",
      overrides: ["log_path=logs.json"],
    });
  });

  it.each([
    ["at the end", ["train", "a.yaml", "--max_steps"]],
    ["before another flag", ["train", "--max_steps", "--seed=1", "a.yaml"]],
    ["before a short flag", ["train", "--max_steps", "-c", "a.yaml"]],
    ["before the configuration", ["train", "--max_steps", "a.yaml"]],
    ["before the end of the flags", ["train", "--max_steps", "--", "a.yaml"]],
  ])("is reported as missing %s", (_where, words) => {
    expect(() => parseArguments(words)).toThrow(
      "--max_steps needs a value: --max_steps VALUE. `tinker-rl train --help` explains the command line.",
    );
  });

  it("is not accepted for an unknown flag, or by a command without settings", () => {
    expect(() => parseArguments(["train", "--max_step", "12", "a.yaml"])).toThrow(
      "Unknown flag --max_step. Did you mean --max_steps?",
    );
    expect(() => parseArguments(["show", "runs/x", "--seed", "1"])).toThrow("Unknown flag --seed");
  });
});
