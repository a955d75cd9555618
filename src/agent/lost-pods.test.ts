import { expect, test } from "vitest";
import { LostPods } from "./lost-pods.ts";

const never = new AbortController().signal;

test.each([
  ["it runs", "velero/x", "u1", false],
  ["it is gone", "velero/x", undefined, true],
  ["another has its name", "velero/x", "u2", true],
  ["somebody else is gone", "velero/y", undefined, false],
])("a copy is told when its pod is lost: %s", (_name, key, uid, isLost) => {
  const pods = new LostPods("velero");
  const signal = pods.signal({ name: "x", uid: "u1" }, never);
  pods.changed(key, uid);
  expect(signal.aborted).toBe(isLost);
  if (isLost) expect(signal.reason).toMatchObject({ code: "MOVER_EXIT" });
});

test("an earlier try of the same copy is over, and the agent's own end is passed on", () => {
  const pods = new LostPods("velero");
  const stop = new AbortController();
  const first = pods.signal({ name: "x", uid: "u1" }, never);
  const second = pods.signal({ name: "x", uid: "u2" }, stop.signal);
  pods.changed("velero/x", "u2");
  expect([first.aborted, second.aborted]).toEqual([false, false]);
  stop.abort("end");
  expect(second.reason).toBe("end");
});
