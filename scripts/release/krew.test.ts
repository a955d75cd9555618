import { expect, test } from "vitest";
import { parse } from "yaml";
import { krewManifest } from "./krew.ts";

test("krewManifest() has what krew asks for", () => {
  const archive = { os: "linux", arch: "amd64", file: "a.tar.gz", sha256: "f".repeat(64) };
  const { metadata, spec } = parse(krewManifest("1.0.0", "https://example.com/v1.0.0", [archive])) as {
    metadata: { name: string };
    spec: { version: string; shortDescription: string; platforms: unknown[] };
  };
  expect(metadata.name).toBe("headway");
  expect(spec.version).toBe("v1.0.0");
  expect(spec.shortDescription.length).toBeLessThanOrEqual(50);
  expect(spec.platforms).toEqual([
    {
      selector: { matchLabels: { os: "linux", arch: "amd64" } },
      uri: "https://example.com/v1.0.0/a.tar.gz",
      sha256: "f".repeat(64),
      files: [{ from: "*", to: "." }],
      bin: "kubectl-headway",
    },
  ]);
});
