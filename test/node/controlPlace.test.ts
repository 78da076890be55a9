import { expect, it } from "vitest";
import { isControlPlace } from "../../src/node/controlPlace.ts";

const PIPE = "\\\\.\\pipe\\tinker-rl-run-1";

it("takes a place as a trainer makes it", () => {
  const folder = "/tmp/tinker-rl-run-x";
  const place = { address: `${folder}/control.sock`, tokenPath: `${folder}/token` };
  expect(isControlPlace(place, "linux")).toBe(true);
  const tokenPath = "C:\\Users\\me\\AppData\\Local\\Temp\\tinker-rl-run-x\\token";
  expect(isControlPlace({ address: PIPE, tokenPath }, "win32")).toBe(true);
});

it.each([
  "\\\\elsewhere\\share\\tinker-rl-run-x\\token",
  "//elsewhere/share/tinker-rl-run-x/token",
  "\\\\?\\UNC\\elsewhere\\share\\tinker-rl-run-x\\token",
])("reads no token from another machine: %s", (tokenPath) => {
  expect(isControlPlace({ address: PIPE, tokenPath }, "win32")).toBe(false);
});

it("connects to no pipe of another machine", () => {
  const place = {
    address: "\\\\elsewhere\\pipe\\tinker-rl-run-1",
    tokenPath: "C:\\tinker-rl-run-x\\token",
  };
  expect(isControlPlace(place, "win32")).toBe(false);
});
