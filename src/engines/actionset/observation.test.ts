import { expect, test } from "vitest";
import { look, track } from "../../progress/index.ts";
import { observation } from "./observation.ts";
import type { SetState } from "./status.ts";

const set = {
  apiVersion: "cr.kanister.io/v1alpha1" as const,
  kind: "ActionSet" as const,
  metadata: { name: "backup-x", namespace: "kanister", creationTimestamp: "2026-11-15T10:00:00Z" },
};
const beginMs = Date.parse("2026-11-15T10:00:00Z");

/** An ActionSet with one phase that runs. */
function running(progress: NonNullable<SetState["actions"][number]["phases"][number]["progress"]>): SetState {
  const phase = { name: "dump", state: "running" as const, startedAt: beginMs, progress };
  const action = { name: "backup", object: {}, blueprint: "b", artifacts: {}, phases: [phase] };
  return { state: "running", error: "", actions: [action] };
}

test("observation() of a phase whose store does not answer stalls for that cause, and no longer when it answers", () => {
  const waits = {
    percent: 0,
    waitingFor: "the repository at s3:x has not answered for 25 s",
    waitingCause: "store-unreachable" as const,
  };
  const first = track(undefined, observation(set, running({ percent: 0, step: "running" })), beginMs);
  const silent = track(first, observation(set, running(waits)), beginMs + 25_000);
  const [action] = look(silent, beginMs + 25_000).children;
  expect(action?.children[0]).toMatchObject({
    waitingFor: { message: waits.waitingFor },
    stall: { since: beginMs, cause: "store-unreachable" },
  });
  const answered = { percent: 1, waitingFor: undefined, waitingCause: undefined };
  const moving = track(silent, observation(set, running(answered)), beginMs + 30_000);
  const [after] = look(moving, beginMs + 31_000).children;
  expect(after?.children[0]?.stall).toBeUndefined();
  expect(after?.children[0]?.waitingFor).toBeUndefined();
});
