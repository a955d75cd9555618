import { expect, test } from "vitest";
import { AppError } from "../../errors.ts";
import { isFatal, words } from "./trouble.ts";

test.each([
  [new AppError("SPOOL_FAILED", "full"), true],
  [new AppError("KUBE_UNREACHABLE", "gone"), true],
  [new AppError("KUBE_API", "no"), false],
  [new Error("oops"), false],
])("isFatal(%s)", (error, want) => expect(isFatal(error)).toBe(want));

test("words() of anything", () => expect([words(new Error("a")), words("b")]).toEqual(["a", "b"]));
