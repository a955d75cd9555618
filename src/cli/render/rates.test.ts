import { expect, test } from "vitest";
import { anOperation } from "../../../test/harness/fake-observer.ts";
import type { Operation } from "../../progress/index.ts";
import { Rates } from "./rates.ts";

function backup(bytes: number, state: Operation["state"] = "running"): Operation {
  const volume = (id: string, done: number) =>
    anOperation(id, { state, progress: { unit: "bytes", done, movedAt: 0 } });
  return anOperation("a", { state, children: [volume("fast", bytes), volume("slow", bytes / 10)] });
}

test("each part has a rate of its own, and the whole their sum", () => {
  const rates = new Rates();
  rates.take(backup(0), 0);
  const now = backup(1000);
  rates.take(now, 1000);
  const [fast, slow] = now.children;
  expect(fast && rates.of(fast, 1000)).toEqual({ perSecond: 1000, unit: "bytes" });
  expect(slow && rates.of(slow, 1000)).toEqual({ perSecond: 100, unit: "bytes" });
  expect(rates.of(now, 1000)).toEqual({ perSecond: 1100, unit: "bytes" });
});

test("what has ended has no rate, and begins anew if it runs again", () => {
  const rates = new Rates();
  rates.take(backup(0), 0);
  rates.take(backup(1000, "completed"), 1000);
  const again = backup(5000);
  rates.take(again, 2000);
  expect(rates.of(again, 2000)).toBeUndefined();
});
