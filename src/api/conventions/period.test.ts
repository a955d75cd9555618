import { expect, test } from "vitest";
import { readPeriod } from "./period.ts";

const instead = ": 1m0s is used instead";

test.each([
  [undefined, { ms: 60_000 }],
  [null, { ms: 60_000 }],
  ["", { ms: 60_000 }],
  ["0", { ms: 0 }],
  ["0s", { ms: 0 }],
  ["1s", { ms: 1_000 }],
  ["720h", { ms: 2_592_000_000 }],
  ["1ns", { ms: 60_000, fault: `every "1ns" is shorter than a second${instead}` }],
  ["999ms", { ms: 60_000, fault: `every "999ms" is shorter than a second${instead}` }],
  ["-5m", { ms: 60_000, fault: `every "-5m" is negative${instead}` }],
  ["often", { ms: 60_000, fault: `every "often" is not a duration${instead}` }],
  ["9999999999h", { ms: 60_000, fault: `every "9999999999h" is not a duration${instead}` }],
])("readPeriod(%j) is %j", (text, want) => {
  expect(readPeriod("every", text, 60_000)).toEqual(want);
});
