import { expect, test } from "vitest";
import type { BackupStorageLocation } from "../../api/index.ts";
import { locationTable, locationTroubles } from "./run.ts";

const location = (name: string, status: BackupStorageLocation["status"]): BackupStorageLocation => ({
  apiVersion: "velero.io/v1",
  kind: "BackupStorageLocation",
  metadata: { name },
  spec: { provider: "aws", objectStorage: { bucket: "b", prefix: "p" } },
  ...(status && { status }),
});
const found = [
  location("new", undefined),
  location("good", { phase: "Available" }),
  location("odd", { phase: "Available", message: "a period is not used" }),
  location("bad", { phase: "Unavailable", message: "there is no bucket" }),
];

test("locationTable() has upstream's columns", () => {
  expect(locationTable(found)).toMatch(/^bad +aws +b\/p +Unavailable +Unknown +ReadWrite/m);
});

test("locationTroubles() tells why a location cannot be used, and what else there is to say", () => {
  expect(locationTroubles(found)).toBe(
    'location "odd": a period is not used\nlocation "bad" is unavailable: there is no bucket\n',
  );
});
