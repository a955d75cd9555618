import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseDockerfile, productionPackages } from "./image-files.ts";

const repository = join(import.meta.dirname, "..");

test("parseDockerfile() finds what the image of this repository holds", () => {
  const files = parseDockerfile(readFileSync(join(repository, "deploy/image/Dockerfile"), "utf8"));
  expect(files).toContainEqual({ stage: "movers", from: "/go/bin/restic", to: "/usr/local/bin/" });
  expect(files).toContainEqual({
    stage: "build",
    from: "/src/package.json",
    to: "/opt/headway/package.json",
  });
  expect(files).toContainEqual({ stage: "build", from: "/src/dist", to: "/opt/headway/dist" });
  // dist/ and node_modules/ are made by the build; the rest is in the repository.
  for (const { from } of files.filter(
    ({ stage, from: path }) => stage === "build" && !path.endsWith("/dist"),
  )) {
    expect(existsSync(join(repository, from.replace("/src/", ""))), from).toBe(true);
  }
});

test("productionPackages() leaves out what only development needs", () => {
  const lock: unknown = JSON.parse(readFileSync(join(repository, "package-lock.json"), "utf8"));
  const packages = productionPackages(lock);
  expect(packages).toContain("node_modules/commander");
  expect(packages).not.toContain("node_modules/vitest");
  for (const path of packages) expect(existsSync(join(repository, path)), path).toBe(true);
});

test("base images are named by digest, which whoever builds must give", () => {
  const text = readFileSync(join(repository, "deploy/image/Dockerfile"), "utf8");
  const bases = [...text.matchAll(/^FROM (\S+)/gm)].map(([, base = ""]) => base);
  expect(bases.length).toBeGreaterThan(1);
  for (const base of bases) expect(base).toMatch(/^[a-z]+@(sha256:[0-9a-f]{64}|\$\{[A-Z]+_DIGEST\})$/);
  expect(text, "no default, which would be a tag or stale").not.toMatch(/^ARG \w+=/m);
});
