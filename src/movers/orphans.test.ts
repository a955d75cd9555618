import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { endOrphans, orphans } from "./orphans.ts";

test.runIf(existsSync("/proc/self/environ"))(
  "endOrphans() ends the processes of this owner and no others",
  async () => {
    const mine = `test-${process.pid}/agent`;
    const start = (owner: string) =>
      spawn("/bin/sleep", ["600"], { env: { HEADWAY_OWNER: owner }, stdio: "ignore", detached: true });
    const [one, two, other] = [start(mine), start(mine), start(`${mine}-2`)];
    try {
      await Promise.all([one, two, other].map((child) => once(child, "spawn")));
      const ended = Promise.all([once(one, "exit"), once(two, "exit")]);
      expect(new Set(await orphans(mine))).toEqual(new Set([one.pid, two.pid]));
      expect(await endOrphans(mine)).toBe(2);
      await ended;
      expect(await orphans(mine)).toEqual([]);
      expect(await orphans(`${mine}-2`)).toEqual([other.pid]);
    } finally {
      for (const child of [one, two, other]) child.kill("SIGKILL");
    }
  },
);
