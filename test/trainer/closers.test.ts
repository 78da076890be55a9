import { expect, it } from "vitest";
import { Closers } from "../../src/trainer/closers.ts";

function setUp() {
  const closers = new Closers();
  const closed: string[] = [];
  const add = (name: string) => closers.add(async () => void closed.push(name));
  return { closers, closed, add };
}

it("what a run has opened is closed in reverse order, and once", async () => {
  const { closers, closed, add } = setUp();
  for (const name of ["engine", "session", "files"]) add(name);
  await closers.closeAll();
  await closers.closeAll();
  expect(closed).toEqual(["files", "session", "engine"]);
});

it("one that fails does not keep the others from closing", async () => {
  const { closers, closed, add } = setUp();
  add("engine");
  closers.add(() => Promise.reject(new Error("it is stuck")));
  add("files");
  await closers.closeAll();
  expect(closed).toEqual(["files", "engine"]);
});

it("what was closed before is taken out", async () => {
  const { closers, closed, add } = setUp();
  add("engine");
  const forget = add("session");
  forget();
  await closers.closeAll();
  expect(closed).toEqual(["engine"]);
});

it("what is opened after the end is closed at once", async () => {
  const { closers, closed, add } = setUp();
  await closers.closeAll();
  add("engine");
  expect(closed).toEqual(["engine"]);
});
