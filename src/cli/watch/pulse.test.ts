import { expect, test } from "vitest";
import { TestClock } from "../../../test/harness/clock.ts";
import { type Pulse, watchPulse } from "./pulse.ts";

test("watchPulse() tells once that the cluster is away and since when, and once that it is back", async () => {
  const clock = new TestClock();
  const begun = clock.now();
  const answers = [true, true, false, false, false, true, true];
  const told: Pulse[] = [];
  const stop = new AbortController();
  const client = {
    version: async () => {
      const isThere = answers.shift();
      if (answers.length === 0) stop.abort();
      if (!isThere) throw new Error("the connection was refused");
      return { gitVersion: "v1" };
    },
  };
  const running = watchPulse(client, (pulse) => void told.push(pulse), stop.signal, clock);
  while (!stop.signal.aborted) await clock.advance(5_000);
  await running;
  expect(told).toEqual([
    { cluster: "away", sinceMs: begun + 5_000, why: "the connection was refused" },
    { cluster: "back", sinceMs: begun + 5_000 },
  ]);
});
