/** Network connections of processes, from the system's tables (Linux). */

import { readdirSync, readFileSync, readlinkSync } from "node:fs";

export interface Connection {
  readonly pid: number;
  readonly protocol: string;
  /** Hexadecimal as in the table, with the port. */
  readonly local: string;
  readonly remote: string;
}

const PROTOCOLS = ["tcp", "tcp6", "udp", "udp6"] as const;

/** The network sockets of processes, including listening ones but not Unix sockets. */
export function connectionsOf(pids: readonly number[]): readonly Connection[] {
  const table = new Map(PROTOCOLS.flatMap((protocol) => entriesOf(protocol)));
  return pids.flatMap((pid) =>
    socketsOf(pid).flatMap((inode) => {
      const entry = table.get(inode);
      return entry === undefined ? [] : [{ pid, ...entry }];
    }),
  );
}

/** True for an address of this computer, or for none (a listening socket). */
export function isLoopback(address: string): boolean {
  const [host = ""] = address.split(":");
  // Four-byte words in little-endian order.
  const isNone = /^0+$/.test(host);
  const isV4 = host.length === 8 && host.endsWith("7F");
  const isV6 = host === "00000000000000000000000001000000";
  const isMapped = host.startsWith("0000000000000000FFFF0000") && host.endsWith("7F");
  return isNone || isV4 || isV6 || isMapped;
}

function entriesOf(protocol: (typeof PROTOCOLS)[number]) {
  const [, ...lines] = readFileSync(`/proc/net/${protocol}`, "utf8").trim().split("\n");
  return lines.map((line): [string, Omit<Connection, "pid">] => {
    const cells = line.trim().split(/\s+/);
    return [cells[9] ?? "", { protocol, local: cells[1] ?? "", remote: cells[2] ?? "" }];
  });
}

function socketsOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        const link = /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`));
        return link?.[1] === undefined ? [] : [link[1]];
      } catch {
        return [];
      }
    });
  } catch {
    // The process has ended.
    return [];
  }
}
