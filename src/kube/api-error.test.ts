import { expect, test } from "vitest";
import {
  ApiError,
  isAlreadyExists,
  isConflict,
  isForbidden,
  isGone,
  isInvalid,
  isNotFound,
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
