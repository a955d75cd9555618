import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type Backup, kinds } from "../../../src/api/index.ts";
import { width } from "../../../src/cli/render/text.ts";
import { resourceOf } from "../../../src/kube/index.ts";
import { openCluster, type TestCluster } from "../../harness/cluster.ts";
import { installDefinitions } from "../../harness/definitions.ts";
import { eventually } from "../../harness/eventually.ts";
import { missingTerminal, Terminal } from "../../harness/terminal.ts";
import { Upstream, upstreamBackup, upstreamRestore } from "../../harness/upstream.ts";

const missing = missingTerminal();
const backups = resourceOf(kinds.Backup);
let cluster: TestCluster;
let upstream: Upstream;
let terminal: Terminal | undefined;
beforeAll(async () => {
  cluster = await openCluster();
  upstream = new Upstream(cluster.client, cluster.namespace);
  await installDefinitions(cluster.client);
});
afterEach(() => {
  terminal?.close();
  terminal = undefined;
});
afterAll(() => cluster.close());

function watch(columns: number, ...args: string[]): Terminal {
  const where = ["-n", cluster.namespace, "--kubeconfig", cluster.kubeconfig];
  terminal = new Terminal(columns, 24, "watch", ...args, ...where);
  return terminal;
}

/** The lines as they were drawn, one after the other, without colours and moves. */
function drawn(text: string): string[] {
  return text
    .replaceAll(/\x1b\[\??[\d;]*[A-Za-z]/g, "")
    .split(/[\r\n]+/)
    .filter((line) => line !== "");
}

/** The share that the first line of the tree shows; the summary below it has none. */
function percent(lines: readonly string[], title: string): number | undefined {
  const found = lines.findLast((line) => line.startsWith(title) && line.includes("%"));
  const text = /\s(\d+)%/.exec(found ?? "")?.[1];
  return text === undefined ? undefined : Number(text);
}

/** Each step is on the screen for a moment before the next one is written. */
async function play(on: Terminal, steps: Iterable<() => Promise<void>>): Promise<void> {
  for (const step of steps) {
    const before = on.written().length;
    await step();
    await eventually(
      () => on.written().length,
      (length) => length > before,
    );
  }
}

describe.skipIf(missing !== undefined)(`headway watch on a terminal${missing ? ` (${missing})` : ""}`, () => {
  test.each([80, 200])(
    "draws a tree that moves and fits into %i columns",
    { timeout: 180_000 },
    async (columns) => {
      const name = `b-${columns}`;
      await upstream.backup(name);
      const on = watch(columns, `backup/${name}`);
      await eventually(
        () => on.screen(),
        (lines) => lines.some((line) => line.startsWith(`Backup ${name}`)),
      );
      const shares: number[] = [];
      const steps = [...upstreamBackup(upstream, name)];
      for (const step of steps) {
        await play(on, [step]);
        const share = await eventually(
          () => percent(on.screen(), `Backup ${name}`),
          (seen) => seen !== undefined,
        );
        shares.push(share ?? 0);
      }
      await eventually(
        () => on.exitCode(),
        (code) => code !== undefined,
      );
      expect(on.exitCode()).toBe(0);
      const text = on.written();
      const lines = drawn(text).filter((line) => line !== "exit 0");
      expect(lines.length).toBeGreaterThan(20);
      expect(lines.filter((line) => width(line) > columns)).toEqual([]);
      expect(shares).toEqual(shares.toSorted((a, b) => a - b));
      expect(new Set(shares).size, "the bar moves").toBeGreaterThan(4);
      expect(text, "nothing is wiped: that flickers").not.toMatch(
        /\x1b\[[123]?J\x1b\[H|\x1b\[2J|\x1bc|\x1b\[H/,
      );
      expect(text, "lines are drawn over").toMatch(/\x1b\[\d+A/);
      const end = on.screen();
      expect(end.filter((line) => line.startsWith(`Backup ${name}`)).length, "one tree and one summary").toBe(
        2,
      );
      expect(end.find((line) => line.startsWith(`Backup ${name} completed`))).toBeDefined();
      expect(percent(end, `Backup ${name}`)).toBe(100);
      expect(end.some((line) => line.includes("shop/data-0"))).toBe(true);
    },
  );

  test("Ctrl-C ends the watching and leaves the work running", { timeout: 120_000 }, async () => {
    await upstream.backup("long");
    await upstream.write("Backup", "long", {
      phase: "InProgress",
      progress: { totalItems: 10, itemsBackedUp: 4 },
    });
    const on = watch(80, "backup/long");
    await eventually(
      () => percent(on.screen(), "Backup long"),
      (share) => share !== undefined && share > 0,
    );
    on.press("C-c");
    await eventually(
      () => on.exitCode(),
      (code) => code !== undefined,
    );
    expect(on.exitCode()).toBe(130);
    expect(on.screen()).toContain("Backup long goes on");
    expect(on.written(), "the cursor is back").toMatch(/\x1b\[\?25h(?![\s\S]*\x1b\[\?25l)/);
    const { status, spec } = await cluster.client.get<Backup>(backups, "long", {
      namespace: cluster.namespace,
    });
    expect(status?.phase).toBe("InProgress");
    expect(spec).not.toHaveProperty("cancel");
  });

  test("the exit code tells that a restore partially failed", { timeout: 120_000 }, async () => {
    await upstream.restore("r", "b-80");
    const on = watch(80, "restore/r");
    await eventually(
      () => on.screen(),
      (lines) => lines.some((line) => line.startsWith("Restore r")),
    );
    await play(on, upstreamRestore(upstream, "r"));
    await eventually(
      () => on.exitCode(),
      (code) => code !== undefined,
    );
    expect(on.exitCode()).toBe(1);
    expect(on.screen().find((line) => line.startsWith("Restore r partially failed"))).toContain("2 errors");
  });
});
