import { expect, test } from "vitest";
import type { FileChange } from "../contents/reader.ts";
import { DiffLines, readEntry } from "./parse-contents.ts";

function changes(text: string): FileChange[] {
  const found: FileChange[] = [];
  const lines = new DiffLines((change) => found.push(change));
  for (const line of text.split("\n")) lines.push(line);
  return found;
}

test("DiffLines reads what kopia 0.21 prints, names with newlines too", () => {
  const printed = `. modification times differ: 2026-11-18 04:06:31.07 +0000 UTC 2026-11-18 04:06:42.68 +0000 UTC
./a.txt sizes differ: 11 16
changed ./a.txt at 2026-11-18 04:06:42.672917699 +0000 UTC (size 11 -> 16)
added file ./in2 (5 bytes)
added file ./n
l2 (2 bytes)
added directory ./ed
added file ./ed/1 (2 bytes)
removed file ./x
added file ./y (3 bytes) (7 bytes)
{"fileEntries":{"added":4}}`;
  expect(changes(printed)).toEqual([
    { path: "/a.txt", change: "changed" },
    { path: "/in2", change: "added" },
    { path: "/n\nl2", change: "added" },
    { path: "/ed", change: "added", isFolder: true },
    { path: "/ed/1", change: "added" },
    { path: "/x\nadded file ./y (3 bytes)", change: "removed" },
  ]);
});

test("DiffLines gives up on a name that never ends", () => {
  expect(changes(`added file ./x${"\nmore".repeat(200)}\nadded file ./good (1 bytes)`)).toEqual([
    { path: "/good", change: "added" },
  ]);
});

test("readEntry() reads types and modes, and believes no nonsense", () => {
  expect(readEntry('{"name":"f","type":"f","mode":"0644","mtime":"t","obj":"1"}')).toEqual({
    name: "f",
    type: "file",
    bytes: 0,
    mode: 0o644,
    modified: "t",
  });
  expect(readEntry('{"name":"d","type":"d","mode":"x","uid":1,"gid":2}')).toEqual({
    name: "d",
    type: "folder",
    uid: 1,
    gid: 2,
  });
  expect(readEntry('{"name":"p","type":"valueOf"}')).toEqual({ name: "p", type: "other" });
  expect(readEntry("[]")).toBeUndefined();
});
