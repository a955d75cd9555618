import { spawn } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Verdict } from "../attack/attack.ts";
import { findTestMover } from "../harness/movers.ts";
import { missingS3 } from "../harness/s3.ts";

const hostPods = process.env["HEADWAY_HOST_PODS"];
const why =
  missingS3() ??
  (hostPods ? undefined : "HEADWAY_HOST_PODS names no folder of pods on this machine") ??
  (["restic", "kopia"] as const).map((kind) => findTestMover(kind)).find((found) => "missing" in found)
    ?.missing;

test.skipIf(why !== undefined)(
  `everything that npm run attack tries holds${why ? ` (skipped: ${why})` : ""}`,
  { timeout: 1_800_000 },
  async () => {
    const program = join(import.meta.dirname, "../attack/run.ts");
    const child = spawn(process.execPath, [program, "--json"], { stdio: ["ignore", "pipe", "pipe"] });
    let [out, err] = ["", ""];
    child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString("utf8")));
    child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString("utf8")));
    const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
    const lines = out.split("\n").filter((line) => line.startsWith("{"));
    const verdicts = lines.map((line) => JSON.parse(line) as Verdict);
    expect(verdicts.filter(({ word }) => word === "BROKEN")).toEqual([]);
    expect(code, err.slice(-2_000)).toBe(0);
    // As many as there are, but those that need what a machine may not have: mounts and kubectl.
    expect(verdicts.filter(({ word }) => word === "HELD").length).toBeGreaterThanOrEqual(55);
    expect(new Set(verdicts.map(({ kind }) => kind)).size).toBeGreaterThanOrEqual(14);
  },
);
