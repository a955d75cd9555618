import { expect, test } from "vitest";
import { TestClock } from "../../test/harness/clock.ts";
import { AppError } from "../errors.ts";
import { ApiError } from "./api-error.ts";
import { patiently } from "./patience.ts";

const refusal = (code: number, reason = "") => new ApiError("create", { code, reason, message: "no" });
const away = new AppError("KUBE_UNREACHABLE", "nobody answers");

/** Fails so often, then answers; how many calls it took, or the error. */
async function calls(error: Error, failures: number): Promise<number | Error> {
  const clock = new TestClock();
  let made = 0;
  const said: (string | undefined)[] = [];
  const work = patiently(
    async () => {
      made += 1;
      if (made <= failures) throw error;
      return made;
    },
    clock,
    new AbortController().signal,
    (reason) => said.push(reason),
  ).catch((thrown: Error) => thrown);
  let ended = false;
  void work.then(() => (ended = true));
  for (let minute = 0; minute < 30 && !ended; minute += 1) await clock.advance(60_000);
  const answer = await work;
  if (!(answer instanceof Error) && failures > 0) expect(said.at(-1), "the waiting is over").toBeUndefined();
  return answer;
}

test.each([
  ["a server that is away", away, 12, 13],
  ["an overloaded server", refusal(429), 12, 13],
  ["a gateway without a server", refusal(503), 12, 13],
  ["a webhook that fails for a moment", refusal(500), 3, 4],
  ["a conflict", refusal(409, "Conflict"), 3, 4],
  ["nothing", away, 0, 1],
])("patiently() waits out %s", async (_title, error, failures, want) => {
  expect(await calls(error, failures)).toBe(want);
});

test.each([
  ["a webhook that always fails", refusal(500), 4],
  ["a conflict that stays", refusal(409, "Conflict"), 4],
  ["a name that is taken", refusal(409, "AlreadyExists"), 1],
  ["what is invalid", refusal(422, "Invalid"), 1],
  ["what is forbidden", refusal(403, "Forbidden"), 1],
  ["a server that stays away for longer than an item may wait", away, 100_000],
])("patiently() gives up on %s", async (_title, error, failures) => {
  expect(await calls(error, failures)).toBe(error);
});

test("patiently() ends with its signal", async () => {
  const stop = new AbortController();
  const clock = new TestClock();
  const work = patiently(() => Promise.reject(away), clock, stop.signal);
  const ended = expect(work).rejects.toThrow("stopped");
  await clock.advance(1_000);
  stop.abort(new Error("stopped"));
  await ended;
});
