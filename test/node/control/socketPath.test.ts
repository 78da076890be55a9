import { expect, it } from "vitest";
import { isControlSocketPath } from "../../../src/node/control/socketPath.ts";

const PIPE = "\\\\.\\pipe\\tinker-rl-run-1";

it("accepts an address made by a trainer", () => {
  const folder = "/tmp/tinker-rl-run-x";
  const target = { address: `${folder}/control.sock`, tokenPath: `${folder}/token` };
  expect(isControlSocketPath(target, "linux")).toBe(true);
  const tokenPath = "C:\\Users\\me\\AppData\\Local\\Temp\\tinker-rl-run-x\\token";
  expect(isControlSocketPath({ address: PIPE, tokenPath }, "win32")).toBe(true);
});

it.each([
  "\\\\elsewhere\\share\\tinker-rl-run-x\\token",
  "//elsewhere/share/tinker-rl-run-x/token",
  "\\\\?\\UNC\\elsewhere\\share\\tinker-rl-run-x\\token",
])("reads no token from another machine: %s", (tokenPath) => {
  expect(isControlSocketPath({ address: PIPE, tokenPath }, "win32")).toBe(false);
});

it("does not connect to a pipe on another machine", () => {
  const target = {
    address: "\\\\elsewhere\\pipe\\tinker-rl-run-1",
    tokenPath: "C:\\tinker-rl-run-x\\token",
  };
  expect(isControlSocketPath(target, "win32")).toBe(false);
});
