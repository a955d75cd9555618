import { expect, test } from "vitest";
import { stallCauses } from "./stall.ts";
import { formatStall } from "./stall-words.ts";

test("formatStall() says how long and why", () => {
  expect(formatStall({ since: 0, cause: "agent-missing" }, 130_000)).toBe(
    "stalled for 2m 10s: no node agent runs on the node",
  );
});

test("formatStall() has different words for every cause", () => {
  const words = stallCauses.map((cause) => formatStall({ since: 0, cause }, 0));
  expect(new Set(words).size).toBe(stallCauses.length);
});
