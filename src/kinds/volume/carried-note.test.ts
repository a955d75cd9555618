import { expect, test } from "vitest";
import { carriedOf, readCarried, writeCarried } from "./carried-note.ts";

test("a backup is known by what was written, a restore by what was read", () => {
  const through = { readBytes: 1, writtenBytes: 2 };
  expect(["PodVolumeBackup", "DataUpload"].map((kind) => carriedOf(kind, through))).toEqual([2, 2]);
  expect(["PodVolumeRestore", "DataDownload"].map((kind) => carriedOf(kind, through))).toEqual([1, 1]);
});

test("readCarried() reads what writeCarried() says; a note that is no count says nothing", () => {
  const read = (note: string) =>
    readCarried({ metadata: { name: "x", annotations: { "headway.dev/carried-bytes": note } } });
  expect(writeCarried(12.4)).toEqual({ annotations: { "headway.dev/carried-bytes": "12" } });
  expect(["12", "0", "-1", "1e9", "99999999999999999", "x", ""].map(read)).toEqual([
    12,
    0,
    ...Array.from({ length: 5 }, () => undefined),
  ]);
  expect(writeCarried(undefined)).toEqual({ annotations: { "headway.dev/carried-bytes": null } });
});
