import { expect, it } from "vitest";
import { safetensorsFault } from "../../../src/core/weights/safetensors.ts";
import { createMemoryFileSystem } from "../runFolder/memoryFileSystem.ts";
import { aSafetensorsFile } from "./aSafetensorsFile.ts";

async function faultOf(bytes: Uint8Array): Promise<string | null> {
  const files = createMemoryFileSystem();
  await files.writeAtomic("/a.safetensors", bytes);
  return await safetensorsFault(files, "/a.safetensors");
}

it("accepts a complete file", async () => {
  expect(await faultOf(aSafetensorsFile())).toBeNull();
});

it("detects truncation and extra bytes", async () => {
  const whole = aSafetensorsFile();
  for (let length = 0; length < whole.length; length += 1) {
    expect(await faultOf(whole.subarray(0, length))).not.toBeNull();
  }
  expect(await faultOf(Uint8Array.from([...whole, 0]))).toMatch(/instead of/);
});

it.each(["<html>quota exceeded</html>", "\u0002\0\0\0\0\0\0\0[]", '\u0007\0\0\0\0\0\0\0{"a":1}'])(
  "refuses %j",
  async (text) => {
    expect(await faultOf(new TextEncoder().encode(text))).not.toBeNull();
  },
);
