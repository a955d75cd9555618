import { expect, test } from "vitest";
import { ApiError } from "./api-error.ts";
import { mayRetry, type Repeat, retryAfterMs } from "./retry.ts";

const answer = (code: number, afterMs?: number) =>
  new ApiError("try", { code, reason: "", message: "" }, afterMs);
const reset = new Error("ECONNRESET");

test.each<[string, unknown, boolean, Repeat, boolean]>([
  ["429 to a create", answer(429), false, "unsafe", true],
  ["500 to a read", answer(500), false, "safe", true],
  ["500 to a create", answer(500), false, "unsafe", false],
  ["503 to a create", answer(503), false, "unsafe", false],
  ["503 that names a wait, to a create", answer(503, 1_000), false, "unsafe", true],
  ["504 to a read", answer(504), false, "safe", true],
  ["504 to a create", answer(504), false, "unsafe", false],
  ["404", answer(404), false, "safe", false],
  ["409", answer(409), false, "safe", false],
  ["410", answer(410), false, "safe", false],
  ["501", answer(501), false, "safe", false],
  ["reset of a read", reset, false, "safe", true],
  ["reset of a create", reset, false, "unsafe", false],
  ["refused connection of a create", reset, true, "unsafe", true],
])("mayRetry() %s", (_name, error, unsent, repeat, want) => {
  expect(mayRetry({ error, unsent }, repeat)).toBe(want);
});

test.each([
  [undefined, undefined],
  ["", undefined],
  ["soon", undefined],
  ["2", 2_000],
  ["0", 0],
  ["-5", 0],
  ["Thu, 01 Jan 1970 00:00:10 GMT", 9_000],
  ["Thu, 01 Jan 1970 00:00:00 GMT", 0],
])("retryAfterMs() of %j", (header, want) => {
  expect(retryAfterMs(header, 1_000)).toBe(want);
});
