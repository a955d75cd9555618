import { expect, test } from "vitest";
import type { Observation } from "../progress/index.ts";
import { withDetails } from "./details.ts";

const ref = { apiVersion: "velero.io/v1", kind: "Backup", name: "b", uid: "u1" };
const part = (id: string, rest: Partial<Observation> = {}): Observation => ({
  id,
  ref,
  kind: id,
  title: id,
  ...rest,
});
const volumes = part("volumes", { rule: "sum", children: [part("v1", { state: "running" })] });
const seen = part("b", {
  state: "running",
  children: [part("items", { state: "running" }), volumes, part("finish")],
});

test("withDetails() takes the engine's steps and keeps the volumes' own numbers", () => {
  const details = part("b", {
    state: "pending",
    children: [
      part("collect", { state: "completed" }),
      part("volumes", { state: "pending" }),
      part("upload"),
    ],
  });
  const merged = withDetails(seen, details);
  expect(merged.state).toBe("running");
  expect(merged.children?.map((child) => child.id)).toEqual(["collect", "volumes", "upload"]);
  expect(merged.children?.[1]).toMatchObject({ rule: "sum", children: [{ id: "v1" }] });
});

test("withDetails() puts volumes that the engine does not know before its tail", () => {
  const merged = withDetails(
    seen,
    part("b", { children: [part("items"), part("upload", { kind: "tail" })] }),
  );
  expect(merged.children?.map((child) => child.id)).toEqual(["items", "volumes", "upload"]);
});

test("withDetails() ignores what belongs to another object of the same name", () => {
  const other = part("b", { ref: { ...ref, uid: "u2" }, children: [part("x")] });
  expect(withDetails(seen, other)).toBe(seen);
});

test("withDetails() lets nothing go on in what has ended", () => {
  const details = {
    ...part("b"),
    children: [
      part("a", { state: "completed" }),
      part("b", { state: "running" }),
      part("c", { state: "pending" }),
    ],
  };
  const states = (state: "completed" | "failed" | "running") =>
    withDetails(part("b", { state }), details).children?.map((child) => child.state);
  expect(states("completed")).toEqual(["completed", "completed", "completed"]);
  expect(states("failed")).toEqual(["completed", "failed", "skipped"]);
  expect(states("running")).toEqual(["completed", "running", "pending"]);
});

test("withDetails() lets no number lag behind the end", () => {
  const progress = { unit: "items" as const, done: 2, total: 33 };
  const late = [
    part("a", { state: "completed", progress: { ...progress, done: 32 } }),
    part("b", { state: "running", progress, children: [part("c", { state: "running", progress })] }),
  ];
  const numbers = (state: "completed" | "partially-failed" | "failed" | "running") => {
    const [a, b] = withDetails(part("b", { state }), part("b", { children: late })).children ?? [];
    return [a, b, b?.children?.[0]].map((each) => each?.progress?.done);
  };
  expect(numbers("completed")).toEqual([32, 33, 33]);
  // Not all of it came to its end, and how much did nobody heard.
  expect(numbers("partially-failed")).toEqual([32, undefined, undefined]);
  expect(numbers("failed")).toEqual([32, 2, 2]);
  expect(numbers("running")).toEqual([32, 2, 2]);
});
