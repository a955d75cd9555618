import { spawn } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findMovers, moverFolders } from "../src/movers/index.ts";

const launcher = join(import.meta.dirname, "../bin/headway.js");
const noMover = (["kopia", "restic"] as const).every((kind) => findMovers(kind, moverFolders()).length === 0);
const skip = noMover ? "no restic or kopia on PATH" : process.getuid?.() !== 0 ? "not root" : undefined;

test.skipIf(skip !== undefined)(
  `headway demo --fast tells the whole story, and every byte is back${skip ? ` (${skip})` : ""}`,
  { timeout: 240_000 },
  async () => {
    const child = spawn(process.execPath, [launcher, "demo", "--fast"], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    let said = "";
    child.stdout.on("data", (chunk: Buffer) => void (said += chunk.toString("utf8")));
    child.stderr.on("data", (chunk: Buffer) => void (said += chunk.toString("utf8")));
    const code = await new Promise((resolve) => child.once("exit", resolve));
    expect(code, said).toBe(0);
    expect(said).toContain("every byte is back");
  },
);
