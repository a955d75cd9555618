import { expect, test } from "vitest";
import { unusedActions } from "./unused-actions.ts";

test("unusedActions() names what programs offer and nobody calls, one sentence a program", () => {
  const program = { source: "program", path: "/plugins/x" } as const;
  const actions = Array.from({ length: 12 }, (_, at) => ({
    ...program,
    kind: "BackupItemAction",
    name: `example.com/a${at}`,
  }));
  expect(
    unusedActions([
      { kind: "VolumeSnapshotter", name: "headway.dev/folder", source: "built in" },
      { ...program, kind: "ObjectStore", name: "example.com/store" },
      { ...program, kind: "", name: "", fault: "no handshake" },
      { ...program, kind: "RestoreItemActionV2", name: "example.com/r", path: "/plugins/y" },
    ]),
  ).toEqual(['plugin program "/plugins/y" offers RestoreItemActionV2 example.com/r, which are not run']);
  expect(unusedActions(actions)).toEqual([expect.stringMatching(/a9 and 2 more, which are not run$/)]);
  expect(unusedActions([])).toEqual([]);
});
