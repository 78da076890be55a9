/** Checks that the environment does not send back the secrets it gets. */

import { isAppError } from "../../errors.ts";
import { answerText, describeCall } from "../probe/answer.ts";
import {
  type CheckFinding,
  type EnvironmentCheck,
  type Evidence,
  found,
  notMade,
} from "../probe/finding.ts";
import { drawArguments } from "../probe/jsonSchema.ts";
import { constantCall, triedTools } from "../probe/players.ts";
import { type PlayedSession, type Probe, taskName } from "../probe/probe.ts";
import { randomSource } from "../probe/valueSources.ts";

const NAMES = ["CANARY_SECRET", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "HF_TOKEN"];
/** OpenReward's own environments need the user's key under these names. */
const OWN_SERVER_NAMES = ["api_key", "OPENREWARD_API_KEY"];
const CALLS = 10;

export const secretEcho: EnvironmentCheck = {
  id: "secret-echo",
  rule: "Secrets are not in prompts, answers or metadata.",
  async run(probe) {
    const [task] = await probe.playedTasks(1);
    if (task === undefined) return notMade("there is no task");
    const uniform = probe.uniform("secrets");
    // Only part of a secret may be echoed.
    const mark = `${Math.floor(uniform() * 1e15).toString(36)}zq`;
    const isHosted = /\.openreward\.ai$/.test(probe.remote.address);
    const known = [...NAMES, ...(isHosted ? [] : OWN_SERVER_NAMES)];
    const names = [...new Set([...Object.keys(probe.options.secrets), ...known])];
    const secrets = Object.fromEntries(names.map((name) => [name, `sk-${mark}-canary`]));
    try {
      for (const name of ["valid", "without content"]) {
        const finding = await probe.session(
          task,
          async (session) => {
            await (name === "valid"
              ? callAtRandom(probe, session, uniform)
              : callAll(probe, session));
            return echo(session, mark);
          },
          secrets,
        );
        if (finding !== null) return found(undefined, finding);
      }
    } catch (error) {
      if (!isAppError(error) || probe.signal.aborted) throw error;
      return notMade("no session opens with secrets that are made up");
    }
    return found(`${names.length} made-up secrets sent`);
  },
};

async function callAtRandom(
  probe: Probe,
  session: PlayedSession,
  uniform: () => number,
): Promise<void> {
  const source = randomSource(uniform, probe.vocabulary);
  for (let i = 0; i < CALLS && !session.isOver; i += 1) {
    const tool = session.tools[i % Math.max(1, session.tools.length)];
    if (tool !== undefined) await session.call(tool.name, drawArguments(tool.schema, source));
  }
}

async function callAll(probe: Probe, session: PlayedSession): Promise<void> {
  for (const tool of await triedTools(probe)) {
    if (!session.isOver) await session.call(tool.name, {});
    if (!session.isOver) await session.call(tool.name, constantCall(tool, "x").input);
  }
}

function echo(session: PlayedSession, mark: string): CheckFinding | null {
  const where = placeOf(session, mark);
  if (where === null) return null;
  return {
    severity: "defect",
    message: "A secret comes back in clear text.",
    evidence: {
      task: taskName(session.task),
      ...where,
      numbers: "a made-up secret was sent, which nothing else contains",
    },
    advice: "Keep secrets out of all that is sent back: rollouts are stored and shown.",
  };
}

function placeOf({ prompt, tools, steps }: PlayedSession, mark: string): Evidence | null {
  if (prompt.includes(mark)) return { answer: "in the prompt" };
  if (JSON.stringify(tools).includes(mark)) return { answer: "in the description of a tool" };
  const step = steps.find(({ answer }) => answerText(answer).includes(mark));
  if (step === undefined) return null;
  const place = step.answer.text.includes(mark) ? "in the answer" : "in the metadata";
  return { call: describeCall(step), answer: place };
}
