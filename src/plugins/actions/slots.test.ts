import { expect, test } from "vitest";
import { Slots } from "./slots.ts";

test("Slots lets as many in as there are, and the next when one leaves, however it leaves", async () => {
  const slots = new Slots(2);
  const begun: number[] = [];
  const gates = [0, 1, 2, 3].map(() => Promise.withResolvers<void>());
  const all = gates.map(({ promise }, at) =>
    slots.run(async () => {
      begun.push(at);
      await promise;
    }),
  );
  await new Promise(setImmediate);
  expect(begun).toEqual([0, 1]);
  gates[1]?.reject(new Error("broken"));
  await expect(all[1]).rejects.toThrow("broken");
  await new Promise(setImmediate);
  expect(begun).toEqual([0, 1, 2]);
  for (const { resolve } of gates) resolve();
  await Promise.allSettled(all);
  expect(begun).toEqual([0, 1, 2, 3]);
});

test("Slots knows which calls ran beside others, and runs one alone", async () => {
  const slots = new Slots(3);
  const gate = Promise.withResolvers<void>();
  const seen: boolean[] = [];
  const beside = [0, 1].map(() =>
    slots.run(async (call) => {
      await gate.promise;
      seen.push(call.wasBeside);
    }),
  );
  let isAlone = false;
  const alone = [0, 1].map(() =>
    slots.runAlone(async () => {
      isAlone = seen.length === 2;
    }),
  );
  await new Promise(setImmediate);
  expect(isAlone).toBe(false);
  gate.resolve();
  await Promise.all([...beside, ...alone]);
  expect([seen, isAlone]).toEqual([[true, true], true]);
  await slots.run(async (call) => void seen.push(call.wasBeside));
  expect(seen.at(-1)).toBe(false);
});
