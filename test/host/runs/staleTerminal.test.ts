import { expect, it } from "vitest";
import { isStaleTerminal } from "../../../src/host/runs/staleTerminal.ts";

const TITLE = "train tinker-config.yaml";
const dead = { name: TITLE, creationOptions: { name: TITLE }, processId: Promise.resolve(-1) };

it("finds the terminal of a task left behind by another window", async () => {
  expect(await isStaleTerminal(dead, TITLE)).toBe(true);
  expect(await isStaleTerminal({ ...dead, name: `Task - ${TITLE}` }, TITLE)).toBe(true);
  const neverNamed = new Promise<undefined>(() => undefined);
  expect(await isStaleTerminal({ ...dead, processId: neverNamed }, TITLE)).toBe(true);
});

it("ignores terminals of other names, and shells of this name", async () => {
  expect(await isStaleTerminal({ ...dead, name: "zsh" }, TITLE)).toBe(false);
  expect(await isStaleTerminal({ ...dead, processId: Promise.resolve(4711) }, TITLE)).toBe(false);
  const creationOptions = { name: TITLE, shellPath: "/bin/zsh" };
  expect(await isStaleTerminal({ ...dead, creationOptions }, TITLE)).toBe(false);
});
