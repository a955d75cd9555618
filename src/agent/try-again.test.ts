import { expect, test } from "vitest";
import { tryAgain } from "./try-again.ts";

test.each([
  ["a mover that was killed", "MOVER_EXIT", 1, 0, "mover-gone"],
  ["one that always dies", "MOVER_EXIT", 5, 0, undefined],
  ["a lock", "MOVER_LOCKED", 50, 60_000, "lock-held"],
  ["a lock for ever", "MOVER_LOCKED", 50, 600_000, undefined],
  ["a store that is away", "MOVER_REPOSITORY", 2, 0, "store-unreachable"],
  ["a wrong password", "MOVER_PASSWORD", 1, 0, undefined],
  ["a full disk", "MOVER_SPACE", 1, 0, undefined],
  ["a bug", undefined, 1, 0, undefined],
] as const)("tryAgain(): %s", (_name, code, attempt, elapsed, want) => {
  expect(tryAgain(code, attempt, elapsed)?.cause).toBe(want);
});
