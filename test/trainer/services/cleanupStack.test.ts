import { expect, it } from "vitest";
import { CleanupStack } from "../../../src/trainer/services/cleanupStack.ts";

function setUp() {
  const cleanup = new CleanupStack();
  const closed: string[] = [];
  const add = (name: string) => cleanup.add(async () => void closed.push(name));
  return { cleanup, closed, add };
}

it("resources are closed in reverse order, and once", async () => {
  const { cleanup, closed, add } = setUp();
  for (const name of ["engine", "session", "files"]) add(name);
  await cleanup.closeAll();
  await cleanup.closeAll();
  expect(closed).toEqual(["files", "session", "engine"]);
});

it("a failing close does not keep the others from closing", async () => {
  const { cleanup, closed, add } = setUp();
  add("engine");
  cleanup.add(() => Promise.reject(new Error("it is stuck")));
  add("files");
  await cleanup.closeAll();
  expect(closed).toEqual(["files", "engine"]);
});

it("a resource that was already closed is removed", async () => {
  const { cleanup, closed, add } = setUp();
  add("engine");
  const forget = add("session");
  forget();
  await cleanup.closeAll();
  expect(closed).toEqual(["engine"]);
});

it("a resource that is opened after the end is closed immediately", async () => {
  const { cleanup, closed, add } = setUp();
  await cleanup.closeAll();
  add("engine");
  expect(closed).toEqual(["engine"]);
});
