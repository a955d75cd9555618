import { expect, test } from "vitest";
import { anOperation } from "../../test/harness/fake-observer.ts";
import { moved } from "./moved.ts";
import type { Operation } from "./operation.ts";

const part = (unit: "bytes" | "items" | "steps", done: number, total?: number, children: Operation[] = []) =>
  anOperation("p", { progress: { unit, done, ...(total !== undefined && { total }), movedAt: 0 }, children });

test("[WD13] bytes and items of all parts are added up, each by itself", () => {
  expect(moved(part("steps", 1, 2, [part("items", 5, 9), part("bytes", 1, 4), part("bytes", 2, 4)]))).toEqual(
    {
      items: { done: 5, total: 9 },
      bytes: { done: 3, total: 8 },
    },
  );
});

test("[WD13] the total is unknown while one part's is", () => {
  expect(moved(anOperation("g", { children: [part("bytes", 1, 4), part("bytes", 2)] }))).toEqual({
    bytes: { done: 3 },
  });
});

test("[WD13] a count of its own holds the parts, also those that have none yet", () => {
  const waiting = anOperation("v", { state: "pending" });
  expect(moved(part("bytes", 3, undefined, [part("bytes", 3, 4), waiting]))).toEqual({ bytes: { done: 3 } });
});

test("[WD13] steps are no amount", () => {
  expect(moved(part("steps", 1, 2))).toEqual({});
});
