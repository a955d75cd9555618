import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

/** A restic that holds a repository for itself and does not move: it is stopped as soon as its lock is there. */
export async function holdLock(program: string, repository: string, password: string): Promise<ChildProcess> {
  const locks = join(repository, "locks");
  const isHeld = () => readdirSync(locks).some((name) => /^[0-9a-f]{64}$/.test(name));
  for (;;) {
    const child = spawn(program, ["--repo", repository, "--no-cache", "check", "--read-data"], {
      stdio: "ignore",
      env: { PATH: process.env["PATH"], HOME: repository, RESTIC_PASSWORD: password },
    });
    // After it has written its lock restic waits 200 ms for those of others.
    while (child.exitCode === null && !isHeld()) await pause(5);
    child.kill("SIGSTOP");
    if (child.exitCode === null && isHeld()) return child;
  }
}
