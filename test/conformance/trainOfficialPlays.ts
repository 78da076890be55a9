/** The moves that earn the rewards documented by the ORS kit, and the rewards of other moves. */

import type { JsonObject } from "../../src/core/json.ts";

/** A tool call with its result; `refused` = the server counts it as a mistake of the model. */
export interface Call {
  readonly tool: string;
  readonly input: JsonObject;
  /** Text before the call. */
  readonly says?: string;
  readonly reward: number | null | "refused";
}

export interface Play {
  /** A text is a turn without a call. After the last move the model says nothing. */
  readonly moves: readonly (Call | string)[];
  /** The trained reward: the sum, with 0 for the end if the environment did not end the episode; null = failed. */
  readonly reward: number | null;
  readonly stop: string;
  /** The failure in the record. */
  readonly error?: RegExp;
  /** The answer to the last call. */
  readonly answer?: RegExp;
}

export interface OfficialEnvironment {
  readonly name: string;
  /** The first tasks, or with `shuffle` any. */
  readonly split: JsonObject;
  /** Further settings of the environment. */
  readonly settings?: JsonObject;
  /** Each is played once per group. */
  readonly plays: (index: number) => readonly Play[];
}

const GIVE_UP: Play = { moves: [], reward: 0, stop: "no_tool_call" };
const IMAGES = { on_image: "placeholder" };
const BOOKING = { room: "double", nights: 2, guests: [{ name: "Zoë 😀", age: 30 }, { name: "B" }] };

function call(tool: string, input: JsonObject, reward: Call["reward"]): Call {
  return { tool, input, reward };
}

/** The environment ends the episode. */
function ended(reward: number, ...moves: Play["moves"]): Play {
  return { moves, reward, stop: "reached_terminal_state" };
}

function failed(error: RegExp, ...moves: Play["moves"]): Play {
  return { moves, reward: null, stop: "max_retries", error };
}

/** The model called a tool that crashes, which is its own fault, so the end counts. */
function crashed(answer: RegExp, move: Call): Play {
  return { moves: [move], reward: 0, stop: "tool_crashed", answer };
}

function first(count: number): JsonObject {
  return { shuffle: false, num_samples: count };
}

const REWARDS: readonly (readonly (number | null)[])[] = [
  [null, null, 1],
  [0, 0, 0],
  [-1, 0.5, -0.25],
  [null, null],
  [0.1, 0.2, 0.7, 1],
  [1e-9, 1e6, 3],
  [0.5],
  [0.1, 0.1, 0.1, 0.1, 0.1],
];

/** A rollout without any reward cannot be scored; an unfinished one gets 0 for the end. */
function listed(index: number): Play {
  const rewards = REWARDS[index] ?? [];
  const moves = rewards.map((reward) => call("step", {}, reward));
  const isScored = rewards.some((reward) => reward !== null);
  const total = rewards.reduce<number>((sum, reward) => sum + (reward ?? 0), 0);
  const stop = index === 7 ? "no_tool_call" : "reached_terminal_state";
  return { moves, reward: isScored ? total : null, stop };
}

export const SETUP_CASES: readonly string[] = [
  "plain",
  "slow-2s",
  "slow-35s",
  "setup-error",
  "setup-http-400",
  "init-error",
  "prompt-error",
  "teardown-error",
];
const SETUP_FAULTS: Readonly<Record<string, RegExp>> = {
  "setup-error": /setup failed on purpose/,
  "setup-http-400": /setup refused on purpose/,
  "init-error": /constructor failed on purpose/,
  "prompt-error": /prompt failed on purpose/,
};

function setUp(index: number): Play {
  const fault = SETUP_FAULTS[SETUP_CASES[index] ?? ""];
  return fault === undefined ? ended(1, call("check", {}, 1)) : failed(fault);
}

const COLORS = ["red", "green", "blue"];

function colored(color: string, index: number): Play {
  const reward = COLORS[index] === color ? 1 : 0;
  return ended(reward, call("answer", { colour: color }, reward));
}

