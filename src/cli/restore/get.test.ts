import { expect, test } from "vitest";
import type { Restore } from "../../api/index.ts";
import { restoreTable } from "./get.ts";

test("restoreTable() has upstream's columns", () => {
  const restores = [
    {
      metadata: { name: "golden-r", creationTimestamp: "2026-11-15T19:14:21Z" },
      spec: { backupName: "golden", labelSelector: { matchLabels: { app: "a" } } },
      status: {
        phase: "Completed",
        warnings: 1,
        startTimestamp: "2026-11-15T19:14:21Z",
        completionTimestamp: "2026-11-15T19:14:29Z",
      },
    },
    {
      metadata: { name: "x", creationTimestamp: "2026-11-15T19:06:06Z", deletionTimestamp: "x" },
      spec: { backupName: "b" },
    },
  ] as unknown as Restore[];
  expect(restoreTable(restores, { wide: false })).toBe(
    [
      "NAME       BACKUP   STATUS      STARTED                         COMPLETED                       ERRORS   WARNINGS   CREATED                         SELECTOR",
      "golden-r   golden   Completed   2026-11-15 19:14:21 +0000 UTC   2026-11-15 19:14:29 +0000 UTC   0        1          2026-11-15 19:14:21 +0000 UTC   app=a",
      "x          b        Deleting    <nil>                           <nil>                           0        0          2026-11-15 19:06:06 +0000 UTC   <none>",
      "",
    ].join("\n"),
  );
});
