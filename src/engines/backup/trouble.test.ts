import { expect, test } from "vitest";
import { AppError, messageOf } from "../../errors.ts";
import { isFatal } from "./trouble.ts";

test.each([
  [new AppError("SPOOL_FAILED", "full"), true],
  [new AppError("KUBE_UNREACHABLE", "gone"), true],
  [new AppError("KUBE_API", "no"), false],
  [new Error("oops"), false],
])("isFatal(%s)", (error, want) => expect(isFatal(error)).toBe(want));

test("messageOf() of anything", () =>
  expect([messageOf(new Error("a")), messageOf("b")]).toEqual(["a", "b"]));
