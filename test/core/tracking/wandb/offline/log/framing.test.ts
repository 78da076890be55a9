import { describe, expect, it } from "vitest";
import {
  crc32,
  FILE_HEADER,
  frameRecord,
} from "../../../../../../src/core/tracking/wandb/offline/log/framing.ts";
import {
  encodeRecord,
  exitRecord,
  headerRecord,
  historyRecord,
  type RecordContent,
  summaryRecord,
} from "../../../../../../src/core/tracking/wandb/offline/offlineRecords.ts";
import { concatBytes } from "../../../../../../src/core/util/concatBytes.ts";

const BLOCK = 32_768;
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

/** Reads records as the format specifies, and fails on anything else. */
function records(file: Uint8Array): readonly Uint8Array[] {
  const view = new DataView(file.buffer, file.byteOffset);
  const found: Uint8Array[] = [];
  let parts: Uint8Array[] = [];
  for (let at = FILE_HEADER.length; at < file.length; ) {
    const left = BLOCK - (at % BLOCK);
    if (left < 7) {
      expect(file.subarray(at, at + left).every((byte) => byte === 0)).toBe(true);
      at += left;
      continue;
    }
    const length = view.getUint16(at + 4, true);
    const type = file[at + 6] ?? 0;
    const payload = file.subarray(at + 7, at + 7 + length);
    expect(view.getUint32(at, true)).toBe(crc32(Uint8Array.of(type), payload));
    expect(7 + length).toBeLessThanOrEqual(left);
    expect(parts.length > 0).toBe(type === 3 || type === 4);
    parts.push(payload);
    if (type === 1 || type === 4) {
      found.push(concatBytes(parts));
      parts = [];
    }
    at += 7 + length;
  }
  return found;
}

function fileOf(all: readonly Uint8Array[]): Uint8Array {
  let file: Uint8Array = FILE_HEADER;
  for (const record of all) file = concatBytes([file, frameRecord(record, file.length)]);
  return file;
}

describe("a .wandb file", () => {
  it("has CRC-32 checksums", () => {
    expect(crc32(new TextEncoder().encode("123456789")).toString(16)).toBe("cbf43926");
    expect(crc32(Uint8Array.of(1)).toString(16)).toBe("a505df1b");
  });

  it("equals a file that the official reader accepts, byte for byte", () => {
    const run: RecordContent = { run: Buffer.from("0a036162631a01708a01020801", "hex") };
    const all = [
      headerRecord("t/1"),
      run,
      historyRecord({ _step: 0, a: 0.5 }, 0),
      summaryRecord({ a: 0.5, _step: 0 }),
      exitRecord(0, 3.2),
    ];
    const expected = `3a572642e1be00
      32ba5c6b1400010801aa010f0a0d0a03742f311206302e37302e30
      a59531bb1200010802
      8a010d0a036162631a01708a01020801
      a37074221e000108031 21a0a0b0a055f737465708201013 0
      0a090a0161820103302e351200
      864493a11c00010804 1a180a090a0161820103302e350a0b0a055f73746570820101 30
      b3849f0907000108059201021003`;
    const file = fileOf(all.map((record, i) => encodeRecord(record, i + 1)));
    expect(hex(file)).toBe(expected.replace(/\s/g, ""));
  });

  it.each([1, 32_747, 32_748, 32_753, 32_754, 32_755, 32_760, 40_000, 65_508, 65_522, 100_000])(
    "preserves records after one of %i bytes",
    (length) => {
      for (const spare of [0, 1, 3, 6, 7, 8, 9]) {
        const all = [length - (length > 20 ? spare : 0), 30, 0, 70_000, 5].map((size, i) =>
          new Uint8Array(size).fill(i + 1),
        );
        expect(records(fileOf(all)).map(hex)).toEqual(all.map(hex));
      }
    },
  );
});
