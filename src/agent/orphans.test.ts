import { spawn } from "node:child_process";
import { expect, test } from "vitest";
import { endOrphans } from "./orphans.ts";

test("endOrphans() ends the processes of its owner, stopped ones too, and no others", async () => {
  const owner = `test-${crypto.randomUUID()}`;
  const start = (name: string) =>
    spawn("sleep", ["600"], { env: { ...process.env, HEADWAY_OWNER: name }, stdio: "ignore" });
  const [ours, another] = [start(owner), start(`${owner}-other`)];
  try {
    await Promise.all([ours, another].map((child) => new Promise((resolve) => child.once("spawn", resolve))));
    ours.kill("SIGSTOP");
    const ended = new Promise((resolve) => ours.once("exit", (_code, name) => resolve(name)));
    expect(await endOrphans(owner, AbortSignal.timeout(30_000))).toBe(1);
    expect(await ended).toBe("SIGKILL");
    expect(another.exitCode).toBeNull();
    expect(await endOrphans(owner, AbortSignal.timeout(30_000))).toBe(0);
  } finally {
    for (const child of [ours, another]) child.kill("SIGKILL");
  }
});
