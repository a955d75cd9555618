import { expect, test } from "vitest";
import { AppError } from "../errors.ts";
import {
  ApiError,
  isAlreadyExists,
  isConflict,
  isForbidden,
  isGone,
  isInvalid,
  isNotFound,
  isPassing,
  isUnauthorized,
  readStatus,
} from "./api-error.ts";

const questions = { isNotFound, isConflict, isAlreadyExists, isGone, isForbidden, isUnauthorized, isInvalid };

test.each<[number, string, readonly string[]]>([
  [404, "NotFound", ["isNotFound"]],
  [409, "Conflict", ["isConflict"]],
  [409, "AlreadyExists", ["isAlreadyExists"]],
  [410, "Expired", ["isGone"]],
  [410, "Gone", ["isGone"]],
  [403, "Forbidden", ["isForbidden"]],
  [401, "Unauthorized", ["isUnauthorized"]],
  [422, "Invalid", ["isInvalid"]],
  [500, "InternalError", []],
])("%i %s is told apart", (code, reason, want) => {
  const error = new ApiError("get pods", { code, reason, message: "no" });
  const yes = Object.entries(questions).flatMap(([name, is]) => (is(error) ? [name] : []));
  expect(yes).toEqual(want);
  expect(error).toMatchObject({ code: "KUBE_API", retry: code !== 422 });
});

test("readStatus() reads a Status with its fresh continue token and causes", () => {
  const body = JSON.stringify({
    kind: "Status",
    code: 410,
    reason: "Expired",
    message: "too old",
    metadata: { continue: "next" },
    details: { causes: [{ field: "spec.x", message: "bad" }] },
  });
  expect(readStatus(410, body)).toEqual({
    code: 410,
    reason: "Expired",
    message: "too old",
    continue: "next",
    causes: [{ field: "spec.x", message: "bad" }],
  });
});

test.each([
  ["", "the answer was empty"],
  ["<html>no</html>", "<html>no</html>"],
  ["[1]", "[1]"],
])("readStatus() shows what is no Status: %j", (body, message) => {
  expect(readStatus(502, body)).toEqual({ code: 502, reason: "", message });
});

test("readStatus() shortens a long page", () => {
  expect(readStatus(502, "x".repeat(10_000)).message).toHaveLength(500);
});

test.each<[string, unknown, boolean]>([
  ["a conflict", new ApiError("try", { code: 409, reason: "Conflict", message: "" }), true],
  ["a taken name", new ApiError("try", { code: 409, reason: "AlreadyExists", message: "" }), false],
  ["too many requests", new ApiError("try", { code: 429, reason: "", message: "" }), true],
  ["a server's own trouble", new ApiError("try", { code: 503, reason: "", message: "" }), true],
  ["a refusal", new ApiError("try", { code: 403, reason: "Forbidden", message: "" }), false],
  ["no answer", new AppError("KUBE_UNREACHABLE", "gone"), true],
  ["another failure", new AppError("STORE_FULL", "full"), false],
  ["a bug", new Error("oops"), false],
])("isPassing() of %s", (_name, error, want) => expect(isPassing(error)).toBe(want));
