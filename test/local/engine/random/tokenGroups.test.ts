import { expect, it } from "vitest";
import {
  groupTokens,
  memberOf,
  ownGroup,
} from "../../../../src/local/engine/random/tokenGroups.ts";

const CONTROLS = ["<|end|>", "<think>", "</think>"].map((text, at) => ({ id: 900 + at, text }));
const SERIES = Array.from({ length: 40 }, (_, at) => ({
  id: 910 + at,
  text: `<|reserved_${at}|>`,
}));
const groups = groupTokens(1000, [...CONTROLS, ...SERIES]);

it("every id is in one group, and every group has an id", () => {
  const members = Array.from({ length: groups.count }, (_, group) =>
    Array.from(groups.ids.subarray(groups.starts[group], groups.starts[group + 1])),
  );
  expect(members.every(({ length }) => length > 0)).toBe(true);
  expect(members.flat().sort((a, b) => a - b)).toEqual(Array.from({ length: 1000 }, (_, id) => id));
  for (const [group, ids] of members.entries()) {
    expect(groups.logSizes[group]).toBe(Math.log(ids.length));
    for (const id of ids) expect(groups.groupOf[id]).toBe(group);
    expect(memberOf(groups, group, 0)).toBe(ids[0]);
    expect(memberOf(groups, group, 1 - 2 ** -32)).toBe(ids.at(-1));
  }
});

it("control tokens have their own groups, unless their names are numbered", () => {
  expect(CONTROLS.map(({ id }) => ownGroup(groups, id))).toEqual([0, 1, 2]);
  expect(SERIES.map(({ id }) => ownGroup(groups, id))).toEqual(SERIES.map(() => null));
  expect(ownGroup(groups, 5)).toBe(null);
  expect(groups.count).toBe(32);
});
