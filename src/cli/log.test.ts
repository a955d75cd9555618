import { expect, test } from "vitest";
import { jsonLog } from "./log.ts";

test("jsonLog() writes one line with the message of an error in it", () => {
  const lines: string[] = [];
  jsonLog({ err: (text) => void lines.push(text) })("warning", "it failed", {
    error: new Error("why"),
    n: 1,
  });
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({
    level: "warning",
    message: "it failed",
    error: "why",
    n: 1,
  });
});
