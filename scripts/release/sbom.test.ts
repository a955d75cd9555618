import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sbom } from "./sbom.ts";

const lock: unknown = JSON.parse(readFileSync(join(import.meta.dirname, "../../package-lock.json"), "utf8"));

test("sbom() names what runs, with checksums, and nothing that only development needs", () => {
  const programs = [
    { name: "restic", version: "0.18.0", purl: "pkg:golang/github.com/restic/restic@v0.18.0" },
  ];
  const { components } = sbom("1.0.0", lock, programs) as {
    components: { name: string; purl: string; hashes?: { content: string }[] }[];
  };
  const names = components.map(({ name }) => name);
  expect(names).toContain("commander");
  expect(names).toContain("@aws-sdk/client-s3");
  expect(names).toContain("restic");
  expect(names).not.toContain("vitest");
  expect(new Set(components.map(({ purl }) => purl)).size).toBe(components.length);
  const commander = components.find(({ name }) => name === "commander");
  expect(commander?.hashes?.[0]?.content).toMatch(/^[0-9a-f]{128}$/);
});
