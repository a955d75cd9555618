import { expect, test } from "vitest";
import { settle, TestClock } from "../../../test/harness/clock.ts";
import { ApiError } from "../../kube/index.ts";
import type { Sample } from "../../progress/index.ts";
import { follow } from "./follow.ts";

const { signal } = new AbortController();

/** Follows something that answers like this, the last answer again and again. */
async function run(answers: readonly unknown[], limitMs = 3_600_000) {
  const clock = new TestClock();
  const shown: (Sample | undefined)[] = [];
  const remarks: string[] = [];
  let asked = 0;
  const look = async () => {
    const answer = answers[Math.min(asked++, answers.length - 1)];
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const onMove = (now: Sample | undefined) => void shown.push(now);
  const following = follow(
    { clock, look, limitMs, onMove, onRemark: (remark) => void remarks.push(remark) },
    signal,
  );
  let end: unknown;
  void following.then((value) => (end = value));
  for (let i = 0; i < 10_000 && end === undefined; i += 1) {
    await clock.advance(500);
    await settle();
  }
  return { end: await following, shown, remarks, asked };
}

test("follow() tells what moves and how it ended", async () => {
  const { end, shown, remarks } = await run([
    { phase: "InProgress" },
    { phase: "InProgress", bytesDone: 5, totalBytes: 10 },
    { phase: "Completed", bytesDone: 10, totalBytes: 10, message: "fine" },
  ]);
  expect(shown).toEqual([undefined, { unit: "bytes", done: 5, total: 10 }]);
  expect(end).toEqual({ sample: { unit: "bytes", done: 10, total: 10 }, message: "fine" });
  expect(remarks).toEqual([]);
});

test("follow() of a failure says the plugin's words", async () => {
  expect((await run([{ phase: "Failed", message: "disk full" }])).end).toMatchObject({ failed: "disk full" });
});

test("follow() tells a liar's faults once each, and shows none of them", async () => {
  const say = (bytesDone: unknown, totalBytes: unknown = 100) => ({
    phase: "InProgress",
    bytesDone,
    totalBytes,
  });
  const { shown, remarks } = await run([
    say(50),
    say(20),
    say(10),
    say(300),
    say("x"),
    { phase: "Completed" },
  ]);
  expect(remarks).toEqual([
    "it went back from 50 bytes to 20",
    "it says 300 of 100 bytes are done",
    'it says "x" bytes are done, which is no number of bytes',
  ]);
  expect(shown.filter(Boolean)).toEqual([{ unit: "bytes", done: 50, total: 100 }]);
});

test("follow() forgives a plugin that is away for a while", async () => {
  const { end, remarks } = await run([new Error("away"), new Error("away"), { phase: "Completed" }]);
  expect(end.failed).toBeUndefined();
  expect(remarks).toEqual(["it cannot be asked: away"]);
});

test("follow() gives up one that never answers, or with garbage", async () => {
  expect((await run([new Error("away")])).end.failed).toBe("nothing answers: it cannot be asked: away");
  expect((await run([{ phase: "Dancing" }])).end.failed).toBe(
    "it answers with something that is no progress",
  );
});

test("follow() gives up what does not end in time", async () => {
  const { end, asked } = await run([{ phase: "InProgress" }], 60_000);
  expect(end.failed).toBe("it did not end within 60 s");
  // It asks at a pace of its own, whatever happens on the other side.
  expect(asked).toBeLessThan(60);
});

test("follow() of an object that somebody deleted", async () => {
  const gone = new ApiError("get", { code: 404, reason: "NotFound", message: "" });
  expect((await run([gone])).end.failed).toBe("its object was deleted");
});
