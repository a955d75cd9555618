import { expect, test } from "vitest";
import type { Backup } from "../../api/index.ts";
import { backupTable, sorted } from "./get.ts";

function backup(name: string, status: object = {}): Backup {
  return { metadata: { name }, spec: { storageLocation: "default" }, status } as unknown as Backup;
}

test("backupTable() has upstream's columns", () => {
  const now = Date.parse("2026-11-15T19:00:00Z");
  const done = {
    phase: "Completed",
    startTimestamp: "2026-11-15T18:53:16Z",
    expiration: "2026-12-15T18:53:16Z",
  };
  expect(
    backupTable([backup("b10k-1", done), backup("q", { phase: "Queued", queuePosition: 2 })], now, {
      wide: false,
    }),
  ).toBe(
    [
      "NAME     STATUS      ERRORS   WARNINGS   CREATED                         EXPIRES   STORAGE LOCATION   QUEUE POSITION   SELECTOR",
      "b10k-1   Completed   0        0          2026-11-15 18:53:16 +0000 UTC   29d       default                             <none>",
      "q        Queued      0        0          <n/a>                           n/a       default            2                <none>",
      "",
    ].join("\n"),
  );
});

test("backupTable() wide says what it holds and how long it took", () => {
  const status = {
    phase: "Completed",
    startTimestamp: "2026-11-15T18:53:16Z",
    completionTimestamp: "2026-11-15T18:55:26Z",
    progress: { totalItems: 12, itemsBackedUp: 12 },
  };
  const [head = "", row = ""] = backupTable([backup("b", status)], 0, { wide: true }).split("\n");
  expect(head).toMatch(/SELECTOR +NAMESPACES +ITEMS +TOOK$/);
  expect(row).toMatch(/\* +12 +2m10s$/);
});

test("sorted() puts the newest backup of a schedule first", () => {
  const names = ["b", "a-20260101000000", "a-20260102000000", "a"];
  expect(sorted(names.map((name) => backup(name))).map(({ metadata }) => metadata.name)).toEqual([
    "a-20260102000000",
    "a-20260101000000",
    "a",
    "b",
  ]);
});
