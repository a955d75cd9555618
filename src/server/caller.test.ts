import { expect, test } from "vitest";
import { tokenOf } from "./caller.ts";

const request = (method: string, path: string, authorization?: string) =>
  new Request(`http://localhost${path}`, { method, ...(authorization && { headers: { authorization } }) });

test.each([
  ["GET", "/api/operations", "Bearer abc", "abc"],
  ["GET", "/api/operations?token=abc", undefined, undefined],
  ["POST", "/api/objects/Backup/a?token=abc", undefined, undefined],
  ["POST", "/api/objects/Backup/a", "bearer abc", "abc"],
  ["GET", "/api/operations", "Basic abc", undefined],
])("tokenOf(%s %s, %s)", (method, path, authorization, want) => {
  expect(tokenOf(request(method, path, authorization))).toBe(want);
});
