import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type DrillReport,
  keyOf,
  makeSigningKey,
  reportOf,
  signedDocument,
  verifyDocument,
} from "./report.ts";

const report: DrillReport = reportOf(
  {
    apiVersion: "headway.dev/v1alpha1",
    kind: "Drill",
    metadata: { name: "proof", namespace: "velero", uid: "u1" },
  },
  {
    phase: "Completed",
    backupName: "nightly",
    startTimestamp: "2026-11-15T03:00:00Z",
    completionTimestamp: "2026-11-15T03:04:00Z",
    message: "restored, checked and removed",
    result: { rtoSeconds: 120.5, rpoSeconds: 3600, volumes: 2, volumesProved: 2 },
    checks: [{ name: "häppy", kind: "exec", result: "Passed" }],
  },
  "blue",
);
const key = makeSigningKey();
const text = signedDocument(report, key);

test("verifyDocument() takes what was signed, by the key that is trusted", () => {
  expect(verifyDocument(text).report).toEqual(JSON.parse(JSON.stringify(report)));
  expect(verifyDocument(text, key.publicKey).signature.publicKey).toBe(key.publicKey);
  expect(keyOf(key.privatePem)).toEqual(key);
});

test("verifyDocument() refuses a document with any one bit changed", () => {
  const bytes = Buffer.from(text);
  let seen = 0;
  fc.assert(
    fc.property(fc.nat(bytes.length - 1), fc.nat(7), (at, bit) => {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ (1 << bit);
      expect(() => verifyDocument(changed.toString("utf8"), key.publicKey)).toThrow(
        expect.objectContaining({ code: "DRILL_REPORT" }),
      );
      seen += 1;
    }),
    { numRuns: 400 },
  );
  expect(seen).toBeGreaterThan(300);
});

test.each([
  ["more space", `${text} `],
  ["the same words in another form", JSON.stringify(JSON.parse(text))],
  ["a key of somebody else", signedDocument(report, makeSigningKey())],
  ["no JSON", "{"],
  ["something else", '{"report":{},"signature":{}}'],
])("verifyDocument() refuses %s", (_title, changed) => {
  expect(() => verifyDocument(changed, key.publicKey)).toThrow(
    expect.objectContaining({ code: "DRILL_REPORT" }),
  );
});
