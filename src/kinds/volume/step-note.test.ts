import { expect, test } from "vitest";
import type { DataUpload } from "../../api/index.ts";
import { readVolume } from "./read.ts";
import { readStep, volumeSteps, writeStep } from "./step-note.ts";

const noted = (text: string | null) =>
  ({
    apiVersion: "velero.io/v2alpha1",
    kind: "DataUpload",
    metadata: { name: "d", annotations: text === null ? {} : { "headway.dev/step": text } },
    status: { phase: "Accepted" },
  }) as DataUpload;

test.each(volumeSteps)("readStep() reads the step %s as writeStep() wrote it", (step) => {
  const note = { step, since: 5, message: "its claim to be bound" };
  expect(readStep(noted(writeStep(note).annotations["headway.dev/step"] ?? null))).toEqual(note);
  expect(writeStep(undefined).annotations["headway.dev/step"]).toBeNull();
});

test.each([
  "",
  "null",
  "[]",
  '{"step":"rm -rf","message":"x"}',
  '{"step":"pod"}',
  '{"step":"pod","message":7}',
])("readStep() of %o says nothing", (text) => {
  expect(readStep(noted(text))).toBeUndefined();
});

test("what an agent says a copy waits for is told instead of what its phase means, until it has ended", () => {
  const text = writeStep({ step: "claim", since: 1, message: "its claim to be bound" }).annotations;
  const waits = noted(text["headway.dev/step"] ?? null);
  expect(readVolume(waits).waitingFor).toEqual({ reason: "claim", message: "its claim to be bound" });
  expect(readVolume(noted(null)).waitingFor).toEqual({ reason: "pod", message: "its data mover pod" });
  const ended = { ...waits, status: { phase: "Completed" as const } };
  expect(readVolume(ended).waitingFor).toBeUndefined();
});

test("writeStep() keeps messages short", () => {
  const { annotations } = writeStep({ step: "pod", since: 1, message: "x".repeat(5000) });
  expect(annotations["headway.dev/step"]?.length).toBeLessThan(500);
});
