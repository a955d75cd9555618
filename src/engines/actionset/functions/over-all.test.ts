import { expect, test } from "vitest";
import { PhaseProgress } from "../phase-progress.ts";
import { overAll } from "./over-all.ts";

const signal = new AbortController().signal;

test("overAll() tells each as a part of its own, and all reasons of a failure", async () => {
  const progress = new PhaseProgress(() => undefined);
  const steps: (string | undefined)[] = [];
  const work = async (name: string, _i: number, onProgress: (news: { uploadedBytes: number }) => void) => {
    onProgress({ uploadedBytes: name.length });
    steps.push(progress.work.step);
    if (name.startsWith("bad")) throw new Error(`${name}: no luck`);
    return name;
  };
  await expect(overAll({ progress, signal }, "pods", ["good", "bad", "bad-too"], work)).rejects.toMatchObject(
    {
      code: "ACTION_COMMAND",
      message: "bad: no luck\nbad-too: no luck",
    },
  );
  expect(steps[0]).toBe("0 of 3 pods done");
  expect(progress.work.step).toBe("1 of 3 pods done");
  expect(progress.parts).toEqual([
    { name: "good", state: "completed", work: { uploadedBytes: 4 } },
    { name: "bad", state: "failed", work: { uploadedBytes: 3 } },
    { name: "bad-too", state: "failed", work: { uploadedBytes: 7 } },
  ]);
});

test("overAll() returns what was made in the order of the names", async () => {
  const progress = new PhaseProgress(() => undefined);
  const made = await overAll(
    { progress, signal },
    "containers",
    ["a", "b"],
    async (name, i) => `${name}${i}`,
  );
  expect(made).toEqual(["a0", "b1"]);
});
