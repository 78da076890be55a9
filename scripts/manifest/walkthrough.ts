/** The getting-started walkthrough. */

import type { ContextKeys } from "../../src/host/manifest/contextKeyTable.ts";

interface Step {
  readonly id: string;
  readonly title: string;
  readonly lines: readonly string[];
  /** Set once the step is really done; a command that was called may have been canceled. */
  readonly doneWhen: keyof ContextKeys;
  /** Alternative text of the picture. */
  readonly picture: string;
}

const ID = "tinkerRL.start";

const STEPS: readonly Step[] = [
  {
    id: "demo",
    title: "Run the local demo",
    lines: [
      "A small model comes with this extension. Train it on this computer, without a key, Python, or a network.",
      "[Start Local Demo](command:tinkerRL.startLocalDemo)",
    ],
    doneWhen: "trainingStarted",
    picture: "A model and an environment on one computer, joined by a loop",
  },
  {
    id: "dashboard",
    title: "Read the dashboard",
    lines: [
      "The line is the mean reward of each step. The band is the 95% confidence interval of that mean. A rising line means that the model learns.",
      "[Open Dashboard](command:tinkerRL.openDashboard)",
    ],
    doneWhen: "dashboardOpened",
    picture: "A chart whose line rises, with a band around it",
  },
  {
    id: "trajectory",
    title: "Open a trajectory",
    lines: [
      "A trajectory is the record of one rollout: what the model said, which tools it called, and which turn earned which reward. Open one from the Trajectories view.",
      "[Go to Trajectories](command:tinkerRL.trajectories.focus)",
    ],
    doneWhen: "trajectoryOpened",
    picture: "Turns of a conversation, with a reward next to one of them",
  },
  {
    id: "config",
    title: "Write your own configuration",
    lines: [
      "A YAML file defines a run. While you write it, keys and values are completed, explained and checked.",
      "[New Configuration](command:tinkerRL.newConfig)",
    ],
    doneWhen: "configCreated",
    picture: "A file with a marked word and a list of suggestions",
  },
  {
    id: "keys",
    title: "Add keys for hosted models",
    lines: [
      "Keys are stored in the secret store of the editor, never in settings, files or logs. Each key is sent only to the service it is for.",
      "[Set API Key](command:tinkerRL.setApiKey)",
      "Or [import keys from a .env file](command:tinkerRL.importEnv).",
    ],
    doneWhen: "keyStored",
    picture: "A key in front of a closed box",
  },
  {
    id: "steer",
    title: "Stop and resume",
    lines: [
      "**Stop and Save** discards the unfinished step, saves the last completed one, and ends the run. **Resume Run** continues from there, even after you close the editor. Both are in the Runs view.",
      "[Go to Runs](command:tinkerRL.runs.focus)",
    ],
    doneWhen: "runResumed",
    picture: "A line with a gap that continues where it stopped",
  },
];

export function walkthroughEntries(): readonly Readonly<Record<string, unknown>>[] {
  return [
    {
      id: ID,
      title: "%walkthrough.title%",
      description: "%walkthrough.description%",
      steps: STEPS.map(({ id, doneWhen }) => ({
        id,
        title: `%walkthrough.${id}.title%`,
        description: `%walkthrough.${id}.description%`,
        media: { svg: `media/walkthrough/${id}.svg`, altText: `%walkthrough.${id}.picture%` },
        completionEvents: [`onContext:tinkerRL.${doneWhen}`],
      })),
    },
  ];
}

/** Walkthrough texts for `package.nls.json`. */
export function walkthroughStrings(): Readonly<Record<string, string>> {
  const steps = STEPS.flatMap(({ id, title, lines, picture }): readonly [string, string][] => [
    [`walkthrough.${id}.title`, title],
    [`walkthrough.${id}.description`, lines.join("\n")],
    [`walkthrough.${id}.picture`, picture],
  ]);
  return Object.fromEntries([
    ["walkthrough.title", "First steps with Tinker RL"],
    ["walkthrough.description", "From a demo without keys to runs of your own."],
    ...steps,
  ]);
}
