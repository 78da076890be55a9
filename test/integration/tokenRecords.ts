/** Reads the token data of a step. */

import { readFile } from "node:fs/promises";
import {
  decodeTokenRecord,
  type TokenRecord,
} from "../../src/core/runFolder/rollouts/tokenRecord.ts";

/** @throws Error for an incomplete record */
export async function tokenRecords(path: string): Promise<readonly TokenRecord[]> {
  const bytes = await readFile(path);
  const records = [];
  for (let at = 0; at < bytes.length; ) {
    const record = decodeTokenRecord(bytes.subarray(at));
    if (record === null) throw new Error(`${path} is cut`);
    records.push(record);
    at += bytes.readUInt32LE(at + 4);
  }
  return records;
}