export const ENVIRONMENTS: readonly OfficialEnvironment[] = [
  {
    name: "probe",
    split: first(4),
    settings: IMAGES,
    plays: (index) => [
      ended(
        1.35,
        call("look", {}, null),
        call("add", { amount: 4 }, 0.1),
        call("add", { amount: -2 }, -0.1),
        call("add", { amount: 0 }, 0),
        call("picture", {}, 0.25),
        call("add", { amount: 8 }, 0.1),
        call("submit", { value: index + 10 }, 1),
      ),
      ended(0.5, call("submit", { value: index + 10 }, 0.5)),
      ended(-1, call("submit", { value: index + 11 }, -1)),
    ],
  },
  { name: "rewards", split: first(REWARDS.length), plays: (index) => [listed(index), GIVE_UP] },
  {
    name: "pictures",
    // Only the image distinguishes the tasks.
    split: first(1),
    settings: IMAGES,
    plays: (index) => COLORS.map((color) => colored(color, index)),
  },
  {
    name: "setupcases",
    split: first(SETUP_CASES.length),
    plays: (index) => [setUp(index), setUp(index)],
  },
  {
    name: "slow",
    split: first(1),
    plays: () => [
      ended(1, call("once", { seconds: 12 }, 1)),
      ended(1, call("peek", {}, null), call("once", { seconds: 0.1 }, 1)),
    ],
  },
  {
    name: "faulty",
    split: first(3),
    plays: (index) => {
      const play = [
        ended(1, call("fine", {}, 1)),
        crashed(/first line\s+second line/, call("crash", {}, "refused")),
        crashed(/own code failed/, call("wrong_type", {}, "refused")),
      ][index];
      return play === undefined ? [] : [play, play];
    },
  },
  {
    name: "strict",
    split: first(1),
    plays: () => [
      ended(1, call("book", BOOKING, 0.5), call("book", BOOKING, 0.5)),
      ended(
        1,
        call("book", { ...BOOKING, nights: 15 }, "refused"),
        call("reserve", BOOKING, "refused"),
        call("book", BOOKING, 0.5),
        call("book", BOOKING, 0.5),
      ),
      { ...GIVE_UP, moves: [call("book", BOOKING, 0.5)], reward: 0.5 },
    ],
  },
  {
    name: "bulk",
    split: first(1),
    plays: () => [
      ended(
        1,
        call("big", { chars: 3000, kind: "exotic" }, 0),
        call("echo", { text: "  é😀\u2028".repeat(200) }, 1),
      ),
      GIVE_UP,
    ],
  },
  {
    name: "secret",
    split: first(1),
    settings: { secrets: { demo_token: "open-sesame" } },
    plays: () => [ended(1, call("unlock", {}, 1)), GIVE_UP],
  },
  {
    name: "manytasks",
    split: { num_samples: 3 },
    plays: (index) => [
      ended(1, call("answer", { value: index * 7 }, 1)),
      ended(0, call("answer", { value: index * 7 + 1 }, 0)),
    ],
  },
  {
    name: "indexonly",
    split: { num_samples: 3 },
    plays: (index) => [
      ended(1, call("answer", { value: index }, 1)),
      ended(0, call("answer", { value: index + 1 }, 0)),
    ],
  },
  {
    name: "taskscoped",
    split: first(2),
    plays: (index) => [
      ended(1, call("hint", {}, null), call(index === 0 ? "left" : "right", {}, 1)),
      GIVE_UP,
    ],
  },
  {
    name: "withtoolset",
    split: first(3),
    plays: (index) => [
      ended(
        1,
        call("double", { value: 2 ** index }, null),
        call("answer", { value: 2 ** (index + 1) }, 1),
      ),
      ended(0, call("answer", { value: 0 }, 0)),
    ],
  },
  {
    name: "overlap",
    split: first(1),
    plays: () => [
      ended(1, call("tick", { seconds: 0.1 }, null), call("finish", { seconds: 0.1 }, 1)),
      GIVE_UP,
    ],
  },
];

/** Only the newer package has tools that grade an answer, conversations and groups. */
export const NEWER_ENVIRONMENTS: readonly OfficialEnvironment[] = [
  {
    name: "notools",
    split: first(3),
    plays: (index) => [ended(1, `It is train-${index}.`), ended(0, "No idea.")],
  },
  {
    name: "terminalstate",
    split: first(3),
    plays: (index) => [
      ended(
        1,
        ...Array.from({ length: index + 1 }, () => call("press", {}, null)),
        "That should do.",
      ),
      ended(0, "I press nothing."),
    ],
  },
  {
    name: "conversation",
    split: first(1),
    settings: IMAGES,
    plays: () => [
      ended(1, call("answer", { answer: "A key." }, 1)),
      ended(0, call("answer", { answer: "A cat." }, 0)),
    ],
  },
  {
    name: "group",
    split: first(1),
    // A rollout's score is the length of its last text over the longest of the group, including the play numbers.
    plays: () =>
      [
        { says: "x", reward: 9 / 18 },
        { says: "x".repeat(10), reward: 1 },
      ].map(({ says, reward }) => ended(reward, { ...call("answer", { answer: "" }, null), says })),
  },
];
