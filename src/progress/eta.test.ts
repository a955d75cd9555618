import { expect, test } from "vitest";
import { etaAfter } from "./eta.ts";

test("[ET1] an estimate that is counted down never falls below nothing", () => {
  expect(etaAfter({ seconds: 10, low: 5, high: 30 }, 8000)).toEqual({ seconds: 2, low: 0, high: 22 });
  expect(etaAfter({ seconds: 10, low: 5, high: 30 }, -8000)).toEqual({ seconds: 10, low: 5, high: 30 });
  expect(etaAfter({ unknown: "stalled" }, 8000)).toEqual({ unknown: "stalled" });
});
