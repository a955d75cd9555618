import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type Backup, cancelAnnotation, kinds } from "../../../src/api/index.ts";
import { resourceOf } from "../../../src/kube/index.ts";
import { openCluster, type TestCluster } from "../../harness/cluster.ts";
import { installDefinitions } from "../../harness/definitions.ts";
import { eventually } from "../../harness/eventually.ts";
import { missingTerminal, Terminal } from "../../harness/terminal.ts";
import { Upstream } from "../../harness/upstream.ts";

const missing = missingTerminal();
const backups = resourceOf(kinds.Backup);
let cluster: TestCluster;
let terminal: Terminal;
beforeAll(async () => {
  cluster = await openCluster();
  await installDefinitions(cluster.client);
  const upstream = new Upstream(cluster.client, cluster.namespace);
  for (const name of ["bank", "shop"]) {
    await upstream.backup(name);
    await upstream.write("Backup", name, {
      phase: "InProgress",
      startTimestamp: new Date().toISOString(),
      progress: { totalItems: 10, itemsBackedUp: 3 },
    });
  }
});
afterEach(() => terminal.close());
afterAll(() => cluster.close());

async function watch(): Promise<void> {
  const where = ["-n", cluster.namespace, "--kubeconfig", cluster.kubeconfig];
  terminal = new Terminal(100, 24, "watch", ...where);
  await sees("Backup bank", "Backup shop");
}

/** Waits until all of these are on the screen. */
function sees(...words: readonly string[]): Promise<string> {
  return eventually(
    () => terminal.screen().join("\n"),
    (screen) => words.every((word) => screen.includes(word)),
  );
}

async function presses(key: string, ...until: readonly string[]): Promise<string> {
  terminal.press(key);
  return sees(...until);
}

describe.skipIf(missing !== undefined)(`the keys of headway watch${missing ? ` (${missing})` : ""}`, () => {
  test("choose, open, go back, filter and quit", async () => {
    await watch();
    await presses("Down", "› Backup", "Enter open");
    await presses("Enter", "← back", "items");
    await presses("Escape", "› Backup", "Enter open");
    await presses("Escape", "↑↓ choose");
    await presses("/", "filter:");
    for (const key of "shop") terminal.press(key);
    await sees("filter: shop");
    const screen = await presses("Enter", 'only "shop"');
    expect(screen.split("\n").filter((line) => line.startsWith("Backup bank"))).toEqual([]);
    terminal.press("q");
    await eventually(
      () => terminal.exitCode(),
      (code) => code === 0,
    );
  });

  test("the log key tells the events and where the log will be", async () => {
    await watch();
    await presses("Down", "› Backup");
    await presses("l", "; its log: headway");
    terminal.press("C-c");
    await eventually(
      () => terminal.exitCode(),
      (code) => code === 130,
    );
  });

  test("cancel asks, and then asks for the end of the one under the cursor", async () => {
    const { client, namespace } = cluster;
    const asked = async () => {
      const all = await client.list<Backup>(backups, { namespace });
      return all.filter(({ metadata }) => metadata.annotations?.[cancelAnnotation] === "true");
    };
    await watch();
    await presses("Down", "› Backup");
    await presses("c", "cancel Backup", "any other key to go back");
    await presses("n", "Enter open");
    expect(await asked()).toEqual([]);
    const line = (await presses("c", "cancel Backup")).match(/cancel Backup (\w+)\?/)?.[1];
    terminal.press("y");
    await eventually(asked, (found) => found.length === 1);
    expect((await asked())[0]?.metadata.name).toBe(line);
    terminal.press("q");
    await eventually(
      () => terminal.exitCode(),
      (code) => code === 0,
    );
  });
});
