import { describe, expect, it } from "vitest";
import { MAX_IMAGE_BYTES, readImage } from "../../../src/core/images/imageFile.ts";
import { jpegBytes, pngBytes } from "./someImages.ts";

const read = (bytes: Buffer) => readImage(bytes.toString("base64"));

describe("an environment's image", () => {
  it("is described by its own bytes", () => {
    expect(read(pngBytes(640, 480))).toMatchObject({ format: "png", width: 640, height: 480 });
    expect(read(jpegBytes(31, 17))).toMatchObject({ format: "jpeg", width: 31, height: 17 });
    const bytes = Buffer.concat([pngBytes(1, 2), Uint8Array.from({ length: 256 }, (_, i) => i)]);
    expect(Buffer.from(read(bytes).bytes)).toEqual(bytes);
  });

  it.each<[string, Buffer]>([
    ["neither PNG nor JPEG", Buffer.from("RIFF\0\0\0\0WEBPVP8 ")],
    ["neither PNG nor JPEG", Buffer.from("GIF89a")],
    ["neither PNG nor JPEG", Buffer.alloc(0)],
    ["neither PNG nor JPEG", pngBytes(4, 4).subarray(0, 20)],
    ["neither PNG nor JPEG", jpegBytes(4, 4).subarray(0, 12)],
    ["neither PNG nor JPEG", Buffer.from([0xff, 0xd8, 0xff, 0xda, 0, 2, 0, 0, 0, 0, 0, 0])],
    ["0 x 5 pixels", pngBytes(0, 5)],
    ["20000 x 5 pixels", pngBytes(20_000, 5)],
    ["both together at most 40 million", pngBytes(16_000, 16_000)],
    ["more than 4 MiB", Buffer.concat([pngBytes(4, 4), Buffer.alloc(MAX_IMAGE_BYTES)])],
  ])("is refused with an explanation: %s", (words, bytes) => {
    expect(() => read(bytes)).toThrow(words);
  });

  it("is passed on as plain base64, however it was encoded", () => {
    const base64 = pngBytes(4, 4).toString("base64");
    const lines = base64.replace(/(.{20})/g, "$1\r\n");
    expect(readImage(lines).base64).toBe(base64);
    const padded = Buffer.concat([pngBytes(4, 4), Buffer.alloc(2)]).toString("base64");
    const unpadded = padded.replace(/=+$/, "");
    expect(unpadded).not.toBe(padded);
    expect(readImage(unpadded).base64).toBe(padded);
  });

  it("may be as large with line breaks as without", () => {
    const sized = (bytes: number) => Buffer.concat([pngBytes(4, 4)], bytes).toString("base64");
    const wrapped = (bytes: number) => sized(bytes).replace(/(.{76})/g, "$1\r\n");
    expect(readImage(wrapped(MAX_IMAGE_BYTES)).bytes).toHaveLength(MAX_IMAGE_BYTES);
    expect(() => readImage(wrapped(MAX_IMAGE_BYTES + 1))).toThrow("more than 4 MiB");
    expect(() => readImage(sized(2 * MAX_IMAGE_BYTES))).toThrow("more than 4 MiB");
  });

  it("is refused if it is not base64", () => {
    expect(() => readImage("no base64!")).toThrow("is not base64");
  });
});
