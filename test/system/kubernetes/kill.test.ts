import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findRunning } from "../../../src/cli/local/run-file.ts";
import { real, type Target, until } from "./request.ts";

const launcher = join(import.meta.dirname, "../../../bin/headway.js");
/** Fifty with HEADWAY_LONG=1; a few in every run, because each start takes its time on a loaded machine. */
const times = process.env["HEADWAY_LONG"] === "1" ? 50 : 6;
let folder: string;
let child: ChildProcess;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kill-"));
});

afterEach(() => {
  child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

async function start(): Promise<Target> {
  child = spawn(process.execPath, [launcher, "local", "up", "--foreground", "--state", folder], {
    stdio: "ignore",
  });
  const { pid } = child;
  const running = await until(
    async () => findRunning(folder),
    (found) => found?.pid === pid,
  );
  return real(running?.kubeconfig ?? "");
}

const path = "/api/v1/namespaces/default/configmaps";

test(
  `kill -9 under write load, ${times} times: nothing acknowledged is lost, it starts again each time`,
  async () => {
    /** What the server acknowledged: the newest value and resourceVersion of each name. */
    const acknowledged = new Map<string, { value: string; version: number }>();
    let unsure = new Set<string>();
    let newest = 0;
    for (let round = 0; round < times; round++) {
      const target = await start();
      const { body } = await target.call("GET", path);
      const found = new Map<
        string,
        { data?: { v?: string }; metadata: { name: string; resourceVersion: string } }
      >(body.items.map((o: { metadata: { name: string } }) => [o.metadata.name, o]));
      for (const [name, { value, version }] of acknowledged) {
        const stored = found.get(name);
        // A write that was on its way when the process died may have happened or not, but never less than what was said.
        if (!unsure.has(name)) expect(stored?.data?.v, `${name} in round ${round}`).toBe(value);
        else {
          const now = Number(stored?.metadata.resourceVersion);
          expect(now, `${name} in round ${round}`).toBeGreaterThanOrEqual(version);
          acknowledged.set(name, { value: stored?.data?.v ?? "", version: now }); // from here on it is sure
        }
      }
      expect(Number(body.metadata.resourceVersion)).toBeGreaterThanOrEqual(newest);
      unsure = await load(target, round, acknowledged);
      newest = Math.max(newest, ...[...acknowledged.values()].map(({ version }) => version));
      await target.close();
    }
    expect(acknowledged.size).toBeGreaterThan(times * 10);
  },
  times * 30_000,
);

/** Eight writers until the process is killed in the middle; returns the names whose last write was not answered. */
async function load(
  target: Target,
  round: number,
  acknowledged: Map<string, { value: string; version: number }>,
): Promise<Set<string>> {
  const unsure = new Set<string>();
  const enough = acknowledged.size + 40 + round * 3;
  let count = 0;
  const writer = async (id: number): Promise<void> => {
    for (let i = 0; ; i++) {
      // Half new names, half changes of known ones.
      const known = i % 2 === 1 ? `r${round}-${id}-${i - 1}` : undefined;
      const name = known ?? `r${round}-${id}-${i}`;
      const value = `${round}.${id}.${i}`;
      unsure.add(name);
      try {
        const object = { metadata: { name }, data: { v: value } };
        const { code, body } = await target.call(
          known ? "PUT" : "POST",
          known ? `${path}/${name}` : path,
          object,
        );
        if (code >= 300) throw new Error(`${code}`);
        acknowledged.set(name, { value, version: Number(body.metadata.resourceVersion) });
        unsure.delete(name);
        count += 1;
        if (acknowledged.size > enough) child.kill("SIGKILL");
      } catch {
        return; // the process is gone: this write stays unsure
      }
    }
  };
  await Promise.all(Array.from({ length: 8 }, (_unused, id) => writer(id)));
  expect(count).toBeGreaterThan(0);
  return unsure;
}
