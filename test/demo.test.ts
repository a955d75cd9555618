import { execFileSync, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findMovers, moverFolders } from "../src/movers/index.ts";
import { eventually } from "./harness/eventually.ts";

const launcher = join(import.meta.dirname, "../bin/headway.js");
const noMover = (["kopia", "restic"] as const).every((kind) => findMovers(kind, moverFolders()).length === 0);
const skip = noMover ? "no restic or kopia on PATH" : process.getuid?.() !== 0 ? "not root" : undefined;

test.skipIf(skip !== undefined)(
  `headway demo --fast --keep tells the whole story, every byte is back, and both clusters stay until the end${skip ? ` (${skip})` : ""}`,
  { timeout: 240_000 },
  async () => {
    const child = spawn(process.execPath, [launcher, "demo", "--fast", "--keep"], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    let said = "";
    child.stdout.on("data", (chunk: Buffer) => void (said += chunk.toString("utf8")));
    child.stderr.on("data", (chunk: Buffer) => void (said += chunk.toString("utf8")));
    const ended = new Promise((resolve) => child.once("exit", resolve));
    await eventually(
      () => said,
      (text) => text.includes("run until Ctrl-C") || child.exitCode !== null,
      220_000,
    );
    expect(said).toContain("every byte is back");
    expect(said).toContain("restorable: proved in");
    expect(child.exitCode, said).toBeNull();
    const kubeconfig = /export KUBECONFIG=(\S+)/.exec(said)?.[1] ?? "";
    for (const context of ["blue", "green"]) {
      const words = ["--kubeconfig", kubeconfig, "--context", context, "get", "operations", "-o", "name"];
      const listed = execFileSync(process.execPath, [launcher, ...words], { encoding: "utf8" });
      expect(listed, context).toMatch(/^restore\/velero\/\S+$/m);
    }
    child.kill("SIGINT");
    expect(await ended, said).toBe(0);
    expect(existsSync(kubeconfig), "its folder is gone").toBe(false);
  },
);
