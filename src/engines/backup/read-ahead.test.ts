import { expect, test } from "vitest";
import { readAhead } from "./read-ahead.ts";

test("readAhead() keeps the order, reads a bounded number ahead, and lets one failure be alone", async () => {
  const opened: number[] = [];
  const closed: number[] = [];
  async function* open(job: number): AsyncGenerator<string> {
    opened.push(job);
    try {
      yield `${job}a`;
      if (job === 2) throw new Error("no");
      yield `${job}b`;
    } finally {
      closed.push(job);
    }
  }
  const seen: string[] = [];
  for await (const step of readAhead([1, 2, 3, 4, 5, 6], open, 2)) {
    seen.push("page" in step ? step.page : "error" in step ? `error ${step.job}` : `end ${step.job}`);
    expect(opened.length).toBeLessThanOrEqual(step.job + 2);
    if (step.job === 4) break;
  }
  expect(seen).toEqual(["1a", "1b", "end 1", "2a", "error 2", "3a", "3b", "end 3", "4a"]);
  expect(new Set(closed)).toEqual(new Set(opened));
});
